"""Experiments that cost nothing but time, in the three ways in which runs run, and what a store has of them.

A walk goes x ← 3.9 x (1 − x): a step left out, doubled or taken from another walk changes all later ones.
"""

import json
import os
import signal
import sqlite3
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from colonnade.runs.experiment import Computed, Reading
from colonnade.runs.sweep import Goal, Sweep, grid


@dataclass(frozen=True)
class Walk:
    """Seeds side by side, with checkpoints."""

    start: float = 0.3
    steps: int = 50
    pause: float = 0.0
    lanes: int = 2
    place: ClassVar[str] = "process"

    def begin(self, seeds):
        return WalkCourse(self, seeds, 0, [self.start / (1 + seed) for seed in seeds])

    def resume(self, seeds, saved):
        step, places = json.loads(saved)
        return WalkCourse(self, seeds, step, places)


@dataclass(frozen=True)
class WalkHere(Walk):
    """The same in the driver's process."""

    place: ClassVar[str] = "thread"


class WalkCourse:
    def __init__(self, walk, seeds, step, places):
        self.walk, self.seeds, self.step, self.places = walk, seeds, step, places

    @property
    def done(self):
        return self.step >= self.walk.steps

    def advance(self):
        time.sleep(self.walk.pause)
        self.step += 1
        self.places = [3.9 * place * (1 - place) for place in self.places]
        return Reading(self.step, tuple({"error": place} for place in self.places))

    def save(self):
        return json.dumps([self.step, self.places]).encode()

    def files(self):
        return tuple({"seed": str(seed).encode()} for seed in self.seeds)


@dataclass(frozen=True)
class Computation(Computed):
    """Without checkpoints: a kill starts it again."""

    start: float = 0.3
    steps: int = 20
    pause: float = 0.0

    def readings(self, seed):
        place = self.start / (1 + seed)
        for step in range(1, self.steps + 1):
            time.sleep(self.pause)
            place = 3.9 * place * (1 - place)
            yield step, {"error": place}


@dataclass(frozen=True)
class Hanging(Computation):
    """It makes a file, and then nothing."""

    mark: str = ""

    def readings(self, seed):
        Path(self.mark).touch()
        time.sleep(3600)
        yield 1, {"error": 0.0}


@dataclass(frozen=True)
class Falling(Computation):
    """It raises or kills its process, always or the first time."""

    how: str = "raises"
    mark: str = ""

    def readings(self, seed):
        yield from super().readings(seed)
        if self.how == "raises":
            raise ValueError("it falls")
        if self.how == "dies" or not Path(self.mark).exists():
            Path(self.mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)


def sweep_of(experiment, starts=(0.2, 0.3), seeds=(0, 1, 2, 3), name="walks"):
    return Sweep(name, grid(experiment, {"start": list(starts)}), seeds, goal=Goal("error", "most", 0.5))


def undisturbed(sweep):
    """Return the rows that a store must have of a sweep, each exactly once."""
    rows = []
    for run in sweep.runs():
        experiment = run.point.experiment
        quick = replace(experiment, pause=0.0) if hasattr(experiment, "pause") else experiment
        course = quick.begin((run.seed,))
        while not course.done:
            step, (values,) = course.advance()
            rows += [(run.identity, name, step, value) for name, value in values.items()]
    return sorted(rows)


def recorded(path):
    with sqlite3.connect(path) as db:
        rows = db.execute(
            "SELECT runs.identity, metrics.name, points.step, points.value FROM points"
            " JOIN runs ON runs.id = points.run JOIN metrics ON metrics.id = points.metric"
        ).fetchall()
    return sorted(rows)


def statuses(path):
    with sqlite3.connect(path) as db:
        return dict(db.execute("SELECT status, count(*) FROM runs GROUP BY status"))
