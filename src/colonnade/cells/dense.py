"""What dense cells with one number a unit share: each unit is a module that sees the others' last states.

A cell writes ``move`` once, and it serves all units (W is a matrix) and one unit (W is a row).
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from jaxtyping import Array, Float, Int

from colonnade.cells.sums import with_own


class Dense(ABC):
    """The part of ``Cell`` and ``Modular`` that follows from ``move``."""

    delayed: ClassVar[bool] = True

    @abstractmethod
    def move(
        self, params: Any, own: Float[Array, "*units"], h: Float[Array, " units"], x: Float[Array, " inputs"]
    ) -> Float[Array, "*units"]:
        """Move all units, or one of them, from its ``own`` state and everyone's states ``h``."""

    def step(
        self, params: Any, state: Float[Array, " units"], x: Float[Array, " inputs"]
    ) -> Float[Array, " units"]:
        return self.move(params, state, state, x)

    def read(self, state: Float[Array, " units"]) -> Float[Array, " units"]:
        return state

    def share(
        self, params: Any, state: Float[Array, " units"], x: Float[Array, " inputs"]
    ) -> Float[Array, " units"]:
        return state

    def module(
        self,
        index: Int[Array, ""],
        params: Any,
        state: Float[Array, ""],
        x: Float[Array, " inputs"],
        messages: Float[Array, " units"],
    ) -> Float[Array, ""]:
        return self.move(params, state, with_own(index, state, messages), x)
