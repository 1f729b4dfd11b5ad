"""A sweep as a TOML file. `docs/runs.md` says what may stand in it.

    experiment    one, as settings
    grid          settings with lists of values: every combination
    list          groups of settings that go together
    random        settings with ranges to draw from
    seeds, goal   as in `Sweep`

Where there are several of grid, list and random, every place of one meets every place of the others. All is
checked, every experiment made once, before anything runs.
"""

from collections.abc import Sequence
from pathlib import Path

from colonnade.errors import BadInput
from colonnade.runs.building import built, placed, with_kind
from colonnade.runs.entries import Entry, entries_in
from colonnade.runs.kinds import Part
from colonnade.runs.spec_places import MOST_RUNS, Place, places
from colonnade.runs.sweep import Goal, Point, Sweep

EXPERIMENT = "Streamed"
"""The kind of experiment where none is said."""

KEYS = ("name", "about", "seeds", "experiment", "grid", "list", "random", "goal")


def sweep_in(path: Path) -> Sweep:
    """Read a sweep from a file."""
    return sweep_of(entries_in(path), path.stem)


def sweep_of(spec: Entry, name: str) -> Sweep:
    """Return the sweep that a file says; ``name`` is its name if it says none.

    >>> from colonnade.runs.entries import entries_of
    >>> told = '''
    ... seeds = 3
    ... experiment.steps = 1000
    ... experiment.every = 500
    ... experiment.world = "TracePatterning"
    ... experiment.learner = { kind = "TDPredictor", network = { kind = "columnar", columns = 2 } }
    ... grid."learner.step_size" = [1e-3, 1e-4]
    ... '''
    >>> sweep = sweep_of(entries_of(told, "x.toml"), "x")
    >>> sweep.axes, sweep.seeds
    ({'learner.step_size': [0.001, 0.0001]}, (0, 1, 2))
    """
    table = spec.table_of(*KEYS, needed=("experiment", "seeds"))
    seeds = _seeds(table["seeds"])
    points = tuple(_point(table["experiment"], place) for place in places(spec, len(seeds)))
    told = {each: table[each].text() for each in ("name", "about") if each in table}
    try:
        return Sweep(**{"name": name, **told}, points=points, seeds=seeds, goal=_goal(table.get("goal")))
    except BadInput as bad:
        raise placed(bad, spec) from None


def _point(experiment: Entry, place: Place) -> Point:
    for name, entry in place.items():
        experiment = _changed(experiment, name.split("."), entry)
    label = {name: entry.plain() for name, entry in place.items()}
    return Point(built(experiment, Part("experiment"), EXPERIMENT), label)


def _changed(part: Entry, path: Sequence[str], entry: Entry) -> Entry:
    """Return a part with one setting changed, which may be of a part of it."""
    name, *rest = path
    if not rest:
        return part.with_entry(name, entry)
    inner = part.table().get(name)
    if inner is None or not isinstance(with_kind(inner).value, dict):
        got = f"{rest[0]!r} of {name!r}, which has none there"
        raise entry.refused("a setting of a part that [experiment] has", got)
    return part.with_entry(name, _changed(with_kind(inner), rest, entry))


def _seeds(entry: Entry) -> tuple[int, ...]:
    """Return seeds: so many, these, or so many from one on."""
    if isinstance(entry.value, tuple):
        return tuple(each.whole(0) for each in entry.value)
    first = 0
    if isinstance(entry.value, dict):
        told = entry.table_of("first", "count", needed=("first", "count"))
        entry, first = told["count"], told["first"].whole(0)
    count = entry.whole(1)
    if count > MOST_RUNS:
        raise entry.refused(f"at most {MOST_RUNS:,} seeds")
    return tuple(range(first, first + count))


def _goal(entry: Entry | None) -> Goal:
    if entry is None:
        return Goal()
    told = entry.table_of("metric", "best", "share")
    if "metric" in told:
        told["metric"].text()
    try:
        return Goal(**{name: each.plain() for name, each in told.items()})
    except BadInput as bad:
        raise placed(bad, entry) from None
