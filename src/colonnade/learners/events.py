"""What events must look like, and what is said of those that don't.

Shapes and dtypes are checked where a step is traced; values, before a chunk goes in. A chunk with one bad
event changes nothing.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Shaped

from colonnade.errors import BadInput
from colonnade.learners.protocol import Event
from colonnade.objectives.protocol import Objective, Values

KINDS = {
    "f": ("real numbers", (jnp.floating, jnp.integer, jnp.bool_)),
    "i": ("integers", (jnp.integer,)),
    "b": ("True or False", (jnp.bool_,)),
}
"""What an array must hold, by the kind of its example's dtype: in words, and the kinds that will do."""


def as_arrays(event: object) -> Event:
    """Return an event whose fields are arrays; lists and numbers will do, too."""
    if not isinstance(event, Event):
        raise BadInput("event", expected="Event(x=..., target=...)", got=type(event).__name__)
    if event.x is None:
        raise BadInput("x", expected="an array of numbers", got="None")
    fields = {name: _array(name, value) for name, value in event._asdict().items() if value is not None}
    return event._replace(**fields)


def example_of(objective: Objective, event: Event) -> Event:
    """Return an event of zeros with the fields of ``event``, in the dtypes that a learner computes in."""
    event = as_arrays(event)
    if event.x.ndim == 0:
        raise BadInput("x", expected="an array of one or more numbers", got="a single number")
    if event.x.shape[-1] == 0:
        raise BadInput("x", expected="an array of one or more numbers", got=f"shape {event.x.shape}")
    lead, target = event.x.shape[:-1], objective.example()
    example = Event(
        x=jnp.zeros(event.x.shape),
        target=jnp.zeros(lead + target.shape, target.dtype),
        discount=_example_discount(objective, event, lead),
        first=None if event.first is None else jnp.zeros(lead, bool),
        given=None if event.given is None else jnp.zeros(lead, bool),
    )
    check_shapes(example, event)
    return example


def _example_discount(objective: Objective, event: Event, lead: tuple[int, ...]) -> Values | None:
    """Return discounts of zero: one for all outputs, or one each."""
    if event.discount is None:
        return None
    if not objective.traces:
        raise BadInput("discount", expected="None: this objective discounts nothing", got="an array")
    each = lead + objective.example().shape
    return jnp.zeros(each if event.discount.shape == each else lead)


def check_shapes(example: Event, event: Event, lead: tuple[int, ...] = ()) -> None:
    """Refuse an event that isn't like the example, or a chunk of them with further leading axes."""
    for name, expected, came in zip(Event._fields, example, event, strict=True):
        if expected is None or came is None:
            _same_absence(name, expected, came)
        else:
            _shape(name, came, expected, lead)
            _dtype(name, came, expected)


def as_computed(objective: Objective, example: Event, event: Event) -> Event:
    """Return one event as the learner computes with it, and refuse bad values where they can be seen."""
    chunk = checked_chunk(objective, example, jax.tree.map(lambda field: field[None], event))
    return jax.tree.map(lambda field: field[0], chunk)  # type: ignore[no-any-return]


def checked_chunk(objective: Objective, example: Event, events: Event) -> Event:
    """Return a chunk of events as the learner computes with it; refuse NaN, infinity, impossible targets.

    While a step is traced there are no values to be looked at yet.
    """
    traced = any(isinstance(field, jax.core.Tracer) for field in jax.tree.leaves(events))
    cast = jnp.asarray if traced else _cast
    chunk: Event = jax.tree.map(
        lambda field, like: cast(field, like.dtype).reshape(field.shape[0], *like.shape), events, example
    )
    if not traced:
        _check_values(objective, events, chunk)
    return chunk


def _cast(field: Values, dtype: np.dtype[Any]) -> Values:
    with np.errstate(over="ignore"):
        return np.asarray(field).astype(dtype)


def _check_values(objective: Objective, events: Event, chunk: Event) -> None:
    """Refuse what came if it can't be used, or can't be once it is cast."""
    given = None if events.given is None else np.asarray(events.given)
    targets = np.asarray(events.target)
    _refuse("target", targets, ~objective.allows(targets), given, objective.kind())
    _refuse_infinite("x", chunk.x, None)
    _refuse_infinite("target", chunk.target, given)
    if chunk.discount is not None:
        discount = np.asarray(chunk.discount)
        outside = ~((discount >= 0) & (discount <= 1))
        _refuse("discount", discount, outside, None, "a number from 0 to 1")


def _refuse_infinite(name: str, values: Values, given: Bool[np.ndarray, "..."] | None) -> None:
    array = np.asarray(values)
    _refuse(name, array, np.asarray(~np.isfinite(array)), given, f"a finite number of {array.dtype}")


def _refuse(
    name: str,
    values: Shaped[np.ndarray, "events ..."],
    bad: Bool[np.ndarray, "events ..."],
    given: Bool[np.ndarray, "events ..."] | None,
    expected: str,
) -> None:
    """Refuse the first bad number and say where it is; numbers of absent targets don't matter."""
    if given is not None:
        bad = bad & given.reshape(given.shape + (1,) * (bad.ndim - given.ndim))
    if bad.any():
        event, *place = (int(i) for i in np.unravel_index(np.argmax(bad), bad.shape))
        where = f"{name}[{', '.join(map(str, place))}]" if place else name
        raise BadInput(f"{where} of event {event}", expected=expected, got=values[event, *place])


def _array(name: str, value: Any) -> Values:
    """Return an array of numbers, or say that there is none to be made."""
    if isinstance(value, jax.Array):
        return value
    if np.ma.is_masked(value):
        raise BadInput(name, expected="numbers", got="an array with some of them masked")
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        array = np.asarray(None)
    if array.dtype.kind not in "fiub":
        raise BadInput(name, expected="an array of numbers", got=f"{type(value).__name__} of {array.dtype}")
    return array


def _same_absence(name: str, expected: Values | None, came: Values | None) -> None:
    """Refuse a field that comes and goes: the fields are those of the event the learner was made with."""
    if expected is None and came is not None:
        raise BadInput(name, expected="None, as when the learner was made", got=f"shape {came.shape}")
    if expected is not None and came is None:
        raise BadInput(name, expected="an array, as when the learner was made", got="None")


def _shape(name: str, came: Values, expected: Values, lead: tuple[int, ...]) -> None:
    """Refuse another shape; one target or discount may come without its axis of length 1."""
    shape = lead + expected.shape
    alone = expected.shape[-1:] == (1,) and name in ("target", "discount")
    if came.shape != shape and not (alone and came.shape == shape[:-1]):
        raise BadInput(name, expected=f"shape {shape}", got=f"shape {came.shape}")


def _dtype(name: str, came: Values, expected: Values) -> None:
    """Refuse what can't stand for numbers, classes or flags."""
    wanted, kinds = KINDS[np.dtype(expected.dtype).kind]
    if not any(jnp.issubdtype(came.dtype, kind) for kind in kinds):
        raise BadInput(name, expected=wanted, got=f"an array of {came.dtype}")
