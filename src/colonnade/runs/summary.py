"""What a sweep came to: its settings, the scores of their seeds, and their order.

A score is what a run came to: the mean of the goal's metric over the last part of its steps. Settings are in
the order of their mean scores. Those of which fewer seeds have a score come after those of which the most
have one: where seeds failed or came to no number, the mean of the others flatters.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from colonnade.errors import BadInput
from colonnade.runs.curves import finals
from colonnade.runs.described import Data, text
from colonnade.runs.labels import words
from colonnade.runs.reading import RecordedRun, RecordedSweep, Records, Series
from colonnade.runs.statistics import Estimate, mean
from colonnade.runs.sweep import Goal


@dataclass(frozen=True)
class Setting:
    """One setting of a sweep, and what its seeds came to."""

    digest: str
    label: Mapping[str, Data]
    name: str
    runs: tuple[RecordedRun, ...]
    scores: Mapping[int, float]
    """By seed: of those that are finished and came to a number."""
    diverged: int
    score: Estimate
    statuses: Counter[str] = field(default_factory=Counter)

    @property
    def whole(self) -> bool:
        """Whether no seed failed or came to no number."""
        return not self.diverged and not self.statuses["failed"]

    @property
    def seconds(self) -> float:
        """Of work, a mean over the finished runs."""
        finished = [run.seconds for run in self.runs if run.status == "finished"]
        return float(np.mean(finished)) if finished else float("nan")

    @property
    def peak_memory(self) -> int | None:
        """The most bytes of any run's process."""
        return max((run.peak_memory for run in self.runs if run.peak_memory is not None), default=None)


@dataclass(frozen=True)
class Summary:
    """A sweep's settings, the best first."""

    sweep: RecordedSweep
    goal: Goal
    axes: Mapping[str, Sequence[Data]]
    """Axes with more than one place, and the places on them."""
    settings: tuple[Setting, ...]
    series: Series

    @property
    def sign(self) -> float:
        """What makes less of a score better."""
        return 1.0 if self.goal.best == "least" else -1.0

    @property
    def best(self) -> Setting | None:
        """The best setting, if any came to a number."""
        first = self.settings[0] if self.settings else None
        return first if first and first.score.scores else None

    @property
    def runs(self) -> list[RecordedRun]:
        """All runs, by setting."""
        return [run for setting in self.settings for run in setting.runs]

    def setting(self, wanted: str) -> Setting:
        """Return the one setting whose digest begins so, or whose name is this."""
        found = [s for s in self.settings if s.name == wanted] or [
            s for s in self.settings if wanted and s.digest.startswith(wanted)
        ]
        if len(found) == 1:
            return found[0]
        expected = "the name of one setting, or the beginning of its digest"
        raise BadInput("setting", expected=expected, got=f"{wanted!r}, which is {len(found)} of them")


def summarised(records: Records, sweep: str | None = None, metric: str | None = None) -> Summary:
    """Read a sweep, and judge it by its own goal's metric, or by another."""
    recorded = records.sweep(sweep)
    runs = records.runs(recorded.name)
    goal = Goal(metric or recorded.goal.metric, recorded.goal.best, recorded.goal.share)
    series = records.series(goal.metric, [run.id for run in runs])
    if metric and not len(series.step):
        known = ", ".join(map(repr, records.metrics([run.id for run in runs]))) or "none yet"
        raise BadInput("metric", expected=f"one that was read: {known}", got=repr(metric))
    scores = dict(zip(series.runs.tolist(), finals(series, [r.steps for r in runs], goal.share), strict=True))
    axes = axes_of(recorded, runs)
    of: dict[str, list[RecordedRun]] = {}
    for run in runs:
        of.setdefault(run.setting, []).append(run)
    names = _names([(digest, some[0].label) for digest, some in of.items()], axes, recorded.name)
    found = [_setting(digest, names[digest], some, scores) for digest, some in of.items()]
    sign = 1.0 if goal.best == "least" else -1.0
    most = max((one.score.scores for one in found), default=0)
    found.sort(
        key=lambda one: (
            not one.score.scores,
            one.score.scores < most,
            not one.whole,
            sign * one.score.value,
        )
    )
    return Summary(recorded, goal, axes, tuple(found), series)


def shortened(axes: Sequence[str]) -> dict[str, str]:
    """Return what axes are called for short: the last part of their names, if no other ends so.

    >>> shortened(["learner.step_size", "world.steps", "steps"])
    {'learner.step_size': 'step_size', 'world.steps': 'world.steps', 'steps': 'steps'}
    """
    last = {name: name.rpartition(".")[2] for name in axes}
    counted = Counter(last.values())
    return {name: short if counted[short] == 1 else name for name, short in last.items()}


def shown(place: Data) -> str:
    """Write a place on an axis for people; one alone in a list without the list.

    >>> [shown(place) for place in (0.00010000001, [4, 6], [7], "relu")]
    ['0.0001', '(4, 6)', '7', 'relu']
    """
    return words(place[0] if isinstance(place, list) and len(place) == 1 else place)


def axes_of(sweep: RecordedSweep, runs: Sequence[RecordedRun]) -> dict[str, list[Data]]:
    """Return the axes on which runs differ: those that the sweep names, then what older runs have more."""
    axes: dict[str, dict[str, Data]] = {
        name: {text(place): place for place in places} for name, places in sweep.axes.items()
    }
    for run in runs:
        for name, place in run.label.items():
            axes.setdefault(name, {}).setdefault(text(place), place)
    return {name: list(places.values()) for name, places in axes.items() if len(places) > 1}


def named(label: Mapping[str, Data], axes: Sequence[str]) -> str:
    """Name a label by its places on these axes.

    >>> named({"learner.step_size": 0.001, "units": 8}, ["learner.step_size", "units"])
    'step_size 0.001, units 8'
    """
    short = shortened(axes)
    return ", ".join(f"{short[axis]} {shown(label[axis])}" for axis in axes if axis in label)


def _names(
    labels: Sequence[tuple[str, Mapping[str, Data]]], axes: Mapping[str, object], sweep: str
) -> dict[str, str]:
    """Name settings by what tells them apart, also what only some have; and if need be by their digests."""
    have = Counter(axis for _, label in labels for axis in label)
    telling = [*axes, *(axis for axis, count in have.items() if count < len(labels) and axis not in axes)]
    names = {digest: named(label, telling) or sweep for digest, label in labels}
    counted = Counter(names.values())
    return {d: name if counted[name] == 1 else f"{name} ({d[:6]})" for d, name in names.items()}


def _setting(digest: str, name: str, runs: Sequence[RecordedRun], scores: Mapping[int, float]) -> Setting:
    finished = {run.seed: scores[run.id] for run in runs if run.status == "finished"}
    numbers = {seed: float(score) for seed, score in finished.items() if np.isfinite(score)}
    return Setting(
        digest=digest,
        label=runs[0].label,
        name=name,
        runs=tuple(runs),
        scores=numbers,
        diverged=len(finished) - len(numbers),
        score=mean(list(numbers.values())),
        statuses=Counter(run.status for run in runs),
    )
