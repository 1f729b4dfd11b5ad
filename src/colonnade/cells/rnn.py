"""The vanilla recurrent network (Elman 1990).

h(t) = φ(W x(t) + R h(t−1) + b)        φ: tanh, sigmoid, ReLU or any other function

Every unit sees the last outputs of all.
"""

from collections.abc import Callable
from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from colonnade.cells.dense import Dense
from colonnade.cells.given import check_draw
from colonnade.cells.sums import check_drawn, draw, drive
from colonnade.checks import function


@dataclass(frozen=True)
class RNN(Dense):
    """A dense network of ``units`` units.

    >>> import jax
    >>> cell = RNN(units=3)
    >>> params = cell.init(jax.random.key(0), inputs=2)
    >>> cell.step(params, cell.start(params), jax.numpy.ones(2)).shape
    (3,)
    """

    units: int
    activation: Callable[[Float[Array, "*units"]], Float[Array, "*units"]] = jnp.tanh
    scale: float | None = None

    def __post_init__(self) -> None:
        check_drawn(self.units, self.scale)
        function("activation", self.activation)

    def init(self, key: Key[Array, ""], inputs: int) -> Float[Array, "units inputs+units+1"]:
        check_draw(key, inputs)
        return draw(key, (self.units, inputs + self.units + 1), self.scale)

    def start(self, params: Float[Array, "units inputs+units+1"]) -> Float[Array, " units"]:
        return jnp.zeros_like(params[:, 0])

    def move(
        self,
        params: Float[Array, "*units inputs+units+1"],
        own: Float[Array, "*units"],
        h: Float[Array, " units"],
        x: Float[Array, " inputs"],
    ) -> Float[Array, "*units"]:
        return self.activation(drive(params, x, h))
