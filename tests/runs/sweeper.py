"""What drivers run that are to be killed."""

import sys
import time

from colonnade import TDPredictor, TracePatterning, columnar
from colonnade.runs.driver import drive
from colonnade.runs.local import Local
from colonnade.runs.store import Store
from colonnade.runs.streamed import Recipe, Streamed
from colonnade.runs.sweep import Goal, Point, Sweep
from runs.walks import Computation, Hanging, Walk, WalkHere, sweep_of

SLOTS = 4
SECONDS_A_MESSAGE = 0.05
ENGINE = Streamed(Recipe(TDPredictor, columnar(3)), TracePatterning(), steps=600_000, every=20_000)


def everything(pause=0.02, kinds=("engine", "here", "walk", "computation")):
    """Engine learners in threads, walks with checkpoints here and in processes, and what has none."""
    experiments = {
        "engine": ENGINE,
        "here": WalkHere(steps=60, pause=pause, lanes=1),
        "walk": Walk(steps=60, pause=pause),
        "computation": Computation(steps=25, pause=pause),
    }
    points = tuple(Point(experiments[kind], {"kind": kind}) for kind in kinds)
    return Sweep(" and ".join(kinds), points, (0, 1, 2, 3), goal=Goal("error", "most"))


class Noting(Local):
    """Notes from where tasks begin."""

    def __init__(self, log):
        super().__init__(SLOTS)
        self.log = log

    def submit(self, task):
        kind = type(task.experiment).__name__
        with open(self.log, "a") as log:
            log.write(f"{time.time():.2f} {kind} {task.seeds} {'goes on' if task.saved else 'begins'}\n")
        super().submit(task)


def main(path, log, **some):
    """Run everything, or some of it; exit with 1 if not all is finished."""
    sweep = everything(**some)
    with Store(path) as store:
        state = drive(sweep, store, Noting(log), again=True, seconds_a_message=SECONDS_A_MESSAGE)
    sys.exit(int(state.counts["finished"] < state.total))


def hang(path, mark):
    """Run what never comes to its first reading."""
    with Store(path) as store:
        drive(sweep_of(Hanging(mark=mark), seeds=(0,)), store, Local(1))
