"""What an experiment is to a sweep: settings that begin a course, which goes from reading to reading.

An experiment is a frozen dataclass: its fields are its settings, and all that it measures follows from them
and the seed. A course can be saved between readings and resumed: what comes then is what would have come.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Literal, NamedTuple, Protocol

Values = Mapping[str, float]
Files = Mapping[str, bytes]
Place = Literal["thread", "process"]


class Reading(NamedTuple):
    """What was measured at a step, a mapping a seed."""

    step: int
    values: tuple[Values, ...]


class Course(Protocol):
    """An experiment in motion, for some seeds side by side."""

    @property
    def step(self) -> int:
        """How far it has come."""
        ...

    @property
    def done(self) -> bool:
        """Whether there is nothing more to come."""
        ...

    def advance(self) -> Reading:
        """Go on to the next reading."""
        ...

    def save(self) -> bytes | None:
        """Say all that it takes to go on from here; None if it is as quick to start again."""
        ...

    def files(self) -> Sequence[Files]:
        """What is worth keeping at the end beside the readings, by name, for each seed."""
        ...


class Experiment(Protocol):
    """Settings, and how to begin.

    If it has ``metrics``, the names of what it reads, a sweep's goal must be one of them.
    """

    place: ClassVar[Place]
    """Where it runs best: beside others in one process, if it lets go of Python's lock, or in its own."""

    @property
    def lanes(self) -> int:
        """How many seeds run side by side; seed s always runs in lane s modulo this."""
        ...

    @property
    def steps(self) -> int:
        """The last step there will be."""
        ...

    def begin(self, seeds: tuple[int, ...]) -> Course:
        """Begin at step 0."""
        ...

    def resume(self, seeds: tuple[int, ...], saved: bytes) -> Course:
        """Go on from where a course of the same seeds was saved."""
        ...


class Computed:
    """An experiment that isn't long: ``readings`` computes them for one seed, and a kill starts it again.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Squares(Computed):
    ...     steps: int = 3
    ...     def readings(self, seed):
    ...         for step in range(1, self.steps + 1):
    ...             yield step, {"square": float(step * step + seed)}
    >>> Squares().begin((0,)).advance()
    Reading(step=1, values=({'square': 1.0},))
    """

    place: ClassVar[Place] = "process"
    lanes: ClassVar[int] = 1

    def readings(self, seed: int) -> Iterator[tuple[int, Values]]:
        """Yield steps and what was measured there."""
        raise NotImplementedError(f"{type(self).__name__} is abstract: it has no readings")

    def begin(self, seeds: tuple[int, ...]) -> "ComputedCourse":
        """Begin at the first reading."""
        return ComputedCourse(iter(self.readings(seeds[0])))

    def resume(self, seeds: tuple[int, ...], saved: bytes) -> "ComputedCourse":
        """Begin again; there is never anything saved."""
        return self.begin(seeds)


class ComputedCourse:
    """Readings that a generator makes, one of them ahead, to know when there are no more."""

    def __init__(self, readings: Iterator[tuple[int, Values]]) -> None:
        self._readings = readings
        self._next = next(readings, None)
        self.step = 0

    @property
    def done(self) -> bool:
        """Whether there are no more readings."""
        return self._next is None

    def advance(self) -> Reading:
        """Return a reading, and make the one after it."""
        if self._next is None:
            raise StopIteration
        self.step, values = self._next
        self._next = next(self._readings, None)
        return Reading(self.step, (values,))

    def save(self) -> None:
        """It is as quick to start again."""

    def files(self) -> Sequence[Files]:
        """None."""
        return ({},)
