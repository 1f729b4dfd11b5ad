"""What a layered network is: cells one above the other, each a part of one bigger cell."""

from typing import Protocol, runtime_checkable

from jaxtyping import Array, Float

from colonnade.cells.protocol import Cell, Features


@runtime_checkable
class Layered(Cell, Protocol):
    """A cell made of layers. Its parameters and state are tuples, an entry a layer.

    Within one step the layers move in order, and each sees what the layers below have just become.
    """

    @property
    def layers(self) -> tuple[Cell, ...]: ...

    def feed(self, x: Float[Array, " inputs"], below: tuple[Features, ...]) -> Float[Array, " fed"]:
        """Return the input of the next layer, from the observation and the features of the layers below."""
        ...
