"""What the page is drawn from, as plain data: settings, curves and the axes, thinned to what a page can hold.

    settings[i]     its places on the axes, score, seeds, what failed, the best first
    metrics[m]      by setting: a curve over a grid of steps (mean, low, high, runs) and each seed's own line
    grids[g]        steps

Numbers have four digits. Curves get fewer points, the more there are of them: a page stays a few megabytes.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from colonnade.runs.bounds import best_possible
from colonnade.runs.comparing import Contender, worlds_of
from colonnade.runs.curves import Aligned, aligned
from colonnade.runs.described import text
from colonnade.runs.reading import Records, Series
from colonnade.runs.sensitivity import scale_of, sensitivity
from colonnade.runs.summary import Setting, Summary, named, shortened

NUMBERS_OF_CURVES = 500_000  # in a page
NUMBERS_OF_SEEDS = 400_000
FEWEST, MOST = 16, 200  # points of a curve
FIRST_CURVES = 6  # that are seen at first


class Grids:
    """Steps that many curves share, each kept once."""

    def __init__(self) -> None:
        self._known: dict[bytes, int] = {}
        self.steps: list[list[int]] = []

    def place(self, steps: Any) -> int:
        """Return where these steps are kept."""
        place = self._known.setdefault(steps.tobytes(), len(self.steps))
        if place == len(self.steps):
            self.steps.append(steps.tolist())
        return place


def payload(records: Records, summary: Summary, some: Sequence[Contender]) -> dict[str, Any]:
    """Return what the page is drawn from."""
    places = {setting.digest: i for i, setting in enumerate(summary.settings)}
    runs = summary.series.runs.tolist()
    others = [name for name in records.metrics(runs) if name != summary.goal.metric]
    series = {summary.goal.metric: summary.series, **{name: records.series(name, runs) for name in others}}
    grids = Grids()
    metrics = [
        {
            "name": name,
            **_curves(summary, read, grids, len(series)),
            "best": {places[digest]: best for digest, best in best_possible(records, summary, name).items()},
        }
        for name, read in series.items()
    ]
    return {
        "goal": {"metric": summary.goal.metric, "best": summary.goal.best, "share": summary.goal.share},
        "axes": _axes(summary, places),
        "settings": _settings(summary),
        "first": first_seen(summary, some),
        "metrics": metrics,
        "grids": grids.steps,
    }


def rounded(values: Any) -> list[float | None]:
    """Return numbers with four digits; None for what is none.

    >>> rounded([0.123456, float("nan"), 1234567])
    [0.1235, None, 1235000.0]
    """
    return [float(f"{value:.4g}") if np.isfinite(value) else None for value in np.asarray(values).tolist()]


def _axes(summary: Summary, places: Mapping[str, int]) -> list[dict[str, Any]]:
    short = shortened(list(summary.axes))
    worlds = worlds_of(summary)
    found = []
    for name in summary.axes:
        scale = scale_of(summary.axes[name])
        lines = [
            {"world": line.world, "at": line.places, "settings": [places[s.digest] for s in line.settings]}
            for line in sensitivity(summary, name)
        ]
        found.append(
            {
                "name": name,
                "short": short[name],
                "labels": scale.labels,
                "at": scale.at,
                "numbers": scale.numbers,
                "log": scale.log,
                "world": name in worlds,
                "lines": lines,
            }
        )
    return found


def _settings(summary: Summary) -> list[dict[str, Any]]:
    turns = {axis: {text(place): i for i, place in enumerate(p)} for axis, p in summary.axes.items()}
    worlds = worlds_of(summary)
    return [_setting(setting, turns, worlds) for setting in summary.settings]


def _setting(
    setting: Setting, turns: Mapping[str, Mapping[str, int]], worlds: Sequence[str]
) -> dict[str, Any]:
    value, low, high, seeds = setting.score
    return {
        "name": setting.name,
        "digest": setting.digest,
        "at": [turn[text(setting.label[a])] if a in setting.label else None for a, turn in turns.items()],
        "score": rounded([value, low, high]),
        "seeds": seeds,
        "runs": len(setting.runs),
        "failed": setting.statuses["failed"],
        "diverged": setting.diverged,
        "seconds": rounded([setting.seconds])[0],
        "memory": setting.peak_memory,
        "world": named(setting.label, worlds),
    }


def first_seen(summary: Summary, some: Sequence[Contender]) -> list[int]:
    """Return the settings whose curves are seen at first: the best, in every world."""
    places = {setting.digest: i for i, setting in enumerate(summary.settings)}
    found: list[int] = []
    for one in some:
        settings = [places[setting.digest] for setting in one.worlds.values()]
        if found and len(found) + len(settings) > FIRST_CURVES:
            break
        found += settings
    return found[: 2 * FIRST_CURVES]


def _curves(summary: Summary, series: Series, grids: Grids, metrics: int) -> dict[str, Any]:
    """Return a curve and each seed's line for every setting."""
    settings, runs = len(summary.settings) * metrics, len(series.runs) * metrics
    points = int(np.clip(NUMBERS_OF_CURVES / (3 * max(1, settings)), FEWEST, MOST))
    points_of_seeds = int(np.clip(NUMBERS_OF_SEEDS / max(1, runs), FEWEST, points))
    where = series.places()
    curves, seeds = [], []
    for setting in summary.settings:
        both = aligned(series, [where[run.id] for run in setting.runs])
        curves.append(_curve(both.coarser(points), grids))
        seeds.append(_lines(both.coarser(points_of_seeds), grids))
    return {"curves": curves, "seeds": seeds}


def _curve(some: Aligned, grids: Grids) -> dict[str, Any]:
    curve = some.curve()
    several = len(some.value) > 1
    same = len(curve.runs) and (curve.runs == curve.runs[0]).all()
    return {
        "grid": grids.place(curve.step),
        "mean": rounded(curve.mean),
        "low": rounded(curve.low) if several else None,
        "high": rounded(curve.high) if several else None,
        "runs": int(curve.runs[0]) if same else curve.runs.tolist(),
    }


def _lines(some: Aligned, grids: Grids) -> dict[str, Any]:
    return {"grid": grids.place(some.step), "lines": [rounded(line) for line in some.value]}
