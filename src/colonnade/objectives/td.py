"""Semi-gradient TD(λ): predict the discounted sum of a cumulant that arrives later.

    δ(t) = c(t) + γ(t) ŷ(t) − ŷ(t−1)        ŷ = W f + b
    θ descends −δ(t) E(t−1)
    E(t) = γ(t) λ E(t−1) + dŷ(t)/dθ

c(t) and γ(t) came with the observation of step t, so a trace that is decayed by γ(t) at step t is decayed by
the discount of the *previous* step when δ(t+1) uses it: where γ = 0 ends an episode, the last error still
reaches everything before it.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from colonnade.checks import number, whole
from colonnade.objectives.linear import PredictsNumbers
from colonnade.objectives.protocol import Learned, Prediction, Told, where_given


class TDMemory(NamedTuple):
    """The traces E, with a leading axis of outputs, and the last prediction, if there was one."""

    traces: Learned
    prediction: Prediction
    begun: Bool[Array, ""]


@dataclass(frozen=True)
class TD(PredictsNumbers):
    """Predict ``outputs`` returns, each of its own cumulant. An event's discount, if it has one, goes first.

    >>> TD(discount=0.9, trace_decay=0.99).outputs
    1
    """

    discount: float = 0.9
    trace_decay: float = 0.9
    outputs: int = 1
    traces: ClassVar[bool] = True

    def __post_init__(self) -> None:
        number("discount", self.discount, low=0.0, high=1.0)
        number("trace_decay", self.trace_decay, low=0.0, high=1.0)
        whole("outputs", self.outputs)

    def start(self, learned: Learned) -> TDMemory:
        traces = jax.tree.map(lambda p: jnp.zeros((self.outputs, *p.shape), p.dtype), learned)
        return TDMemory(traces, jnp.zeros_like(learned["readout"].b), jnp.array(False))

    def scalar(self, prediction: Prediction, event: Told) -> Prediction:
        return prediction

    def combine(
        self, memory: TDMemory, gradient: Learned, prediction: Prediction, event: Told
    ) -> tuple[Learned, TDMemory]:
        error = self._error(memory, prediction, event)
        decay = jnp.broadcast_to(self._discount(event) * self.trace_decay, error.shape).astype(error.dtype)
        direction = jax.tree.map(lambda e: -(_along(error, e) * e).sum(0), memory.traces)
        traces = jax.tree.map(lambda e, g: _along(decay, e) * e + g, memory.traces, gradient)
        return direction, TDMemory(traces, prediction, jnp.array(True))

    def loss(self, memory: TDMemory, prediction: Prediction, event: Told) -> Float[Array, ""]:
        return 0.5 * jnp.sum(self._error(memory, prediction, event) ** 2)

    def _error(self, memory: TDMemory, prediction: Prediction, event: Told) -> Float[Array, " outputs"]:
        error = event.target + self._discount(event) * prediction - memory.prediction
        return where_given(jnp.where(memory.begun, error, 0), event)

    def _discount(self, event: Told) -> Any:
        return self.discount if event.discount is None else event.discount


def _along(weights: Float[Array, " outputs"], leaf: Float[Array, "outputs *shape"]) -> Float[Array, "..."]:
    """Shape a weight an output so that it multiplies that output's traces."""
    return weights.reshape(-1, *(1,) * (leaf.ndim - 1))
