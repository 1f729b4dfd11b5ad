"""RMSProp against its transcription, and one optimizer for the cell beside another for the readout."""

import jax.numpy as jnp
import numpy as np
import optax
import pytest

from colonnade import BadInput, apart, rmsprop
from oracles import td


def test_rmsprop_follows_its_equation():
    rng = np.random.default_rng(0)
    theta, ms = rng.normal(size=5), np.ones(5)
    optimizer = rmsprop(0.01)
    params = jnp.asarray(theta)
    state = optimizer.init(params)
    for _ in range(20):
        gradient = rng.normal(size=5) * 10
        theta, ms = td.rmsprop(theta, ms, gradient, 0.01)
        change, state = optimizer.update(jnp.asarray(gradient), state, params)
        params = optax.apply_updates(params, change)
    np.testing.assert_allclose(params, theta, rtol=1e-5)


def test_apart_treats_each_part_in_its_own_way():
    optimizer = apart(cell=optax.sgd(1.0), readout=optax.sgd(0.1))
    gradient = {"cell": jnp.ones(2), "readout": {"w": jnp.ones(3)}}
    change, _ = optimizer.update(gradient, optimizer.init(gradient), gradient)
    np.testing.assert_allclose(change["cell"], -1.0)
    np.testing.assert_allclose(change["readout"]["w"], -0.1)


@pytest.mark.parametrize("arguments", [(-1.0,), (float("nan"),), (0.1, 1.5), ("fast",)])
def test_impossible_settings_are_refused(arguments):
    with pytest.raises(BadInput):
        rmsprop(*arguments)
