"""A sweep while it runs: a table and a bar that are drawn anew, a few short lines where there is less room,
or a plain line now and then where nothing can be drawn."""

import time
from types import TracebackType

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from colonnade.cli.numbers import duration, short
from colonnade.cli.sweep.pace import Pace
from colonnade.cli.terminal import say, takes_drawings
from colonnade.runs.driver import State
from colonnade.runs.labels import in_words

LEAST_WIDTH, LEAST_HEIGHT = 30, 10
ROOMY_WIDTH, ROOMY_HEIGHT = 80, 20
MOST_WIDTH = 110
SECONDS_A_LINE, SECONDS_A_LINE_LATER = 5.0, 300.0
GENTLE = "Ctrl-C stops it; nothing is lost"


class Shown:
    """Shows a sweep while it is entered, in the way that standard output allows; is told of every change."""

    def __init__(self) -> None:
        self.state: State | None = None
        self._console = Console()
        self._live: Live | None = None
        self._lines = Lines()
        if takes_drawings(self._console, LEAST_WIDTH, LEAST_HEIGHT):
            self._live = Live(console=self._console, refresh_per_second=5, transient=True)

    def __enter__(self) -> "Shown":
        if self._live:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()

    def __call__(self, state: State) -> None:
        """Show how it stands."""
        if self.state is None:
            self.state, self._pace = state, Pace(state.began)
            if self._live:
                self._live.update(Screen(state, self._pace), refresh=True)
        self._pace.add(time.monotonic(), state.steps_done)
        if not self._live:
            self._lines(state, self._pace)


class Lines:
    """A line every few seconds, and after hours every few minutes."""

    def __init__(self) -> None:
        self.last = -SECONDS_A_LINE_LATER
        self.stopping = False

    def __call__(self, state: State, pace: Pace) -> None:
        """Say how it stands, if that wasn't said just now."""
        now = time.monotonic()
        pause = min(max(SECONDS_A_LINE, (now - state.began) / 20), SECONDS_A_LINE_LATER)
        if now - self.last >= pause or state.stopping != self.stopping:
            say(line(state, pace))
            self.last, self.stopping = now, state.stopping


def line(state: State, pace: Pace) -> str:
    """Return how it stands in one plain line."""
    parts = [", ".join(counts(state)), speed(state, pace)]
    if state.best:
        parts.append(f"best {best(state)}")
    if state.stopping:
        parts.append(f"stopping: {saving(state)}")
    return "; ".join(part for part in parts if part)


class Screen:
    """A sweep as it is at the moment of drawing."""

    def __init__(self, state: State, pace: Pace) -> None:
        self.state, self.pace = state, pace

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        roomy = options.max_width >= ROOMY_WIDTH and console.height >= ROOMY_HEIGHT
        yield self._table(min(options.max_width, MOST_WIDTH)) if roomy else self._few_lines(options.max_width)

    # ---- with room ----

    def _table(self, width: int) -> RenderableType:
        state = self.state
        about = [one_line(state.sweep.about, "italic")] if state.sweep.about else []
        rows = Table.grid(padding=(0, 2), expand=False)
        rows.add_column(style="dim", no_wrap=True)
        rows.add_column(no_wrap=True, overflow="ellipsis", max_width=width - 14)
        for head, told in self._details():
            rows.add_row(head, told)
        details: list[RenderableType] = [rows, Text()] if rows.rows else []
        return Group(
            one_line(state.sweep.name, "bold"),
            *about,
            Text(),
            self._bar(width),
            Text(),
            self._counts(),
            Text(),
            *details,
            self._last_line(),
        )

    def _bar(self, width: int) -> RenderableType:
        bar = Table.grid(padding=(0, 2))
        bar.add_row(
            ProgressBar(1.0, share(self.state), width=width - 7, complete_style="#2f9fe0"),
            Text(percent(self.state), style="bold"),
        )
        return bar

    def _counts(self) -> Table:
        state, table = self.state, Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        left = self.pace.left(state.steps_left)
        cells = {"runs": f"{state.total:,}", "done": f"{state.counts['finished']:,}"}
        cells |= {name: f"{state.counts[name]:,}" for name in ("running", "waiting")}
        if state.counts["elsewhere"]:
            cells["elsewhere"] = f"{state.counts['elsewhere']:,}"
        cells["failed"] = f"{state.counts['failed']:,}"
        cells["steps/s"] = short(self.pace.speed) if self.pace.speed else "-"
        cells["time left"] = "-" if left is None else duration(left)
        for name in cells:
            style = {"failed": "bold red" if state.counts["failed"] else "", "done": "green"}.get(name, "")
            table.add_column(name, justify="right", style=style, no_wrap=True)
        table.add_row(*cells.values())
        return table

    def _details(self) -> list[tuple[str, Text]]:
        state, told = self.state, []
        if state.best:
            told.append(("best so far", one_line(best(state))))
            told.append(("", one_line(in_words(state.best[1].point.label), "bold")))
        for run, reason in state.failures:
            told.append(("failed", one_line(reason, "red")))
            told.append(("", one_line(f"{in_words(run.point.label)}, seed {run.seed}")))
        return told

    # ---- with little room ----

    def _few_lines(self, width: int) -> RenderableType:
        state = self.state
        told = [
            one_line(state.sweep.name, "bold"),
            Text(f"{', '.join(counts(state))}"),
            one_line(speed(state, self.pace)),
        ]
        if state.best:
            told.append(one_line(f"best {best(state)}"))
            told.append(one_line(f"  {in_words(state.best[1].point.label)}", "bold"))
        if state.failures:
            told.append(one_line(f"failed {state.failures[-1][1]}", "red"))
        bar = Table.grid(padding=(0, 1))
        bar.add_row(ProgressBar(1.0, share(state), width=width - 5, complete_style="#2f9fe0"), percent(state))
        return Group(told[0], bar, *told[1:], self._last_line())

    def _last_line(self) -> Text:
        if self.state.stopping:
            return Text(f"Stopping: {saving(self.state)}. Ctrl-C again stops at once.", style="yellow")
        return one_line(GENTLE, "dim")


def one_line(told: str, style: str = "") -> Text:
    """Return a text that is cut where a line ends."""
    return Text(told, style=style, no_wrap=True, overflow="ellipsis")


def counts(state: State) -> list[str]:
    """Return how many runs stand how; of those that are there."""
    names = ("running", "waiting", "elsewhere", "failed")
    others = [f"{state.counts[name]:,} {name}" for name in names if state.counts[name]]
    return [f"{state.counts['finished']:,} of {state.total:,} done", *others]


def speed(state: State, pace: Pace) -> str:
    """Return how fast it goes, and how long it still takes at that."""
    left = pace.left(state.steps_left)
    if left is None:
        return ""
    return f"{short(pace.speed)} steps/s, {duration(left)} left"


def best(state: State) -> str:
    """Return what the best setting came to."""
    assert state.best is not None
    mean, _, seeds = state.best
    return f"{state.sweep.goal.metric} {mean:.4g} ({seeds} {'seed' if seeds == 1 else 'seeds'})"


def saving(state: State) -> str:
    """Return how many are still saying how to go on."""
    running = state.counts["running"]
    if not running:
        return "all is saved"
    return "1 run is saving where it is" if running == 1 else f"{running:,} runs are saving where they are"


def share(state: State) -> float:
    """Return how much of all steps is done."""
    return 1.0 - state.steps_left / state.steps_total if state.steps_total else 1.0


def percent(state: State) -> str:
    """Return the same in hundredths; all only when all is."""
    return f"{int(100 * share(state)):3d} %"
