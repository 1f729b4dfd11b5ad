"""What a step costs: operations, counted from the sizes, beside the time that it takes on one core.

The count is the same on every machine; the time is this machine's: everybody's events in rounds, one after
another, of which the quickest counts. Networks in stages are timed while the last one learns.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from colonnade.papers.ccn.networks import CCN, COLUMNAR, CONSTRUCTIVE, EVERYBODY, T_BPTT, Entrant
from colonnade.papers.claims import Claim, at_most
from colonnade.papers.item import Data, Item, Reduction, Scale, Study
from colonnade.runs.experiment import Computed, Place, Values
from colonnade.runs.sweep import Goal, Point, Sweep
from colonnade.streaming import Learner
from colonnade.worlds import TracePatterning

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WORLD = TracePatterning()
ALIKE = 2.0  # costs are about the same within this factor


@dataclass(frozen=True)
class Timed(Computed):
    """The nanoseconds of an event, of everybody in turn: the least of the rounds."""

    events: int = 20_000
    rounds: int = 30
    place: ClassVar[Place] = "process"

    @property
    def steps(self) -> int:
        """Readings: one."""
        return 1

    def readings(self, seed: int) -> Iterator[tuple[int, Values]]:
        """Time everybody, and read once."""
        chunk = WORLD.stream(seed).take(self.events)
        learners = {entrant.name: _in_last_stage(entrant, chunk.x[:1], seed) for entrant in EVERYBODY}
        least = dict.fromkeys(learners, np.inf)
        for _ in range(self.rounds):
            for name, learner in learners.items():
                began = time.perf_counter_ns()
                learner.run(chunk.x, chunk.target)  # type: ignore[attr-defined]
                least[name] = min(least[name], (time.perf_counter_ns() - began) / self.events)
        yield 1, least


def _in_last_stage(entrant: Entrant, x: np.ndarray, seed: int) -> Learner:
    """Return a learner all of whose stages have begun: they last an event each."""
    learner = entrant.recipe(entrant.stages, 1e-4).make(WORLD.inputs, seed)
    for _ in range(entrant.stages):
        learner.run(x, np.zeros(1))  # type: ignore[attr-defined]
    return learner


def study(scale: Scale) -> Study:
    """Time everybody a few times, and count."""
    seeds = scale.many(1, 5, 5)
    timed = Timed(events=scale.pick(5_000, 20_000, 20_000))
    point = Point(timed, {})
    goal = Goal(CCN.name, share=1.0)
    found = yield Sweep(f"ccn cost, {scale.name}", (point,), tuple(range(seeds)), ASKS, goal)
    return {
        "times": seeds,
        "rounds": timed.rounds,
        "operations": {entrant.name: entrant.operations(WORLD.inputs) for entrant in EVERYBODY},
        "nanoseconds": {entrant.name: found.final(point, entrant.name, 1).min() for entrant in EVERYBODY},
    }


def claims(data: Data) -> tuple[Claim, ...]:
    """Judge whether the published sizes cost about the same."""
    counted = data["operations"]
    truncated = [counted[entrant.name] for entrant in T_BPTT]
    ours = counted[CCN.name]
    return (
        at_most(
            "counted, CCN costs at most twice as much as the cheapest T-BPTT",
            "the paper's",
            [ours / min(truncated)],
            ALIKE,
        ),
        at_most(
            "counted, the dearest T-BPTT costs at most twice as much as CCN",
            "the paper's",
            [max(truncated) / ours],
            ALIKE,
        ),
        at_most(
            "counted, neither the columnar nor the constructive network costs more than CCN",
            "the paper's",
            [max(counted[COLUMNAR.name], counted[CONSTRUCTIVE.name]) / ours],
            1.0,
        ),
    )


def figures(data: Data) -> "dict[str, Figure]":
    """Draw the time over the count."""
    from colonnade.papers.drawing import scattered

    named = {name: (data["operations"][name], data["nanoseconds"][name]) for name in data["operations"]}
    return {
        "time": scattered(
            "What a step costs",
            f"the least of {data['times']} times {data['rounds']} rounds, one core",
            named,
            along="operations of a step, counted",
            up="nanoseconds of a step",
        )
    }


def reductions(scale: Scale) -> tuple[Reduction, ...]:
    """Nothing is left out."""
    return ()


ASKS = "What does a step of each cost, counted and timed?"
COST = Item("cost", ASKS, study, claims, figures, reductions, {"quick": 0.2, "laptop": 1, "paper": 1})
