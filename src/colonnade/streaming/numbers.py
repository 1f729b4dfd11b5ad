"""Chunks of numbers as the engine takes them: finite float32 of the right shape; or a line why not.

What is checked and taken is a copy, so that nobody can change it while the engine is at work without Python's
lock.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from colonnade.errors import BadInput

LARGEST = 1e15  # squares and their sums are still finite


def array_of(name: str, values: ArrayLike, kinds: str = "fiub", expected: str = "numbers") -> NDArray[Any]:
    """Return an array of dtypes of these kinds, or say that there is none to be made."""
    try:
        array = np.asarray(values)
    except Exception as failure:  # whatever the code of an argument's own may raise
        raise BadInput(name, expected=expected, got=type(values).__name__) from failure
    if array.dtype.kind not in kinds:
        raise BadInput(name, expected=expected, got=f"{type(values).__name__} of {array.dtype}")
    return array


def numbers_of(name: str, values: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return usable float32 numbers of this shape, or say which one isn't."""
    array = array_of(name, values)
    if array.shape != shape:
        raise BadInput(name, expected=f"shape {shape}", got=f"shape {array.shape}")
    with np.errstate(over="ignore"):
        numbers = np.array(array, np.float32, order="C")
    if numbers.size and not -LARGEST <= numbers.min() <= numbers.max() <= LARGEST:
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
    if observed.ndim != 2:
        raise BadInput("x", expected=f"shape (events, {inputs})", got=f"shape {observed.shape}")
    return numbers_of("x", observed, (len(observed), inputs))


def known_of(known: ArrayLike | None, events: int) -> NDArray[np.bool_] | None:
    """Return whether each event has a target, if that isn't so of all."""
    if known is None:
        return None
    mask = array_of("known", known, kinds="b", expected="truth values")
    if mask.shape != (events,):
        raise BadInput("known", expected=f"shape {(events,)}", got=f"shape {mask.shape}")
    return np.array(mask, order="C")
