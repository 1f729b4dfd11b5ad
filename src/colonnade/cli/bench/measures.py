"""What is measured, and what must be reached."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from colonnade.cli.bench.contestants import (
    AlgebraColumns,
    AlgebraDense,
    Calls,
    Columns,
    DeepRiverCalls,
    Dense,
    MultiplyAdds,
    PlainColumns,
    Roots,
    TorchCalls,
    Traffic,
)
from colonnade.cli.bench.limits import LEVELS, STATE_BYTES, Standing, standing
from colonnade.cli.bench.measuring import Contestant, NotMeasured, Times


class Row(NamedTuple):
    """A measure as it came out. Ours and theirs are nanoseconds an event; None is what wasn't measured."""

    measure: str
    required: str
    ours: float | None = None
    theirs: float | None = None
    result: float | None = None  # of the unit of what is required
    shown: str = "-"  # the result, written
    reached: bool | None = None
    missing: str = ""


class Measure(Protocol):
    """Something to be reached."""

    @property
    def name(self) -> str: ...
    @property
    def required(self) -> str: ...
    @property
    def contestants(self) -> tuple[Contestant, ...]: ...
    def judge(self, times: Times) -> Row: ...


@dataclass(frozen=True)
class Faster:
    """Ours takes so many times less than theirs."""

    name: str
    ours: Contestant
    theirs: Contestant
    times: float

    @property
    def required(self) -> str:
        return f"{self.times:,g}x"

    @property
    def contestants(self) -> tuple[Contestant, ...]:
        return self.ours, self.theirs

    def judge(self, times: Times) -> Row:
        ours, theirs = times[self.ours], times[self.theirs]
        ratio = theirs / ours
        shown = f"{ratio:,.0f}x" if ratio >= 100 else f"{ratio:.2f}x"
        return Row(self.name, self.required, ours, theirs, ratio, shown, ratio >= self.times)


@dataclass(frozen=True)
class Above:
    """One of ours takes at most so many nanoseconds more than another of ours."""

    name: str
    ours: Contestant
    base: Contestant
    most: float

    @property
    def required(self) -> str:
        return f"<= {self.most:g} ns"

    @property
    def contestants(self) -> tuple[Contestant, ...]:
        return self.ours, self.base

    def judge(self, times: Times) -> Row:
        ours, base = times[self.ours], times[self.base]
        above = ours - base
        return Row(self.name, self.required, ours, base, above, f"{above:.0f} ns", above <= self.most)


@dataclass(frozen=True)
class Slope:
    """The time grows as the parameters do: the slope of its logarithm against theirs."""

    name: str
    sizes: tuple[Columns, ...]
    wanted: float
    apart: float

    @property
    def required(self) -> str:
        return f"{self.wanted:g} ± {self.apart:g}"

    @property
    def contestants(self) -> tuple[Contestant, ...]:
        return self.sizes

    def judge(self, times: Times) -> Row:
        found = slope([size.parameters for size in self.sizes], [times[size] for size in self.sizes])
        reached = abs(found - self.wanted) <= self.apart
        return Row(self.name, self.required, result=found, shown=f"{found:.3f}", reached=reached)


def slope(sizes: Sequence[float], times: Sequence[float]) -> float:
    """Return the slope of the straight line through logarithms, least squares.

    >>> slope([10, 100, 1000], [3, 30, 300])
    1.0
    """
    x, y = [math.log(size) for size in sizes], [math.log(time) for time in times]
    middle_x, middle_y = sum(x) / len(x), sum(y) / len(y)
    along = sum((a - middle_x) * (b - middle_y) for a, b in zip(x, y, strict=True))
    return round(along / sum((a - middle_x) ** 2 for a in x), 9)


# Some milliseconds each: short enough to go undisturbed now and then, and theirs as likely as ours.
SMALL, WIDE, LARGE = Columns(12, 7, 5_000), Columns(275, 5, 1_000), Columns(275, 100, 100)
CALLS = Calls(12, 7, 5_000)
SIZES = tuple(  # 100 parameters a column
    Columns(23, columns, max(2, 150_000 // columns)) for columns in (10, 32, 100, 316, 1000, 3162, 10_000)
)


def engine_measures(may_install: bool) -> tuple[Measure, ...]:
    """Return what the engine must reach. ``may_install``: deep-river's environment, if it isn't there."""
    return (
        Faster("12 inputs, 7 columns, run, against JAX in scan", SMALL, AlgebraColumns(12, 7, 2_000), 8),
        Faster("12 inputs, 7 columns, run, against plain C", SMALL, PlainColumns(12, 7, 3_000), 2.5),
        Faster("275 inputs, 5 columns, run, against plain C", WIDE, PlainColumns(275, 5, 1_000), 1.3),
        Above("a call of step, above an event in run", CALLS, SMALL, 100),
        Faster("a call of step, against PyTorch T-BPTT(10)", CALLS, TorchCalls(12, 7, 10, 5), 1000),
        Faster(
            "a call of step, against deep-river, window 10",
            CALLS,
            DeepRiverCalls(12, 7, 10, 5, may_install),
            1500,
        ),
        Slope("time against parameters, 10^3 to 10^6, slope", SIZES, 1.0, 0.1),
        Faster(
            "T-BPTT(15), 4 units, run, against JAX in scan",
            Dense(12, 4, 15, 2_000),
            AlgebraDense(12, 4, 15, 300),
            5,
        ),
    )


def judge(measure: Measure, times: Times) -> Row:
    """Return the row of a measure, whether it could be measured or not."""
    try:
        return measure.judge(times)
    except NotMeasured as reason:
        return Row(measure.name, measure.required, missing=str(reason))


class Machine(NamedTuple):
    """What one core can do: operations a second, nanoseconds, and bytes of traffic a second."""

    flops: float
    root_and_division: float
    traffic: dict[str, float]


HELD = (SMALL, WIDE, LARGE, SIZES[-1])
"""The engine's learners that are held against the machine."""


def machine_contestants() -> tuple[Contestant, ...]:
    """Return what must be timed to know the machine."""
    sizes = [*LEVELS.values(), *(_state(size) for size in HELD)]
    return MultiplyAdds(), Roots(), *map(Traffic, sizes)


def machine(times: Times) -> Machine:
    """Return what was found of the machine."""
    traffic = {level: 2e9 / times[Traffic(size)] for level, size in LEVELS.items()}
    return Machine(2e9 / times[MultiplyAdds()], times[Roots()], traffic)


def standings(times: Times) -> dict[Columns, Standing]:
    """Return where the engine stands to the machine."""
    return {
        size: standing(
            size.parameters, times[size], times[MultiplyAdds()], times[Roots()], times[Traffic(_state(size))]
        )
        for size in HELD
    }


def _state(size: Columns) -> int:
    return size.parameters * STATE_BYTES
