"""Spatial credit (Elman 1990): nothing but this step.

    dL/dθ = dL/ds(t) · ∂s(t)/∂θ        at fixed s(t−1)

It is ``tbptt(1)``, exact for a layer without a past of its own.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import jax
from jaxtyping import Array, Key

from colonnade.cells.protocol import Input, Moves, Params, State
from colonnade.credit.protocol import Mask


class Step(NamedTuple):
    """The state before this step, and what was seen at it."""

    state: State
    x: Input


def spatial() -> "Spatial":
    """Return the rule that differentiates the present step alone."""
    return Spatial()


@dataclass(frozen=True)
class Spatial:
    """Memory: the last step."""

    every: ClassVar[int] = 1

    def start(self, cell: Moves, params: Params, state: State, x: Input) -> Step:
        return Step(state, x)

    def advance(
        self, cell: Moves, params: Params, state: State, memory: Step, x: Input, key: Key[Array, ""]
    ) -> tuple[State, Step]:
        return cell.step(params, state, x), Step(state, x)

    def assign(self, cell: Moves, params: Params, memory: Step, dstate: State) -> tuple[Params, Step]:
        _, pull = jax.vjp(lambda params: cell.step(params, memory.state, memory.x), params)
        (gradient,) = pull(dstate)
        return gradient, memory

    def learns(self, cell: Moves, params: Params) -> Mask:
        return jax.tree.map(lambda _: True, params)
