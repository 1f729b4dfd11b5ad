"""How the error grows with the interval between cue and consequence, of everybody who must remember.

Truncated backpropagation sees fifteen events back; columns see all. The interval is uniform within a fifth of
its mean. Errors over different intervals aren't of one size, so the excess is given as a share of what there
is to gain: 0 is the best possible error, 1 that of predicting 0.
"""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from colonnade.papers.ccn.networks import COLUMNAR, CONSTRUCTIVE, STEP_SIZES, T_BPTT, Entrant
from colonnade.papers.claims import Claim, at_most, below
from colonnade.papers.item import Data, Item, Reduction, Scale, Study
from colonnade.papers.tuned import Contest
from colonnade.worlds import TracePatterning

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MEANS = (5, 10, 20, 30, 40, 50, 60, 70, 80)
SPREAD = 5  # the interval is within a fifth of its mean
STEPS = (400_000, 10_000_000, 50_000_000)
SMALL = Entrant("CCN", columns=4, stages=4)  # the sixteen features of the published study
WINDOW = 15
TRUNCATED = next(entrant for entrant in T_BPTT if entrant.truncation == WINDOW)
ENTRANTS = (SMALL, COLUMNAR, CONSTRUCTIVE, TRUNCATED)


def world(mean: int) -> TracePatterning:
    """Return trace patterning with an interval of so many events on average.

    >>> world(30).interval
    (24, 36)
    """
    apart = mean // SPREAD
    return TracePatterning(interval=(mean - apart, mean + apart))


def study(scale: Scale) -> Study:
    """Run everybody at every interval, each with the step size that is best there."""
    steps = scale.pick(*STEPS)
    found: Data = {}
    for mean in MEANS:
        there = world(mean)
        contest = Contest(
            name=f"ccn interval {mean}, {scale.name}",
            asks="How does the error grow with the interval?",
            entrants={entrant.name: partial(entrant.on, there) for entrant in ENTRANTS},
            sizes=STEP_SIZES,
            tuning_steps=steps,
            tuning_seeds=scale.many(2, 2, 3),
            steps=steps,
            seeds=scale.many(2, 10, 30),
        )
        outcome = yield from contest.all()
        gain = there.zero_error() - there.best_error()
        found[str(mean)] = {
            name: {"step size": one["step size"], "share": [f / gain for f in one["final"]]}
            for name, one in outcome["everybody"].items()
        }
    return {"window": WINDOW, "seeds": scale.many(2, 10, 30), "means": list(MEANS), "intervals": found}


def claims(data: Data) -> tuple[Claim, ...]:
    """Judge how far the errors rise between intervals within the window and far beyond it."""
    return (
        below(
            "T-BPTT's error at an interval of 10, in its window, is less than half of that at 40",
            "the paper's",
            _share(data, 10, TRUNCATED),
            _share(data, 40, TRUNCATED),
            0.5,
        ),
        at_most(
            "CCN's error at an interval of 80 is at most twice that at 20",
            "the paper's",
            np.divide(_share(data, 80, SMALL), np.mean(_share(data, 20, SMALL))),
            2.0,
        ),
    )


def _share(data: Data, mean: int, entrant: Entrant) -> list[float]:
    share: list[float] = data["intervals"][str(mean)][entrant.name]["share"]
    return share


def reductions(scale: Scale) -> tuple[Reduction, ...]:
    """Say where less is done than was published."""
    some = []
    if scale.name == "quick":
        some.append(Reduction("events", "10 M", f"{scale.pick(*STEPS):,}"))
    if scale.name != "paper":
        some.append(Reduction("seeds", "30", str(scale.many(2, 10, 30))))
    return tuple(some)


def figures(data: Data) -> "dict[str, Figure]":
    """Draw the share of the gain that is missed, over the interval."""
    from colonnade.papers.drawing import against

    lines = {entrant.name: [_share(data, mean, entrant) for mean in data["means"]] for entrant in ENTRANTS}
    return {
        "share": against(
            "Error against the interval",
            f"0: best possible, 1: predicting 0; {data['seeds']} seeds; T-BPTT's window: {data['window']}",
            data["means"],
            lines,
            along="mean interval between cue and consequence, events",
            up="share of the gain that is missed",
        )
    }


INTERVAL = Item(
    "interval",
    "How does the error grow with the interval between cue and consequence?",
    study,
    claims,
    figures,
    reductions,
    {"quick": 3, "laptop": 90, "paper": 1300},
)
