"""The speed table: for a terminal, as plain lines, as JSON."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from colonnade.cli.bench.contestants import Columns
from colonnade.cli.bench.limits import LEVELS, Standing
from colonnade.cli.bench.measures import Machine, Row

if TYPE_CHECKING:
    from rich.console import RenderableType


class Findings(NamedTuple):
    """All that came out of a run."""

    rows: list[Row]
    rounds: int
    machine: Machine | None = None
    standings: Mapping[Columns, Standing] = MappingProxyType({})
    limits_missing: str = ""


def nanoseconds(time: float | None) -> str:
    """Write a time.

    >>> [nanoseconds(time) for time in (157.2, 23456.0, None)]
    ['157 ns', '23,456 ns', '-']
    """
    return "-" if time is None else f"{time:,.0f} ns"


def verdict(row: Row) -> str:
    """Write whether a measure was reached.

    >>> verdict(Row("a call", "<= 100 ns", missing="PyTorch is not installed"))
    'not measured'
    """
    return {True: "yes", False: "no", None: "not measured"}[row.reached]


def lines(found: Findings) -> Iterator[str]:
    """Yield the table as plain lines."""
    for row in found.rows:
        yield line(row)
    if found.limits_missing:
        yield f"limits: not measured: {found.limits_missing}"
    if found.machine:
        yield core(found.machine)
    for size, stands in found.standings.items():
        yield f"{shape(size)}: {place(stands)}"


def line(row: Row) -> str:
    """Write a row as a line.

    >>> line(Row("a call", "2x", 200.0, 500.0, 2.5, "2.50x", True))
    'a call: 2.50x, required 2x, reached: yes (ours 200 ns, theirs 500 ns)'
    """
    if row.missing:
        return f"{row.measure}: required {row.required}, not measured: {row.missing}"
    sides = f" (ours {nanoseconds(row.ours)}, theirs {nanoseconds(row.theirs)})" if row.ours else ""
    return f"{row.measure}: {row.shown}, required {row.required}, reached: {verdict(row)}{sides}"


def core(machine: Machine) -> str:
    """Write what one core can do."""
    traffic = ", ".join(
        f"{level} ({_bytes(LEVELS[level])}) {speed / 1e9:.0f}" for level, speed in machine.traffic.items()
    )
    return (
        f"one core: {machine.flops / 1e9:.0f} GFLOP/s by multiply-adds; a square root with a division "
        f"{machine.root_and_division:.2f} ns; GB/s in place: {traffic}"
    )


def shape(size: Columns) -> str:
    """Write which learner it is.

    >>> shape(Columns(12, 7, 20_000))
    '12 inputs, 7 columns, 392 parameters'
    """
    return f"{size.inputs} inputs, {size.columns:,} columns, {size.parameters:,} parameters"


def place(stands: Standing) -> str:
    """Write how near a step is to the limit."""
    return (
        f"{nanoseconds(stands.nanoseconds)} an event, {stands.share:.0%} of what one core can do "
        f"(limit {nanoseconds(stands.limit)}, by {stands.bound})"
    )


def drawn(found: Findings) -> "RenderableType":
    """The table for a terminal."""
    from rich.console import Group
    from rich.text import Text

    parts: list[RenderableType] = [_measures(found)] if found.rows else []
    parts += [Text(f"{row.measure}: {row.missing}", style="yellow") for row in found.rows if row.missing]
    if found.limits_missing:
        parts.append(Text(f"limits: {found.limits_missing}", style="yellow"))
    if found.standings:
        parts.append(_limits(found))
    if found.machine:
        parts.append(Text(core(found.machine)))
    return Group(*parts)


def _measures(found: Findings) -> "RenderableType":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    shown = Table("measure", box=box.SIMPLE_HEAD, caption=f"least of {found.rounds} rounds that took turns")
    for head in ("ours", "theirs", "ratio", "required"):
        shown.add_column(head, justify="right", no_wrap=True)
    shown.add_column("reached", no_wrap=True)
    styles = {True: "green", False: "red", None: "yellow"}
    for row in found.rows:
        cells = (row.measure, nanoseconds(row.ours), nanoseconds(row.theirs), row.shown, row.required)
        shown.add_row(*map(Text, cells), Text(verdict(row), style=styles[row.reached]))
    return shown


def _limits(found: Findings) -> "RenderableType":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=box.SIMPLE_HEAD)
    for head in ("inputs", "columns", "parameters", "an event", "limit", "share"):
        shown.add_column(head, justify="right", no_wrap=True)
    shown.add_column("by")
    for size, stands in found.standings.items():
        counts = (f"{count:,}" for count in (size.inputs, size.columns, size.parameters))
        times = (nanoseconds(stands.nanoseconds), nanoseconds(stands.limit), f"{stands.share:.0%}")
        shown.add_row(*map(Text, (*counts, *times, stands.bound)))
    return shown


def as_json(found: Findings) -> dict[str, Any]:
    """Everything, with what it was measured on."""
    from colonnade.cli.bench.origin import origin

    return {
        "command": "colonnade bench engine",
        "on": origin(),
        "rounds": found.rounds,
        "measures": [row._asdict() for row in found.rows],
        "machine": found.machine._asdict() if found.machine else None,
        "standings": [
            {"learner": shape(size), **stands._asdict(), "share": stands.share}
            for size, stands in found.standings.items()
        ],
        "limits_missing": found.limits_missing,
    }


def _bytes(size: int) -> str:
    return f"{size >> 20} MB" if size >= 1 << 20 else f"{size >> 10} KB"
