"""The additive cell (Javed, White & Sutton 2021, eq. 10), which forgets nothing.

    h(t) = h(t−1) + tanh(U x(t) + R h(t−1))

As one dense cell every unit sees every other. ``Columnar(Additive(1), n)`` masks R to its own column.
"""

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from colonnade.cells.dense import Dense
from colonnade.cells.given import check_draw, check_sum
from colonnade.cells.sums import check_drawn, draw


class AdditiveParams(NamedTuple):
    """The weights of all units, or of one without the unit axis."""

    U: Float[Array, "*units inputs"]
    R: Float[Array, "*units units"]


@dataclass(frozen=True)
class Additive(Dense):
    """A dense additive network of ``units`` units.

    >>> import jax
    >>> cell = Additive(units=2)
    >>> params = cell.init(jax.random.key(0), inputs=3)
    >>> bool((cell.step(params, cell.start(params), jax.numpy.zeros(3)) == 0).all())
    True
    """

    units: int
    scale: float | None = None

    def __post_init__(self) -> None:
        check_drawn(self.units, self.scale)

    def init(self, key: Key[Array, ""], inputs: int) -> AdditiveParams:
        check_draw(key, inputs)
        key_u, key_r = jax.random.split(key)
        return AdditiveParams(
            U=draw(key_u, (self.units, inputs), self.scale),
            R=draw(key_r, (self.units, self.units), self.scale),
        )

    def start(self, params: AdditiveParams) -> Float[Array, " units"]:
        return jnp.zeros(params.R.shape[:1], params.R.dtype)

    def move(
        self,
        params: AdditiveParams,
        own: Float[Array, "*units"],
        h: Float[Array, " units"],
        x: Float[Array, " inputs"],
    ) -> Float[Array, "*units"]:
        check_sum(params.U.shape[-1], x)
        return own + jnp.tanh(params.U @ x + params.R @ h)
