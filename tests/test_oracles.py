"""The judges judged: against finite differences of a forward pass written apart, and against each other.

An exact rule's gradient of each step's own loss is that of the forward pass. Rules that leave something
out must be exact where nothing is left out, and differ where something is.
"""

from functools import partial

import numpy as np
import pytest

from oracles import columns, forward, online_lru, rtrl, snap, tbptt
from oracles.activations import RELU, SIGMOID, TANH
from oracles.finite import finite_difference
from oracles.trees import add, leafwise

T, d, n = 6, 3, 4
ALPHA = np.array([0.9, 0.5, 0.0, -0.3])

LEAVES = {
    "rnn": {"W": (n, d), "R": (n, n), "b": (n,)},
    "additive": {"U": (n, d), "R": (n, n)},
    "lstm": {k: {"W": (n, d), "R": (n, n), "b": (n,)} for k in "ifog"},
    "gru": {k: {"W": (n, d), "R": (n, n), "b": (n,)} for k in "rzn"},
    "columns": {k: {"W": (n, 1, d), "R": (n, 1, 1), "b": (n, 1)} for k in "ifog"},
    "elstm": {k: {"W": (n, d), "w": (n,), "b": (n,)} for k in "fzo"},
    "lru": {"nu": (n,), "theta": (n,), "gamma": (n,), "B_re": (n, d), "B_im": (n, d)},
}


def by_rtrl(cell):
    return partial(rtrl.gradients, cell)


EXACT = {
    "tanh rnn": (LEAVES["rnn"], forward.rnn, by_rtrl(rtrl.rnn(TANH))),
    "sigmoid rnn": (LEAVES["rnn"], partial(forward.rnn, activation=SIGMOID), by_rtrl(rtrl.rnn(SIGMOID))),
    "relu rnn": (LEAVES["rnn"], partial(forward.rnn, activation=RELU), by_rtrl(rtrl.rnn(RELU))),
    "leaky": (LEAVES["rnn"], partial(forward.leaky, alpha=ALPHA), by_rtrl(rtrl.leaky(ALPHA))),
    "linear": (LEAVES["rnn"], forward.linear, by_rtrl(rtrl.linear())),
    "additive": (LEAVES["additive"], forward.additive, by_rtrl(rtrl.additive())),
    "lstm": (LEAVES["lstm"], forward.lstm, by_rtrl(rtrl.lstm())),
    "gru": (LEAVES["gru"], forward.gru, by_rtrl(rtrl.gru())),
    "elstm": (LEAVES["elstm"], forward.elstm, by_rtrl(rtrl.elstm())),
    "columns": (LEAVES["columns"], forward.columns, columns.gradients),
    "lru": (LEAVES["lru"], forward.lru, online_lru.gradients),
}


def draw(shapes, seed=0, scale=0.6):
    rng = np.random.default_rng(seed)
    return leafwise(lambda shape: scale * rng.standard_normal(shape), shapes)


def stream(inputs=d, outputs=n, steps=T, seed=1):
    """(xs, es)."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((steps, inputs)), rng.standard_normal((steps, outputs))


def assert_same(actual, expected, rtol=1e-12):
    """Leaf by leaf, relative to the leaf's largest number."""

    def check(a, b):
        assert np.shape(a) == np.shape(b)
        np.testing.assert_allclose(a, b, rtol=0, atol=rtol * max(np.max(np.abs(b)), 1e-3))

    leafwise(check, actual, expected)


def assert_same_at_each_step(actual, expected, rtol=1e-12):
    assert len(actual) == len(expected)
    for a, b in zip(actual, expected, strict=True):
        assert_same(a, b, rtol)


def difference(actual, expected):
    """The largest difference in any leaf at any step."""
    worst = []
    for a, b in zip(actual, expected, strict=True):
        leafwise(lambda x, y: worst.append(np.max(np.abs(x - y))), a, b)
    return max(worst)


def by_finite_differences(run, params, es):
    """For every t, the gradient of es[t] · run(params)[t]."""
    slopes = finite_difference(lambda p: np.sum(es * run(p), axis=1), params)
    return [leafwise(lambda leaf, t=t: leaf[t], slopes) for t in range(len(es))]


def diagonal(params):
    """Every R made diagonal: units without links."""
    return snap.masked(params, np.eye(n))


# exact rules


@pytest.mark.parametrize("name", EXACT)
def test_exact_rules_meet_finite_differences_at_each_step(name):
    shapes, run, gradients = EXACT[name]
    params = draw(shapes)
    xs, es = stream(outputs=run(params, np.zeros((1, d))).shape[1])
    exact = by_finite_differences(lambda p: run(p, xs), params, es)
    assert_same_at_each_step(gradients(params, xs, es), exact, rtol=1e-6)
    assert all(np.any(leaf != 0) for leaf in flat(exact[-1]))


def flat(tree):
    return [leaf for value in tree.values() for leaf in (flat(value) if isinstance(value, dict) else [value])]


@pytest.mark.parametrize("cell", ["lstm", "gru", "elstm"])
def test_features_meet_the_forward_pass(cell):
    params, (xs, _) = draw(LEAVES[cell]), stream()
    np.testing.assert_allclose(
        rtrl.features(getattr(rtrl, cell)(), params, xs), getattr(forward, cell)(params, xs), rtol=1e-13
    )


def test_column_features_meet_the_forward_pass():
    params, (xs, _) = draw(LEAVES["columns"]), stream()
    np.testing.assert_allclose(columns.features(params, xs), forward.columns(params, xs), rtol=1e-13)


def test_packed_columns_come_back():
    params = draw(LEAVES["columns"])
    assert_same(columns.unpack(columns.pack(params)), params, rtol=0)


def test_one_column_is_an_lstm_of_one_unit():
    params = draw({k: {"W": (1, 1, d), "R": (1, 1, 1), "b": (1, 1)} for k in "ifog"})
    unit = leafwise(lambda leaf: leaf[0], params)
    xs, es = stream(outputs=1)
    dense = [leafwise(lambda leaf: leaf[None], g) for g in rtrl.gradients(rtrl.lstm(), unit, xs, es)]
    assert_same_at_each_step(columns.gradients(params, xs, es), dense)


def test_columns_are_an_lstm_with_diagonal_links():
    params, (xs, es) = draw(LEAVES["columns"]), stream()
    unlinked = {
        k: {"W": p["W"][:, 0], "R": np.diag(p["R"][:, 0, 0]), "b": p["b"][:, 0]} for k, p in params.items()
    }
    dense = [
        {
            k: {"W": g["W"][:, None], "R": np.diag(g["R"])[:, None, None], "b": g["b"][:, None]}
            for k, g in at_t.items()
        }
        for at_t in rtrl.gradients(rtrl.lstm(), unlinked, xs, es)
    ]
    assert_same_at_each_step(columns.gradients(params, xs, es), dense)


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_rtrl_meets_torch(cell):
    pytest.importorskip("torch")
    from oracles import torch_cells

    params, (xs, es) = draw(LEAVES[cell]), stream()
    torch = getattr(torch_cells, f"{cell}_gradients")(params, xs, es)
    assert_same_at_each_step(rtrl.gradients(getattr(rtrl, cell)(), params, xs, es), torch, rtol=1e-10)


# two layers of LRUs


def two_layers(scale=0.6):
    first = draw(LEAVES["lru"], seed=2, scale=scale)
    second = draw({"nu": (2,), "theta": (2,), "gamma": (2,), "B_re": (2, 2 * n), "B_im": (2, 2 * n)}, seed=3)
    return first, second, *stream(outputs=4)


def exact_two_layers(first, second, xs, es):
    both = {"first": first, "second": second}
    slopes = by_finite_differences(lambda p: forward.lru(p["second"], forward.lru(p["first"], xs)), both, es)
    return [g["first"] for g in slopes], [g["second"] for g in slopes]


def test_layered_is_exact_in_the_last_layer_and_biased_below():
    first, second, xs, es = two_layers()
    below, last = zip(*online_lru.layered_gradients(first, second, xs, es), strict=True)
    exact_below, exact_last = exact_two_layers(first, second, xs, es)
    assert_same_at_each_step(last, exact_last, rtol=1e-6)
    assert_same(below[0], exact_below[0], rtol=1e-6)
    assert all(difference([a], [b]) > 1e-2 for a, b in zip(below[1:], exact_below[1:], strict=True))


def test_layered_is_exact_below_when_the_last_layer_forgets_at_once():
    first, second, xs, es = two_layers()
    second["nu"] = np.full(2, 4.0)
    below, last = zip(*online_lru.layered_gradients(first, second, xs, es), strict=True)
    exact_below, exact_last = exact_two_layers(first, second, xs, es)
    assert_same_at_each_step(below, exact_below, rtol=1e-6)
    assert_same_at_each_step(last, exact_last, rtol=1e-6)


# SnAp

CELLS = {"rnn": rtrl.rnn(), "lstm": rtrl.lstm(), "gru": rtrl.gru()}
RING = np.eye(n) + np.roll(np.eye(n), 1, axis=0)


@pytest.mark.parametrize("cell", CELLS)
def test_snap1_is_exact_without_links(cell):
    params, (xs, es) = draw(LEAVES[cell]), stream()
    exact = rtrl.gradients(CELLS[cell], diagonal(params), xs, es)
    kept = snap.gradients(CELLS[cell], params, xs, es, k=1, mask=np.eye(n))
    assert_same_at_each_step(kept, [diagonal(g) for g in exact])


@pytest.mark.parametrize(("cell", "by_unit"), [("rnn", snap.rnn_snap1), ("lstm", snap.lstm_snap1)])
def test_snap1_unit_by_unit(cell, by_unit):
    params, (xs, es) = draw(LEAVES[cell]), stream()
    local = by_unit(params, xs, es)
    assert_same_at_each_step(local, snap.gradients(CELLS[cell], params, xs, es, k=1, mask=np.ones((n, n))))
    assert difference(local, rtrl.gradients(CELLS[cell], params, xs, es)) > 1e-2
    unlinked = rtrl.gradients(CELLS[cell], diagonal(params), xs, es)
    assert_same_at_each_step(by_unit(diagonal(params), xs, es), unlinked)


def test_reach_follows_the_wiring():
    np.testing.assert_array_equal(snap.reach(RING, 1), np.eye(n))
    np.testing.assert_array_equal(snap.reach(RING, 2), RING)
    assert snap.reach(RING, 3).sum() == 3 * n
    assert snap.reach(RING, n).all()


@pytest.mark.parametrize("cell", CELLS)
def test_snap_is_exact_once_k_is_the_reach_and_worse_below(cell):
    params, (xs, es) = draw(LEAVES[cell], scale=1.0), stream()
    wired = snap.masked(params, RING)
    exact = [snap.masked(g, RING) for g in rtrl.gradients(CELLS[cell], wired, xs, es)]
    bias = [difference(snap.gradients(CELLS[cell], params, xs, es, k, RING), exact) for k in range(1, n + 2)]
    assert bias[n - 1] < 1e-13
    assert bias[n] < 1e-13
    assert all(b > 1e-4 for b in bias[: n - 1])


def test_snap_of_a_masked_rnn_meets_finite_differences():
    params, (xs, es) = draw(LEAVES["rnn"]), stream()
    exact = by_finite_differences(lambda p: forward.rnn(snap.masked(p, RING), xs), params, es)
    assert_same_at_each_step(snap.gradients(rtrl.rnn(), params, xs, es, n, RING), exact, rtol=1e-6)


# truncated backpropagation

WINDOWED = {"rnn": tbptt.Rnn(), "lstm": tbptt.Lstm()}


@pytest.mark.parametrize("cell", WINDOWED)
def test_a_window_over_everything_is_exact(cell):
    params, (xs, es) = draw(LEAVES[cell]), stream()
    exact = rtrl.gradients(CELLS[cell], params, xs, es)
    assert_same_at_each_step(tbptt.window(WINDOWED[cell], params, xs, es, T), exact)
    assert_same_at_each_step(tbptt.window(WINDOWED[cell], params, xs, es, T + 5), exact)


@pytest.mark.parametrize("cell", WINDOWED)
def test_a_short_window_is_exact_until_it_is_full(cell):
    params, (xs, es) = draw(LEAVES[cell]), stream()
    exact = rtrl.gradients(CELLS[cell], params, xs, es)
    for k in (1, 2, 3):
        short = tbptt.window(WINDOWED[cell], params, xs, es, k)
        assert_same_at_each_step(short[:k], exact[:k])
        assert difference(short[k:], exact[k:]) > 1e-2


def test_a_window_meets_finite_differences_from_the_stored_state():
    params, (xs, es), k = draw(LEAVES["rnn"]), stream(), 3
    start, _ = tbptt.stored(tbptt.Rnn(), params, xs)[T - k]

    def loss(p):
        h = start
        for x in xs[-k:]:
            h = np.tanh(p["W"] @ x + p["R"] @ h + p["b"])
        return es[-1] @ h

    assert_same(tbptt.window(tbptt.Rnn(), params, xs, es, k)[-1], finite_difference(loss, params), rtol=1e-6)


def test_relu_and_sigmoid_windows_are_exact():
    params, (xs, es) = draw(LEAVES["rnn"]), stream()
    for activation in (RELU, SIGMOID):
        exact = rtrl.gradients(rtrl.rnn(activation), params, xs, es)
        assert_same_at_each_step(tbptt.window(tbptt.Rnn(activation), params, xs, es, T), exact)


def test_spatial_is_this_step_only():
    params, (xs, es) = draw(LEAVES["rnn"]), stream()
    h = forward.rnn(params, xs)
    dz = es[-1] * (1 - h[-1] ** 2)
    assert_same(
        tbptt.window(tbptt.Rnn(), params, xs, es, 1)[-1],
        {"W": np.outer(dz, xs[-1]), "R": np.outer(dz, h[-2]), "b": dz},
    )


@pytest.mark.parametrize("cell", WINDOWED)
def test_chunks(cell):
    params, (xs, es) = draw(LEAVES[cell]), stream()
    exact = rtrl.gradients(CELLS[cell], params, xs, es)

    whole = tbptt.chunked(WINDOWED[cell], params, xs, es, T)
    total = exact[0]
    for g in exact[1:]:
        total = add(total, g)
    assert_same(whole[-1], total)
    assert all(not leaf.any() for g in whole[:-1] for leaf in flat(g))

    threes = tbptt.chunked(WINDOWED[cell], params, xs, es, 3)
    assert [any(leaf.any() for leaf in flat(g)) for g in threes] == [False, False, True] * 2
    assert_same(threes[2], add(add(exact[0], exact[1]), exact[2]))
    assert difference([threes[5]], [add(add(exact[3], exact[4]), exact[5])]) > 1e-2

    ones = tbptt.chunked(WINDOWED[cell], params, xs, es, 1)
    assert_same_at_each_step(ones, tbptt.window(WINDOWED[cell], params, xs, es, 1))


def test_chunks_leave_an_unfinished_one_alone():
    params, (xs, es) = draw(LEAVES["rnn"]), stream()
    fours = tbptt.chunked(tbptt.Rnn(), params, xs, es, 4)
    assert [any(leaf.any() for leaf in flat(g)) for g in fours] == [False] * 3 + [True, False, False]
