"""`--dry-run`: the runs of a sweep, how many there are, and which are in the store already."""

import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from colonnade.cli.terminal import say
from colonnade.runs.described import Data
from colonnade.runs.labels import in_words, words

if TYPE_CHECKING:
    from rich.table import Table

    from colonnade.runs.sweep import Run, Sweep

STATUSES = ("finished", "running", "failed", "begun", "waiting")
MOST_PLACES = 6
MOST_COLUMNS = 4  # a table with more axes has them in one column
ROOM = 14  # lines of a terminal that aren't the table's


class Setting(NamedTuple):
    """A setting's place on each axis, and how many of its seeds stand how."""

    label: Mapping[str, Any]
    counts: Counter[str]


def show(sweep: "Sweep", path: Path) -> None:
    """Show what there is to do."""
    runs = sweep.runs()
    standings = statuses(runs, path)
    for line in summary(sweep, runs, standings, path):
        say(line)
    settings = by_setting(runs, standings)
    if not sys.stdout.isatty():
        for label, counts in settings:
            say(f"{in_words(label)}: {in_counts(counts)}")
        return
    from rich.console import Console

    room = max(10, shutil.get_terminal_size().lines - ROOM)
    Console().print(table(settings[:room], list(sweep.axes)))
    if len(settings) > room:
        say(f"... and {len(settings) - room:,} more settings: all of them if this goes to a file")


def statuses(runs: "Sequence[Run]", path: Path) -> dict[str, str]:
    """Return how each run stands; without a store, all wait."""
    if not path.exists():
        return {run.identity: "waiting" for run in runs}
    from colonnade.runs.store import Store

    with Store(path) as store:
        known = store.standings(run.identity for run in runs)
    found = dict.fromkeys((run.identity for run in runs), "waiting")
    for identity, standing in known.items():
        begun = standing.status == "waiting" and standing.step > 0
        found[identity] = "begun" if begun else standing.status
    return found


def summary(sweep: "Sweep", runs: "Sequence[Run]", standings: dict[str, str], path: Path) -> Iterator[str]:
    """Yield what is asked, the axes, and how much there is to do."""
    yield f"{sweep.name}: {sweep.about}" if sweep.about else sweep.name
    for name, places in sweep.axes.items():
        yield f"{name}: {places_in_words(places)}"
    settings, steps = len({run.setting for run in runs}), sum(run.point.experiment.steps for run in runs)
    seeds = f"{len(sweep.seeds):,} seed{'s' * (len(sweep.seeds) > 1)}"
    yield f"{settings:,} setting{'s' * (settings > 1)} x {seeds} = {len(runs):,} runs, {steps:,} steps in all"
    yield f"{path}: {in_counts(Counter(standings.values()))}" if path.exists() else f"{path}: not there yet"


def in_counts(counts: Counter[str]) -> str:
    """Return how many stand how, of those that are there.

    >>> in_counts(Counter(waiting=2, finished=1000))
    '1,000 finished, 2 waiting'
    """
    return ", ".join(f"{counts[status]:,} {status}" for status in STATUSES if counts[status])


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


def by_setting(runs: "Sequence[Run]", standings: dict[str, str]) -> list[Setting]:
    """Return every setting with the standings of its seeds."""
    found: dict[str, Setting] = {}
    for run in runs:
        setting = found.setdefault(run.setting, Setting(run.point.label, Counter()))
        setting.counts[standings[run.identity]] += 1
    return list(found.values())


def table(settings: Sequence[Setting], axes: Sequence[str]) -> "Table":
    """Return the same for a terminal: a column an axis, if there are few."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    apart = 0 < len(axes) <= MOST_COLUMNS
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in axes if apart else ["setting"]:
        shown.add_column(head, overflow="fold")
    used = [status for status in STATUSES if any(counts[status] for _, counts in settings)]
    for status in used:
        shown.add_column(status, justify="right", no_wrap=True)
    for label, counts in settings:
        places = (
            [words(label[axis]) if axis in label else "" for axis in axes] if apart else [in_words(label)]
        )
        shown.add_row(
            *map(Text, places), *(f"{counts[status]:,}" if counts[status] else "" for status in used)
        )
    return shown
