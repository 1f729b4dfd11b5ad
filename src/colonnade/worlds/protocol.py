"""What every world offers: events in chunks, each with the answer that a learner is judged against."""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


class Chunk(NamedTuple):
    """n consecutive events of a stream.

    Where a world asks for predictions of a sum to come, `target` is the cumulant of each event and `answer`
    the true return. Elsewhere `answer` is `target`. No learner may see `answer`.

    >>> Chunk(np.zeros((2, 3), np.float32), np.ones(2, np.float32), np.ones(2, np.float32)).first is None
    True
    """

    x: NDArray[np.float32]
    """(n, inputs): what is observed."""
    target: NDArray[np.float32]
    """(n, outputs), or (n,) for a cumulant: what the learner is told."""
    answer: NDArray[np.float32]
    """The shape of `target`: what the prediction is compared with."""
    first: NDArray[np.bool_] | None = None
    """(n,): a new episode begins here. None: there are no episodes."""
    given: NDArray[np.bool_] | None = None
    """(n,): there is a target at this event. None: there always is."""


class Stream(Protocol):
    """A world in motion, at some point of its endless run of events."""

    def take(self, n: int) -> Chunk:
        """The next n events, n at least 1.

        What is returned belongs to the caller; the stream never writes to it again.
        """
        ...


class World(Protocol):
    """The settings of a synthetic stream.

    The same settings and seed give the same events however they are cut into chunks. (Another feature
    release of NumPy may draw other numbers from the same seed: its random streams are not frozen.)
    """

    @property
    def inputs(self) -> int:
        """How many numbers an observation has."""
        ...

    @property
    def outputs(self) -> int:
        """How many numbers are asked for at each event."""
        ...

    def stream(self, seed: int) -> Stream:
        """Start the world; everything random in it follows from `seed`, a whole number of at least 0."""
        ...
