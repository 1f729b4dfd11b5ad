"""The linear readout that every objective here uses, and what objectives that predict numbers share.

    ŷ = W f + b        W and b are zero at first

The first prediction is 0, or all classes alike.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Key, Shaped

from colonnade.cells.protocol import Features
from colonnade.objectives.protocol import Prediction


class Linear(NamedTuple):
    """Weights and bias of ``outputs`` predictions."""

    w: Float[Array, "outputs features"]
    b: Float[Array, " outputs"]

    def __call__(self, features: Features) -> Float[Array, " outputs"]:
        return self.w @ features + self.b


def zero_readout(outputs: int, features: int) -> Linear:
    """Return a readout that predicts nothing yet."""
    return Linear(w=jnp.zeros((outputs, features)), b=jnp.zeros(outputs))


class PredictsNumbers:
    """The part of an objective that follows from predicting ``outputs`` numbers, told as as many."""

    outputs: int

    def init(self, key: Key[Array, ""], features: int) -> Linear:
        return zero_readout(self.outputs, features)

    def predict(self, readout: Linear, features: Features) -> Prediction:
        return readout(features)

    def example(self) -> Float[Array, " outputs"]:
        return jnp.zeros(self.outputs)

    def kind(self) -> str:
        return "a finite number" if self.outputs == 1 else f"{self.outputs} finite numbers"

    def allows(self, targets: Shaped[np.ndarray, "..."]) -> Bool[np.ndarray, "..."]:
        return np.ones(targets.shape, bool)
