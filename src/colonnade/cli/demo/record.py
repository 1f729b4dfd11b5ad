"""What the demo has seen: each learner's errors as blocks of events go by, and the curves they make."""

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import NamedTuple

BLOCK = 50_000  # events learned at a time, by every learner
WINDOW = 500_000  # events that an error is the mean over
MOST_POINTS = 500  # of a curve in a picture


class Point(NamedTuple):
    """The error over the window that ends after so many events."""

    events: int
    error: float


@dataclass(frozen=True)
class Contender:
    """A learner as it is shown: its name, its kind in a few words, how to build it, what its steps cost."""

    name: str
    kind: str
    code: str
    by_stage: tuple[int, ...]  # operations of a step while each stage learns; one, if there are no stages

    @property
    def operations(self) -> int:
        """What a step costs while the dearest stage learns."""
        return max(self.by_stage)


@dataclass
class Course:
    """How one kind of learner has fared so far: its mean over all worlds, and each world's own.

    >>> course = Course(Contender("CCN", "3 stages of 5 columns, exact RTRL", "", (6_904, 13_469)), worlds=2)
    >>> course.add(errors=[0.02, 0.01], seconds=0.05)
    >>> course.add(errors=[0.01, 0.01], seconds=0.05)
    >>> course.points
    [Point(events=50000, error=0.015), Point(events=100000, error=0.0125)]
    >>> course.each[0]
    [Point(events=50000, error=0.02), Point(events=100000, error=0.015)]
    >>> round(course.nanoseconds)
    500
    """

    contender: Contender
    worlds: int
    points: list[Point] = field(default_factory=list)
    each: tuple[list[Point], ...] = ()
    busy: float = 0.0
    recent: deque[Sequence[float]] = field(default_factory=lambda: deque(maxlen=WINDOW // BLOCK))

    def __post_init__(self) -> None:
        self.each = tuple([] for _ in range(self.worlds))

    def add(self, errors: Sequence[float], seconds: float) -> None:
        """Take in each world's mean squared error of one block, and the processor's seconds learning took."""
        self.recent.append(errors)
        self.busy += seconds
        events = (len(self.points) + 1) * BLOCK
        means = [fmean(blocks) for blocks in zip(*self.recent, strict=True)]
        for points, mean in zip(self.each, means, strict=True):
            points.append(Point(events, mean))
        self.points.append(Point(events, fmean(means)))

    @property
    def error(self) -> float:
        """The mean error over the recent window; NaN before the first block."""
        return self.points[-1].error if self.points else math.nan

    @property
    def extremes(self) -> tuple[float, float]:
        """The least and the largest error among the worlds; NaN before the first block."""
        last = [points[-1].error for points in self.each if points]
        return (min(last), max(last)) if last else (math.nan, math.nan)

    @property
    def nanoseconds(self) -> float:
        """The processor's time that a step took; NaN before the first block."""
        return 1e9 * self.busy / (len(self.points) * BLOCK * self.worlds) if self.points else math.nan


@dataclass
class Record:
    """The whole demo: all courses on the same events, and the errors that frame them."""

    best: float
    zero: float
    seeds: Sequence[int]  # one a world
    most: int  # events there will be in each world
    seconds: float  # before which learning ends, counted from when the command began
    courses: tuple[Course, ...] = ()
    stage: str = "starting"
    elapsed: float = 0.0  # seconds since the command began
    learning_since: float = 0.0  # of them, when the first block began

    @property
    def several(self) -> bool:
        """Whether there are several worlds, so that a mean is not the same as each."""
        return len(self.seeds) > 1

    @property
    def events(self) -> int:
        """How many events of its world every learner has seen."""
        return BLOCK * min((len(course.points) for course in self.courses), default=0)

    @property
    def learned_for(self) -> float:
        """How many seconds were spent on learning."""
        return max(0.0, self.elapsed - self.learning_since) if self.events else 0.0

    @property
    def speed(self) -> float:
        """How many events a second every learner took in; NaN before the first block."""
        return self.events / self.learned_for if self.learned_for > 0 else math.nan

    @property
    def over(self) -> bool:
        """Whether there were enough events, or the time is up."""
        return self.events >= self.most or self.elapsed >= self.seconds

    @property
    def done(self) -> float:
        """The share of learning that is over, from 0 to 1."""
        return min(1.0, max(self.events / self.most, self.elapsed / self.seconds if self.seconds else 1.0))

    @property
    def left(self) -> float:
        """How many seconds of learning are left, if all goes on as it did."""
        time = max(0.0, self.seconds - self.elapsed)
        return min(time, max(0, self.most - self.events) / self.speed) if self.speed > 0 else time

    @property
    def expected_events(self) -> int:
        """How many events there will be at the end, if all goes on as it did."""
        return min(self.most, round(self.events + self.left * self.speed)) if self.speed > 0 else self.most

    @property
    def lowest(self) -> float:
        """Where the axis of errors begins; it is logarithmic."""
        return 0.8 * self.best

    @property
    def highest(self) -> float:
        """Where the axis of errors ends."""
        return 1.25 * self.zero


def thin(points: Sequence[Point], most: int = MOST_POINTS) -> list[Point]:
    """Return at most ``most`` of the points, evenly spread, the first and the last among them.

    >>> [point.events for point in thin([Point(n, 0.0) for n in range(10)], most=4)]
    [0, 3, 6, 9]
    """
    if len(points) <= most:
        return list(points)
    return [points[round(i * (len(points) - 1) / (most - 1))] for i in range(most)]
