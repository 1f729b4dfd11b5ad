"""The leaky recurrent network (Ollivier, Tallec & Charpiat 2015, eq. 37).

    h(t) = α ⊙ h(t−1) + W [x(t), a(t−1), 1]        a = σ(h), the logistic sigmoid

The rates α, one a unit, are drawn once uniformly from a range and kept fixed, as in the paper. Features
are the activities a.
"""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from colonnade.cells.given import check_draw
from colonnade.cells.sums import check_drawn, draw, drive, with_own
from colonnade.checks import span, whole


@dataclass(frozen=True)
class LeakyRNN:
    """A dense network of ``units`` units with rates drawn from ``leak`` by ``leak_seed``.

    >>> cell = LeakyRNN(units=3, leak=(0.5, 0.5))
    >>> [float(rate) for rate in cell.rates()]
    [0.5, 0.5, 0.5]
    """

    units: int
    leak: tuple[float, float] = (0.0, 1.0)
    leak_seed: int = 0
    scale: float | None = None
    delayed: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_drawn(self.units, self.scale)
        whole("leak_seed", self.leak_seed, least=0)
        span("leak", self.leak, low=0.0, high=1.0, words="lowest and highest rate")

    def rates(self) -> Float[np.ndarray, " units"]:
        """Return α, the same at every call."""
        return np.random.default_rng(self.leak_seed).uniform(*self.leak, self.units)

    def init(self, key: Key[Array, ""], inputs: int) -> Float[Array, "units inputs+units+1"]:
        check_draw(key, inputs)
        return draw(key, (self.units, inputs + self.units + 1), self.scale)

    def start(self, params: Float[Array, "*units inputs+units+1"]) -> Float[Array, " units"]:
        return jnp.zeros_like(params[:, 0])

    def step(
        self,
        params: Float[Array, "*units inputs+units+1"],
        state: Float[Array, " units"],
        x: Float[Array, " inputs"],
    ) -> Float[Array, " units"]:
        return jnp.asarray(self.rates(), state.dtype) * state + drive(params, x, jax.nn.sigmoid(state))

    def read(self, state: Float[Array, " units"]) -> Float[Array, " units"]:
        return jax.nn.sigmoid(state)

    def share(
        self,
        params: Float[Array, "*units inputs+units+1"],
        state: Float[Array, " units"],
        x: Float[Array, " inputs"],
    ) -> Float[Array, " units"]:
        return state

    def module(
        self,
        index: Int[Array, ""],
        params: Float[Array, "*units inputs+units+1"],
        state: Float[Array, ""],
        x: Float[Array, " inputs"],
        messages: Float[Array, " units"],
    ) -> Float[Array, ""]:
        h = with_own(index, state, messages)
        return jnp.asarray(self.rates(), state.dtype)[index] * state + drive(params, x, jax.nn.sigmoid(h))
