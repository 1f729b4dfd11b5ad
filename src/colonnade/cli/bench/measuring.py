"""Rounds that take turns, of which each contestant's best counts.

A busy machine only ever makes things slower. So everybody works a little in every round, and what is compared
are the least times of one run. A turn is a few goes in a row: the first finds the caches full of what others
left there.
"""

import math
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Protocol

GOES = 3

Go = Callable[[], float]
"""Works once, and returns how many nanoseconds a step took."""


class NotMeasured(Exception):
    """Why a contestant cannot run here, and how to get what it lacks."""


class Contestant(Protocol):
    """Something to time, shown as its ``str``. Equal ones are timed once."""

    def prepare(self, until_done: ExitStack) -> Go:
        """Get ready to work; what is put on the stack is closed after the last round."""

    def __hash__(self) -> int: ...


@dataclass
class Times:
    """The least nanoseconds a step of each contestant so far, and why others have none."""

    best: dict[Contestant, float] = field(default_factory=dict)
    missing: dict[Contestant, str] = field(default_factory=dict)
    rounds: int = 0

    def __getitem__(self, contestant: Contestant) -> float:
        if contestant in self.missing:
            raise NotMeasured(self.missing[contestant])
        return self.best[contestant]


def timed(work: Callable[[], object], steps: int) -> Go:
    """Return a round that times ``work``, which takes so many steps."""

    def once() -> float:
        begin = time.perf_counter()
        work()
        return (time.perf_counter() - begin) / steps * 1e9

    return once


def begin(contestant: Contestant, times: Times, until_done: ExitStack) -> Go | None:
    """Get a contestant ready; one that cannot run is put down as missing."""
    try:
        return contestant.prepare(until_done)
    except NotMeasured as reason:
        times.missing[contestant] = str(reason)
        return None


def take_turns(ready: dict[Contestant, Go], times: Times) -> None:
    """Let everybody have a turn, and keep the least times."""
    for contestant, once in ready.items():
        if contestant in times.missing:
            continue
        try:
            least = min(once() for _ in range(GOES))
        except NotMeasured as reason:
            times.missing[contestant] = str(reason)
        else:
            times.best[contestant] = min(times.best.get(contestant, math.inf), least)
    times.rounds += 1
