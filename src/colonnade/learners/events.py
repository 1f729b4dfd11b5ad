"""What events must look like, and what is said of those that don't.

Shapes and dtypes are checked where a step is traced; values, before a chunk goes in. A chunk with one bad
event changes nothing.
"""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Shaped

from colonnade.errors import BadInput
from colonnade.learners.protocol import Event
from colonnade.objectives.protocol import Objective, Values


def example_of(objective: Objective, event: Event) -> Event:
    """Return an event of zeros with the fields of ``event``, the dtypes the learner computes in."""
    _is_event(event)
    x = np.asarray(jnp.shape(event.x), int)
    if x.size == 0:
        raise BadInput("x", expected="an array of one or more numbers", got="a single number")
    numbers = jnp.zeros(tuple(x))
    _dtype("x", event.x, numbers)
    target = objective.example()
    lead = numbers.shape[:-1]
    example = Event(
        x=numbers,
        target=jnp.zeros(lead + target.shape, target.dtype),
        discount=None if event.discount is None else jnp.zeros(jnp.shape(event.discount)),
        first=None if event.first is None else jnp.zeros(lead, bool),
        given=None if event.given is None else jnp.zeros(lead, bool),
    )
    check_shapes(example, event)
    return example


def check_shapes(example: Event, event: Event, events: int | None = None) -> None:
    """Refuse an event, or a chunk of ``events`` events, that isn't like the example."""
    _is_event(event)
    lead = () if events is None else (events,)
    for name, expected, came in zip(Event._fields, example, event, strict=True):
        if expected is None or came is None:
            _same_absence(name, expected, came)
        else:
            _shape(name, came, expected, lead)
            _dtype(name, came, expected)


def check_values(objective: Objective, events: Event) -> None:
    """Refuse a chunk with NaN, infinity or an impossible target, and say which event it is."""
    given = None if events.given is None else np.asarray(events.given)
    _finite("x", events.x, None)
    _finite("target", events.target, given)
    if events.discount is not None:
        _finite("discount", events.discount, None)
    allowed = objective.allows(np.asarray(events.target))
    _refuse_first("target", events.target, ~allowed, given, objective.kind())


def _finite(name: str, values: Any, given: Bool[np.ndarray, " events"] | None) -> None:
    array = np.asarray(values)
    bad = ~np.isfinite(array).reshape(len(array), -1).all(axis=1)
    _refuse_first(name, array, bad, given, "finite numbers")


def _refuse_first(
    name: str,
    values: Any,
    bad: Bool[np.ndarray, " events"],
    given: Bool[np.ndarray, " events"] | None,
    expected: str,
) -> None:
    """Refuse the first bad event, among those with a target where that matters."""
    if given is not None and given.shape == bad.shape:
        bad = bad & given
    if bad.any():
        event = int(np.argmax(bad))
        raise BadInput(f"{name} of event {event}", expected=expected, got=np.asarray(values)[event])


def _same_absence(name: str, expected: Values | None, came: Values | None) -> None:
    """Refuse a field that comes and goes: the fields are those of the event the learner was made with."""
    if expected is None and came is not None:
        raise BadInput(name, expected="None, as when the learner was made", got=f"shape {jnp.shape(came)}")
    if expected is not None and came is None:
        raise BadInput(name, expected="an array, as when the learner was made", got="None")


def _shape(name: str, came: Values, expected: Values, lead: tuple[int, ...]) -> None:
    """Refuse another shape; one target or discount may come without its axis of length 1."""
    shape = jnp.shape(came)
    alone = expected.shape[-1:] == (1,) and name in ("target", "discount")
    if shape != lead + expected.shape and not (alone and shape == lead + expected.shape[:-1]):
        raise BadInput(name, expected=f"shape {lead + expected.shape}", got=f"shape {shape}")


def _dtype(name: str, came: Any, expected: Shaped[Any, "..."]) -> None:
    """Refuse what can't stand for numbers, classes or flags."""
    kind = jnp.result_type(came) if not isinstance(came, str) else np.dtype(str)
    wanted, kinds = {
        "f": ("real numbers", "fiub"),
        "i": ("integers", "iu"),
        "b": ("True or False", "b"),
    }[np.dtype(expected.dtype).kind]
    if np.dtype(kind).kind not in kinds:
        raise BadInput(name, expected=wanted, got=f"an array of {kind}")


def _is_event(event: object) -> None:
    if not isinstance(event, Event):
        raise BadInput("event", expected="Event(x=..., target=...)", got=repr(event))
