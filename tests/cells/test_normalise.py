"""Running statistics of a long stream in single precision, with means far from zero and a rate near 1."""

import jax
import numpy as np

from colonnade import Normalise

EVENTS, RATE = 500_000, 0.99999


def test_statistics_stay_right():
    x = np.random.default_rng(0).normal([0, 2, 100, -30], 1, (EVENTS, 4)).astype(np.float32)
    cell = Normalise(rate=RATE)
    params = cell.init(jax.random.key(0), 4)
    state, _ = jax.lax.scan(lambda state, x: (cell.step(params, state, x), None), cell.start(params), x)
    fades = RATE ** np.arange(1, EVENTS + 1)[:, None]  # m(n) = (1 - β) Σ β^(n - s) v(s)
    mean = (1 - RATE) * fades * np.cumsum(x / fades, axis=0)
    variance = fades[-1] * (1 + (1 - RATE) * np.sum((x - mean) ** 2 / fades, axis=0))
    assert state.mean.dtype == np.float32
    assert np.abs(state.mean - mean[-1]).max() < 2e-2
    np.testing.assert_allclose(state.variance, variance, rtol=1e-2)
