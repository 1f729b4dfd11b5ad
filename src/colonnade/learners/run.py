"""Run a learner over a chunk of events: checked first, then compiled into one loop."""

from functools import partial
from typing import Any

import jax

from colonnade.errors import BadInput
from colonnade.learners.carried import check_carry, check_learner
from colonnade.learners.events import as_arrays, check_shapes, checked_chunk
from colonnade.learners.protocol import Event, Learner, Outcome
from colonnade.worlds.protocol import Chunk


def run(learner: Learner, carry: Any, events: Event) -> tuple[Any, Outcome]:
    """Learn from a chunk of events, NumPy or JAX arrays with a leading axis of events.

    Returns the carry after them, and the outcomes with the same leading axis. A chunk with a bad event
    raises ``BadInput`` and nothing has changed: the old carry is as good as before.

    >>> import jax, numpy as np, optax
    >>> from colonnade import GRU, Event, Online, SquaredError, rtrl
    >>> learner = Online(GRU(4), rtrl(), SquaredError(), optax.adam(1e-2))
    >>> events = Event(x=np.ones((100, 3)), target=np.zeros((100, 1)))
    >>> carry = learner.init(jax.random.key(0), first_of(events))
    >>> carry, outcome = run(learner, carry, events)
    >>> outcome.loss.shape
    (100,)
    """
    check_learner("learner", learner)
    check_carry(learner, carry)
    events = _chunk(events)
    check_shapes(carry.example, events, events.x.shape[:1])
    chunk = checked_chunk(learner.objective, carry.example, events)
    moved: tuple[Any, Outcome] = _scan(learner, carry, chunk)
    return moved


def events_of(chunk: Chunk) -> Event:
    """Return a world's chunk as events to learn from; what the world knows of the answer stays behind.

    >>> from colonnade import TracePatterning
    >>> events_of(TracePatterning().stream(seed=0).take(10)).x.shape
    (10, 12)
    """
    if not isinstance(chunk, Chunk):
        raise BadInput("chunk", expected="a chunk of a world, stream.take(n)", got=type(chunk).__name__)
    return Event(chunk.x, chunk.target, first=chunk.first, given=chunk.given)


def first_of(events: Event) -> Event:
    """Return the first event of a chunk: an example to start a learner with."""
    return jax.tree.map(lambda leaf: leaf[0], _chunk(events))  # type: ignore[no-any-return]


@partial(jax.jit, static_argnums=0)
def _scan(learner: Learner, carry: Any, events: Event) -> tuple[Any, Outcome]:
    result: tuple[Any, Outcome] = jax.lax.scan(learner.step, carry, events)
    return result


def _chunk(events: Event) -> Event:
    """Return the chunk with arrays for fields; refuse one without events."""
    events = as_arrays(events)
    if events.x.ndim == 0 or events.x.shape[0] == 0:
        raise BadInput("x", expected="one or more events along axis 0", got=f"shape {events.x.shape}")
    for name, field in zip(Event._fields, events, strict=True):
        if field is not None and field.shape[:1] != events.x.shape[:1]:
            raise BadInput(
                name, expected=f"{events.x.shape[0]} events, as many as x", got=f"shape {field.shape}"
            )
    return events
