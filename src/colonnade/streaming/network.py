"""What the engine's networks have in common."""

from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Shapes: TypeAlias = dict[str, tuple[int, ...]]
Arrays: TypeAlias = dict[str, NDArray[Any]]

MOST = 2**24  # inputs, columns, units, outputs: beyond it a float can't count


@runtime_checkable
class Network(Protocol):
    """How the units of a learner are wired, on the compiled engine."""

    @property
    def features(self) -> int: ...

    def engine(self) -> dict[str, Any]:
        """Say it as the engine's settings."""
        ...

    def shapes(self, inputs: int) -> Shapes:
        """Return the shapes of the weights, by name."""
        ...

    def draw(self, rng: np.random.Generator, inputs: int) -> Arrays:
        """Draw first weights, by name."""
        ...
