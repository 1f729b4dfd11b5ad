"""Statistics over seeds and tasks, as Agarwal et al. (2021) define them, with NumPy alone.

    interval                    the bootstrap's: seeds are drawn again with replacement, 2000 times, and the
                                percentiles of what comes of them are the ends; within each task, if there
                                are several
    interquartile mean          of all scores of all tasks together, less the lowest and the highest quarter
    probability of improvement  P(x better than y) = mean over tasks of 1/nm Σᵢ Σⱼ [xᵢ < yⱼ] + ½ [xᵢ = yⱼ],
                                where less is better

What is drawn follows from the number of seeds alone: the same scores give the same interval. An estimate
always says of how many scores it is; of a single seed it has no interval.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from colonnade.errors import BadInput

Array: TypeAlias = NDArray[np.float64]
Statistic: TypeAlias = Callable[[list[Array]], Array]
"""From scores of each task, (…, seeds), to (…): one number for each time they were drawn."""

DRAWS = 2000
LEVEL = 0.95
QUARTER = 0.25


class Estimate(NamedTuple):
    """A number, the ends of its interval, and how many scores it is of."""

    value: float
    low: float
    high: float
    scores: int


NOTHING = Estimate(np.nan, np.nan, np.nan, 0)


def mean(scores: ArrayLike) -> Estimate:
    """Return the mean over seeds.

    >>> mean([1.0, 2.0, 3.0])
    Estimate(value=2.0, low=1.0, high=3.0, scores=3)
    """
    return stratified([scores], lambda drawn: drawn[0].mean(axis=-1))


def interval(scores: ArrayLike) -> tuple[float, float]:
    """Return the ends of the mean's interval; of a single score, it twice.

    >>> interval([1.0, 2.0, 3.0]), interval([2.0])
    ((1.0, 3.0), (2.0, 2.0))
    """
    value, low, high, count = mean(scores)
    return (low, high) if count > 1 else (value, value)


def means(columns: Array) -> tuple[Array, Array, Array]:
    """Return the means of many columns, (seeds, columns), and both ends of their intervals.

    >>> [ends.tolist() for ends in means(np.array([[1.0, 4.0], [3.0, 8.0]]))]
    [[2.0, 6.0], [1.0, 4.0], [3.0, 8.0]]
    """
    seeds = len(columns)
    value = columns.mean(axis=0)
    if seeds < 2:
        return value, np.full_like(value, np.nan), np.full_like(value, np.nan)
    low, high = _ends(np.einsum("sc,sd->cd", columns, _weights(seeds)))
    return value, low, high


def interquartile_mean(tasks: Sequence[ArrayLike]) -> Estimate:
    """Return the interquartile mean of the scores of these tasks.

    >>> interquartile_mean([[1.0, 2.0], [3.0, 100.0]]).value
    2.5
    """
    return stratified(tasks, lambda drawn: _middle(np.concatenate(drawn, axis=-1)))


def probability_of_improvement(mine: Sequence[ArrayLike], theirs: Sequence[ArrayLike]) -> Estimate:
    """Return how probably a run of mine comes to less than one of theirs, task by task.

    >>> probability_of_improvement([[1.0, 2.0]], [[2.0, 3.0]]).value
    0.875
    """
    if len(mine) != len(theirs):
        raise BadInput("theirs", expected=f"scores of the same {len(mine)} tasks", got=len(theirs))
    pairs = [(_scores(x), _scores(y)) for x, y in zip(mine, theirs, strict=True)]
    count = sum(len(x) + len(y) for x, y in pairs)
    if not pairs or any(len(x) == 0 or len(y) == 0 for x, y in pairs):
        return NOTHING._replace(scores=count)
    less = [(x[:, None] < y) + (x[:, None] == y) / 2 for x, y in pairs]
    value = float(np.mean([task.mean() for task in less]))
    if max(max(task.shape) for task in less) < 2:
        return Estimate(value, np.nan, np.nan, count)
    drawn = []
    for i, task in enumerate(less):
        mine_drawn, theirs_drawn = _weights(len(task), 2 * i), _weights(task.shape[1], 2 * i + 1)
        drawn.append((np.einsum("xd,xy->yd", mine_drawn, task) * theirs_drawn).sum(axis=0))
    return _estimate(value, np.mean(drawn, axis=0), count)


def stratified(tasks: Sequence[ArrayLike], statistic: Statistic) -> Estimate:
    """Return a statistic of the scores of some tasks, seeds drawn again within each of them."""
    scores = [_scores(task) for task in tasks]
    count = sum(map(len, scores))
    if not scores or any(len(task) == 0 for task in scores):
        return NOTHING._replace(scores=count)
    value = float(statistic(scores))
    if max(map(len, scores)) < 2:
        return Estimate(value, np.nan, np.nan, count)
    rng = np.random.default_rng(0)
    drawn = statistic([task[rng.integers(len(task), size=(DRAWS, len(task)))] for task in scores])
    return _estimate(value, drawn, count)


def _estimate(value: float, drawn: Array, count: int) -> Estimate:
    low, high = _ends(drawn)
    return Estimate(value, float(low), float(high), count)


def _scores(task: ArrayLike) -> Array:
    return np.asarray(task, np.float64).ravel()


def _ends(drawn: Array) -> Array:
    """Return the percentiles of the last axis that hold the level between them.

    As `numpy.quantile` would, five times as quickly: sorting numbers is what NumPy does best.
    """
    ordered = np.sort(drawn, axis=-1)
    tail = (1 - LEVEL) / 2 * (drawn.shape[-1] - 1)
    below, part = int(tail), tail % 1
    ends = [(below, below + 1), (-1 - below, -2 - below)]
    return np.stack([(1 - part) * ordered[..., i] + part * ordered[..., j] for i, j in ends])


@lru_cache(maxsize=16)
def _weights(seeds: int, task: int = 0) -> Array:
    """Return how much each seed counts, each time they are drawn, (seeds, draws): for each task others.

    Their products are sums by `einsum`: `@` would ask all cores about a handful of seeds.
    """
    drawn = np.random.default_rng(task).multinomial(seeds, np.full(seeds, 1 / seeds), size=DRAWS)
    return np.ascontiguousarray(drawn.T / seeds)


def _middle(scores: Array) -> Array:
    """Return the mean of the last axis without its lowest and its highest quarter."""
    cut = int(QUARTER * scores.shape[-1])
    return np.asarray(np.sort(scores, axis=-1)[..., cut : scores.shape[-1] - cut].mean(axis=-1))
