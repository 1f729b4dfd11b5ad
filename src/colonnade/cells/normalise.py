"""Running normalisation: a layer without parameters that brings what it sees to mean 0 and variance 1.

    μ ← βμ + (1 − β)v        σ² ← βσ² + (1 − β)(v − μ)²        read: (v − μ) / √max(σ², floor)

Gradients treat μ and σ as constants. Statistics outlive episodes. ``Normalise(adapt=False)`` keeps those it
has, as a frozen stage of a constructive network does.
"""

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from colonnade.cells.given import check_draw
from colonnade.checks import flag, number


class NormaliseParams(NamedTuple):
    """No parameters: an empty array that knows how many numbers there are to normalise."""

    size: Float[Array, "0 inputs"]


class NormaliseState(NamedTuple):
    """The running statistics and the last normalised value."""

    mean: Float[Array, " inputs"]
    variance: Float[Array, " inputs"]
    value: Float[Array, " inputs"]


@dataclass(frozen=True)
class Normalise:
    """Normalise each input by its own running mean and variance.

    >>> import jax
    >>> cell = Normalise(rate=0.9)
    >>> params = cell.init(jax.random.key(0), inputs=2)
    >>> cell.read(cell.step(params, cell.start(params), jax.numpy.zeros(2))).tolist()
    [0.0, 0.0]
    """

    rate: float = 0.99999
    floor: float = 0.001
    adapt: bool = True

    def __post_init__(self) -> None:
        number("rate", self.rate, low=0.0, high=1.0)
        number("floor", self.floor, low=0.0)
        flag("adapt", self.adapt)

    def init(self, key: Key[Array, ""], inputs: int) -> NormaliseParams:
        check_draw(key, inputs)
        return NormaliseParams(size=jnp.zeros((0, inputs)))

    def start(self, params: NormaliseParams) -> NormaliseState:
        inputs, dtype = params.size.shape[1:], params.size.dtype
        return NormaliseState(jnp.zeros(inputs, dtype), jnp.ones(inputs, dtype), jnp.zeros(inputs, dtype))

    def again(self, params: NormaliseParams, state: NormaliseState) -> NormaliseState:
        return state._replace(value=jnp.zeros_like(state.value))

    def step(
        self, params: NormaliseParams, state: NormaliseState, x: Float[Array, " inputs"]
    ) -> NormaliseState:
        mean, variance = jax.lax.stop_gradient(self._statistics(state, x))
        return NormaliseState(mean, variance, (x - mean) / jnp.sqrt(jnp.maximum(variance, self.floor)))

    def read(self, state: NormaliseState) -> Float[Array, " inputs"]:
        return state.value

    def _statistics(
        self, state: NormaliseState, v: Float[Array, " inputs"]
    ) -> tuple[Float[Array, " inputs"], Float[Array, " inputs"]]:
        if not self.adapt:
            return state.mean, state.variance
        # The same sums as above; in this form single precision doesn't pull them aside.
        mean = state.mean + (1 - self.rate) * (v - state.mean)
        return mean, state.variance + (1 - self.rate) * ((v - mean) ** 2 - state.variance)
