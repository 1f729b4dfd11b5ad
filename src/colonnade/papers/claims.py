"""Claims: what must come out, the number that did, and whether it held."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from colonnade.runs.statistics import interval

DRAWS = 2000

Source = Literal["the paper's", "our own"]


@dataclass(frozen=True)
class Claim:
    """A sentence, who says so, the number that came out with its interval, its bound, and whether it held."""

    says: str
    source: Source
    number: float
    low: float
    high: float
    bound: str
    seeds: int
    held: bool


def at_most(says: str, source: Source, values: ArrayLike, bound: float) -> Claim:
    """Claim that the mean over seeds is at most ``bound``.

    >>> at_most("it is small", "our own", [0.1, 0.3], 0.25).held
    True
    """
    found = np.asarray(values, float)
    mean = float(found.mean())
    return Claim(says, source, mean, *interval(found), f"at most {bound:g}", found.size, mean <= bound)


def below(says: str, source: Source, ours: ArrayLike, theirs: ArrayLike, share: float = 1.0) -> Claim:
    """Claim that one mean over seeds is below ``share`` of another; the number is their ratio.

    >>> claim = below("A is below B", "the paper's", [1.0, 1.2], [2.0, 2.1, 2.2])
    >>> claim.held, round(claim.number, 3)
    (True, 0.524)
    """
    mine, others = np.asarray(ours, float), np.asarray(theirs, float)
    ratio = float(mine.mean() / others.mean())
    ends = _interval_of_ratio(mine, others)
    return Claim(says, source, ratio, *ends, f"below {share:g}", min(mine.size, others.size), ratio < share)


def _interval_of_ratio(mine: NDArray[np.float64], others: NDArray[np.float64]) -> tuple[float, float]:
    """Return a bootstrap percentile interval of the ratio of two means."""
    rng = np.random.default_rng(0)
    means = [
        values[rng.integers(0, values.size, (DRAWS, values.size))].mean(axis=1) for values in (mine, others)
    ]
    low, high = np.quantile(means[0] / means[1], [0.025, 0.975])
    return float(low), float(high)
