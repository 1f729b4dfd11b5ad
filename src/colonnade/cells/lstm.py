"""The long short-term memory (Hochreiter & Schmidhuber 1997; with forget gate, Gers et al. 2000).

    i, f, o = σ(z_i), σ(z_f), σ(z_o)      g = tanh(z_g)        z = W [x(t), h(t−1), 1], gates i, f, o, g
    c(t) = f ⊙ c(t−1) + i ⊙ g             h(t) = o ⊙ tanh(c(t))

``LSTM(1)`` is a column: d inputs make 4(d + 2) parameters.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from colonnade.cells.given import check_draw
from colonnade.cells.sums import check_drawn, draw, drive, gates_of, with_own


class LSTMState(NamedTuple):
    """The memory c and the output h of all units, or of one."""

    c: Float[Array, "*units"]
    h: Float[Array, "*units"]


@dataclass(frozen=True)
class LSTM:
    """A dense network of ``units`` units.

    >>> import jax
    >>> cell = LSTM(units=1)
    >>> params = cell.init(jax.random.key(0), inputs=12)
    >>> sum(leaf.size for leaf in jax.tree.leaves(params))
    56
    """

    units: int
    scale: float | None = None
    delayed: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_drawn(self.units, self.scale)

    def init(self, key: Key[Array, ""], inputs: int) -> Float[Array, "units 4 inputs+units+1"]:
        check_draw(key, inputs)
        return draw(key, (self.units, 4, inputs + self.units + 1), self.scale)

    def start(self, params: Float[Array, "*units 4 inputs+units+1"]) -> LSTMState:
        nothing = jnp.zeros_like(params[:, 0, 0])
        return LSTMState(c=nothing, h=nothing)

    def step(
        self, params: Float[Array, "*units 4 inputs+units+1"], state: LSTMState, x: Float[Array, " inputs"]
    ) -> LSTMState:
        return _move(params, state.c, state.h, x)

    def read(self, state: LSTMState) -> Float[Array, " units"]:
        return state.h

    def share(
        self, params: Float[Array, "*units 4 inputs+units+1"], state: LSTMState, x: Float[Array, " inputs"]
    ) -> Float[Array, " units"]:
        return state.h

    def module(
        self,
        index: Int[Array, ""],
        params: Float[Array, "*units 4 inputs+units+1"],
        state: LSTMState,
        x: Float[Array, " inputs"],
        messages: Float[Array, " units"],
    ) -> LSTMState:
        return _move(params, state.c, with_own(index, state.h, messages), x)


def _move(
    params: Float[Array, "*units 4 inputs+units+1"],
    c: Float[Array, "*units"],
    h: Float[Array, " units"],
    x: Float[Array, " inputs"],
) -> LSTMState:
    """Move all units, or one of them, from its own memory c and everyone's outputs h."""
    i, f, o, g = gates_of(drive(params, x, h))
    i, f, o, g = jax.nn.sigmoid(i), jax.nn.sigmoid(f), jax.nn.sigmoid(o), jnp.tanh(g)
    c = f * c + i * g
    return LSTMState(c=c, h=o * jnp.tanh(c))
