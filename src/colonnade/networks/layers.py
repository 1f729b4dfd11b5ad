"""Layers one above the other: a stack, where a layer sees the one below; stages, where it sees everything.

    stacked:  s_l(t) = step_l(θ_l, s_l(t−1), f_{l−1}(t))              features: f_L
    staged:   s_l(t) = step_l(θ_l, s_l(t−1), [x(t), f_1(t) … f_{l−1}(t)])   features: [f_1 … f_L]

with f_l(t) = read_l(s_l(t)) and f_0 = x. Constructive and columnar-constructive networks are staged.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from colonnade.cells.protocol import Cell, Features, Params, State, start_again
from colonnade.checks import parts
from colonnade.errors import BadInput


class _Layers(ABC):
    """What both wirings share; each adds ``feed`` and ``read``."""

    layers: tuple[Cell, ...]

    def __post_init__(self) -> None:
        parts("layers", self.layers, Cell, "a tuple of one or more cells", "a cell, such as LSTM(8)")

    @abstractmethod
    def feed(self, x: Float[Array, " inputs"], below: tuple[Features, ...]) -> Float[Array, " fed"]:
        """Return a layer's input."""

    def init(self, key: Key[Array, ""], inputs: int) -> tuple[Params, ...]:
        x = jnp.zeros(inputs)
        drawn: tuple[Params, ...] = ()
        below: tuple[Features, ...] = ()
        for layer, layer_key in zip(self.layers, jax.random.split(key, len(self.layers)), strict=True):
            params = layer.init(layer_key, self.feed(x, below).shape[0])
            drawn += (params,)
            below += (_read_at_first(layer, params),)
        return drawn

    def start(self, params: tuple[Params, ...]) -> tuple[State, ...]:
        return tuple(layer.start(p) for layer, p in zip(self.layers, params, strict=True))

    def again(self, params: tuple[Params, ...], state: tuple[State, ...]) -> tuple[State, ...]:
        parts = zip(self.layers, params, state, strict=True)
        return tuple(start_again(layer, p, s) for layer, p, s in parts)

    def step(
        self, params: tuple[Params, ...], state: tuple[State, ...], x: Float[Array, " inputs"]
    ) -> tuple[State, ...]:
        moved: tuple[State, ...] = ()
        below: tuple[Features, ...] = ()
        for layer, p, s in zip(self.layers, params, state, strict=True):
            moved += (layer.step(p, s, self.feed(x, below)),)
            below += (layer.read(moved[-1]),)
        return moved


def _read_at_first(layer: Cell, params: Params) -> Features:
    """Return a layer's features before the first event; refuse a layer that the next can't see."""
    features: Any = layer.read(layer.start(params))
    if getattr(features, "ndim", None) != 1:
        found = type(features).__name__ if features is None else f"shape {jnp.shape(features)}"
        raise BadInput("layers", expected="cells whose features are along one axis", got=found)
    return features  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Stacked(_Layers):
    """Each layer sees the features of the one below; the features are those of the last.

    >>> from colonnade.cells import LRU, LSTM
    >>> network = Stacked((LRU(3), LSTM(2)))
    >>> params = network.init(jax.random.key(0), inputs=5)
    >>> network.read(network.start(params)).shape
    (2,)
    """

    layers: tuple[Cell, ...]

    def feed(self, x: Float[Array, " inputs"], below: tuple[Features, ...]) -> Float[Array, " fed"]:
        return below[-1] if below else x

    def read(self, state: tuple[State, ...]) -> Features:
        return self.layers[-1].read(state[-1])


@dataclass(frozen=True)
class Staged(_Layers):
    """Each stage sees the observation and the features of all earlier stages; all features are read.

    >>> from colonnade.cells import LSTM
    >>> from colonnade.networks.columnar import Columnar
    >>> network = Staged((Columnar(LSTM(1), 4), Columnar(LSTM(1), 4)))
    >>> params = network.init(jax.random.key(0), inputs=12)
    >>> network.read(network.start(params)).shape
    (8,)
    """

    layers: tuple[Cell, ...]

    def feed(self, x: Float[Array, " inputs"], below: tuple[Features, ...]) -> Float[Array, " fed"]:
        return jnp.concatenate([x, *below])

    def read(self, state: tuple[State, ...]) -> Features:
        return jnp.concatenate([layer.read(s) for layer, s in zip(self.layers, state, strict=True)])
