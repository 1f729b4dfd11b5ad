"""No credit: the cell moves and does not learn. Frozen parameters have no traces and no optimizer state."""

from dataclasses import dataclass
from typing import ClassVar

import jax
from jaxtyping import Array, Key

from colonnade.cells.protocol import Input, Moves, Params, State
from colonnade.credit.protocol import Mask


def frozen() -> "Frozen":
    """Return the rule that trains nothing."""
    return Frozen()


@dataclass(frozen=True)
class Frozen:
    """Memory: nothing."""

    every: ClassVar[int] = 1

    def start(self, cell: Moves, params: Params, state: State, x: Input) -> tuple[()]:
        return ()

    def advance(
        self, cell: Moves, params: Params, state: State, memory: tuple[()], x: Input, key: Key[Array, ""]
    ) -> tuple[State, tuple[()]]:
        return cell.step(params, state, x), ()

    def assign(
        self, cell: Moves, params: Params, memory: tuple[()], dstate: State
    ) -> tuple[Params, tuple[()]]:
        return jax.tree.map(lambda _: None, params), ()

    def learns(self, cell: Moves, params: Params) -> Mask:
        return jax.tree.map(lambda _: False, params)
