"""A layer of linear recurrent units that learns online, with exact gradients through all time.

h = λ h⁻ + γ (B u)        λ = exp(−exp(ν) + i exp(θ)), γ = exp(g), at first √(1 − |λ|²)
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from colonnade.checks import number, span, whole
from colonnade.streaming.network import MOST, Arrays, Shapes

MOST_RADIUS = 1 - 1e-6  # |λ| = 1 has no logarithm of its logarithm
SMALLEST = float(np.finfo(np.float32).tiny)


@dataclass(frozen=True)
class OnlineLRU:
    """``units`` complex units, with |λ| drawn from ``radius`` and the phase up to ``phase``.

    >>> online_lru(units=16).features
    32
    """

    units: int
    radius: tuple[float, float] = (0.0, 0.999)
    phase: float = 6.283185307179586

    def __post_init__(self) -> None:
        whole("units", self.units, most=MOST)
        span("radius", self.radius, low=0.0, high=MOST_RADIUS, words="smallest and largest |λ|")
        number("phase", self.phase, low=0.0)

    @property
    def features(self) -> int:
        """How many features there are: real parts, then imaginary ones."""
        return 2 * self.units

    def engine(self) -> dict[str, Any]:
        """Say it as the engine's settings."""
        return {"wiring": "linear", "units": self.units}

    def shapes(self, inputs: int) -> Shapes:
        """Return the shapes of the weights."""
        own = {f"lru.{name}": (self.units,) for name in ("nu", "theta", "gamma")}
        return {**own, "lru.B_re": (self.units, inputs), "lru.B_im": (self.units, inputs)}

    def draw(self, rng: np.random.Generator, inputs: int) -> Arrays:
        """Draw λ uniformly on the ring, by area, and B from a complex normal of variance 1/inputs."""
        low, high = self.radius
        squared = np.maximum(rng.uniform(low**2, high**2, self.units), SMALLEST)
        angle = np.maximum(rng.uniform(0.0, self.phase, self.units), SMALLEST)
        spread = (2 * inputs) ** -0.5
        return {
            "lru.nu": np.log(-0.5 * np.log(squared)),
            "lru.theta": np.log(angle),
            "lru.gamma": 0.5 * np.log1p(-squared),
            "lru.B_re": spread * rng.standard_normal((self.units, inputs)),
            "lru.B_im": spread * rng.standard_normal((self.units, inputs)),
        }


def online_lru(
    units: int, radius: tuple[float, float] = (0.0, 0.999), phase: float = 6.283185307179586
) -> OnlineLRU:
    """Return a layer of linear recurrent units."""
    return OnlineLRU(units, radius, phase)
