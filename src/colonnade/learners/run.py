"""Run a learner over a chunk of events: checked first, then compiled into one loop."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from colonnade.errors import BadInput
from colonnade.learners.events import check_shapes, check_values
from colonnade.learners.protocol import Event, Learner, Outcome


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
    length = _length(events)
    check_shapes(carry.example, events, length)
    check_values(learner_objective(learner), events)
    chunk = jax.tree.map(
        lambda leaf, like: jnp.asarray(leaf, like.dtype).reshape((length, *like.shape)), events, carry.example
    )
    moved: tuple[Any, Outcome] = _scan(learner, carry, chunk)
    return moved


def first_of(events: Event) -> Event:
    """Return the first event of a chunk: an example to start a learner with."""
    _length(events)
    return jax.tree.map(lambda leaf: leaf[0], events)  # type: ignore[no-any-return]


def learner_objective(learner: Any) -> Any:
    """Return the objective of a learner of one stream or of several."""
    return learner.online.objective if hasattr(learner, "online") else learner.objective


@partial(jax.jit, static_argnums=0)
def _scan(learner: Learner, carry: Any, events: Event) -> tuple[Any, Outcome]:
    result: tuple[Any, Outcome] = jax.lax.scan(learner.step, carry, events)
    return result


def _length(events: Event) -> int:
    if not isinstance(events, Event):
        raise BadInput("events", expected="Event(x=..., target=...) of arrays", got=repr(events))
    shape = jnp.shape(events.x)
    if not shape or shape[0] == 0:
        raise BadInput("x", expected="an array with one or more events along axis 0", got=f"shape {shape}")
    return int(shape[0])
