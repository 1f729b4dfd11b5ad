"""Chunks of numbers as the engine takes them: finite float32 of the right shape; or a line why not."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from colonnade.errors import BadInput

LARGEST = 1e15  # squares and their sums are still finite


def array_of(name: str, values: ArrayLike) -> NDArray[Any]:
    """Return an array of numbers, or say that there is none to be made."""
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.asarray(None)
    if array.dtype.kind not in "fiub":
        raise BadInput(name, expected="numbers", got=f"{type(values).__name__} of {array.dtype}")
    return array


def numbers_of(name: str, values: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return usable float32 numbers of this shape, or say which one isn't."""
    array = array_of(name, values)
    if array.shape != shape:
        raise BadInput(name, expected=f"shape {shape}", got=f"shape {array.shape}")
    with np.errstate(over="ignore"):
        numbers = np.ascontiguousarray(array, np.float32)
    refuse(name, array, ~(np.abs(numbers) <= LARGEST), "a finite number within ±1e15")
    return numbers


def refuse(name: str, values: NDArray[Any], bad: NDArray[np.bool_], expected: str) -> None:
    """Refuse the first bad number of a chunk, and say where it is."""
    if bad.any():
        event, *place = (int(i) for i in np.unravel_index(int(np.argmax(bad)), bad.shape))
        where = f"{name}[{', '.join(map(str, place))}]" if place else name
        raise BadInput(f"{where} of event {event}", expected=expected, got=values[event, *place])


def events_of(x: ArrayLike, inputs: int) -> NDArray[np.float32]:
    """Return the observations of a chunk, (events, inputs)."""
    observed = array_of("x", x)
    return numbers_of("x", observed, (*observed.shape[:1], inputs))


def known_of(known: ArrayLike | None, events: int) -> NDArray[np.bool_] | None:
    """Return whether each event has a target, if that isn't so of all."""
    if known is None:
        return None
    mask = np.asarray(known)
    if mask.dtype.kind != "b" or mask.shape != (events,):
        raise BadInput("known", expected=f"{events} truth values", got=f"shape {mask.shape} of {mask.dtype}")
    return np.ascontiguousarray(mask)
