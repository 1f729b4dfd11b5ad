"""Trace conditioning: a cue tells that a signal will come, after a while filled with distractors.

There is one CS bit, and the US bit always follows. From Rafiee et al., "From eye-blinks to state
construction" (2022). `trials` has the exact timing, and the equations of the return and of both errors.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from colonnade.worlds.blocks import BlockStream, seeded
from colonnade.worlds.trials import Trials


@dataclass(frozen=True)
class TraceConditioning:
    """Trace conditioning: trace patterning with one CS bit that always predicts the US.

    The inputs are the CS bit, the US bit and the distractors; everything else is as in `TracePatterning`.

    >>> world = TraceConditioning(interval=(4, 4), pause=(3, 3), distractors=0)
    >>> chunk = world.stream(seed=0).take(9)
    >>> chunk.x.T
    array([[1., 0., 0., 0., 0., 0., 0., 0., 1.],
           [0., 0., 0., 0., 1., 0., 0., 0., 0.]], dtype=float32)
    >>> chunk.answer.round(3)
    array([0.729, 0.81 , 0.9  , 1.   , 0.   , 0.   , 0.   , 0.   , 0.729],
          dtype=float32)
    """

    interval: tuple[int, int] = (24, 36)
    pause: tuple[int, int] = (80, 120)
    distractors: int = 5
    discount: float = 0.9

    def __post_init__(self) -> None:
        self._trials()

    def _trials(self) -> Trials:
        return Trials(1.0, self.interval, self.pause, self.distractors, self.discount)

    @property
    def inputs(self) -> int:
        """The CS bit, the US bit and the distractors."""
        return 2 + self.distractors

    @property
    def outputs(self) -> int:
        """One prediction."""
        return 1

    def stream(self, seed: int) -> BlockStream:
        """Start the world: every event follows from the seed."""
        cue = np.ones((1, 1), np.float32)
        return BlockStream(partial(self._trials().block, seeded(seed), cue, _always))

    def zero_error(self) -> float:
        """The mean squared error of predicting 0 always, over a long stream: exact.

        >>> round(TraceConditioning().zero_error(), 4)
        0.0401
        """
        return self._trials().zero_error()

    def best_error(self) -> float:
        """The least mean squared error anyone can reach, over a long stream: exact.

        >>> TraceConditioning(interval=(30, 30)).best_error()
        0.0
        """
        return self._trials().best_error()


def _always(pattern: NDArray[np.int64], start: NDArray[np.int64]) -> NDArray[np.bool_]:
    return np.ones(len(pattern), np.bool_)
