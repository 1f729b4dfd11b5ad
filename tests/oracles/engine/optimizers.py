"""How the direction of ascent g becomes a step, before it is multiplied by the step size.

    SGD       g
    RMSProp   v ← β v + (1 - β) g²,  v = 1 at first                 g / (√v + ε)
    Adam      m ← β₁ m + (1 - β₁) g,  v ← β₂ v + (1 - β₂) g²        m̂ / (√v̂ + ε)
              m̂ = m / (1 - β₁ⁿ),      v̂ = v / (1 - β₂ⁿ)             at these weights' n-th update

`start` is what is kept of weights before their first update; `step` also returns what is then kept.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Nothing(NamedTuple):
    pass


class SGD:
    def start(self, like):
        return Nothing()

    def step(self, g, kept):
        return g, kept


class Square(NamedTuple):
    v: np.ndarray


@dataclass
class RMSProp:
    decay: float = 0.9999
    eps: float = 1e-8

    def start(self, like):
        return Square(np.ones_like(like))

    def step(self, g, kept):
        v = self.decay * kept.v + (1 - self.decay) * g**2
        return g / (np.sqrt(v) + self.eps), Square(v)


class Moments(NamedTuple):
    m: np.ndarray
    v: np.ndarray
    n: int


@dataclass
class Adam:
    decay: float = 0.9
    square_decay: float = 0.999
    eps: float = 1e-8

    def start(self, like):
        return Moments(np.zeros_like(like), np.zeros_like(like), 0)

    def step(self, g, kept):
        n = kept.n + 1
        m = self.decay * kept.m + (1 - self.decay) * g
        v = self.square_decay * kept.v + (1 - self.square_decay) * g**2
        mean, square = m / (1 - self.decay**n), v / (1 - self.square_decay**n)
        return mean / (np.sqrt(square) + self.eps), Moments(m, v, n)
