"""The judges of TD(λ), RMSProp and normalisation judged: against the forward view and closed forms."""

import numpy as np
import pytest

from oracles import forward, normalise, td
from oracles.finite import finite_difference
from oracles.trees import leafwise
from test_oracles import (
    LEAVES,
    T,
    assert_same,
    assert_same_at_each_step,
    draw,
    flat,
    n,
    stream,
)


def episode(m=None, seed=4):
    """Features, cumulants and changing discounts; the last discount is 0."""
    rng = np.random.default_rng(seed)
    outputs = () if m is None else (m,)
    discounts = rng.uniform(0.2, 1.0, T)
    discounts[-1] = 0
    readout = {"w": rng.standard_normal((*outputs, n)), "b": rng.standard_normal(outputs)}
    return readout, rng.standard_normal((T, n)), rng.standard_normal((T, *outputs)), discounts


@pytest.mark.parametrize("lam", [0.0, 0.7, 1.0])
def test_td_backward_view_meets_the_forward_view(lam):
    """Over an episode, Σ δ_t E_{t-1} = Σ (G_t - v_t) dv_t, with the λ-return of changing discounts."""
    readout, phi, c, gamma = episode()
    v = phi @ readout["w"] + readout["b"]
    G = np.zeros(T)
    for t in reversed(range(T - 1)):
        G[t] = c[t + 1] + gamma[t + 1] * ((1 - lam) * v[t + 1] + lam * G[t + 1])
    error = (G - v)[:-1]
    g = td.gradients(readout, phi, c, gamma, lam)
    np.testing.assert_allclose(-sum(step["w"] for step in g), error @ phi[:-1], rtol=1e-12)
    np.testing.assert_allclose(-sum(step["b"] for step in g), error.sum(), rtol=1e-12)
    assert all(not leaf.any() for leaf in flat(g[0]))


def test_td_outputs_are_separate():
    readout, phi, c, gamma = episode(m=3)
    together = td.gradients(readout, phi, c, gamma, 0.8)
    for j in range(3):
        alone = td.gradients(leafwise(lambda leaf, j=j: leaf[j], readout), phi, c[:, j], gamma, 0.8)
        assert_same_at_each_step([leafwise(lambda leaf, j=j: leaf[j], g) for g in together], alone)


def columnar_params():
    return {"columns": draw(LEAVES["columns"]), "readout": draw({"w": (n,), "b": ()}, seed=6)}


def test_columnar_td_without_learning_only_predicts():
    params, (xs, _) = columnar_params(), stream()
    c, gamma = np.ones(T), np.full(T, 0.9)
    v, trajectory = td.columnar(params, xs, c, gamma, lam=0.8, alpha=0.0)
    w, b = params["readout"]["w"], params["readout"]["b"]
    np.testing.assert_allclose(v, forward.columns(params["columns"], xs) @ w + b, rtol=1e-13)
    assert_same_at_each_step(trajectory, [params] * T, rtol=0)


def test_columnar_td_updates_by_the_traces_of_finite_differences():
    params, (xs, _) = columnar_params(), stream()
    c, gamma, lam, alpha = np.arange(1.0, T + 1), np.linspace(0.9, 0.5, T), 0.8, 0.01
    v, trajectory = td.columnar(params, xs, c, gamma, lam, alpha)

    def predictions(p):
        return forward.columns(p["columns"], xs[:2]) @ p["readout"]["w"] + p["readout"]["b"]

    dv = finite_difference(predictions, params)  # the first event teaches nothing, so neither has moved yet
    rates = {
        "columns": leafwise(lambda _: alpha, params["columns"]),
        "readout": leafwise(lambda _: alpha / n, params["readout"]),
    }
    g1 = leafwise(lambda leaf: -(c[1] + gamma[1] * v[1] - v[0]) * leaf[0], dv)
    g2 = leafwise(lambda leaf: -(c[2] + gamma[2] * v[2] - v[1]) * (gamma[1] * lam * leaf[0] + leaf[1]), dv)
    ms1 = leafwise(lambda g: 0.9999 * 0.9999 + 0.0001 * g**2, g1)
    ms2 = leafwise(lambda m, g: 0.9999 * m + 0.0001 * g**2, ms1, g2)

    def moves(g, ms):
        return leafwise(lambda g, m, rate: -rate * g / (np.sqrt(m) + 1e-8), g, ms, rates)

    assert_same(trajectory[0], params, rtol=0)
    assert_same(leafwise(np.subtract, trajectory[1], trajectory[0]), moves(g1, ms1), rtol=1e-6)
    assert_same(leafwise(np.subtract, trajectory[2], trajectory[1]), moves(g2, ms2), rtol=1e-6)


# normalisation


def test_normalise_in_closed_form():
    beta, values = 0.9, np.random.default_rng(5).standard_normal((T, n)) + 3
    outputs, means, variances = normalise.normalise(values, beta, floor=1e-3)
    weights = np.array([[(1 - beta) * beta ** (t - s) if s <= t else 0 for s in range(T)] for t in range(T)])
    np.testing.assert_allclose(means, weights @ values, rtol=1e-13)
    start = beta ** np.arange(1, T + 1)[:, None]
    np.testing.assert_allclose(variances, start + weights @ (values - means) ** 2, rtol=1e-13)
    np.testing.assert_allclose(outputs, (values - means) / np.sqrt(variances), rtol=1e-13)


def test_normalise_floors_the_variance():
    outputs, means, variances = normalise.normalise(np.ones((2000, 1)), beta=0.9, floor=0.01)
    assert variances[-1, 0] < 1e-6
    np.testing.assert_allclose(outputs[-1], (1 - means[-1]) / 0.1, rtol=1e-12)
