"""The two learners of the demo, and what a step of each costs.

The cost of a learner is the number of floating-point operations that XLA's cost analysis counts in one
`step` (predict, be told, learn) as it is written, before it is optimised: the same number on every machine.
The dense network is the published T-BPTT setting whose cost is nearest to the columns', and no less.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from colonnade import (
    LSTM,
    TD,
    Cell,
    Columnar,
    Credit,
    Event,
    Normalise,
    Online,
    Stacked,
    apart,
    frozen,
    independent,
    layered,
    rmsprop,
    rtrl,
    tbptt,
)
from colonnade.cli.demo.record import Contender
from colonnade.errors import BadInput

DISCOUNT, TRACE_DECAY = 0.9, 0.99
COLUMNAR_STEP, DENSE_STEP = 5e-4, 1e-4
"""Each learner's best of four step sizes: `benchmarks/demo_settings.py`."""

RATE, FLOOR = 0.99999, 0.1
"""Of the normalisation, the same for both: published values."""

PUBLISHED = {2: 13, 3: 10, 5: 8, 8: 5, 10: 5, 15: 4, 20: 3, 30: 2}
"""The units of the dense network that go with each truncation in the published comparison."""


class Prepared(NamedTuple):
    """A learner, and how it is shown."""

    contender: Contender
    learner: Online


def prepare(columns: int, truncation: int | None) -> tuple[Prepared, Prepared]:
    """Build both learners; without a truncation, the one that costs the same is found."""
    ours = columnar(columns)
    cost = operations(ours)
    if truncation is None:
        costs = {k: operations(dense(k, units)) for k, units in PUBLISHED.items()}
        truncation = nearest(columns, cost, costs)
    units = PUBLISHED[truncation]
    theirs = dense(truncation, units)
    return (
        Prepared(Contender("columnar", f"{columns} columns, exact RTRL", columnar_code(columns), cost), ours),
        Prepared(
            Contender(
                "T-BPTT",
                f"{units} dense units, truncation {truncation}",
                dense_code(truncation, units),
                operations(theirs),
            ),
            theirs,
        ),
    )


def columnar(columns: int, step_size: float = COLUMNAR_STEP) -> Online:
    """Columns that learn by exact RTRL, inputs and features normalised."""
    return _online(Columnar(LSTM(1, scale=0.01), columns), independent(rtrl()), step_size, columns)


def dense(truncation: int, units: int, step_size: float = DENSE_STEP) -> Online:
    """A dense LSTM that learns by truncated backpropagation at every event, normalised in the same way."""
    return _online(LSTM(units), tbptt(truncation), step_size, units)


def _online(cell: Cell, credit: Credit, step_size: float, features: int) -> Online:
    """What both have in common."""
    return Online(
        Stacked((Normalise(RATE, FLOOR), cell, Normalise(RATE, FLOOR))),
        layered((frozen(), credit, frozen())),
        TD(DISCOUNT, TRACE_DECAY),
        apart(cell=rmsprop(step_size), readout=rmsprop(step_size / features)),
    )


def columnar_code(columns: int) -> str:
    """How to write the columnar learner."""
    return _code(f"Columnar(LSTM(1, scale=0.01), {columns})", "independent(rtrl())", COLUMNAR_STEP, columns)


def dense_code(truncation: int, units: int) -> str:
    """How to write the dense learner."""
    return _code(f"LSTM({units})", f"tbptt({truncation})", DENSE_STEP, units)


def _code(cell: str, credit: str, step_size: float, features: int) -> str:
    normalise = f"Normalise({RATE}, {FLOOR})"
    return (
        "Online(\n"
        f"    Stacked(({normalise}, {cell}, {normalise})),\n"
        f"    layered((frozen(), {credit}, frozen())),\n"
        f"    TD({DISCOUNT}, {TRACE_DECAY}),\n"
        f"    apart(cell=rmsprop({step_size}), readout=rmsprop({step_size} / {features})),\n"
        ")"
    )


def example(inputs: int = 12) -> Event:
    """An event of trace patterning, for shapes."""
    return Event(x=jnp.zeros(inputs), target=jnp.zeros(1))


def operations(learner: Online) -> int:
    """Count the floating-point operations of one step."""
    carry = jax.eval_shape(learner.init, jax.random.key(0), example())
    analysis: Any = jax.jit(learner.step).lower(carry, example()).cost_analysis()
    return int(analysis["flops"])


def nearest(columns: int, cost: int, costs: Mapping[int, int]) -> int:
    """Return the truncation whose cost is nearest to ``cost`` and no less; ``columns`` is for the error.

    >>> nearest(14, 29_955, {5: 38_776, 8: 30_169, 30: 33_059})
    8
    """
    enough = {truncation: counted for truncation, counted in costs.items() if counted >= cost}
    if not enough:
        most = int(columns * max(costs.values()) / cost)
        raise BadInput(
            "columns", expected=f"at most {most}, for which there is a T-BPTT of equal cost", got=columns
        )
    return min(enough, key=enough.__getitem__)
