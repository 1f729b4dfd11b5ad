"""How a gradient becomes a step, on the compiled engine. The step size is the learner's.

SGD       Δθ = α g
RMSProp   v ← β v + (1 − β) g², v = 1 at first                  Δθ = α g / (√v + ε)
Adam      m ← β₁ m + (1 − β₁) g,  v ← β₂ v + (1 − β₂) g²        Δθ = α m̂ / (√v̂ + ε)
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

from colonnade.checks import number

SMALLEST_EPS, MOST_KEPT = 1e-30, 0.9999999  # what float32 can tell from 0 and from 1


@dataclass(frozen=True)
class SGD:
    """Plain gradient steps."""

    def engine(self) -> dict[str, Any]:
        """Say it as the engine's settings."""
        return {"rule": "sgd", "keep_first": 0.0, "keep_second": 0.0, "eps": 1.0}


@dataclass(frozen=True)
class RMSProp:
    """Steps by the size of recent gradients, as the columnar-constructive papers take them."""

    decay: float = 0.9999
    eps: float = 1e-8

    def __post_init__(self) -> None:
        number("decay", self.decay, low=0.0, high=MOST_KEPT)
        number("eps", self.eps, low=SMALLEST_EPS)

    def engine(self) -> dict[str, Any]:
        """Say it as the engine's settings."""
        return {"rule": "rmsprop", "keep_first": 0.0, "keep_second": self.decay, "eps": self.eps}


@dataclass(frozen=True)
class Adam:
    """Steps along the mean of recent gradients, by their size (Kingma & Ba 2015)."""

    decay: float = 0.9
    square_decay: float = 0.999
    eps: float = 1e-8

    def __post_init__(self) -> None:
        number("decay", self.decay, low=0.0, high=MOST_KEPT)
        number("square_decay", self.square_decay, low=0.0, high=MOST_KEPT)
        number("eps", self.eps, low=SMALLEST_EPS)

    def engine(self) -> dict[str, Any]:
        """Say it as the engine's settings."""
        return {
            "rule": "adam",
            "keep_first": self.decay,
            "keep_second": self.square_decay,
            "eps": self.eps,
        }


Optimizer: TypeAlias = SGD | RMSProp | Adam
