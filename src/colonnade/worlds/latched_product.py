"""The product of two numbers that were seen at different times, and are replaced at different times.

A unit that remembers both in one number can't forget one and keep the other. So one number each must be
remembered, and then they must meet: what no sum of units that don't see each other can give. Knowing either
number alone says nothing of the product's sign.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from colonnade.checks import number
from colonnade.worlds.blocks import BlockStream, episodes_a_block, seeded
from colonnade.worlds.protocol import Chunk


@dataclass(frozen=True)
class LatchedProduct:
    """The product of two latched numbers.

    At every event the first input is a number drawn uniformly from −1 … 1. With probability `rate` it is to
    be kept: the second or the third input, with equal chance, is 1 for this event, and the number takes the
    place of what was kept there. `target` is the product of the two kept numbers, those of this event
    included; both begin at 0. `answer` is `target`.

    >>> chunk = LatchedProduct(rate=0.5).stream(seed=0).take(8)
    >>> chunk.x.round(1).T
    array([[ 0.3, -0.5, -0.9, -1. ,  0.6,  0.8,  0.2,  0.5],
           [ 0. ,  0. ,  0. ,  0. ,  0. ,  1. ,  0. ,  0. ],
           [ 0. ,  0. ,  0. ,  1. ,  0. ,  0. ,  0. ,  0. ]], dtype=float32)
    >>> chunk.target.round(1)[3:]
    array([-0. , -0. , -0.8, -0.8, -0.8], dtype=float32)
    """

    rate: float = 0.1

    def __post_init__(self) -> None:
        number("rate", self.rate, low=1e-6, high=1.0)

    @property
    def inputs(self) -> int:
        """The number, and whether it is to be kept as the one or as the other."""
        return 3

    @property
    def outputs(self) -> int:
        """One product."""
        return 1

    def stream(self, seed: int) -> BlockStream:
        """Start the world: every event follows from the seed."""
        return BlockStream(_Latches(self.rate, seeded(seed)))

    def zero_error(self) -> float:
        """The mean squared error of predicting 0 always, over a long stream: exact.

        >>> LatchedProduct().zero_error() == 1 / 9
        True
        """
        return 1 / 9

    def best_error(self) -> float:
        """The least mean squared error anyone can reach: all that is asked for was seen."""
        return 0.0


@dataclass
class _Latches:
    """Makes blocks, each beginning with what is kept from the one before."""

    rate: float
    rng: np.random.Generator
    kept: tuple[float, float] = (0.0, 0.0)

    def __call__(self) -> Chunk:
        n = episodes_a_block(1)
        x = np.zeros((n, 3), np.float32)
        x[:, 0] = self.rng.uniform(-1.0, 1.0, n)
        keeping = self.rng.random(n) < self.rate
        x[np.arange(n), 1 + self.rng.integers(0, 2, n)] = keeping
        one, other = (_latched(x[:, 0], x[:, 1 + i] > 0, self.kept[i]) for i in (0, 1))
        self.kept = float(one[-1]), float(other[-1])
        target = one * other
        return Chunk(x, target, target.copy())


def _latched(values: NDArray[np.float32], here: NDArray[np.bool_], before: float) -> NDArray[np.float32]:
    """Return at every event the value where `here` last was true, or `before` if it hasn't been yet."""
    last = np.maximum.accumulate(np.where(here, np.arange(len(values)), -1))
    return np.where(last < 0, np.float32(before), values[last])
