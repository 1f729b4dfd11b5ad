"""Trace patterning: a pattern of cues tells whether a signal will come, after a while full of distractors.

Some of the patterns of `active` out of `cues` bits are followed by the US bit, others aren't. The learner
must tell them apart, remember for 24 to 36 events what it saw, and predict the discounted sum of the US bits
to come. From Rafiee et al., "From eye-blinks to state construction" (2022). `trials` has the exact timing,
and the equations of the return and of both errors.
"""

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from colonnade.checks import whole
from colonnade.errors import BadInput
from colonnade.worlds.blocks import BlockStream, seeded
from colonnade.worlds.protocol import Chunk
from colonnade.worlds.trials import Trials

_MOST_PATTERNS = 100_000  # every pattern is kept


@dataclass(frozen=True)
class TracePatterning:
    """Trace patterning.

    A trial is: the cue, `active` of the `cues` CS bits on for one event, each pattern equally likely; then
    the US bit for one event, `interval` events after the cue, if the pattern is one of the `valid` ones,
    which are drawn once a seed (for the others the event is there, and empty); then `pause` empty events. The
    first event of a stream is a cue. With the defaults a trial lasts 30 + 1 + 100 = 131 events on average:
    those from the cue up to the event before the US, the US itself, the pause.

    The inputs are the CS bits, the US bit, and the distractors, of which number m = 1, 2, … is on at each
    event with probability 1 / (10 m). `target` is the US bit of the same event; `answer` is
    discount^(events until the US − 1) from a valid cue up to the event before its US, else 0. Both are (n,).

    With `redrawn`, the valid patterns are drawn once more, for all trials that begin at that event or later:
    what was learned of them is then worth no more than a guess.

    >>> world = TracePatterning()
    >>> chunk = world.stream(seed=0).take(10_000)
    >>> chunk.x.shape
    (10000, 12)
    >>> int(chunk.x[0, :6].sum())
    3
    >>> before_us = np.flatnonzero(chunk.target)[0] - np.arange(1, 4)
    >>> chunk.answer[before_us].round(2)
    array([1.  , 0.9 , 0.81], dtype=float32)
    """

    cues: int = 6
    active: int = 3
    valid: int = 10
    interval: tuple[int, int] = (24, 36)
    pause: tuple[int, int] = (80, 120)
    distractors: int = 5
    discount: float = 0.9
    redrawn: int | None = None

    def __post_init__(self) -> None:
        whole("cues", self.cues)
        whole("active", self.active)
        if self.active > self.cues:
            raise BadInput("active", expected=f"at most {self.cues}, as many as `cues`", got=self.active)
        patterns = comb(self.cues, self.active)
        if patterns > _MOST_PATTERNS:
            expected = f"at most {_MOST_PATTERNS:,} patterns of `active` out of `cues` bits"
            raise BadInput("cues", expected=expected, got=f"{patterns:,}")
        whole("valid", self.valid)
        if self.valid > patterns:
            raise BadInput(
                "valid", expected=f"at most {patterns}, as many as there are patterns", got=self.valid
            )
        if self.redrawn is not None:
            whole("redrawn", self.redrawn)
        self._trials()

    def _trials(self) -> Trials:
        chance = self.valid / comb(self.cues, self.active)
        return Trials(chance, self.interval, self.pause, self.distractors, self.discount)

    @property
    def inputs(self) -> int:
        """The CS bits, the US bit and the distractors."""
        return self.cues + 1 + self.distractors

    @property
    def outputs(self) -> int:
        """One prediction."""
        return 1

    def stream(self, seed: int) -> BlockStream:
        """Start the world: the valid patterns and then every event follow from the seed."""
        rng = seeded(seed)
        valid = self._draw_valid(rng)
        if self.redrawn is None:
            return BlockStream(_Blocks(self._trials(), rng, self._patterns(), valid))
        later = self._draw_valid(rng)
        return BlockStream(_Blocks(self._trials(), rng, self._patterns(), valid, later, self.redrawn))

    def valid_patterns(self, seed: int) -> NDArray[np.float32]:
        """The patterns that the US follows at first in the stream of this seed: (valid, cues).

        >>> TracePatterning(cues=3, active=1, valid=2).valid_patterns(seed=0).sum(axis=1)
        array([1., 1.], dtype=float32)
        """
        return self._patterns()[self._draw_valid(seeded(seed))]

    def _patterns(self) -> NDArray[np.float32]:
        on = np.array(list(combinations(range(self.cues), self.active)))
        patterns = np.zeros((len(on), self.cues), np.float32)
        np.put_along_axis(patterns, on, 1, axis=1)
        return patterns

    def _draw_valid(self, rng: np.random.Generator) -> NDArray[np.bool_]:
        return rng.permutation(comb(self.cues, self.active)) < self.valid

    def zero_error(self) -> float:
        """The mean squared error of predicting 0 always, over a long stream: exact.

        >>> round(TracePatterning().zero_error(), 4)
        0.02
        """
        return self._trials().zero_error()

    def best_error(self) -> float:
        """The least mean squared error anyone can reach, over a long stream: exact.

        It isn't 0: even who knows the world can't know when in the interval the US will come.

        >>> round(TracePatterning().best_error(), 5)
        0.00168
        """
        return self._trials().best_error()


@dataclass
class _Blocks:
    """Makes blocks of trials, and counts events until the valid patterns are others."""

    trials: Trials
    rng: np.random.Generator
    patterns: NDArray[np.float32]
    valid: NDArray[np.bool_]
    later: NDArray[np.bool_] | None = None
    redrawn: int = 0
    made: int = 0

    def __call__(self) -> Chunk:
        chunk = self.trials.block(self.rng, self.patterns, self._follows)
        self.made += len(chunk.x)
        return chunk

    def _follows(self, pattern: NDArray[np.int64], start: NDArray[np.int64]) -> NDArray[np.bool_]:
        if self.later is None:
            return self.valid[pattern]
        return np.where(self.made + start < self.redrawn, self.valid[pattern], self.later[pattern])
