"""Statistics of a million events: single precision, with means far from zero and a rate near 1."""

import numpy as np

from colonnade import Regressor, columnar

EVENTS = 1_000_000


def running(v, rate, first):
    """first rate^n + (1 - rate) Σ rate^(n - s) v_s, at every n."""
    fades = rate ** np.arange(1, EVENTS + 1)[:, None]
    return fades * (first + (1 - rate) * np.cumsum(v / fades, axis=0))


def test_statistics_stay_right():
    x = np.random.default_rng(0).normal([0, 2, 100, -30], [1, 1, 1, 0.3], (EVENTS, 4)).astype(np.float32)
    learner = Regressor(columnar(1), inputs=4, step_size=0.0)
    learner.run(x, np.zeros(EVENTS))
    state, rate = learner.state(), float(np.float32(0.99999))
    mean = running(x.astype(float), rate, first=0.0)
    variance = running((x - mean) ** 2, rate, first=1.0)[-1]
    assert np.abs((state["stage.0.mean"] - mean[-1]) / np.sqrt(variance)).max() < 1e-3
    np.testing.assert_allclose(state["stage.0.variance"], variance, rtol=1e-3)
