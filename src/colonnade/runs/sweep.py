"""A sweep: experiments at every place of some axes, each with some seeds.

>>> from colonnade import TDPredictor, TracePatterning, columnar
>>> from colonnade.runs.streamed import Recipe, Streamed
>>> first = Streamed(Recipe(TDPredictor, columnar(2)), TracePatterning(), steps=1000, every=1000)
>>> points = grid(first, {"learner.step_size": [1e-3, 1e-4], "steps": [1000, 2000]})
>>> sweep = Sweep("sizes", points, seeds=(0, 1, 2))
>>> len(sweep.points), len(sweep.runs())
(4, 12)
"""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, NamedTuple

import numpy as np

from colonnade.checks import number, whole
from colonnade.errors import BadInput
from colonnade.runs.described import Data, described, digest_of, text
from colonnade.runs.experiment import Experiment

MOST_SEED = 2**53  # what JSON's readers can count to


@dataclass(frozen=True)
class Point:
    """An experiment, and its place on each axis."""

    experiment: Experiment
    label: Mapping[str, Any]


@dataclass(frozen=True)
class Goal:
    """What is best: the least or the most of a metric, a mean over the last ``share`` of the steps."""

    metric: str = "error"
    best: Literal["least", "most"] = "least"
    share: float = 0.1

    def __post_init__(self) -> None:
        if self.best not in ("least", "most"):
            raise BadInput("goal.best", expected="'least' or 'most'", got=repr(self.best))
        number("goal.share", self.share, low=0.0, high=1.0)


@dataclass(frozen=True)
class Run:
    """One experiment with one seed, and who it is."""

    point: Point
    seed: int
    setting: str
    """A digest of the experiment: what all seeds of it share."""
    spec: str
    identity: str
    """A digest of the full spec: the same for the same run wherever and whenever it runs."""


@dataclass(frozen=True)
class Sweep:
    """Points, each of which runs with every seed."""

    name: str
    points: tuple[Point, ...]
    seeds: tuple[int, ...]
    about: str = ""
    goal: Goal = Goal()

    def __post_init__(self) -> None:
        if not self.name or not self.name.isprintable():
            raise BadInput("name", expected="a name for the sweep", got=repr(self.name))
        if not self.points:
            raise BadInput("points", expected="at least one experiment", got="none")
        if not self.seeds:
            raise BadInput("seeds", expected="at least one seed", got="none")
        for seed in self.seeds:
            whole("seeds", seed, least=0)
        if max(self.seeds) > MOST_SEED or len(set(self.seeds)) < len(self.seeds):
            raise BadInput("seeds", expected=f"different numbers up to {MOST_SEED}", got=repr(self.seeds))
        for point in self.points:
            metrics = getattr(point.experiment, "metrics", (self.goal.metric,))
            if self.goal.metric not in metrics:
                known = f"one of {', '.join(metrics)}"
                raise BadInput("goal.metric", expected=known, got=repr(self.goal.metric))

    @property
    def axes(self) -> dict[str, list[Data]]:
        """Every axis, and the places on it, in the order in which they come."""
        found: dict[str, dict[str, Data]] = {}
        for point in self.points:
            for name, place in point.label.items():
                data = described(place, name)
                found.setdefault(name, {}).setdefault(text(data), data)
        return {name: list(places.values()) for name, places in found.items()}

    def runs(self) -> list[Run]:
        """Return every run, each once."""
        found: dict[str, Run] = {}
        for point in self.points:
            experiment = text(described(point.experiment))
            setting = digest_of(experiment)
            for seed in self.seeds:
                spec = f'{{"experiment":{experiment},"seed":{seed}}}'  # as `text` writes both
                run = Run(point, seed, setting, spec, digest_of(spec))
                found.setdefault(run.identity, run)
        return list(found.values())

    def described(self) -> Data:
        """Say what the store keeps of the sweep as a whole."""
        axes: dict[str, Data] = {name: list(places) for name, places in self.axes.items()}
        return {"about": self.about, "axes": axes, "goal": described(self.goal)}


def grid(experiment: Experiment, axes: Mapping[str, Sequence[Any]]) -> tuple[Point, ...]:
    """Return the experiment at every combination of places: settings by name, parts of parts with dots."""
    for name, places in axes.items():
        if isinstance(places, (str, bytes)) or not isinstance(places, Sequence) or not places:
            raise BadInput(name, expected="a list of values to try", got=repr(places))
    return tuple(
        _point(experiment, dict(zip(axes, places, strict=True))) for places in product(*axes.values())
    )


def together(experiment: Experiment, places: Iterable[Mapping[str, Any]]) -> tuple[Point, ...]:
    """Return the experiment with each of these groups of settings."""
    return tuple(_point(experiment, place) for place in places)


@dataclass(frozen=True)
class Span:
    """A range to draw from: evenly, evenly in the logarithm, or whole numbers, ends included.

    >>> Span(1, 100, "whole").draw(np.random.default_rng(0), 3)
    [86, 64, 52]
    """

    low: float
    high: float
    scale: Literal["linear", "log", "whole"] = "linear"

    def __post_init__(self) -> None:
        if self.scale not in ("linear", "log", "whole"):
            raise BadInput("scale", expected="'linear', 'log' or 'whole'", got=repr(self.scale))
        number("low", self.low, low=5e-324 if self.scale == "log" else -np.inf)
        number("high", self.high, low=self.low)

    def draw(self, rng: np.random.Generator, count: int) -> list[float]:
        """Draw so many numbers."""
        if self.scale == "whole":
            return [int(n) for n in rng.integers(int(self.low), int(self.high), count, endpoint=True)]
        if self.scale == "log":
            return [float(v) for v in np.exp(rng.uniform(np.log(self.low), np.log(self.high), count))]
        return [float(v) for v in rng.uniform(self.low, self.high, count)]


def drawn(experiment: Experiment, spans: Mapping[str, Span], count: int, seed: int = 0) -> tuple[Point, ...]:
    """Return the experiment at ``count`` random places."""
    return together(experiment, draws(spans, count, seed))


def draws(spans: Mapping[str, Span], count: int, seed: int = 0) -> list[dict[str, float]]:
    """Draw ``count`` places.

    >>> draws({"step_size": Span(1e-4, 1e-2, "log"), "columns": Span(1, 9, "whole")}, count=1)
    [{'step_size': 0.001878..., 'columns': 5}]
    """
    whole("count", count)
    rng = np.random.default_rng(seed)
    columns = [span.draw(rng, count) for span in spans.values()]
    return [dict(zip(spans, place, strict=True)) for place in zip(*columns, strict=True)]


def _point(experiment: Experiment, label: Mapping[str, Any]) -> Point:
    return Point(with_settings(experiment, label), dict(label))


def with_setting(thing: Any, path: str, value: Any) -> Any:
    """Return a dataclass or a mapping with one setting changed, which may be of a part of it.

    What is no field of a part that has ``settings`` is one of these.

    >>> from colonnade import TracePatterning
    >>> with_setting(TracePatterning(), "interval", (4, 6)).interval
    (4, 6)
    """
    return with_settings(thing, {path: value})


def with_settings(thing: Any, changes: Mapping[str, Any]) -> Any:
    """Return a dataclass or a mapping with some settings changed, all at once: they may need each other.

    >>> from colonnade import TracePatterning
    >>> with_settings(TracePatterning(), {"valid": 2, "cues": 4, "active": 1}).cues
    4
    """
    return _with(thing, [Change(path, path.split("."), value) for path, value in changes.items()])


class Change(NamedTuple):
    """A setting's new value; ``rest`` is the way to it from here."""

    path: str
    rest: list[str]
    value: Any


def _with(thing: Any, changes: list[Change]) -> Any:
    parts: dict[str, list[Change]] = {}
    for change in changes:
        if not change.rest:
            thing = change.value
        else:
            parts.setdefault(change.rest[0], []).append(change._replace(rest=change.rest[1:]))
    if not parts:
        return thing
    if isinstance(thing, Mapping):
        return {**thing, **{name: _with(thing.get(name), inner) for name, inner in parts.items()}}
    return _replaced(thing, parts)


def _replaced(thing: Any, parts: dict[str, list[Change]]) -> Any:
    """Return a dataclass with changes in some fields."""
    names = [field.name for field in dataclasses.fields(thing)] if dataclasses.is_dataclass(thing) else []
    for name in set(parts) - set(names):
        if "settings" not in names:
            known = f"one of {', '.join(names)}" if names else "a setting that is there"
            raise BadInput(parts[name][0].path, expected=known, got=repr(name))
        inner = [change._replace(rest=[name, *change.rest]) for change in parts.pop(name)]
        parts.setdefault("settings", []).extend(inner)
    return dataclasses.replace(
        thing, **{name: _with(getattr(thing, name), inner) for name, inner in parts.items()}
    )
