"""Stages: frozen ones keep nothing and do not move, and a network that has grown goes on."""

import jax
import numpy as np
import optax
import pytest

from colonnade import (
    LSTM,
    TD,
    BadInput,
    Columnar,
    Normalise,
    Online,
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
)
from learners.streams import events, learned, same


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
