"""Learning curves: readings of several runs on the same steps, and their mean with its interval.

A reading at step s is of everything since the reading before it. So between two readings the later one holds,
and fewer, coarser readings are the means of those that they are made of.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from colonnade.runs.reading import Series
from colonnade.runs.statistics import means

Steps: TypeAlias = NDArray[np.int64]
Array: TypeAlias = NDArray[np.float64]


class Curve(NamedTuple):
    """A mean over runs at each step, the ends of its interval, and of how many runs it is."""

    step: Steps
    mean: Array
    low: Array
    high: Array
    runs: Steps


class Aligned(NamedTuple):
    """Values of some runs on the same steps, (runs, steps).

    Infinite: none came out, as of a run that has diverged. Not a number: the run hasn't come so far.
    """

    step: Steps
    value: Array

    def curve(self) -> Curve:
        """Return the mean over those runs that have come so far; none, where one of them diverged."""
        there = ~np.isnan(self.value)
        ends = [np.full(len(self.step), np.nan) for _ in range(3)]
        usable = np.isfinite(np.where(there, self.value, 0.0)).all(axis=0) & there.any(axis=0)
        for pattern in np.unique(there[:, usable], axis=1).T:
            columns = usable & (there == pattern[:, None]).all(axis=0)
            for end, found in zip(ends, means(self.value[np.ix_(pattern, columns)]), strict=True):
                end[columns] = found
        mean, low, high = ends
        return Curve(self.step, mean, low, high, there.sum(axis=0))

    def coarser(self, most: int) -> "Aligned":
        """Return at most so many readings, each the mean of those it is made of."""
        if len(self.step) <= most:
            return self
        edges = np.unique(np.linspace(0, len(self.step), most + 1).astype(int))
        weight = np.diff(self.step, prepend=0).astype(np.float64)
        total = np.add.reduceat(self.value * weight, edges[:-1], axis=1)
        return Aligned(self.step[edges[1:] - 1], total / np.add.reduceat(weight, edges[:-1]))


def aligned(series: Series, places: Sequence[int]) -> Aligned:
    """Return the runs at these places of a series on all the steps that any of them has."""
    readings = [series.of(place) for place in places]
    step = readings[0][0] if readings else np.empty(0, np.int64)
    if not all(np.array_equal(step, steps) for steps, _ in readings):
        step = np.unique(np.concatenate([steps for steps, _ in readings]))
    value = np.full((len(readings), len(step)), np.nan)
    for row, (steps, values) in zip(value, readings, strict=True):
        came = int(np.searchsorted(step, steps[-1], side="right")) if len(steps) else 0
        row[:came] = _or_infinite(values)[np.searchsorted(steps, step[:came])]
    return Aligned(step, value)


def finals(series: Series, steps: Sequence[int], share: float) -> Array:
    """Return each run's mean over the last ``share`` of its steps, or its last reading.

    Infinite, where none came out; not a number, where there are no readings.
    """
    found = np.full(len(series.runs), np.nan)
    for place, total in enumerate(steps):
        step, value = series.of(place)
        if len(step):
            counted = value[step >= min((1 - share) * total + 0.5, step[-1])]
            found[place] = counted.mean() if np.isfinite(counted).all() else np.inf
    return found


def _or_infinite(values: Array) -> Array:
    return np.where(np.isfinite(values), values, np.inf)
