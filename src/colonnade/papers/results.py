"""What a sweep came to, out of the store: for each point, a series or a number for every seed."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colonnade.errors import BadInput
from colonnade.runs.described import described, digest
from colonnade.runs.store import Store
from colonnade.runs.sweep import Point, Sweep


class Results:
    """A finished sweep."""

    def __init__(self, sweep: Sweep, store: Store) -> None:
        self.sweep, self._store = sweep, store

    def series(self, point: Point, metric: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the steps of a point's readings, and what was read: a row a seed, in the order of seeds."""
        rows = self._store.db.execute(
            "SELECT runs.seed, points.step, points.value FROM runs JOIN points ON points.run = runs.id"
            " JOIN metrics ON metrics.id = points.metric WHERE runs.setting = ? AND metrics.name = ?"
            " AND runs.status = 'finished' ORDER BY points.step",
            (digest(described(point.experiment)), metric),
        ).fetchall()
        found: dict[int, dict[int, float]] = {seed: {} for seed in self.sweep.seeds}
        for seed, step, value in rows:
            if seed in found:
                found[seed][step] = np.nan if value is None else value
        steps = sorted({step for series in found.values() for step in series})
        if any(len(series) < len(steps) for series in found.values()) or not steps:
            label = json.dumps(described(dict(point.label)))
            raise BadInput("store", expected=f"{metric} of every seed of {label}", got="a part of it")
        values = np.array([[series[step] for step in steps] for series in found.values()], float)
        return np.array(steps), values

    def final(self, point: Point, metric: str, steps: int) -> NDArray[np.float64]:
        """Return a metric's mean over the last so many steps, for every seed; infinite if it diverged."""
        at, values = self.series(point, metric)
        mean = values[:, at > at[-1] - steps].mean(axis=1)
        return np.where(np.isfinite(mean), mean, np.inf)

    def best(self, metric: str, steps: int, of: Callable[[Point], Any]) -> dict[Any, Point]:
        """Return the point with the least final mean among those that ``of`` says are of one kind."""
        found: dict[Any, tuple[float, Point]] = {}
        for point in self.sweep.points:
            score = float(self.final(point, metric, steps).mean())
            if of(point) not in found or score < found[of(point)][0]:
                found[of(point)] = (score, point)
        return {kind: point for kind, (_, point) in found.items()}
