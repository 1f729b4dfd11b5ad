"""The demo on a terminal: a table and a curve that are drawn anew as it learns; or plain lines.

Plain lines are for output that is redirected and for terminals that are narrow, low or dumb: no escape codes,
nothing but ASCII.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderResult
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
HEADROOM = 1.2  # the error axis goes this far above predicting 0


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
    screen = Screen(record, clock)
    with Live(screen, console=console, refresh_per_second=5):
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
        f"{course.contender.name} {course.error:.4f} ({short(course.speed)}/s)" for course in record.courses
    )
    left = max(0.0, record.seconds - record.elapsed)
    return f"{record.elapsed:3.0f} s: {short(record.events)} events, error: {learners}; {left:.0f} s left"


class Screen:
    """The table, the curve and the progress of a record, as they are at the moment of drawing."""

    def __init__(self, record: Record, clock: Callable[[], float]) -> None:
        self.record, self.clock = record, clock

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        record = self.record
        width = min(options.max_width, 120)
        height = max(8, min(24, console.height - 15))
        yield Group(
            Text("Trace patterning, learned live: the same events for both", style="bold"),
            table(record, width),
            picture(record, width, height),
            Text(),
            self._progress(width),
        )

    def _progress(self, width: int) -> Table:
        record = self.record
        elapsed = record.seconds if record.stage == "done" else min(self.clock(), record.seconds)
        said = f"{record.stage} · {short(record.events)} events · {record.seconds - elapsed:.0f} s left"
        line = Table.grid(padding=(0, 2))
        line.add_row(
            ProgressBar(
                record.seconds, elapsed, width=max(10, width - len(said) - 24), complete_style="green"
            ),
            Text(said),
            Text("Ctrl-C ends it early" if width >= 80 and record.stage != "done" else "", style="dim"),
        )
        return line


def table(record: Record, width: int) -> Table:
    """Each learner's cost, speed and error, and what they are held against."""
    roomy = width >= 90
    shown = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    shown.add_column("")
    if roomy:
        shown.add_column("")
        shown.add_column("operations an event", justify="right")
    for head in ("events/s", "error", "above best"):
        shown.add_column(head, justify="right")
    for course, style in zip(record.courses, STYLES, strict=False):
        shown.add_row(*row(course, record.best, style, roomy))
    blank = ("", "") if roomy else ()
    shown.add_row(
        "predicting 0", *blank, "", f"{record.zero:.4f}", f"{record.zero - record.best:.4f}", style="dim"
    )
    shown.add_row("best possible", *blank, "", f"{record.best:.4f}", f"{0:.4f}", style="dim")
    return shown


def row(course: Course, best: float, style: str, roomy: bool) -> tuple[str | Text, ...]:
    """A learner's row of the table; dashes before the first block."""
    contender = course.contender
    details = (contender.kind, f"{contender.operations:,}") if roomy else ()
    measured = (
        (short(course.speed), f"{course.error:.4f}", f"{course.error - best:.4f}")
        if course.points
        else ("-", "-", "-")
    )
    return (Text(contender.name, style=style), *details, *measured)


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
    events = ceiling(record.expected_events)
    lines = textplot.draw(curves, levels, width, height, events, record.zero * HEADROOM)
    return Text("\n").join(Text.assemble(*line) for line in lines)
