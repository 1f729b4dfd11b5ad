"""The element-wise LSTM (after Irie, Gopalakrishnan & Schmidhuber 2023): a unit sees only its own memory.

    s = W [x(t), 1]        gates f, z, o
    f = σ(s_f + w_f ⊙ c(t−1))        z = tanh(s_z + w_z ⊙ c(t−1))
    c(t) = f ⊙ c(t−1) + (1 − f) ⊙ z
    o = σ(s_o + w_o ⊙ c(t))          h(t) = o ⊙ c(t)

The output gate, too, looks at the unit's own memory only, so units are independent modules.
"""

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from colonnade.cells.given import check_draw
from colonnade.cells.separate import Separate
from colonnade.cells.sums import check_drawn, draw, drive_open, gates_of


class ELSTMParams(NamedTuple):
    """The weights of the gates f, z, o, of all units or of one."""

    W: Float[Array, "*units 3 inputs+1"]
    w: Float[Array, "*units 3"]


class ELSTMState(NamedTuple):
    """The memory c and the output h of all units, or of one."""

    c: Float[Array, "*units"]
    h: Float[Array, "*units"]


@dataclass(frozen=True)
class ELSTM(Separate):
    """``units`` independent units.

    >>> import jax
    >>> cell = ELSTM(units=3)
    >>> params = cell.init(jax.random.key(0), inputs=2)
    >>> cell.read(cell.step(params, cell.start(params), jax.numpy.ones(2))).shape
    (3,)
    """

    units: int
    scale: float | None = None

    def __post_init__(self) -> None:
        check_drawn(self.units, self.scale)

    def init(self, key: Key[Array, ""], inputs: int) -> ELSTMParams:
        check_draw(key, inputs)
        key_w, key_own = jax.random.split(key)
        return ELSTMParams(
            W=draw(key_w, (self.units, 3, inputs + 1), self.scale),
            w=draw(key_own, (self.units, 3), self.scale),
        )

    def start(self, params: ELSTMParams) -> ELSTMState:
        nothing = jnp.zeros_like(params.w[:, 0])
        return ELSTMState(c=nothing, h=nothing)

    def step(self, params: ELSTMParams, state: ELSTMState, x: Float[Array, " inputs"]) -> ELSTMState:
        (seen_f, seen_z, seen_o), (w_f, w_z, w_o) = gates_of(drive_open(params.W, x)), gates_of(params.w)
        f, z = jax.nn.sigmoid(seen_f + w_f * state.c), jnp.tanh(seen_z + w_z * state.c)
        c = f * state.c + (1 - f) * z
        o = jax.nn.sigmoid(seen_o + w_o * c)
        return ELSTMState(c=c, h=o * c)

    def read(self, state: ELSTMState) -> Float[Array, " units"]:
        return state.h
