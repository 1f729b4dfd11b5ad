"""What cells of independent units share: each unit is a module that sees no other and sends no messages.

A cell writes ``step`` so that it moves all units, or one whose parameters and state have no unit axis.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from jaxtyping import Array, Float, Int


class Separate(ABC):
    """The part of ``Modular`` that follows from ``step``."""

    delayed: ClassVar[bool] = True

    @abstractmethod
    def step(self, params: Any, state: Any, x: Float[Array, " inputs"]) -> Any:
        """Move all units, or one of them."""

    def share(self, params: Any, state: Any, x: Float[Array, " inputs"]) -> tuple[()]:
        return ()

    def module(
        self, index: Int[Array, ""], params: Any, state: Any, x: Float[Array, " inputs"], messages: tuple[()]
    ) -> Any:
        return self.step(params, state, x)
