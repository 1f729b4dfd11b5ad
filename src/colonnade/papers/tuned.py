"""A fair comparison: everybody's step size is found on some seeds, and what counts is measured on others."""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from colonnade.papers.item import Data
from colonnade.papers.results import Results
from colonnade.runs.experiment import Experiment
from colonnade.runs.statistics import interval
from colonnade.runs.sweep import Goal, Point, Sweep

FIRST_TUNING_SEED = 1000
LAST = 50  # what counts at the end is a mean over one in so many of the events

Make = Callable[[float, int], Experiment]
"""An entrant, of a step size and a number of events."""


@dataclass(frozen=True)
class Contest:
    """Who takes part in what, and how much is spent on it."""

    name: str
    asks: str
    entrants: Mapping[str, Make]
    sizes: Sequence[float]
    tuning_steps: int
    tuning_seeds: int
    steps: int
    seeds: int
    metric: str = "excess"

    def tune(self) -> "Generator[Sweep, Results, tuple[dict[str, float], Data]]":
        """Find everybody's step size; return also the means of all that were tried."""
        points = tuple(
            _point(name, make, size, self.tuning_steps)
            for name, make in self.entrants.items()
            for size in self.sizes
        )
        seeds = tuple(range(FIRST_TUNING_SEED, FIRST_TUNING_SEED + self.tuning_seeds))
        tuned = yield Sweep(f"{self.name}: step sizes", points, seeds, self.asks, Goal(self.metric))
        best = tuned.best(self.metric, self.tuning_steps // LAST, lambda point: point.label["who"])
        table: Data = {name: {} for name in self.entrants}
        for point in points:
            mean = float(tuned.final(point, self.metric, self.tuning_steps // LAST).mean())
            table[point.label["who"]][f"{point.label['step size']:g}"] = mean
        return {name: point.label["step size"] for name, point in best.items()}, table

    def race(
        self, sizes: Mapping[str, float], steps: Mapping[str, int], what: str = "fresh seeds"
    ) -> "Generator[Sweep, Results, Data]":
        """Run those that ``steps`` names for so many events, on fresh seeds."""
        points = {
            name: _point(name, self.entrants[name], sizes[name], events) for name, events in steps.items()
        }
        found = yield Sweep(
            f"{self.name}: {what}",
            tuple(points.values()),
            tuple(range(self.seeds)),
            self.asks,
            Goal(self.metric),
        )
        return {name: outcome(found, point, self.metric) for name, point in points.items()}

    def all(self) -> "Generator[Sweep, Results, Data]":
        """Tune everybody and run everybody for the same number of events."""
        sizes, table = yield from self.tune()
        found = yield from self.race(sizes, dict.fromkeys(self.entrants, self.steps))
        return {"seeds": self.seeds, "everybody": found, "tuning": table}


def outcome(results: Results, point: Point, metric: str) -> Data:
    """Return a point's settings, what it came to at the end for every seed, and its curve."""
    steps = point.experiment.steps
    at, errors = results.series(point, "error")
    ends = [interval(column) for column in errors.T]
    return {
        "step size": point.label["step size"],
        "events": steps,
        "final": results.final(point, metric, steps // LAST).tolist(),
        "curve": {
            "events": at.tolist(),
            "mean": errors.mean(axis=0).tolist(),
            "low": [low for low, _ in ends],
            "high": [high for _, high in ends],
        },
    }


def mean(outcome: Mapping[str, Any]) -> float:
    """Return the mean over seeds of what it came to; not a number if one of them diverged."""
    return float(np.mean([np.nan if value is None else value for value in outcome["final"]]))


def _point(name: str, make: Make, size: float, steps: int) -> Point:
    return Point(make(size, steps), {"who": name, "step size": size, "events": steps})
