"""What a layer sees, in which order, and what of a network outlives an episode."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from colonnade import LSTM, Columnar, Normalise, Stacked, Staged
from colonnade.cells.protocol import start_again

X, BELOW = jnp.array([1.0, 2.0]), (jnp.array([3.0]), jnp.array([4.0, 5.0]))


@pytest.mark.parametrize(
    ("wiring", "below", "seen"),
    [
        (Stacked, (), [1, 2]),
        (Stacked, BELOW, [4, 5]),
        (Staged, (), [1, 2]),
        (Staged, BELOW, [1, 2, 3, 4, 5]),
    ],
)
def test_what_a_layer_sees(wiring, below, seen):
    assert wiring((LSTM(1),)).feed(X, below).tolist() == seen


@pytest.mark.parametrize(
    "network",
    [
        Columnar(Normalise(0.9), 2),
        Stacked((Normalise(0.9),)),
        Columnar(Stacked((Normalise(0.9), LSTM(1))), 2),
    ],
    ids=["columns", "stack", "stack in columns"],
)
def test_statistics_outlive_episodes_within_a_network(network):
    params = network.init(jax.random.key(0), 2)
    moved = network.step(params, network.start(params), X)
    again = start_again(network, params, moved)
    assert jax.tree.structure(again) == jax.tree.structure(moved)
    for new, old in zip(_normalisers(again), _normalisers(moved), strict=True):
        np.testing.assert_array_equal(new.mean, old.mean)
        assert np.any(old.mean != 0) and np.all(new.value == 0)
    np.testing.assert_array_equal(network.read(again), network.read(network.start(params)))


def _normalisers(state):
    """Return the states of normalisers anywhere in a network's."""
    return [
        part
        for part in jax.tree.leaves(state, is_leaf=lambda part: hasattr(part, "variance"))
        if hasattr(part, "variance")
    ]
