"""The gated recurrent unit (Cho et al. 2014), in the form whose reset acts on a unit's own sum.

    s = W [x(t), 1]        p = R h(t−1)        gates r, z, n
    r, z = σ(s_r + p_r), σ(s_z + p_z)        n = tanh(s_n + r ⊙ p_n)
    h(t) = (1 − z) ⊙ n + z ⊙ h(t−1)

It is the form of cuDNN and PyTorch. Since r multiplies p, no parameter of one unit reaches another
within a step.
"""

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from colonnade.cells.dense import Dense
from colonnade.cells.given import check_draw
from colonnade.cells.sums import check_drawn, draw, drive_open, gates_of


class GRUParams(NamedTuple):
    """The weights of all units, or of one without the unit axis; gates reset, update and candidate."""

    W: Float[Array, "*units 3 inputs+1"]
    R: Float[Array, "*units 3 units"]


@dataclass(frozen=True)
class GRU(Dense):
    """A dense network of ``units`` units.

    >>> import jax
    >>> cell = GRU(units=3)
    >>> params = cell.init(jax.random.key(0), inputs=2)
    >>> cell.step(params, cell.start(params), jax.numpy.ones(2)).shape
    (3,)
    """

    units: int
    scale: float | None = None

    def __post_init__(self) -> None:
        check_drawn(self.units, self.scale)

    def init(self, key: Key[Array, ""], inputs: int) -> GRUParams:
        check_draw(key, inputs)
        key_w, key_r = jax.random.split(key)
        return GRUParams(
            W=draw(key_w, (self.units, 3, inputs + 1), self.scale),
            R=draw(key_r, (self.units, 3, self.units), self.scale),
        )

    def start(self, params: GRUParams) -> Float[Array, " units"]:
        return jnp.zeros_like(params.W[:, 0, 0])

    def move(
        self,
        params: GRUParams,
        own: Float[Array, "*units"],
        h: Float[Array, " units"],
        x: Float[Array, " inputs"],
    ) -> Float[Array, "*units"]:
        seen_r, seen_z, seen_n = gates_of(drive_open(params.W, x))
        past_r, past_z, past_n = gates_of(params.R @ h)
        r, z = jax.nn.sigmoid(seen_r + past_r), jax.nn.sigmoid(seen_z + past_z)
        n = jnp.tanh(seen_n + r * past_n)
        return (1 - z) * n + z * own
