"""A random teacher: a hidden recurrent network, driven by noise, whose outputs are to be predicted.

    h_t = tanh(W h_{t−1} + U x_t),   y_t = C h_t,   h = 0 before each episode

with x_t of independent ±1. W has normal entries, scaled to the spectral radius asked for. U has normal
entries of variance 1 / inputs. C has normal entries, scaled so that each output's variance is about 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from colonnade.checks import number, whole
from colonnade.worlds.blocks import BlockStream, episodes_a_block, seeded
from colonnade.worlds.protocol import Chunk

_SCALING_EPISODES, _SCALING_STEPS = 64, 256


class Teacher(NamedTuple):
    """The hidden network's weights, in float64."""

    W: NDArray[np.float64]
    """(units, units): recurrent."""
    U: NDArray[np.float64]
    """(units, inputs)."""
    C: NDArray[np.float64]
    """(outputs, units)."""

    def answers(self, x: NDArray[np.float32]) -> Iterator[NDArray[np.float64]]:
        """The outputs (episodes, outputs) of each step, from h = 0. x: (episodes, steps, inputs).

        A nonlinear recurrence has to be walked through in time: the loop is over steps, and each takes all
        the episodes along side by side.
        """
        h = np.zeros((len(x), len(self.W)))
        for step in range(x.shape[1]):
            h = np.tanh(h @ self.W.T + x[:, step] @ self.U.T)
            yield h @ self.C.T


def _signs(rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float32]:
    return 2 * rng.integers(0, 2, shape, np.bool_).astype(np.float32) - 1


@dataclass(frozen=True)
class RandomTeacher:
    """The outputs of a hidden tanh network with random weights, driven by random ±1 inputs.

    An episode has `episode` events, and the teacher's state is 0 before each. As many episodes as fit into a
    block are walked through side by side: the longer the episodes, the fewer, and the more an event costs.
    Episodes beyond some 32,000 events come one by one.

    `target` is (n, outputs), given at every event; `answer` is `target`, so the best possible error is 0.

    >>> chunk = RandomTeacher(inputs=3, units=8, outputs=2).stream(seed=0).take(2000)
    >>> chunk.x.shape, chunk.target.shape
    ((2000, 3), (2000, 2))
    >>> np.flatnonzero(chunk.first)
    array([   0, 1000])
    """

    inputs: int
    units: int
    outputs: int = 1
    spectral_radius: float = 0.95
    episode: int = 1000

    def __post_init__(self) -> None:
        whole("inputs", self.inputs)
        whole("units", self.units)
        whole("outputs", self.outputs)
        number("spectral_radius", self.spectral_radius, low=0)
        whole("episode", self.episode)

    def stream(self, seed: int) -> BlockStream:
        """Start the world: the teacher's weights and then every event follow from the seed."""
        rng = seeded(seed)
        return BlockStream(partial(self._block, rng, self._draw_teacher(rng)))

    def teacher(self, seed: int) -> Teacher:
        """The hidden network of the stream of this seed.

        >>> RandomTeacher(inputs=3, units=8).teacher(seed=0).U.shape
        (8, 3)
        """
        return self._draw_teacher(seeded(seed))

    def _draw_teacher(self, rng: np.random.Generator) -> Teacher:
        W = rng.standard_normal((self.units, self.units))
        W *= self.spectral_radius / np.abs(np.linalg.eigvals(W)).max()
        U = rng.standard_normal((self.units, self.inputs)) / np.sqrt(self.inputs)
        unscaled = Teacher(W, U, rng.standard_normal((self.outputs, self.units)))
        steps = min(self.episode, _SCALING_STEPS)
        answers = np.stack(list(unscaled.answers(_signs(rng, (_SCALING_EPISODES, steps, self.inputs)))))
        return unscaled._replace(C=unscaled.C / answers.std(axis=(0, 1))[:, None])

    def _block(self, rng: np.random.Generator, teacher: Teacher) -> Chunk:
        episodes = episodes_a_block(self.episode)
        x = _signs(rng, (episodes, self.episode, self.inputs))
        answers = np.empty((episodes, self.episode, self.outputs), np.float32)
        for step, answer in enumerate(teacher.answers(x)):
            answers[:, step] = answer
        target = answers.reshape(-1, self.outputs)
        first = np.tile(np.arange(self.episode) == 0, episodes)
        return Chunk(x.reshape(-1, self.inputs), target, target, first=first)
