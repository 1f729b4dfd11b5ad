"""What becomes of a network when the world changes: the valid patterns are redrawn half-way.

By then every stage of CCN has learned, and all but the last are frozen. Three ways on are compared, and a
columnar network of the same cost that never freezes:

    frozen      as it is: the last stage and the readout go on learning
    turns       stages learn again, one after another, each credited with its own features only
    regrown     after every stage's time the least useful columns are pruned and as many new ones grown, which
                see all that are left: what the authors suggest

Nobody is told that the world has changed.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from colonnade.papers.ccn.networks import CCN, COLUMNAR, READINGS
from colonnade.papers.claims import Claim, below
from colonnade.papers.item import Data, Item, Reduction, Scale, Study
from colonnade.papers.tuned import LAST, Contest, Make
from colonnade.runs.experiment import Reading
from colonnade.runs.streamed import Streamed, StreamedCourse
from colonnade.streaming import Plan, ccn, regrown
from colonnade.worlds import TracePatterning

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEPS = (1_000_000, 20_000_000, 100_000_000)
SIZES = (3e-4, 1e-4, 3e-5)
FROZEN, TURNS, REGROWN = "frozen", "turns", "regrown"


@dataclass(frozen=True)
class Regrown(Streamed):
    """A learner some of whose columns are replaced each time that a stage has had its time, once all have."""

    columns: int = CCN.columns
    """That are replaced each time."""

    def begin(self, seeds: tuple[int, ...]) -> "RegrownCourse":
        """Begin as any learner does."""
        return RegrownCourse.of(super().begin(seeds))

    def resume(self, seeds: tuple[int, ...], saved: bytes) -> "RegrownCourse":
        """Go on with the columns that there were."""
        return RegrownCourse.of(super().resume(seeds, saved))


class RegrownCourse(StreamedCourse):
    """The learner is another after some readings; the stream goes on."""

    experiment: Regrown

    @classmethod
    def of(cls, course: StreamedCourse) -> "RegrownCourse":
        """Return a course that goes on as this one."""
        return cls(course.experiment, course.learner, course.stream)

    def advance(self) -> Reading:
        """Learn, and replace columns when it is time."""
        reading = super().advance()
        plan = self.learner.network
        assert isinstance(plan, Plan)
        if self.step % plan.stage_steps == 0 and self.step >= len(plan.columns) * plan.stage_steps:
            seed = self.learner.settings["seed"] + self.step
            self.learner = regrown(self.learner, self.experiment.columns, seed)
        return reading


def entrants() -> dict[str, Make]:
    """Return the ways on."""
    return {
        FROZEN: partial(_staged, Streamed, False),
        TURNS: partial(_staged, Streamed, True),
        REGROWN: partial(_staged, Regrown, False),
        COLUMNAR.name: _columnar,
    }


def world(steps: int) -> TracePatterning:
    """Return the world that changes half-way."""
    return TracePatterning(redrawn=steps // 2)


def _staged(kind: Callable[..., Streamed], turns: bool, step_size: float, steps: int) -> Streamed:
    """CCN whose last stage ends when the world changes."""
    network = ccn(CCN.columns, CCN.stages, steps // 2 // CCN.stages, turns)
    recipe = replace(CCN.recipe(steps, step_size), network=network)
    return kind(recipe, world(steps), steps=steps, every=steps // READINGS)


def _columnar(step_size: float, steps: int) -> Streamed:
    return COLUMNAR.on(world(steps), step_size, steps)


def study(scale: Scale) -> Study:
    """Tune everybody and run everybody on fresh seeds."""
    steps = scale.pick(*STEPS)
    contest = Contest(
        name=f"ccn plasticity, {scale.name}",
        asks=ASKS,
        entrants=entrants(),
        sizes=SIZES,
        tuning_steps=steps,
        tuning_seeds=scale.many(2, 3, 3),
        steps=steps,
        seeds=scale.many(2, 10, 30),
    )
    data = yield from contest.all()
    best, zero = world(steps).best_error(), world(steps).zero_error()
    for outcome in data["everybody"].values():
        outcome["before"] = _excess_before(outcome["curve"], steps, best)
    return {**data, "best": best, "zero": zero, "redrawn": steps // 2}


def _excess_before(curve: Any, steps: int, best: float) -> float:
    """Return the mean excess over seeds just before the world changes."""
    at, errors = np.array(curve["events"]), np.array(curve["mean"])
    last = (at > steps // 2 - steps // LAST) & (at <= steps // 2)
    return float(errors[last].mean() - best)


def claims(data: Data) -> tuple[Claim, ...]:
    """Judge who recovers."""
    final = {name: outcome["final"] for name, outcome in data["everybody"].items()}
    return (
        below(
            "after the change, the excess of pruning and growing is below that of the frozen network",
            "the paper's",
            final[REGROWN],
            final[FROZEN],
        ),
        below(
            "so is that of stages that take turns",
            "our own",
            final[TURNS],
            final[FROZEN],
        ),
    )


def figures(data: Data) -> "dict[str, Figure]":
    """Draw the curves through the change, and what everybody comes to."""
    from colonnade.papers.drawing import curves, standings

    return {
        "curves": curves("The valid patterns are redrawn half-way", data["everybody"], data),
        "final": standings("Long after the valid patterns were redrawn", data),
    }


def reductions(scale: Scale) -> tuple[Reduction, ...]:
    """Nothing was published to do less than."""
    return ()


ASKS = "Which network recovers when what it learned is no longer so?"
PLASTICITY = Item(
    "plasticity", ASKS, study, claims, figures, reductions, {"quick": 0.3, "laptop": 15, "paper": 150}
)
