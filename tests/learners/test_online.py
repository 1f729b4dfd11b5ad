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
    Batch,
    Columnar,
    CrossEntropy,
    Event,
    Normalise,
    Online,
    SquaredError,
    Stacked,
    first_of,
    frozen,
    independent,
    layered,
    rmsprop,
    rtrl,
    run,
    spatial,
    tbptt,
)
from learners.streams import INPUTS, events, learned, same


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
