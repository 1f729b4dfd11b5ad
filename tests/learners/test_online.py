"""The online learner: each event's gradient, when it is applied, and what episodes and gaps do."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from colonnade import (
    GRU,
    LSTM,
    RNN,
    TD,
    BadInput,
    Batch,
    Columnar,
    CrossEntropy,
    Event,
    Normalise,
    Online,
    SquaredError,
    Stacked,
    Staged,
    first_of,
    frozen,
    grow,
    independent,
    layered,
    rmsprop,
    rtrl,
    run,
    spatial,
    tbptt,
)

INPUTS = 3


def events(n=24, outputs=1, seed=0, **fields):
    rng = np.random.default_rng(seed)
    return Event(
        x=rng.normal(size=(n, INPUTS)).astype(np.float32),
        target=rng.normal(size=(n, outputs)).astype(np.float32),
        **fields,
    )


def learned(learner, data, seed=0):
    return run(learner, learner.init(jax.random.key(seed), first_of(data)), data)


def same(a, b, **tolerance):
    def equal(x, y):
        if jnp.issubdtype(jnp.asarray(x).dtype, jax.dtypes.prng_key):
            x, y = jax.random.key_data(x), jax.random.key_data(y)
        np.testing.assert_allclose(x, y, **(tolerance or {"rtol": 0, "atol": 0}))

    jax.tree.map(equal, a, b)


def full_loss_gradient(learner, carry, data):
    """Return the gradient of the summed loss by plain backpropagation."""

    def total(params, readout):
        def move(state, event):
            state = learner.cell.step(params, state, event.x)
            prediction = learner.objective.predict(readout, learner.cell.read(state))
            return state, learner.objective.scalar(prediction, event)

        return jax.lax.scan(move, learner.cell.start(params), jax.tree.map(jnp.asarray, data))[1].sum()

    return jax.grad(total, argnums=(0, 1))(carry.params, carry.readout)


def test_one_update_every_n_is_a_gradient_step_on_the_sum():
    data = events(8)
    learner = Online(GRU(4), rtrl(), SquaredError(), optax.sgd(0.1), every=8)
    before = learner.init(jax.random.key(0), first_of(data))
    before = before._replace(readout=before.readout._replace(w=before.readout.w + 0.5))
    after, _ = run(learner, before, data)
    cell, readout = full_loss_gradient(learner, before, data)
    same(after.params, jax.tree.map(lambda p, g: p - 0.1 * g, before.params, cell), rtol=1e-4, atol=1e-6)
    same(after.readout, jax.tree.map(lambda p, g: p - 0.1 * g, before.readout, readout), rtol=1e-4, atol=1e-6)


def test_every_update_is_of_what_came_since_the_last():
    data = events(12)
    learner = Online(RNN(3), rtrl(), SquaredError(), optax.sgd(0.1), every=4)
    carry = learner.init(jax.random.key(0), first_of(data))
    for at in range(0, 12, 4):
        before, total = {"cell": carry.params, "readout": carry.readout}, []
        for t in range(at, at + 4):
            event = jax.tree.map(lambda leaf, t=t: leaf[t], data)
            total.append(learner.gradient(carry, event)[0])
            carry, _ = learner.step(carry, event)
        expected = jax.tree.map(lambda p, *g: p - 0.1 * sum(g), before, *total)
        same({"cell": carry.params, "readout": carry.readout}, expected, rtol=1e-4, atol=1e-6)


def test_events_without_a_target_make_no_update_of_their_own():
    """Adam would move on: only the second three of these nine events have targets."""
    given = np.arange(9) // 3 == 1
    learner = Online(RNN(3), rtrl(), SquaredError(), optax.adam(0.1), every=3)
    data = events(9, given=given)
    carry = learner.init(jax.random.key(0), first_of(data))
    moved = []
    for at in range(0, 9, 3):
        before = carry
        carry, _ = run(learner, carry, jax.tree.map(lambda leaf, at=at: leaf[at : at + 3], data))
        moved.append(bool(carry.readout.b != before.readout.b))
        assert bool(carry.optimizer[0].count > before.optimizer[0].count) == moved[-1]
    assert moved == [False, True, False]


ODD = {"error": (SquaredError(), 0.0, np.nan), "TD": (TD(), 0.0, np.nan), "classes": (CrossEntropy(3), 0, 99)}


@pytest.mark.parametrize("name", ODD)
def test_what_stands_where_no_target_is_given_does_not_matter(name):
    """Also where its gradient is summed up with others', over events or over streams."""
    objective, plain, odd = ODD[name]
    given = np.random.default_rng(3).random((12, 3)) < 0.5
    x = np.random.default_rng(4).normal(size=(12, 3, INPUTS))
    targets = np.full((12, 3), plain), np.where(given, plain, odd)
    if name != "classes":
        targets = tuple(target[..., None] for target in targets)
    one = Online(GRU(3), rtrl(), objective, optax.adam(0.1), every=4)
    for learner, which in ((one, 0), (Batch(one, streams=3), slice(None))):
        outcomes = [learned(learner, Event(x[:, which], y[:, which], given=given[:, which])) for y in targets]
        same(*outcomes)
        assert outcomes[0][0].optimizer[0].count == 3


@pytest.mark.parametrize("name", ODD)
def test_an_absent_target_gives_nothing_to_descend(name):
    objective = ODD[name][0]
    learner = Online(GRU(3), rtrl(), objective, optax.sgd(0.5))
    y = np.full(8, 1 if name == "classes" else 1.0)
    data = Event(events(8).x, y if name == "classes" else y[:, None], given=np.arange(8) < 7)
    last = jax.tree.map(lambda leaf: leaf[7], data)
    carry, _ = learned(learner, jax.tree.map(lambda leaf: leaf[:7], data))
    direction, _, outcome = learner.gradient(carry, last)
    told, _, _ = learner.gradient(carry, last._replace(given=np.array(True)))
    assert optax.tree.norm(direction) == 0 and outcome.loss == 0
    assert optax.tree.norm(told) > 1e-3


def test_one_stream_with_a_target_is_enough_to_learn():
    given = np.zeros((6, 3), bool)
    given[:, 1] = True
    data = jax.tree.map(lambda leaf: leaf[:, None].repeat(3, 1), events(6))._replace(given=given)
    batch = Batch(Online(GRU(3), rtrl(), SquaredError(), optax.sgd(0.3)), streams=3)
    alone = Online(GRU(3), rtrl(), SquaredError(), optax.sgd(0.1))
    carry, _ = learned(batch, data)
    single, _ = learned(alone, events(6))
    assert float(carry.readout.b[0]) != 0
    same(carry.readout, single.readout, rtol=1e-4, atol=1e-6)


def test_nothing_moves_before_it_is_due():
    learner = Online(RNN(4), rtrl(), SquaredError(), optax.adam(0.1), every=5)
    carry = learner.init(jax.random.key(0), first_of(events()))
    after, _ = run(learner, carry, events(4))
    same(after.params, carry.params)
    moved, _ = run(learner, after, events(1))
    assert not np.allclose(moved.readout.b, carry.readout.b)


def test_chunked_backpropagation_is_rtrl_restarted_at_each_chunk():
    data = events(12)
    chunked = Online(GRU(4), tbptt(4, every=4), SquaredError(), optax.sgd(0.05), every=4)
    carry, _ = learned(chunked, data)
    by_hand = Online(GRU(4), rtrl(), SquaredError(), optax.sgd(0.05), every=4)
    reference = by_hand.init(jax.random.key(0), first_of(data))
    for at in range(0, 12, 4):
        fresh = by_hand.begin(reference.params, reference.readout, reference.stream.state, data.x[0])
        reference = reference._replace(stream=fresh)
        reference, _ = run(by_hand, reference, jax.tree.map(lambda leaf, at=at: leaf[at : at + 4], data))
    same(carry.params, reference.params, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("cut", [1, 7, 23])
def test_chunks_of_any_length_give_the_same_bits(cut):
    learner = Online(Columnar(LSTM(1), 3), independent(rtrl()), TD(), rmsprop(1e-2))
    data = events()
    whole, outcome = learned(learner, data)
    carry, first = run(
        learner,
        learner.init(jax.random.key(0), first_of(data)),
        jax.tree.map(lambda leaf: leaf[:cut], data),
    )
    carry, rest = run(learner, carry, jax.tree.map(lambda leaf: leaf[cut:], data))
    same(carry, whole)
    np.testing.assert_array_equal(np.concatenate([first.prediction, rest.prediction]), outcome.prediction)


def test_step_by_step_is_the_run():
    learner = Online(GRU(4), rtrl(), SquaredError(), optax.sgd(0.1))
    data = events(5)
    whole, _ = learned(learner, data)
    carry = learner.init(jax.random.key(0), first_of(data))
    for i in range(5):
        carry, _ = learner.step(carry, jax.tree.map(lambda leaf, i=i: leaf[i], data))
    same(carry.params, whole.params, rtol=1e-5)


def test_seeds_vmap():
    learner = Online(Columnar(LSTM(1), 3), independent(rtrl()), TD(), rmsprop(1e-2))
    data = jax.tree.map(jnp.asarray, events(10))
    keys = jax.random.split(jax.random.key(5), 3)
    carries = jax.vmap(learner.init, in_axes=(0, None))(keys, first_of(data))
    _, outcomes = jax.vmap(lambda c: jax.lax.scan(learner.step, c, data))(carries)
    alone = learner.init(keys[1], first_of(data))
    _, one = jax.lax.scan(learner.step, alone, data)
    np.testing.assert_allclose(outcomes.prediction[1], one.prediction, rtol=1e-5, atol=1e-7)


def test_a_new_episode_forgets_the_old_one():
    first = np.zeros(24, bool)
    first[12] = True
    learner = Online(LSTM(4), rtrl(), SquaredError(), optax.sgd(0.0))
    _, through = learned(learner, events(first=first))
    second_half = jax.tree.map(lambda leaf: leaf[12:], events(first=first))
    _, alone = learned(learner, second_half)
    np.testing.assert_array_equal(through.prediction[12:], alone.prediction)


def test_td_does_not_learn_across_an_episodes_border():
    """A great cumulant at a first event belongs to nobody: no prediction was made for it."""
    first = np.zeros(24, bool)
    first[12] = True
    data = events(first=first)
    data.target[12] = 1e6
    learner = Online(GRU(3), rtrl(), TD(), optax.sgd(0.01))
    carry, outcome = learned(learner, data)
    assert float(outcome.loss[12]) == 0.0
    assert all(np.abs(leaf).max() < 100 for leaf in jax.tree.leaves(carry.params))


def test_events_without_a_target_change_no_parameter_and_nan_there_is_harmless():
    given = np.ones(24, bool)
    given[6:] = False
    data = events(given=given)
    data.target[6:] = np.nan
    learner = Online(RNN(4), rtrl(), SquaredError(), optax.adam(0.1))
    carry, outcome = learned(learner, data)
    short, _ = learned(learner, jax.tree.map(lambda leaf: leaf[:6], data))
    same(carry.params, short.params)
    same(carry.optimizer, short.optimizer)
    assert not np.allclose(carry.stream.state, short.stream.state)
    assert (np.asarray(outcome.loss[6:]) == 0).all()


def test_a_target_at_the_end_of_a_chunk_only():
    """Many to one: the last target's gradient reaches back through the events without one."""
    given = np.zeros(8, bool)
    given[-1] = True
    data = events(8, given=given)
    exact = Online(GRU(4), rtrl(), SquaredError(), optax.sgd(0.1), every=8)
    chunked = Online(GRU(4), tbptt(8, every=8), SquaredError(), optax.sgd(0.1), every=8)
    readout = exact.init(jax.random.key(0), first_of(data)).readout
    results = []
    for learner in (exact, chunked):
        carry = learner.init(jax.random.key(0), first_of(data))
        carry = carry._replace(readout=readout._replace(w=readout.w + 0.5))
        after, _ = run(learner, carry, data)
        assert not np.allclose(after.params.W, carry.params.W)
        results.append(after.params)
    same(*results, rtol=1e-4, atol=1e-6)


def test_several_predictions_learn_as_each_would_alone():
    """With the cell held still, three TD outputs are three learners of one output."""
    learner = Online(RNN(4), frozen(), TD(trace_decay=0.8, outputs=3), optax.sgd(0.1))
    data = events(outputs=3)
    carry, outcome = learned(learner, data)
    for i in range(3):
        alone = Online(RNN(4), frozen(), TD(trace_decay=0.8), optax.sgd(0.1))
        one, only = learned(alone, data._replace(target=data.target[:, i : i + 1]))
        np.testing.assert_allclose(carry.readout.w[i], one.readout.w[0], rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(outcome.prediction[:, i], only.prediction[:, 0], rtol=1e-5, atol=1e-6)


def test_gradients_of_several_predictions_add_up_in_the_cell():
    data = events(2, outputs=3)
    weights = jax.random.normal(jax.random.key(9), (3, 4))
    learner = Online(RNN(4), rtrl(), TD(trace_decay=0.8, outputs=3), optax.sgd(0.1))
    carry = learner.init(jax.random.key(0), first_of(data))
    carry = carry._replace(readout=carry.readout._replace(w=weights))
    _, moved, _ = learner.gradient(carry, first_of(data))
    direction, _, _ = learner.gradient(moved, jax.tree.map(lambda leaf: leaf[1], data))
    total = jnp.zeros_like(carry.params)
    for i in range(3):
        alone = Online(RNN(4), rtrl(), TD(trace_decay=0.8), optax.sgd(0.1))
        one = alone.init(jax.random.key(0), first_of(data._replace(target=data.target[:, :1])))
        one = one._replace(readout=one.readout._replace(w=weights[i : i + 1]))
        mine = data._replace(target=data.target[:, i : i + 1])
        _, one, _ = alone.gradient(one, first_of(mine))
        total += alone.gradient(one, jax.tree.map(lambda leaf: leaf[1], mine))[0]["cell"]
    np.testing.assert_allclose(direction["cell"], total, rtol=1e-4, atol=1e-6)


def test_classification_learns_a_rule_of_its_input():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3000, INPUTS))
    data = Event(x=x, target=(x[:, 0] > 0).astype(int))
    learner = Online(GRU(8), rtrl(), CrossEntropy(2, base=2), optax.adam(1e-2))
    _, outcome = learned(learner, data)
    assert np.isclose(outcome.loss[0], 1.0)  # one bit
    assert outcome.loss[-500:].mean() < 0.3


def test_a_batch_is_the_mean_of_its_streams():
    one = Online(GRU(4), rtrl(), SquaredError(), optax.sgd(0.1))
    batch = Batch(one, streams=3)
    data = [events(6, seed=s) for s in range(3)]
    together = jax.tree.map(lambda *leaves: np.stack(leaves, axis=1), *data)
    start = batch.init(jax.random.key(0), first_of(together))
    start = start._replace(readout=start.readout._replace(w=start.readout.w + 0.5))
    direction, _, outcome = batch.gradient(start, first_of(together))
    alone = [
        one.gradient(
            start._replace(
                stream=jax.tree.map(lambda leaf, s=s: leaf[s], start.stream),
                example=jax.tree.map(lambda leaf: leaf[0], start.example),
            ),
            first_of(d),
        )[0]
        for s, d in enumerate(data)
    ]
    same(direction, jax.tree.map(lambda *g: sum(g) / 3, *alone), rtol=1e-5, atol=1e-7)
    _, outcome = run(batch, start, together)
    assert outcome.prediction.shape == (6, 3, 1)


def test_streams_of_a_batch_begin_anew_each_at_its_own_time():
    first = np.zeros((6, 3), bool)
    first[3, 1] = True
    together = jax.tree.map(
        lambda *leaves: np.stack(leaves, axis=1), *[events(6, seed=s) for s in range(3)]
    )._replace(first=first)
    batch = Batch(Online(LSTM(2), rtrl(), SquaredError(), optax.sgd(0.0)), streams=3)
    _, outcome = learned(batch, together)
    _, unbroken = learned(batch, together._replace(first=np.zeros_like(first)))
    differ = ~np.isclose(outcome.prediction, unbroken.prediction).all(axis=2)
    assert not differ.any()  # the readout is zero and stays so
    batch = Batch(Online(LSTM(2), rtrl(), SquaredError(), optax.sgd(0.1)), streams=3)
    carry, _ = learned(batch, together)
    whole, _ = learned(batch, together._replace(first=np.zeros_like(first)))
    state, other = carry.stream.state.h, whole.stream.state.h
    assert not np.allclose(state[1], other[1])


def test_frozen_parameters_have_no_traces_and_no_optimizer_state():
    stage = Columnar(LSTM(1), 2)
    cell = Staged((stage, stage))
    learner = Online(cell, layered((frozen(), independent(rtrl()))), TD(), optax.adam(0.1))
    data = events(12)
    start = learner.init(jax.random.key(0), first_of(data))
    carry, _ = run(learner, start, data)
    same(carry.params[0], start.params[0])
    assert not np.allclose(carry.params[1], start.params[1])
    assert carry.stream.traces.traces["cell"][0] is None
    assert carry.optimizer[0].mu["cell"][0] is None


def test_growing_keeps_all_that_was_learned():
    stage = Stacked((Normalise(0.9), Columnar(LSTM(1), 2)))
    learn, hold = layered((frozen(), independent(rtrl()))), frozen()
    still = Stacked((Normalise(0.9, adapt=False), Columnar(LSTM(1), 2)))
    one = Online(Staged((stage,)), layered((learn,)), TD(), rmsprop(0.01))
    two = Online(Staged((still, stage)), layered((hold, learn)), TD(), rmsprop(0.01))
    data = events(30)
    carry, _ = learned(one, data)
    grown = grow(one, carry, two, jax.random.key(1))
    same(grown.params[0], carry.params[0])
    same(grown.stream.state[0], carry.stream.state[0])
    same(grown.readout.w[:, :2], carry.readout.w)
    assert (grown.readout.w[:, 2:] == 0).all()
    assert int(grown.steps) == 30
    same(
        jax.tree.leaves(grown.stream.traces.traces["readout"])[0][..., :2],
        jax.tree.leaves(carry.stream.traces.traces["readout"])[0],
    )
    _, before = run(one, carry, events(1, seed=3))
    after, outcome = run(two, grown, events(1, seed=3))
    np.testing.assert_allclose(outcome.prediction, before.prediction, rtol=0.2, atol=0.05)
    later, _ = run(two, after, events(20, seed=4))
    same(later.params[0], carry.params[0])
    same(later.stream.state[0][0].mean, carry.stream.state[0][0].mean)
    assert not np.allclose(later.params[1][1], grown.params[1][1])


def test_a_network_that_does_not_begin_with_the_old_one_is_no_wider_one():
    stage, learn = Columnar(LSTM(1), 2), independent(rtrl())
    data = events(12)
    plain = Online(stage, learn, TD(), rmsprop(0.01))
    staged = Online(Staged((stage, stage)), layered((frozen(), learn)), TD(), rmsprop(0.01))
    carry, _ = learned(plain, data)
    with pytest.raises(BadInput, match=r"^wider: expected a learner whose network is Staged .* no place"):
        grow(plain, carry, staged, jax.random.key(1))
    low = Online(Stacked((stage,)), layered((learn,)), TD(), rmsprop(0.01))
    high = Online(Stacked((stage, stage)), layered((frozen(), learn)), TD(), rmsprop(0.01))
    carry, _ = learned(low, data)
    with pytest.raises(BadInput, match=r"^wider: .* got one that reads others"):
        grow(low, carry, high, jax.random.key(1))


def test_statistics_outlive_episodes_and_nothing_else_does():
    first = np.zeros(24, bool)
    first[12] = True
    still = Stacked((Normalise(0.9, adapt=False), LSTM(2)))
    moving = Stacked((Normalise(0.9), LSTM(2)))
    rule = layered((frozen(), rtrl()))
    for cell in (moving, still):
        learner = Online(cell, rule, SquaredError(), optax.sgd(0.1))
        before, _ = learned(learner, jax.tree.map(lambda leaf: leaf[:12], events(first=first)))
        mean = before.stream.state[0].mean + 3.0  # as after a long life
        before = before._replace(
            stream=before.stream._replace(
                state=(before.stream.state[0]._replace(mean=mean), *before.stream.state[1:])
            )
        )
        one = jax.tree.map(lambda leaf: leaf[12:13], events(first=first))
        after, _ = run(learner, before, one)
        expected = mean if cell is still else 0.9 * mean + 0.1 * one.x[0]
        np.testing.assert_allclose(after.stream.state[0].mean, expected, rtol=1e-5)
        fresh = LSTM(2).step(after.params[1], LSTM(2).start(before.params[1]), after.stream.state[0].value)
        assert np.abs(after.stream.state[1].c - fresh.c).max() < 0.1


def test_an_episodes_end_does_not_unsettle_the_clock_of_chunks():
    """Episodes of four events, chunks of three: an update comes after the third of each, and no other."""
    first = np.arange(12) % 4 == 0
    learner = Online(GRU(3), tbptt(3, every=3), SquaredError(), optax.adam(0.1), every=3)
    data = events(12, first=first)
    carry = learner.init(jax.random.key(0), first_of(data))
    moved = []
    for t in range(12):
        before = carry.readout.b
        carry, _ = learner.step(carry, jax.tree.map(lambda leaf, t=t: leaf[t], data))
        moved.append(bool(carry.readout.b != before))
    assert moved == [False, False, True, False] * 3


def test_seeds_each_with_its_own_events():
    learner = Online(RNN(2), rtrl(), SquaredError(), optax.sgd(0.1))
    data = events(5)
    carry = learner.init(jax.random.key(0), first_of(data))
    both = jnp.stack([data.x, data.x + 1])
    _, outcomes = jax.vmap(lambda x: run(learner, carry, Event(x, jnp.asarray(data.target))))(both)
    _, alone = run(learner, carry, data)
    np.testing.assert_allclose(outcomes.loss[0], alone.loss, rtol=1e-5)


def test_whole_numbers_are_cast_in_a_scan_too():
    learner = Online(RNN(2), spatial(), SquaredError(), optax.sgd(0.1))
    data = Event(jnp.ones((5, 2), int), jnp.zeros((5, 1)))
    carry = learner.init(jax.random.key(0), first_of(data))
    _, outcome = jax.lax.scan(learner.step, carry, data)
    assert outcome.loss.shape == (5,)
