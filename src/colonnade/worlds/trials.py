"""The trials that trace patterning and trace conditioning are made of.

A trial lasts I + 1 + P events, with I drawn uniformly from `interval` and P from `pause`, ends included:

    event 0            the cue: one pattern of CS bits
    events 1 .. I−1    nothing
    event I            the US bit, if the cue is valid; else nothing
    the next P events  nothing

so that the cue and the US are I events apart, and P empty events part the US from the next cue. With the
published ranges, 24..36 and 80..120, a trial lasts 30 + 1 + 100 = 131 events on average. Distractor number
m = 1, 2, … is on at each event with probability 1 / (10 m), independently of everything.

The cumulant is the US bit. With the discount γ, the answer at τ = 0 .. I−1 events after a valid cue is
γ^(I−τ−1), the discounted sum of the cumulants to come in this trial; everywhere else it is 0. (The US of the
*next* trial is not counted: until its cue is on, nothing is pending.)

Over a long stream, the score of predicting 0 is what a trial adds to it over how long a trial lasts,

    P(valid) · E[Σ_{τ<I} γ^(2(I−τ−1))] / E[I + 1 + P],

and the best possible is that of an observer who knows the world, sees the elapsed time and whether the cue is
valid, and predicts the mean of the return given both. What is left is the conditional variance:

    P(valid) · Σ_τ P(I > τ) Var[γ^(I−τ−1) | I > τ] / E[I + 1 + P].

With I uniform on a .. a+N−1, let V(n) = Var[γ^K], K uniform on 0 .. n−1. For τ < a nothing is yet known of I,
and Var = γ^(2(a−1−τ)) V(N). For τ ≥ a, I−τ−1 is uniform on 0 .. n−1 where n = a+N−1−τ, and P(I > τ) = n / N.
The sum over τ is therefore

    V(N) Σ_{j<a} γ^(2j) + Σ_{n<N} (n / N) V(n).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from colonnade.checks import number, whole
from colonnade.errors import BadInput
from colonnade.worlds.blocks import episodes_a_block
from colonnade.worlds.protocol import Chunk


def _range(argument: str, value: object, least: int) -> None:
    """Refuse anything but a tuple (shortest, longest) of whole numbers of at least `least`."""
    if not isinstance(value, tuple) or len(value) != 2:
        raise BadInput(argument, expected="a tuple (shortest, longest)", got=repr(value))
    shortest, longest = value
    whole(argument, shortest, least=least)
    whole(argument, longest, least=least)
    if shortest > longest:
        raise BadInput(argument, expected="the shortest first, then the longest", got=repr(value))


def onsets(rng: np.random.Generator, rate: float, n: int) -> NDArray[np.int64]:
    """Which of n events are on, each with probability `rate`: ascending, drawn as geometric gaps.

    >>> onsets(np.random.default_rng(0), rate=1.0, n=3)
    array([0, 1, 2])
    """
    expected = n * rate
    size = 1 + int(expected + np.sqrt(expected))  # mostly enough; if not, as many again
    gaps = rng.geometric(rate, size)
    while gaps.sum() < n:
        gaps = np.concatenate([gaps, rng.geometric(rate, size)])
    at = np.cumsum(gaps) - 1
    return at[: np.searchsorted(at, n)]


Follows: TypeAlias = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]
"""Whether the US follows, of each trial's pattern and the event of this block at which it begins."""


@dataclass(frozen=True)
class Trials:
    """The timing of trials, and what can be known of them.

    >>> Trials(valid=1.0, interval=(24, 36), pause=(80, 120), distractors=5, discount=0.9).mean_length
    131.0
    """

    valid: float
    """The probability that a trial's cue is valid."""
    interval: tuple[int, int]
    pause: tuple[int, int]
    distractors: int
    discount: float

    def __post_init__(self) -> None:
        _range("interval", self.interval, least=1)
        _range("pause", self.pause, least=0)
        whole("distractors", self.distractors, least=0)
        number("discount", self.discount, low=0, high=1)

    @property
    def mean_length(self) -> float:
        """How many events a trial lasts on average."""
        return sum(self.interval) / 2 + 1 + sum(self.pause) / 2

    def block(self, rng: np.random.Generator, cues: NDArray[np.float32], follows: Follows) -> Chunk:
        """Draw some whole trials. cues: (patterns, bits)."""
        trials = episodes_a_block(self.mean_length)
        interval = rng.integers(*self.interval, trials, endpoint=True)
        pause = rng.integers(*self.pause, trials, endpoint=True)
        pattern = rng.integers(len(cues), size=trials)
        end = np.cumsum(interval + 1 + pause)
        start = end - (interval + 1 + pause)
        valid = follows(pattern, start)
        us = (start + interval)[valid]

        n, bits = int(end[-1]), cues.shape[1]
        x = np.zeros((n, bits + 1 + self.distractors), np.float32)
        x[start, :bits] = cues[pattern]
        x[us, bits] = 1
        for m in range(1, self.distractors + 1):
            x[onsets(rng, 1 / (10 * m), n), bits + m] = 1
        cumulant = np.zeros(n, np.float32)
        cumulant[us] = 1
        return Chunk(x, cumulant, self._returns(n, us, interval[valid]))

    def _returns(self, n: int, us: NDArray[np.int64], interval: NDArray[np.int64]) -> NDArray[np.float32]:
        """The true return at each of n events. us, interval: (valid trials,)."""
        before = np.arange(self.interval[1])  # events between this one and the next to be told, the US
        pending = before < interval[:, None]
        returns = np.zeros(n, np.float32)
        returns[(us[:, None] - 1 - before)[pending]] = np.broadcast_to(
            np.power(float(self.discount), before), pending.shape
        )[pending]
        return returns

    def zero_error(self) -> float:
        """The mean squared error of predicting 0 always, over a long stream."""
        shortest, longest = self.interval
        squares = np.cumsum(float(self.discount) ** (2 * np.arange(longest)))  # [i−1]: an interval of i
        return float(self.valid * np.mean(squares[shortest - 1 :]) / self.mean_length)

    def best_error(self) -> float:
        """The mean squared error of an observer who knows the world, over a long stream."""
        shortest, longest = self.interval
        n = np.arange(1, longest - shortest + 2)
        # Deviations from 1, the return just before the US, lose no digits when the discount is nearly 1.
        deviation = float(self.discount) ** (n - 1) - 1
        variance = np.cumsum(deviation**2) / n - (np.cumsum(deviation) / n) ** 2
        early = variance[-1] * np.sum(float(self.discount) ** (2 * np.arange(shortest)))
        late = np.sum(n[:-1] / n[-1] * variance[:-1])
        return float(self.valid * (early + late) / self.mean_length)
