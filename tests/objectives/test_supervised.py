"""Supervised objectives against their formulas, and learners with clipped gradients."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from colonnade import RNN, CrossEntropy, Event, Linear, Online, SquaredError, first_of, rtrl, run


def test_squared_error_is_half_the_squared_distance():
    objective = SquaredError(outputs=2)
    event = Event(jnp.zeros(1), jnp.array([1.0, -2.0]))
    prediction = jnp.array([0.5, 1.0])
    assert float(objective.scalar(prediction, event)) == pytest.approx(0.5 * (0.25 + 9))
    np.testing.assert_allclose(jax.grad(objective.scalar)(prediction, event), prediction - event.target)


@pytest.mark.parametrize(("base", "unit"), [(np.e, 1.0), (2, np.log(2))])
def test_cross_entropy_in_nats_and_bits(base, unit):
    objective = CrossEntropy(classes=3, base=base)
    logits = np.array([0.3, -1.0, 2.0])
    p = np.exp(logits) / np.exp(logits).sum()
    event = Event(jnp.zeros(1), jnp.array(1))
    assert float(objective.scalar(jnp.asarray(logits), event)) == pytest.approx(
        -np.log(p[1]) / unit, rel=1e-6
    )
    gradient = jax.grad(objective.scalar)(jnp.asarray(logits), event)
    np.testing.assert_allclose(gradient, (p - np.eye(3)[1]) / unit, rtol=1e-5)


def test_huge_log_odds_stay_finite():
    objective = CrossEntropy(classes=2)
    event = Event(jnp.zeros(1), jnp.array(0))
    assert float(objective.scalar(jnp.array([-1e4, 1e4]), event)) == pytest.approx(2e4)


def test_a_readout_predicts_weights_times_features_plus_bias():
    readout = Linear(w=jnp.array([[1.0, 2.0], [0.0, -1.0]]), b=jnp.array([0.5, 0.0]))
    np.testing.assert_allclose(readout(jnp.array([3.0, 1.0])), [5.5, -1.0])


def test_clipped_gradients_take_steps_of_bounded_length():
    clipped = optax.chain(optax.clip_by_global_norm(0.01), optax.sgd(1.0))
    learner = Online(RNN(3), rtrl(), SquaredError(), clipped)
    events = Event(np.ones((1, 2)), np.full((1, 1), 1e3))
    before = learner.init(jax.random.key(0), first_of(events))
    after, _ = run(learner, before, events)
    moved = optax.tree.norm(jax.tree.map(jnp.subtract, after.readout, before.readout))
    assert float(moved) == pytest.approx(0.01, rel=1e-3)
