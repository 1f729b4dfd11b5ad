"""Supervised objectives: a target at this event, or none.

squared error:   L = ½ ‖y − ŷ‖²                       ŷ = W f + b
cross-entropy:   L = −log p_y,  p = softmax(W f + b)   in nats, or in bits with base=2

W and b are zero at first: the first prediction is 0, or all classes alike.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key, Shaped

from colonnade.cells.protocol import Features
from colonnade.checks import number, whole
from colonnade.objectives.linear import Linear, PredictsNumbers, zero_readout
from colonnade.objectives.protocol import Learned, Prediction, Told, where_given


class _Supervised(ABC):
    """What both share: no memory, and the loss itself as what is differentiated."""

    traces: ClassVar[bool] = False

    @abstractmethod
    def scalar(self, prediction: Prediction, event: Told) -> Float[Array, ""]:
        """Return the loss."""

    def start(self, learned: Learned) -> tuple[()]:
        return ()

    def combine(
        self, memory: tuple[()], gradient: Learned, prediction: Prediction, event: Told
    ) -> tuple[Learned, tuple[()]]:
        return gradient, ()

    def loss(self, memory: tuple[()], prediction: Prediction, event: Told) -> Float[Array, ""]:
        return self.scalar(prediction, event)


@dataclass(frozen=True)
class SquaredError(_Supervised, PredictsNumbers):
    """Predict ``outputs`` numbers.

    >>> objective = SquaredError(outputs=2)
    >>> objective.predict(objective.init(jax.random.key(0), features=3), jnp.ones(3)).tolist()
    [0.0, 0.0]
    """

    outputs: int = 1

    def __post_init__(self) -> None:
        whole("outputs", self.outputs)

    def scalar(self, prediction: Prediction, event: Told) -> Float[Array, ""]:
        return where_given(0.5 * jnp.sum((event.target - prediction) ** 2), event)


@dataclass(frozen=True)
class CrossEntropy(_Supervised):
    """Predict one of ``classes`` classes. The prediction is the log-odds W f + b, the target an integer.

    >>> objective = CrossEntropy(classes=4, base=2)
    >>> readout = objective.init(jax.random.key(0), features=3)
    >>> jax.nn.softmax(objective.predict(readout, jnp.ones(3))).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """

    classes: int
    base: float = math.e

    def __post_init__(self) -> None:
        whole("classes", self.classes, least=2)
        number("base", self.base, low=1.0 + 1e-6)

    def init(self, key: Key[Array, ""], features: int) -> Linear:
        return zero_readout(self.classes, features)

    def predict(self, readout: Linear, features: Features) -> Prediction:
        return readout(features)

    def scalar(self, prediction: Prediction, event: Told) -> Float[Array, ""]:
        nats: Float[Array, ""] = -jax.nn.log_softmax(prediction)[event.target]
        return where_given(nats / math.log(self.base), event)

    def example(self) -> Int[Array, ""]:
        return jnp.zeros((), int)

    def kind(self) -> str:
        return f"a class, an integer from 0 to {self.classes - 1}"

    def allows(self, targets: Shaped[np.ndarray, "..."]) -> Bool[np.ndarray, "..."]:
        return (targets >= 0) & (targets < self.classes)
