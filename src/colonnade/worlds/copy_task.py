"""The copy task: observe a sequence of random bit patterns, then recall it in order.

The settings, 20 patterns of 7 bits, are those of Zucchet et al., "Online learning of long-range dependencies"
(2023).
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from colonnade.checks import whole
from colonnade.worlds.blocks import BlockStream, episodes_a_block, seeded
from colonnade.worlds.protocol import Chunk


@dataclass(frozen=True)
class CopyTask:
    """The copy task.

    An episode has 2 · `length` events, k = 0 .. 2 · length − 1:

    - k < length, *observe*: the first `bits` inputs are pattern k, each bit 0 or 1 with equal chance; the
      last input, the output token, is 0. No target is given.
    - k ≥ length, *recall*: the pattern's inputs are 0 and the output token is 1, at each of these events. The
      target is pattern k − length.

    The patterns are thus recalled in the order in which they came, each `length` events after it was seen,
    and the first at the very event at which the token appears. `target` is (n, bits), and 0 where none is
    given; `answer` is `target`.

    >>> chunk = CopyTask(length=2, bits=3).stream(seed=0).take(4)
    >>> chunk.x[2:]
    array([[0., 0., 0., 1.],
           [0., 0., 0., 1.]], dtype=float32)
    >>> bool((chunk.target[2:] == chunk.x[:2, :3]).all())
    True
    >>> chunk.first, chunk.given
    (array([ True, False, False, False]), array([False, False,  True,  True]))
    """

    length: int = 20
    bits: int = 7

    def __post_init__(self) -> None:
        whole("length", self.length)
        whole("bits", self.bits)

    @property
    def inputs(self) -> int:
        """The bits of a pattern and the output token."""
        return self.bits + 1

    @property
    def outputs(self) -> int:
        """The bits of a pattern."""
        return self.bits

    def stream(self, seed: int) -> BlockStream:
        """Start the world: every pattern follows from the seed."""
        return BlockStream(partial(self._block, seeded(seed)))

    def _block(self, rng: np.random.Generator) -> Chunk:
        episodes, length = episodes_a_block(2 * self.length), self.length
        patterns = rng.integers(0, 2, (episodes, length, self.bits), np.bool_)
        x = np.zeros((episodes, 2 * length, self.inputs), np.float32)
        x[:, :length, :-1] = patterns
        x[:, length:, -1] = 1
        recalled = np.zeros((episodes, 2 * length, self.bits), np.float32)
        recalled[:, length:] = patterns
        target = recalled.reshape(-1, self.bits)
        k = np.tile(np.arange(2 * length), episodes)
        return Chunk(x.reshape(-1, self.inputs), target, target, first=k == 0, given=k >= length)
