"""A stream that asks for memory, for every kind of learner: what is told is of some events ago."""

from typing import NamedTuple

import numpy as np

INPUTS = 3


class Events(NamedTuple):
    """What `run` takes: `told` is cumulants, numbers or classes, `also` discounts, or which are known."""

    x: np.ndarray
    told: np.ndarray
    also: np.ndarray | None
    begins: tuple[int, ...] = ()  # events, but the first, that begin an episode


def observations(count, seed=0):
    """(count, 3), each with a mean and a size of its own."""
    rng = np.random.default_rng(seed)
    pulse = rng.random(count) < 0.15
    wave = 2 + np.sin(np.arange(count) / 7) + 0.3 * rng.standard_normal(count)
    noise = 3 * np.convolve(rng.standard_normal(count), 0.8 ** np.arange(30))[:count]
    return np.stack([pulse, wave, noise], axis=1).astype(np.float32)


def numbers(x):
    """Three numbers that follow what was observed 3, 2 and 1 events ago."""
    return np.stack([late(x[:, 0], 3), late(x[:, 1], 2) - 1.7, late(x[:, 2], 1) / 5], axis=1)


def classes(x):
    """Which of two things happened some events ago, if any."""
    return np.where(late(x[:, 0], 2) > 0, 1, np.where(late(x[:, 2], 1) > 3, 2, 0))


def late(values, events):
    return np.concatenate([np.zeros(events, values.dtype), values[:-events]])
