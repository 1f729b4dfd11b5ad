"""The oracle itself against finite differences, at their own tolerance: along random directions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from oracles import bptt
from proof.cases import CELLS
from proof.check import problem

EPS = 1e-5
SMOOTH = [name for name in CELLS if "normalised" not in name]  # Normalise holds its statistics constant


@pytest.mark.parametrize("name", SMOOTH)
def test_full_backpropagation(name):
    cell = CELLS[name]
    params, xs, es = problem(cell)
    losses = jax.jit(lambda p: bptt.losses(cell, p, xs, es))
    gradients = jax.jit(lambda: bptt.gradients(cell, params, xs, es))()
    for seed in range(3):
        direction = jax.tree.map(lambda p, s=seed: jax.random.normal(jax.random.key(s), p.shape), params)
        ahead, behind = (losses(_moved(params, direction, by)) for by in (EPS, -EPS))
        np.testing.assert_allclose(
            (ahead - behind) / (2 * EPS), _along(gradients, direction), rtol=1e-6, atol=1e-8
        )


def _moved(params, direction, by):
    return jax.tree.map(lambda p, d: p + by * d, params, direction)


def _along(gradients, direction):
    """Return each step's slope along the direction."""
    pairs = zip(jax.tree.leaves(gradients), jax.tree.leaves(direction), strict=True)
    return sum(jnp.sum((g * d).reshape(g.shape[0], -1), axis=1) for g, d in pairs)
