"""Whether named arrays can be a learner's state: their names, shapes and numbers."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colonnade.errors import BadInput, shown
from colonnade.streaming.network import Arrays, Shapes

MOST_EVENTS = 2**62
PROGRESS: Shapes = {"progress.events": (), "progress.begun": ()}
KINDS = {"progress.events": ("iu", np.dtype(np.int64)), "progress.begun": ("b", np.dtype(np.bool_))}
NUMBERS = ("fiu", np.dtype(np.float32))


def fitting(argument: str, given: Mapping[str, NDArray[Any]], wanted: Shapes) -> Arrays:
    """Return arrays of exactly the wanted names and shapes, copied, or refuse them."""
    if not isinstance(given, Mapping):
        raise BadInput(argument, expected="arrays by name", got=type(given).__name__)
    if unknown := [name for name in given if name not in wanted]:
        raise BadInput(argument, expected="no other arrays than its own", got=shown(unknown[0]))
    if missing := [name for name in wanted if name not in given]:
        raise BadInput(argument, expected=f"an array {missing[0]!r}", got="none of that name")
    return {
        name: _fitting(f"{argument}[{name!r}]", given[name], shape, *KINDS.get(name, NUMBERS))
        for name, shape in wanted.items()
    }


def _fitting(
    field: str, given: object, shape: tuple[int, ...], kinds: str, dtype: np.dtype[Any]
) -> NDArray[Any]:
    try:
        array = np.asarray(given)
    except Exception as failure:
        raise BadInput(field, expected=f"{dtype}", got=shown(given)) from failure
    if array.shape != shape:
        raise BadInput(field, expected=f"shape {shape}", got=f"shape {array.shape}")
    if array.dtype.kind not in kinds:
        raise BadInput(field, expected=f"{dtype}", got=f"{array.dtype}")
    with np.errstate(over="ignore"):
        numbers = np.array(array, dtype, order="C")
    if not np.isfinite(numbers).all():
        raise BadInput(field, expected=f"finite numbers of {dtype}", got="others")
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
