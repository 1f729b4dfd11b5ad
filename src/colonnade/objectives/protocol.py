"""What an objective is: what is asked of the features, and how the answer is judged."""

from typing import Any, Protocol, TypeAlias, runtime_checkable

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Key, PyTree, Shaped

from colonnade.cells.protocol import Features

Readout: TypeAlias = PyTree[Float[Array, "..."]]
Learned: TypeAlias = dict[str, Any]  # {"cell": parameters of the cell, "readout": the objective's}
Memory: TypeAlias = Any
Values: TypeAlias = Array | np.ndarray  # what an event is made of
Prediction: TypeAlias = Float[Array, " outputs"]


class Told(Protocol):
    """What an objective is told of an event. ``given`` is None where every event has a target."""

    @property
    def target(self) -> Values: ...
    @property
    def discount(self) -> Values | None: ...
    @property
    def given(self) -> Values | None: ...


@runtime_checkable
class Objective(Protocol):
    """A readout and its loss, or its temporal-difference error with traces."""

    @property
    def traces(self) -> bool:
        """Whether gradients outlive their step: then each step must give its own."""
        ...

    def init(self, key: Key[Array, ""], features: int) -> Readout:
        """Make a readout of ``features`` numbers."""
        ...

    def start(self, learned: Learned) -> Memory:
        """Return the memory before the first event: traces over cell and readout, or nothing."""
        ...

    def predict(self, readout: Readout, features: Features) -> Prediction: ...

    def scalar(self, prediction: Prediction, event: Told) -> Float[Array, "..."]:
        """Return what is differentiated: the loss; for TD the predictions, a number each."""
        ...

    def combine(
        self, memory: Memory, gradient: Learned, prediction: Prediction, event: Told
    ) -> tuple[Learned, Memory]:
        """Turn the gradient of ``scalar`` into the direction to descend, and renew the memory."""
        ...

    def loss(self, memory: Memory, prediction: Prediction, event: Told) -> Float[Array, ""]:
        """Say how wrong this step was, from the memory before it."""
        ...

    def example(self) -> Array:
        """Return an example of a target, for its shape and dtype."""
        ...

    def kind(self) -> str:
        """Say in words what a target must be."""
        ...

    def allows(self, targets: Shaped[np.ndarray, "..."]) -> Bool[np.ndarray, "..."]:
        """Say of each number among the targets, if it is finite, whether it can be used."""
        ...


def where_given(value: Float[Array, "..."], event: Told) -> Float[Array, "..."]:
    """Return ``value``, or zeros where the event has no target."""
    return value if event.given is None else jnp.where(event.given, value, 0)
