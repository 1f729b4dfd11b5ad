"""The dense linear recurrent network.

    h(t) = W [x(t), h(t−1), 1]

The part of W on h starts as a random orthogonal matrix times ``radius``: memory neither dies nor explodes.
"""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from colonnade.cells.dense import Dense
from colonnade.cells.given import check_draw
from colonnade.cells.sums import check_drawn, draw, drive
from colonnade.checks import number


@dataclass(frozen=True)
class LinearRNN(Dense):
    """A dense linear network of ``units`` units.

    >>> import jax
    >>> cell = LinearRNN(units=2)
    >>> params = cell.init(jax.random.key(0), inputs=3)
    >>> cell.read(cell.step(params, cell.start(params), jax.numpy.zeros(3))).shape
    (2,)
    """

    units: int
    radius: float = 0.99
    scale: float | None = None

    def __post_init__(self) -> None:
        check_drawn(self.units, self.scale)
        number("radius", self.radius, low=0.0)

    def init(self, key: Key[Array, ""], inputs: int) -> Float[Array, "units inputs+units+1"]:
        check_draw(key, inputs)
        keys = jax.random.split(key, 3)
        seen = draw(keys[0], (self.units, inputs), self.scale)
        past = self.radius * jax.random.orthogonal(keys[1], self.units)
        return jnp.concatenate([seen, past, draw(keys[2], (self.units, 1), self.scale)], axis=1)

    def start(self, params: Float[Array, "units inputs+units+1"]) -> Float[Array, " units"]:
        return jnp.zeros_like(params[:, 0])

    def move(
        self,
        params: Float[Array, "*units inputs+units+1"],
        own: Float[Array, "*units"],
        h: Float[Array, " units"],
        x: Float[Array, " inputs"],
    ) -> Float[Array, "*units"]:
        return drive(params, x, h)
