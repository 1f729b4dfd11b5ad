"""`--dry-run`: the runs of a sweep, how many there are, and which are in the store already."""

import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from colonnade.cli.terminal import say
from colonnade.runs.described import Data
from colonnade.runs.labels import in_words, words

if TYPE_CHECKING:
    from rich.table import Table

    from colonnade.runs.sweep import Run, Sweep

STATUSES = ("finished", "running", "failed", "waiting")
MOST_PLACES = 6
ROOM = 14  # lines of a terminal that aren't the table's


def show(sweep: "Sweep", path: Path) -> None:
    """Show what there is to do."""
    runs = sweep.runs()
    standings = statuses(runs, path)
    for line in summary(sweep, runs, standings, path):
        say(line)
    settings = by_setting(runs, standings)
    if not sys.stdout.isatty():
        for name, counts in settings:
            say(f"{name}: {', '.join(f'{counts[status]} {status}' for status in STATUSES if counts[status])}")
        return
    from rich.console import Console

    room = max(10, shutil.get_terminal_size().lines - ROOM)
    Console().print(table(settings[:room]))
    if len(settings) > room:
        say(f"... and {len(settings) - room:,} more settings; all of them if you redirect this")


def statuses(runs: "Sequence[Run]", path: Path) -> dict[str, str]:
    """Return how each run stands; without a store, all wait."""
    if not path.exists():
        return {run.identity: "waiting" for run in runs}
    from colonnade.runs.store import Store

    with Store(path) as store:
        known = store.standings(run.identity for run in runs)
    return {run.identity: known[run.identity].status if run.identity in known else "waiting" for run in runs}


def summary(sweep: "Sweep", runs: "Sequence[Run]", standings: dict[str, str], path: Path) -> Iterator[str]:
    """Yield what is asked, the axes, and how much there is to do."""
    yield f"{sweep.name}: {sweep.about}" if sweep.about else sweep.name
    for name, places in sweep.axes.items():
        yield f"{name}: {places_in_words(places)}"
    settings, steps = len({run.setting for run in runs}), sum(run.point.experiment.steps for run in runs)
    seeds = f"{len(sweep.seeds):,} seed{'s' * (len(sweep.seeds) > 1)}"
    yield f"{settings:,} setting{'s' * (settings > 1)} x {seeds} = {len(runs):,} runs, {steps:,} steps in all"
    counts = Counter(standings.values())
    there = ", ".join(f"{counts[status]:,} {status}" for status in STATUSES if counts[status])
    yield f"{path}: {there}" if path.exists() else f"{path}: not there yet"


def places_in_words(places: Sequence[Data]) -> str:
    """Return the places on an axis; of many numbers only how far they go.

    >>> places_in_words([0.1, 0.01]), places_in_words([n / 7 for n in range(1, 21)])
    ('0.1, 0.01', '20 values from 0.1429 to 2.857')
    """
    numbers = [place for place in places if isinstance(place, (int, float)) and not isinstance(place, bool)]
    if len(places) > MOST_PLACES and len(numbers) == len(places):
        return f"{len(places):,} values from {words(min(numbers))} to {words(max(numbers))}"
    more = f" and {len(places) - MOST_PLACES:,} more" if len(places) > MOST_PLACES else ""
    return ", ".join(words(place) for place in places[:MOST_PLACES]) + more


def by_setting(runs: "Sequence[Run]", standings: dict[str, str]) -> list[tuple[str, Counter[str]]]:
    """Return each setting in words, and how many of its seeds stand how."""
    found: dict[str, tuple[str, Counter[str]]] = {}
    for run in runs:
        _, counts = found.setdefault(run.setting, (in_words(run.point.label), Counter()))
        counts[standings[run.identity]] += 1
    return list(found.values())


def table(settings: Sequence[tuple[str, Counter[str]]]) -> "Table":
    """Return the same for a terminal."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    shown = Table("setting", box=box.SIMPLE_HEAD, pad_edge=False)
    used = [status for status in STATUSES if any(counts[status] for _, counts in settings)]
    for status in used:
        shown.add_column(status, justify="right")
    for name, counts in settings:
        shown.add_row(Text(name), *(str(counts[status] or "") for status in used))
    return shown
