"""The demo on a terminal: a table and a curve that are drawn anew as it learns; or plain lines.

Plain lines are for output that is redirected and for terminals that are narrow, low or dumb: no escape codes,
nothing but ASCII.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from rich import box
from rich.console import Console, ConsoleOptions, Group, JustifyMethod, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from colonnade.cli.demo import textplot
from colonnade.cli.demo.axes import ceiling
from colonnade.cli.demo.record import Course, Record, thin
from colonnade.cli.numbers import short
from colonnade.cli.terminal import say, takes_drawings

STYLES = ("bold #2f9fe0", "bold #e8743b")  # readable on black and on white
LEAST_WIDTH, LEAST_HEIGHT = 60, 20
SECONDS_A_LINE = 4.0
OTHER_LINES = 12  # than those of the curves
COLUMNS: tuple[tuple[str, JustifyMethod, int], ...] = (  # of the table; each from some width on
    ("", "left", 0),
    ("", "left", 100),
    ("operations\na step", "right", 0),
    ("time\na step", "right", 0),
    ("error\nnow", "right", 0),
    ("in each\nworld", "right", 70),
    ("above\nbest", "right", 0),
)


class Report(Protocol):
    """Called whenever the record has changed."""

    def __call__(self) -> None: ...


@contextmanager
def shown(record: Record, clock: Callable[[], float]) -> Iterator[Report]:
    """Show a record while it changes, in the way that standard output allows."""
    console = Console()
    if not takes_drawings(console, LEAST_WIDTH, LEAST_HEIGHT):
        yield Lines(record, clock, say)
        return
    with Live(Screen(record), console=console, refresh_per_second=5):
        yield lambda: None


class Lines:
    """A line every few seconds."""

    def __init__(self, record: Record, clock: Callable[[], float], write: Callable[[str], None]) -> None:
        self.record, self.clock, self.write = record, clock, write
        self.stage = ""
        self.last = 0.0

    def __call__(self) -> None:
        record = self.record
        if record.stage != self.stage and not record.events:
            self.write(f"{record.stage} ...")
        elif self.clock() - self.last < SECONDS_A_LINE:
            return
        else:
            self.write(progress_line(record))
        self.stage, self.last = record.stage, self.clock()


def progress_line(record: Record) -> str:
    """How it stands, in one line."""
    learners = ", ".join(
        f"{course.contender.name} {course.error:.4f} ({course.nanoseconds:.0f} ns a step)"
        for course in record.courses
    )
    return (
        f"{record.elapsed:3.0f} s: {short(record.events)} events, {short(record.speed)}/s; "
        f"error: {learners}, best possible {record.best:.4f}; {record.left:.0f} s left"
    )


class Screen:
    """The table, the curves and the progress of a record, as they are at the moment of drawing."""

    def __init__(self, record: Record) -> None:
        self.record = record

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        record = self.record
        width = min(options.max_width, 120)
        height = max(8, min(24, console.height - OTHER_LINES))
        yield Group(
            Text(heading(record), style="bold", no_wrap=True, overflow="ellipsis"),
            table(record, width),
            picture(record, width, height),
            Text(),
            self._progress(width),
        )

    def _progress(self, width: int) -> Table:
        record = self.record
        said = [record.stage]
        if record.events:
            said += [f"{short(record.events)} events", f"{short(record.speed)}/s"]
        if record.stage != "done":
            said.append(f"{record.left:.0f} s left")
        told = " · ".join(said)
        line = Table.grid(padding=(0, 2))
        line.add_row(
            ProgressBar(1.0, record.done, width=max(10, width - len(told) - 24), complete_style="green"),
            Text(told),
            Text("Ctrl-C ends it early" if width >= 80 and record.stage != "done" else "", style="dim"),
        )
        return line


def heading(record: Record) -> str:
    """What is going on.

    >>> heading(Record(best=0.0017, zero=0.02, seeds=range(4), most=1, seconds=60))
    'Trace patterning, learned live: mean of 4 worlds, both on the same events'
    """
    worlds = f"mean of {len(record.seeds)} worlds, " if record.several else ""
    return f"Trace patterning, learned live: {worlds}both on the same events"


def table(record: Record, width: int) -> Table:
    """What a step of each learner costs, its error, and what that is held against."""
    shown = Table(box=box.SIMPLE_HEAD, padding=(0, 1), show_edge=False)
    for head, justify, least in COLUMNS:
        if width >= least:
            shown.add_column(head, justify=justify)
    for course, style in zip(record.courses, STYLES, strict=False):
        shown.add_row(*_fitting(row(course, record.best, style), width))
    above = f"{record.zero - record.best:.4f}"
    levels = (
        ("predicting 0", f"{record.zero:.4f}", above),
        ("best possible", f"{record.best:.4f}", "0.0000"),
    )
    for name, error, above in levels:
        shown.add_row(*_fitting((name, "", "", "", error, "", above), width), style="dim")
    return shown


def _fitting(cells: Sequence[str | Text], width: int) -> list[str | Text]:
    """Return the cells of the columns that there is room for."""
    return [cell for cell, (_, _, least) in zip(cells, COLUMNS, strict=True) if width >= least]


def row(course: Course, best: float, style: str) -> tuple[str | Text, ...]:
    """A learner's row of the table; dashes before the first block."""
    contender = course.contender
    known = Text(contender.name, style=style), contender.kind, f"{contender.operations:,}"
    if not course.points:
        return (*known, "-", "-", "-", "-")
    least, most = course.extremes
    measured = f"{course.nanoseconds:.0f} ns", f"{course.error:.4f}", f"{least:.4f}–{most:.4f}"
    return (*known, *measured, f"{course.error - best:.4f}")


def picture(record: Record, width: int, height: int) -> Text:
    """The curves so far."""
    curves = [
        textplot.Curve(course.contender.name, style, thin(list(course.points)))
        for course, style in zip(record.courses, STYLES, strict=False)
    ]
    levels = [
        textplot.Level("predicting 0", "dim", record.zero),
        textplot.Level("best possible", "green", record.best),
    ]
    events, errors = ceiling(record.expected_events), (record.lowest, record.highest)
    lines = textplot.draw(curves, levels, (width, height), events, errors)
    return Text("\n").join(Text.assemble(*line) for line in lines)
