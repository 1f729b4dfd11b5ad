"""Whether named arrays can be a learner's state: their names, shapes and numbers."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colonnade.errors import BadInput
from colonnade.streaming.network import Arrays

MOST_EVENTS = 2**62


def fitting(argument: str, given: Mapping[str, NDArray[Any]], wanted: Arrays) -> Arrays:
    """Return arrays of exactly the wanted names, shapes and dtypes, or refuse them."""
    if not isinstance(given, Mapping):
        raise BadInput(argument, expected="arrays by name", got=type(given).__name__)
    if unknown := [name for name in given if name not in wanted]:
        raise BadInput(argument, expected="no other arrays than its own", got=repr(unknown[0]))
    return {name: _fitting(argument, name, given, like) for name, like in wanted.items()}


def _fitting(argument: str, name: str, given: Mapping[str, NDArray[Any]], like: NDArray[Any]) -> NDArray[Any]:
    if name not in given:
        raise BadInput(argument, expected=f"an array {name!r}", got="none of that name")
    field, array = f"{argument}[{name!r}]", np.asarray(given[name])
    if array.shape != like.shape:
        raise BadInput(field, expected=f"shape {like.shape}", got=f"shape {array.shape}")
    if array.dtype.kind not in ("b" if like.dtype.kind == "b" else "iu" if like.dtype.kind == "i" else "fiu"):
        raise BadInput(field, expected=f"{like.dtype}", got=f"{array.dtype}")
    with np.errstate(over="ignore"):
        numbers = np.ascontiguousarray(array, like.dtype).reshape(like.shape)
    if not np.isfinite(numbers).all():
        raise BadInput(field, expected="finite numbers of float32", got="others")
    return numbers


def check_meaning(state: Arrays) -> None:
    """Refuse numbers that no learner can have come to."""
    events = int(state["progress.events"])
    if not 0 <= events <= MOST_EVENTS:
        raise BadInput("state['progress.events']", expected="a number of events", got=events)
    for name, array in state.items():
        if name.endswith((".v", "variance")) and (array < 0).any():
            raise BadInput(f"state[{name!r}]", expected="no negative numbers", got=float(array.min()))
        if name.endswith("_age") and ((array < 0) | (array > 1)).any():
            raise BadInput(f"state[{name!r}]", expected="numbers from 0 to 1", got="others")
    if "lstm.ring" in state:
        steps, last = state["lstm.ring"].tolist()
        kept = len(state["lstm.past"])
        full = steps == kept and 0 <= last < kept and last == int(last)
        if not (full or (steps in range(kept) and last == max(steps - 1, 0))):
            raise BadInput("state['lstm.ring']", expected="a place among the kept steps", got=[steps, last])
