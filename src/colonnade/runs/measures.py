"""What is read of a learner on a world, over the events since the last reading.

    error     the mean squared difference between the prediction and the world's answer
    excess    the same, less the best that anyone can reach, where the world knows it
    misses    of classes: the share of events at which the likeliest class was not the answer
    nats      of classes: the mean of −log p(answer)

Events without a target don't count.
"""

from collections.abc import Callable
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from colonnade.runs.experiment import Values
from colonnade.worlds.protocol import Chunk, World

TINY = 1e-30  # the least probability that a logarithm is taken of

NUMBERS, CLASSES = ("error",), ("misses", "nats")

Judge: TypeAlias = Callable[[NDArray[np.float32], Chunk], dict[str, NDArray[np.float64]]]


@runtime_checkable
class Bounded(Protocol):
    """A world that knows the least error that anyone can reach."""

    def best_error(self) -> float: ...


class Tally:
    """Sums of what a judge says of each event, until they are read.

    >>> chunk = Chunk(np.zeros((2, 1)), np.zeros(2), np.array([1.0, 3.0]))
    >>> tally = Tally(of_numbers)
    >>> tally.add(np.array([1.0, 1.0]), chunk)
    >>> tally.read()
    {'error': 2.0}
    """

    def __init__(self, judge: Judge, world: World | None = None) -> None:
        self._judge = judge
        self._best: float | None = world.best_error() if isinstance(world, Bounded) else None
        self._sums: dict[str, float] = {}
        self._count = 0

    @property
    def metrics(self) -> tuple[str, ...]:
        """What there will be to read."""
        found = NUMBERS if self._judge is of_numbers else CLASSES
        return found if self._best is None or found is CLASSES else (*found, "excess")

    def add(self, predictions: NDArray[np.float32], chunk: Chunk) -> None:
        """Take the predictions of a chunk in."""
        counted = slice(None) if chunk.given is None else chunk.given
        for name, values in self._judge(predictions, chunk).items():
            self._sums[name] = self._sums.get(name, 0.0) + float(values[counted].sum())
        self._count += len(chunk.x) if chunk.given is None else int(chunk.given.sum())

    def read(self) -> Values:
        """Return the means, and begin again; nothing, if no event counted."""
        values = {name: total / self._count for name, total in self._sums.items() if self._count}
        if self._best is not None and "error" in values:
            values["excess"] = values["error"] - self._best
        self._sums, self._count = {}, 0
        return values


def of_numbers(predictions: NDArray[np.float32], chunk: Chunk) -> dict[str, NDArray[np.float64]]:
    """Return each event's squared error, a mean over outputs."""
    apart = predictions.astype(np.float64) - chunk.answer.reshape(predictions.shape)
    return {"error": np.square(apart).reshape(len(apart), -1).mean(axis=1)}


def of_classes(probabilities: NDArray[np.float32], chunk: Chunk) -> dict[str, NDArray[np.float64]]:
    """Return whether each event's class was missed, and −log p of it."""
    answer = chunk.answer.astype(np.int64)
    right = probabilities[np.arange(len(answer)), answer].astype(np.float64)
    missed = probabilities.argmax(axis=1) != answer
    return {"misses": missed.astype(np.float64), "nats": -np.log(np.maximum(right, TINY))}


def of_log_odds(log_odds: NDArray[np.float32], chunk: Chunk) -> dict[str, NDArray[np.float64]]:
    """Return the same for predictions that are not yet probabilities."""
    answer = chunk.answer.astype(np.int64)
    apart = log_odds.astype(np.float64) - log_odds.max(axis=1, keepdims=True)
    right = apart[np.arange(len(answer)), answer]
    missed = log_odds.argmax(axis=1) != answer
    return {"misses": missed.astype(np.float64), "nats": np.log(np.exp(apart).sum(axis=1)) - right}
