"""The specification's slopes at fixed weights against other transcriptions of the same equations.

Those are held to finite differences in tests/test_oracles.py.
"""

from functools import partial

import numpy as np
import pytest

from oracles import columns, online_lru, rtrl, tbptt
from oracles.engine.columns import Staged
from oracles.engine.dense import Dense
from oracles.engine.linear import Linear
from oracles.engine.statistics import Unchanged

T, D, N = 8, 3, 4


def draw(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, shape)


def slopes(network, features):
    """Of each step's own error: a list over steps of arrays by name."""
    es, found = draw(T, features, seed=1), []
    for x, e in zip(draw(T, D, seed=2), es, strict=True):
        network.move(x)
        found.append({name: slope[0] for name, slope in network.slopes([e[None]]).items()})
    return found


def same(found, judged):
    for mine, other in zip(found, judged, strict=True):
        for name, slope in mine.items():
            np.testing.assert_allclose(slope, other[name], rtol=1e-12, atol=1e-14)


def events(features):
    return draw(T, D, seed=2), draw(T, features, seed=1)


def test_columns():
    W = draw(N, 4, D + 2)
    judged = columns.gradients(columns.unpack(W), *events(N))
    network = Staged([W], 100, partial(Unchanged, dtype=float))
    same(slopes(network, N), [{"stage.0.W": columns.pack(gradient)} for gradient in judged])


def gates(W):
    """W (n, 4, d + n + 1) as a dict of gates."""
    return {k: {"W": W[:, g, :D], "R": W[:, g, D:-1], "b": W[:, g, -1]} for g, k in enumerate("ifog")}


def weights(by_gate):
    """The reverse."""
    rows = [np.concatenate([one["W"], one["R"], one["b"][:, None]], axis=1) for one in by_gate.values()]
    return np.stack(rows, axis=1)


@pytest.mark.parametrize("truncation", [1, 3, T, T + 5])
def test_dense(truncation):
    W = draw(N, 4, D + N + 1)
    judged = tbptt.window(tbptt.Lstm(), gates(W), *events(N), truncation)
    if truncation >= T:
        judged = rtrl.gradients(rtrl.lstm(), gates(W), *events(N))
    network = Dense(W, truncation, partial(Unchanged, dtype=float))
    same(slopes(network, N), [{"lstm.W": weights(gradient)} for gradient in judged])


def test_linear():
    params = {name: draw(N, seed=seed) for seed, name in enumerate(("nu", "theta", "gamma"))}
    params |= {"B_re": draw(N, D, seed=3), "B_im": draw(N, D, seed=4)}
    judged = online_lru.gradients(params, *events(2 * N))
    network = Linear(params, partial(Unchanged, dtype=float))
    same(slopes(network, 2 * N), [{f"lru.{name}": g for name, g in gradient.items()} for gradient in judged])
