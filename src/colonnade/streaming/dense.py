"""A dense LSTM that learns by truncated backpropagation through time: the rival of columns.

What the last `truncation` steps saw and how their gates stood is kept; an event goes back over all of it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from colonnade.checks import whole
from colonnade.streaming.network import MOST, Arrays, Shapes


@dataclass(frozen=True)
class DenseLSTM:
    """``units`` units that all see each other.

    >>> dense_lstm(units=4, truncation=15).features
    4
    """

    units: int
    truncation: int

    def __post_init__(self) -> None:
        for name in ("units", "truncation"):
            whole(name, getattr(self, name), most=MOST)

    @property
    def features(self) -> int:
        """How many features there are."""
        return self.units

    def engine(self) -> dict[str, Any]:
        """Say it as the engine's settings."""
        return {"wiring": "dense", "units": self.units, "truncation": self.truncation}

    def shapes(self, inputs: int) -> Shapes:
        """Return the shape of the weights: of each unit gates i, f, o, g, of inputs, all units' h, and 1."""
        return {"lstm.W": (self.units, 4, inputs + self.units + 1)}

    def draw(self, rng: np.random.Generator, inputs: int) -> Arrays:
        """Draw first weights, uniform within ±1/√units."""
        most = self.units**-0.5
        return {name: rng.uniform(-most, most, shape) for name, shape in self.shapes(inputs).items()}


def dense_lstm(units: int, truncation: int) -> DenseLSTM:
    """Return a dense LSTM whose errors go back ``truncation`` steps, at every event."""
    return DenseLSTM(units, truncation)
