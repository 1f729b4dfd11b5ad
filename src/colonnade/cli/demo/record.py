"""What the demo has seen: each learner's errors as blocks of events go by, and the curves they make."""

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

BLOCK = 20_000  # events learned at a time, by both learners
WINDOW = 100_000  # events that an error is the mean over
MOST_POINTS = 500  # of a curve in a picture


class Point(NamedTuple):
    """The error over the window that ends after so many events."""

    events: int
    error: float


@dataclass(frozen=True)
class Contender:
    """A learner as it is shown: its name, its kind in a few words, how to build it, what a step costs."""

    name: str
    kind: str
    code: str
    operations: int


@dataclass
class Course:
    """How one learner has fared so far.

    >>> course = Course(Contender("columnar", "14 columns, exact RTRL", "", 30_000))
    >>> course.add(error=0.02, seconds=0.1)
    >>> course.add(error=0.01, seconds=0.1)
    >>> course.points
    [Point(events=20000, error=0.02), Point(events=40000, error=0.015)]
    >>> round(course.speed)
    200000
    """

    contender: Contender
    points: list[Point] = field(default_factory=list)
    busy: float = 0.0
    recent: deque[float] = field(default_factory=lambda: deque(maxlen=WINDOW // BLOCK))

    def add(self, error: float, seconds: float) -> None:
        """Take in the mean squared error of one block, and how long it took to learn."""
        self.recent.append(error)
        self.busy += seconds
        mean = sum(self.recent) / len(self.recent)
        self.points.append(Point((len(self.points) + 1) * BLOCK, mean))

    @property
    def error(self) -> float:
        """The error over the recent window; NaN before the first block."""
        return self.points[-1].error if self.points else math.nan

    @property
    def speed(self) -> float:
        """Events learned per second of work; NaN before the first block."""
        return len(self.points) * BLOCK / self.busy if self.busy else math.nan


@dataclass
class Record:
    """The whole demo: both courses on the same events, and the errors that frame them."""

    best: float
    zero: float
    seed: int
    seconds: float
    courses: tuple[Course, ...] = ()
    stage: str = "starting"
    elapsed: float = 0.0  # seconds since the command began
    learning_since: float = 0.0  # of them, when the first block began

    @property
    def events(self) -> int:
        """How many events every learner has seen."""
        return BLOCK * min((len(course.points) for course in self.courses), default=0)

    @property
    def learned_for(self) -> float:
        """How many seconds were spent on learning."""
        return self.elapsed - self.learning_since if self.events else 0.0

    @property
    def done(self) -> float:
        """The share of the time that is over, from 0 to 1."""
        return min(1.0, self.elapsed / self.seconds)

    @property
    def expected_events(self) -> int:
        """How many events there will be at the end, if all goes on as it did."""
        if not self.events or self.learned_for <= 0:
            return BLOCK
        left = max(0.0, self.seconds - self.elapsed)
        return round(self.events * (1 + left / self.learned_for))


def thin(points: Sequence[Point], most: int = MOST_POINTS) -> list[Point]:
    """Return at most ``most`` of the points, evenly spread, the first and the last among them.

    >>> [point.events for point in thin([Point(n, 0.0) for n in range(10)], most=4)]
    [0, 3, 6, 9]
    """
    if len(points) <= most:
        return list(points)
    return [points[round(i * (len(points) - 1) / (most - 1))] for i in range(most)]
