"""How every world here becomes a stream: it makes blocks of events, and `take` cuts them.

A world draws a whole number of trials or episodes at a time, with no Python loop over events. What it draws
for a block never depends on how many events were asked for, so the cuts cannot change the events.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from colonnade.checks import whole
from colonnade.worlds.protocol import Chunk

_EVENTS_A_BLOCK = 65_536  # enough to make the cost of a NumPy call small, few enough to stay in cache


def episodes_a_block(length: float) -> int:
    """How many episodes of `length` events (on average) a block holds: at least one.

    >>> episodes_a_block(1000), episodes_a_block(1e9)
    (65, 1)
    """
    return max(1, int(_EVENTS_A_BLOCK / length))


def seeded(seed: int) -> np.random.Generator:
    """The source of everything random in one stream.

    >>> seeded(-1)
    Traceback (most recent call last):
    ...
    colonnade.errors.BadInput: seed: expected a whole number of at least 0, got -1
    """
    whole("seed", seed, least=0)
    return np.random.default_rng(seed)


def _cut(chunk: Chunk, start: int, stop: int) -> Chunk:
    return Chunk._make(None if part is None else part[start:stop] for part in chunk)


def _join(chunks: list[Chunk]) -> Chunk:
    if len(chunks) == 1:
        return chunks[0]
    return Chunk._make(
        None if parts[0] is None else np.concatenate(parts) for parts in zip(*chunks, strict=True)
    )


@dataclass
class BlockStream:
    """A stream cut from the blocks that `make` gives, one after another.

    It keeps the rest of one block and nothing else. A copy of it, or a pickle, goes on with the same events.

    >>> ones = np.ones((3, 1), np.float32)
    >>> stream = BlockStream(lambda: Chunk(ones, ones, ones))
    >>> stream.take(5).x.shape
    (5, 1)
    """

    make: Callable[[], Chunk]
    _block: Chunk | None = field(default=None, repr=False)
    _used: int = 0

    def take(self, n: int) -> Chunk:
        """The next n events."""
        whole("n", n)
        chunks = []
        while n > 0:
            chunks.append(self._take_from_block(n))
            n -= len(chunks[-1].x)
        return _join(chunks)

    def _take_from_block(self, most: int) -> Chunk:
        """The next events of the block in hand, `most` of them or as many as it has; at least one."""
        if self._block is None or self._used == len(self._block.x):
            self._block, self._used = self.make(), 0
        start, self._used = self._used, min(self._used + most, len(self._block.x))
        return _cut(self._block, start, self._used)
