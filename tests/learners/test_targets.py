"""Absent targets: what stands there does not matter, and nothing is learned from it."""

import jax
import numpy as np
import optax
import pytest

from colonnade import (
    GRU,
    RNN,
    TD,
    Batch,
    CrossEntropy,
    Event,
    Online,
    SquaredError,
    first_of,
    rtrl,
    run,
    tbptt,
)
from learners.streams import INPUTS, events, learned, same

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
