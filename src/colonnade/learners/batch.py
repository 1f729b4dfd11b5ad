"""A learner of several streams at once: shared parameters, an update from the mean of their gradients.

s_b(t) = step(θ, s_b(t−1), x_b(t))        b = 1 … streams
direction = mean over b of stream b's direction

Each stream keeps its own state and traces, and begins its episodes at its own time.
"""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Key

from colonnade.checks import whole
from colonnade.errors import BadInput
from colonnade.learners.carried import accepted
from colonnade.learners.events import example_of
from colonnade.learners.online import Carry, Online, without_gaps
from colonnade.learners.protocol import Event, Outcome
from colonnade.objectives.protocol import Learned, Objective


@dataclass(frozen=True)
class Batch:
    """``streams`` streams. Every field of an event has a leading axis of streams.

    >>> import optax
    >>> from colonnade import RNN, Event, SquaredError, rtrl
    >>> learner = Batch(Online(RNN(3), rtrl(), SquaredError(), optax.sgd(0.1)), streams=8)
    >>> event = Event(x=jnp.ones((8, 2)), target=jnp.zeros((8, 1)))
    >>> carry, outcome = learner.step(learner.init(jax.random.key(0), event), event)
    >>> outcome.prediction.shape
    (8, 1)
    """

    online: Online
    streams: int

    def __post_init__(self) -> None:
        if not isinstance(self.online, Online):
            raise BadInput("online", expected="a learner of one stream, Online(...)", got=repr(self.online))
        whole("streams", self.streams)

    @property
    def objective(self) -> Objective:
        """What is asked of each stream."""
        return self.online.objective

    def init(self, key: Key[Array, ""], event: Event) -> Carry:
        example = example_of(self.online.objective, event)
        if example.x.ndim != 2 or example.x.shape[0] != self.streams:
            raise BadInput(
                "x", expected=f"an array of shape ({self.streams}, inputs)", got=f"shape {example.x.shape}"
            )
        one = self.online.init(key, jax.tree.map(lambda leaf: leaf[0], example))
        streams = jax.tree.map(lambda leaf: jnp.stack([leaf] * self.streams), one.stream)
        return one._replace(stream=streams, example=example)

    def gradient(self, carry: Carry, event: Event) -> tuple[Learned, Carry, Outcome]:
        event = accepted(self, carry, event)
        key = jax.random.fold_in(carry.key, carry.steps)
        flow = jax.vmap(self.online.flow, in_axes=(None, None, 0, 0, 0))
        directions, streams, outcome = flow(
            carry.params,
            carry.readout,
            carry.stream,
            without_gaps(event),
            jax.random.split(key, self.streams),
        )
        direction = jax.tree.map(lambda leaf: leaf.mean(0), directions)
        return (
            direction,
            carry._replace(
                stream=streams, steps=carry.steps + 1, waited=self.online.wait(carry.waited, None)
            ),
            outcome,
        )

    def step(self, carry: Carry, event: Event) -> tuple[Carry, Outcome]:
        direction, carry, outcome = self.gradient(carry, event)
        given = None if event.given is None else jnp.any(event.given)
        return self.online.update(carry, direction, given), outcome
