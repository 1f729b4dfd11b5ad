"""The linear readout that every objective here uses: predictions W f + b, all zero at first."""

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Float

from colonnade.cells.protocol import Features


class Linear(NamedTuple):
    """Weights and bias of ``outputs`` predictions."""

    w: Float[Array, "outputs features"]
    b: Float[Array, " outputs"]

    def __call__(self, features: Features) -> Float[Array, " outputs"]:
        return self.w @ features + self.b


def zero_readout(outputs: int, features: int) -> Linear:
    """Return a readout that predicts nothing yet."""
    return Linear(w=jnp.zeros((outputs, features)), b=jnp.zeros(outputs))
