"""The places of a sweep, as a spec file says them: which settings stand where at each of its points."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from math import prod
from typing import TypeAlias

from colonnade.errors import BadInput
from colonnade.runs.building import KIND, placed
from colonnade.runs.entries import Entry
from colonnade.runs.sweep import Span, draws

MOST_RUNS = 1_000_000

Place: TypeAlias = Mapping[str, Entry]
"""Settings by their names, with dots where they are of parts."""


def places(spec: Entry, seeds: int) -> list[Place]:
    """Return every place of grid, list and random, each with each.

    >>> from colonnade.runs.entries import entries_of
    >>> spec = entries_of("grid = {a = [1, 2], b = [3]}\\nlist = [{c = 4, d = 5}, {c = 6}]", "x.toml")
    >>> [{name: entry.plain() for name, entry in place.items()} for place in places(spec, seeds=1)]
    [{'a': 1, 'b': 3, 'c': 4, 'd': 5}, {'a': 1, 'b': 3, 'c': 6},
     {'a': 2, 'b': 3, 'c': 4, 'd': 5}, {'a': 2, 'b': 3, 'c': 6}]
    """
    table = spec.table()
    grid = list(_settings(table["grid"])) if "grid" in table else []
    values = [_several(entry, "a list of values to try") for _, entry in grid]
    groups = [list(_settings(group)) for group in _groups(table.get("list"))]
    count, spans, seed = _ranges(table.get("random"))
    runs = prod(map(len, values)) * len(groups) * max(1, count) * seeds
    if runs > MOST_RUNS:
        raise spec.refused(f"at most {MOST_RUNS:,} runs", f"{runs:,}")
    for group in groups:
        _check_apart([*grid, *group, *spans])
    names = [name for name, _ in grid]
    gridded = [dict(zip(names, combination, strict=True)) for combination in product(*values)]
    drawn = _drawn(dict(spans), count, seed)
    return [{**a, **dict(b), **c} for a in gridded for b in groups for c in drawn]


def _settings(entry: Entry, within: str = "") -> Iterator[tuple[str, Entry]]:
    """Yield settings by name; `a.b = 1` is the same as `"a.b" = 1`."""
    for name, told in entry.table().items():
        if isinstance(told.value, dict) and KIND not in told.value and not _is_range(told):
            yield from _settings(told, f"{within}{name}.")
        else:
            yield f"{within}{name}", told


def _several(entry: Entry, expected: str) -> tuple[Entry, ...]:
    if not isinstance(entry.value, tuple) or not entry.value:
        raise entry.refused(expected)
    return entry.value


def _groups(entry: Entry | None) -> Sequence[Entry]:
    """Return groups of settings; without any, one that sets nothing."""
    if entry is None:
        return [Entry({}, "", 0)]
    return _several(entry, "groups of settings that go together, each under [[list]]")


def _check_apart(settings: Sequence[tuple[str, Entry]]) -> None:
    """Refuse a setting that is set twice, or as a part of another that is set."""
    for (other, _), (name, entry) in combinations(settings, 2):
        if f"{name}.".startswith(f"{other}.") or f"{other}.".startswith(f"{name}."):
            raise entry.refused("a setting that isn't set elsewhere", f"{name!r} beside {other!r}")


# ---- ranges ----


def _ranges(entry: Entry | None) -> tuple[int, list[tuple[str, Entry]], int]:
    """Return how many draws, the ranges to draw from, and the seed of the draws."""
    if entry is None:
        return 0, [], 0
    own = {name: each for name, each in entry.table().items() if name in ("draws", "seed")}
    if "draws" not in own:
        raise entry.refused("'draws', how many there are", "none")
    others = {name: each for name, each in entry.table().items() if name not in own}
    spans = list(_settings(entry.saying(others)))
    if not spans:
        raise entry.refused("a setting with a range to draw from", "none")
    return own["draws"].whole(1), spans, own["seed"].whole(0) if "seed" in own else 0


def _is_range(entry: Entry) -> bool:
    return isinstance(entry.value, dict) and bool(entry.value.keys() & {"low", "high"})


def _drawn(spans: Place, count: int, seed: int) -> list[Place]:
    """Return settings as they are drawn, each where its range stands; without ranges, one place."""
    if not spans:
        return [{}]
    drawn = draws({name: _span(entry) for name, entry in spans.items()}, count, seed)
    return [{name: spans[name].saying(value) for name, value in place.items()} for place in drawn]


def _span(entry: Entry) -> Span:
    if not _is_range(entry):
        raise entry.refused("a range, such as { low = 1e-5, high = 1e-2, scale = 'log' }")
    told = entry.table_of("low", "high", "scale", needed=("low", "high"))
    try:
        return Span(**{name: each.plain() for name, each in told.items()})
    except BadInput as bad:
        raise placed(bad, entry) from None
