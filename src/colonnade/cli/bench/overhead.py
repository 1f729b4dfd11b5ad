"""What a sweep costs beside its learning: the same runs in a sweep, and in bare threads that record nothing.

Both make the same learners, let them learn from the same worlds and read the same means. They take turns, and
of each the least time counts.
"""

import math
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from colonnade import TDPredictor, TracePatterning, columnar
from colonnade.runs.driver import drive
from colonnade.runs.experiment import Values
from colonnade.runs.local import Local
from colonnade.runs.measures import Tally, of_numbers
from colonnade.runs.store import Store
from colonnade.runs.streamed import Recipe, Streamed, learn
from colonnade.runs.sweep import Sweep, grid

SEEDS, READINGS = 10, 4
NETWORK, WORLD = columnar(7), TracePatterning()
REQUIRED = 0.9  # of the speed of bare threads


class Spent(NamedTuple):
    """Time that passed, and time that processors worked."""

    seconds: float = math.inf
    processor: float = math.inf

    def least(self, other: "Spent") -> "Spent":
        """Return the least of both."""
        return Spent(min(self.seconds, other.seconds), min(self.processor, other.processor))


@dataclass(frozen=True)
class Load:
    """So many runs of so many events each, so many at a time."""

    runs: int
    events: int
    jobs: int

    @property
    def every(self) -> int:
        """How many events a reading is of."""
        return self.events // READINGS

    @property
    def step_sizes(self) -> list[float]:
        """A setting each; every one has the same seeds."""
        return [float(size) for size in np.geomspace(1e-5, 1e-2, self.runs // SEEDS)]

    def __str__(self) -> str:
        return f"{self.runs:,} runs of {self.events:,} events, {self.jobs} at a time"


def swept(load: Load, store: Path) -> None:
    """Do them in a sweep."""
    recipe = Recipe(TDPredictor, NETWORK)
    experiment = Streamed(recipe, WORLD, steps=load.every * READINGS, every=load.every)
    points = grid(experiment, {"learner.step_size": load.step_sizes})
    with Store(store) as opened:
        drive(Sweep("bench", points, tuple(range(SEEDS))), opened, Local(load.jobs))


def bare(load: Load) -> dict[tuple[float, int], list[Values]]:
    """Do them in threads; return what was read of each step size and seed."""
    runs = iter([(size, seed) for size in load.step_sizes for seed in range(SEEDS)])
    lock, found = threading.Lock(), {}

    def some() -> None:
        while True:
            with lock:
                run = next(runs, None)
            if run is None:
                return
            found[run] = list(_readings(load, *run))

    threads = [threading.Thread(target=some) for _ in range(load.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def _readings(load: Load, step_size: float, seed: int) -> Iterator[Values]:
    learner = TDPredictor(NETWORK, WORLD.inputs, step_size=step_size, seed=seed)
    stream, tally = WORLD.stream(seed), Tally(of_numbers, WORLD)
    for _ in range(READINGS):
        chunk = stream.take(load.every)
        tally.add(learn(learner, chunk), chunk)
        yield tally.read()


class Row(NamedTuple):
    """What a load took in each way."""

    load: Load
    swept: Spent = Spent()
    bare: Spent = Spent()

    @property
    def share(self) -> float:
        """The sweep's speed, as a share of that of bare threads."""
        return self.bare.seconds / self.swept.seconds

    @property
    def overhead(self) -> float:
        """Seconds that processors worked for a run, beyond learning."""
        return (self.swept.processor - self.bare.processor) / self.load.runs

    def again(self) -> "Row":
        """Let both have a turn, and return the least times so far."""
        with tempfile.TemporaryDirectory() as folder:
            swept_now = spent(lambda: swept(self.load, Path(folder) / "runs.db"))
        bare_now = spent(lambda: bare(self.load))
        return Row(self.load, self.swept.least(swept_now), self.bare.least(bare_now))


def spent(work: Callable[[], object]) -> Spent:
    """Return what some work takes."""
    seconds, processor = time.perf_counter(), time.process_time()
    work()
    return Spent(time.perf_counter() - seconds, time.process_time() - processor)


def loads(runs: int, events: int, jobs: int) -> tuple[Load, ...]:
    """Return what is asked for, and the same with shorter and with longer runs, to see what length does.

    >>> [str(load) for load in loads(1000, 400, 2)]  # doctest: +NORMALIZE_WHITESPACE
    ['1,000 runs of 400 events, 2 at a time', '1,000 runs of 100 events, 2 at a time',
     '250 runs of 1,600 events, 2 at a time']
    """
    fewer = max(SEEDS, runs // 4 // SEEDS * SEEDS)
    return Load(runs, events, jobs), Load(runs, events // 4, jobs), Load(fewer, 4 * events, jobs)
