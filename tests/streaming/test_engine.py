"""What every learner on the engine promises of looks, stages, episodes, and what it may be told.

That bits are the same however a stream is cut is in test_bits.py, what can't be used in test_bad_calls.py.
"""

import gc
import weakref
from itertools import pairwise

import numpy as np
import pytest

from colonnade.streaming import Regressor
from streaming.made import INPUTS, KINDS, NETWORKS, bits, made, same_bits, stream

EVENTS, BEGINS_STAGE = 240, {"constructive": 140, "ccn": 140, "uneven stages": 160}
EACH = [(network, kind) for network in NETWORKS for kind in KINDS]

each_network = pytest.mark.parametrize("network", NETWORKS)
each_learner = pytest.mark.parametrize(("network", "kind"), EACH)


def same(a, b):
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], err_msg=name)


# ---- looks and weights ----


@each_learner
@pytest.mark.parametrize("optimizer", ["RMSProp", "Adam"])
def test_predicting_only_looks(network, kind, optimizer):
    """Also before the first event, and before and at a stage's first."""
    x, told = stream(kind, EVENTS)
    begins = BEGINS_STAGE.get(network, 140)
    learner = made(network, kind, optimizer)
    for t in (0, 1, begins - 1, begins, begins + 1):
        learner.run(x[learner.events : t], told[learner.events : t])
        before = bits(learner)
        expected = learner.predict(x[t])
        np.testing.assert_array_equal(learner.predict(x[t]), expected)
        assert bits(learner) == before
        np.testing.assert_array_equal(learner.step(x[t], told[t]), expected)


@each_learner
def test_learning_gives_no_answer(network, kind):
    (x, told), learner, answering = stream(kind, EVENTS), made(network, kind), made(network, kind)
    for t in range(EVENTS):
        assert learner.learn(x[t], told[t]) is None
        answering.step(x[t], told[t])
    same_bits(learner, answering)
    assert learner.events == EVENTS


@each_network
def test_weights_alone(network):
    x, told = stream("a number", EVENTS)
    learner, other = made(network, "a number"), made(network, "a number", seed=9)
    learner.run(x, told)
    before = other.state()
    other.set_parameters(learner.parameters())
    same(other.parameters(), learner.parameters())
    for name in before.keys() - learner.parameters().keys():
        np.testing.assert_array_equal(other.state()[name], before[name])


# ---- stages ----


def test_a_stage_learns_in_its_time_only():
    """And so do its statistics; those of features go on."""
    (x, told), learner = stream("a return", 210), made("ccn", "a return")
    states = [learner.state()]
    for begin in (0, 70, 140):
        learner.run(x[begin : begin + 70], told[begin : begin + 70])
        states.append(learner.state())
    for period, (before, after) in enumerate(pairwise(states)):
        for stage in range(3):
            for name in (f"stage.{stage}.W", f"stage.{stage}.mean", f"stage.{stage}.variance"):
                assert np.array_equal(before[name], after[name]) == (stage != period), (name, period)
        begun = 3 * (period + 1)
        for name in ("readout.w", "features.mean"):
            moved = (before[name] != after[name]).reshape(-1)
            assert moved[:begun].all(), (name, period)
        assert not after["readout.w"][:, begun:].any()


# ---- episodes ----


@each_learner
def test_a_reset_forgets_states_and_blame_and_nothing_else(network, kind):
    (x, told), learner = stream(kind, EVENTS), made(network, kind, "Adam")
    learner.run(x, told)
    before = learner.state()
    learner.reset()
    after = learner.state()
    forgotten = (".h", ".c", ".h_re", ".h_im", ".H", ".C", ".J_re", ".J_im", ".E", ".last", ".ring", ".begun")
    for name, array in before.items():
        if name.endswith(forgotten):
            assert not after[name].any(), name
        elif not name.endswith((".past", ".slopes")):  # which nobody looks at
            np.testing.assert_array_equal(after[name], array, err_msg=name)


@each_network
def test_an_episodes_first_event_teaches_nothing_of_returns(network):
    (x, told), learner = stream("a return", EVENTS), made(network, "a return", "SGD")
    learner.run(x, told)
    learner.reset()
    before = learner.parameters()
    learner.step(x[0], 1000.0)
    same(before, learner.parameters())
    learner.step(x[1], 1000.0)
    assert np.abs(learner.parameters()["readout.b"] - before["readout.b"]).max() > 1e-3


# ---- what is told ----


@each_network
def test_discounts_may_change(network):
    x, cumulant = stream("returns", EVENTS)
    discount = np.random.default_rng(0).choice([0.0, 0.5, 0.9], (EVENTS, 3)).astype(np.float32)
    whole, single = made(network, "returns"), made(network, "returns")
    together = whole.run(x, cumulant, discount)
    for t in range(EVENTS):
        np.testing.assert_array_equal(single.step(x[t], cumulant[t], discount[t]), together[t])
    assert np.abs(together - made(network, "returns").run(x, cumulant)).max() > 1e-4


def test_one_discount_is_for_all_predictions():
    x, cumulant = stream("returns", EVENTS)
    told, own, each = (made("columnar", "returns", discount=0.7) for _ in range(3))
    expected = own.run(x, cumulant)
    np.testing.assert_array_equal(told.run(x, cumulant, np.full(EVENTS, 0.7)), expected)
    for t in range(EVENTS):
        np.testing.assert_array_equal(each.step(x[t], cumulant[t], 0.7), expected[t])


@each_network
@pytest.mark.parametrize("kind", ["a number", "numbers", "classes"])
def test_a_missing_target_teaches_nothing(network, kind):
    """The state moves, and running statistics do; whatever stands in its place."""
    (x, told), known = stream(kind, EVENTS), np.random.default_rng(0).random(EVENTS) < 0.7
    whole, single, garbled = (made(network, kind, "Adam") for _ in range(3))
    together = whole.run(x, told, known)
    for t in range(EVENTS):
        np.testing.assert_array_equal(single.step(x[t], told[t] if known[t] else None), together[t])
    other = np.where(known.reshape(-1, *(1,) * (told.ndim - 1)), told, 2)
    np.testing.assert_array_equal(garbled.run(x, other, known=known), together)
    same_bits(whole, single)
    same_bits(whole, garbled)

    before = whole.state()
    whole.run(x, told, np.zeros(EVENTS, bool))
    moved = {name for name, array in whole.state().items() if not np.array_equal(array, before[name])}
    assert "features.mean" in moved
    assert any(name.endswith((".h", ".h_re")) for name in moved)
    assert not any(name in whole.parameters() or name.endswith((".m", ".v", "_age")) for name in moved)


def test_inputs_may_have_names():
    (x, told), names = stream("a number", EVENTS), [f"sensor {i}" for i in range(INPUTS)]
    plain, named = made("columnar", "a number"), made("columnar", "a number", inputs=names)
    for t in range(50):
        event = dict(reversed(list(zip(names, x[t].tolist(), strict=True))))
        assert named.step(event, told[t]) == plain.step(x[t], told[t])
    assert named.predict(dict.fromkeys(names, 1)) == plain.predict([1] * INPUTS)
    np.testing.assert_array_equal(named.run(x, told), plain.run(x, told))
    assert isinstance(named, Regressor)
    assert named.inputs == tuple(names)


@pytest.mark.parametrize("form", [list, tuple, np.float64, np.float16, lambda row: np.repeat(row, 2)[::2]])
def test_an_observation_may_come_in_any_form(form):
    x, told = stream("a number", 50)
    x = np.float32(np.float16(x))
    plain, other = made("columnar", "a number"), made("columnar", "a number")
    for t in range(50):
        assert other.step(form(x[t]), told[t]) == plain.step(x[t], told[t])


# ---- memory ----


@each_learner
def test_a_learner_that_nobody_holds_is_freed_also_from_a_circle(network, kind):
    alone, circle = made(network, kind), made(network, kind)
    alone.run(*stream(kind, 10))
    circle.itself = circle
    gone = [weakref.ref(alone), weakref.ref(circle)]
    del alone, circle
    gc.collect()
    assert [ref() for ref in gone] == [None, None]
