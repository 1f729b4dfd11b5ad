"""How the score depends on one axis: at each place the best that the other axes allow, in each world."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from colonnade.runs.comparing import worlds_of
from colonnade.runs.described import Data, text
from colonnade.runs.summary import Setting, Summary, named, shown

MANY_PLACES = 24  # more than these are draws of a random search: there, a best of the others says nothing
LARGE_RATIO = 8.0  # from the least to the most, at which an axis may be a logarithm's


@dataclass(frozen=True)
class Scale:
    """What the places on an axis are, for drawing them."""

    places: tuple[Data, ...]
    labels: tuple[str, ...]
    at: tuple[float, ...]
    """Where each place is: its number, or its turn if places aren't numbers."""
    numbers: bool
    log: bool


@dataclass(frozen=True)
class Line:
    """The best setting at each place on an axis, in one world."""

    world: str
    places: tuple[int, ...]
    settings: tuple[Setting, ...]


def scale_of(places: Sequence[Data]) -> Scale:
    """Return how to draw an axis.

    >>> scale_of([0.01, 0.0001, 0.001]).log, scale_of([2, 4, 6]).log, scale_of(["relu", "tanh"]).at
    (True, False, (0.0, 1.0))
    """
    numbers = [_number(place) for place in places]
    known = [number for number in numbers if number is not None]
    if len(known) == len(places):
        return Scale(tuple(places), tuple(map(shown, places)), tuple(known), True, _log_like(known))
    turns = tuple(float(turn) for turn in range(len(places)))
    return Scale(tuple(places), tuple(map(shown, places)), turns, False, False)


def sensitivity(summary: Summary, axis: str) -> list[Line]:
    """Return a line for each world; none for an axis of which places were drawn at random."""
    places = {text(place): i for i, place in enumerate(summary.axes[axis])}
    if len(places) > MANY_PLACES:
        return []
    worlds = [world for world in worlds_of(summary) if world != axis]
    best: dict[str, dict[int, Setting]] = {}
    for setting in summary.settings:  # the best comes first
        if setting.score.scores and axis in setting.label:
            line = best.setdefault(named(setting.label, worlds), {})
            line.setdefault(places[text(setting.label[axis])], setting)
    return [_line(world, line) for world, line in sorted(best.items())]


def _line(world: str, settings: Mapping[int, Setting]) -> Line:
    places = sorted(settings)
    return Line(world, tuple(places), tuple(settings[place] for place in places))


def _number(place: Data) -> float | None:
    """Return the number that a place is, also one alone in a list."""
    if isinstance(place, list) and len(place) == 1:
        return _number(place[0])
    return float(place) if isinstance(place, (int, float)) and not isinstance(place, bool) else None


def _log_like(numbers: Sequence[float]) -> bool:
    """Whether numbers are spread over a wide range, and more evenly in the logarithm."""
    ordered = np.unique(numbers)
    if len(ordered) < 3 or ordered[0] <= 0 or ordered[-1] / ordered[0] < LARGE_RATIO:
        return False
    gaps, ratios = np.diff(ordered), np.diff(np.log(ordered))
    return bool(ratios.std() / ratios.mean() < gaps.std() / gaps.mean())
