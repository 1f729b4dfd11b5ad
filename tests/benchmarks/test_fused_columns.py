"""The yardstick of the benchmarks is the same learner as the algebra's, or ratios of times say nothing."""

import importlib.util
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax

from colonnade import LSTM, TD, Columnar, Event, Online, independent, rtrl

INPUTS, COLUMNS, EVENTS = 5, 4, 300


def fused_columns():
    path = Path(__file__).parents[2] / "benchmarks" / "fused_columns.py"
    spec = importlib.util.spec_from_file_location("fused_columns", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_fused_step_learns_what_the_algebra_learns():
    with jax.enable_x64(True):
        fused, rng = fused_columns(), np.random.default_rng(0)
        xs = jnp.asarray(rng.normal(size=(EVENTS, INPUTS)))
        cumulants = jnp.asarray(rng.normal(size=EVENTS))
        start = fused.start(jax.random.key(0), COLUMNS, INPUTS)

        learner = Online(Columnar(LSTM(1), COLUMNS), independent(rtrl()), TD(), optax.sgd(1e-3))
        carry = learner.init(jax.random.key(0), Event(xs[0], cumulants[0]))
        params = start[0].theta.swapaxes(0, 1)[:, None]
        carry = learner.carry(params, carry.readout, carry.stream, carry.example, carry.key)

        def move(state, event):
            columns, head, prediction = fused.step(*state, *event)
            return (columns, head), prediction

        (columns, head), expected = jax.lax.scan(move, start, (xs, cumulants))
        carry, outcome = jax.lax.scan(learner.step, carry, Event(xs, cumulants[:, None]))
        np.testing.assert_allclose(outcome.prediction[:, 0], expected, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(carry.params[:, 0], columns.theta.swapaxes(0, 1), rtol=1e-10)
        np.testing.assert_allclose(carry.readout.w[0], head.w, rtol=1e-10)
        assert np.abs(carry.params - params).max() > 1e-4
