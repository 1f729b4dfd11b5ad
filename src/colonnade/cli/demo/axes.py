"""Axes for any medium: round ticks, and labels that keep their distance."""

import math
from collections.abc import Sequence

_ROUND = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)


def ceiling(value: float) -> float:
    """Return the least round number that is no less than a positive value.

    >>> ceiling(1.2), ceiling(410_000), ceiling(6)
    (1.5, 500000.0, 6.0)
    """
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in _ROUND if step * power >= value * (1 - 1e-9))


def ticks(high: float, most: int) -> list[float]:
    """Return at most ``most`` round numbers from 0 to ``high``, equally spaced.

    >>> ticks(0.023, most=6)
    [0.0, 0.005, 0.01, 0.015, 0.02]
    >>> ticks(4e6, most=6)
    [0.0, 1000000.0, 2000000.0, 3000000.0, 4000000.0]
    """
    power = 10.0 ** math.floor(math.log10(high / most))
    steps = (multiple * power for multiple in (1, 2, 5, 10, 20, 50))
    step = next(step for step in steps if math.floor(high / step + 1e-9) < most)
    return [round(i * step, 12) for i in range(math.floor(high / step + 1e-9) + 1)]


def decades(low: float, high: float) -> list[float]:
    """Return round numbers for a logarithmic axis: 1, 2 and 5 times powers of ten.

    >>> decades(0.0013, 0.025)
    [0.002, 0.005, 0.01, 0.02]
    """
    powers = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)
    marks = [round(step * 10.0**power, 12) for power in powers for step in (1, 2, 5)]
    return [mark for mark in marks if low <= mark <= high]


def rise(value: float, low: float, high: float) -> float:
    """Say how far up a logarithmic axis a positive value is, from 0 to 1; what lies outside is at an end.

    >>> rise(10.0, 1.0, 100.0), rise(0.5, 1.0, 100.0)
    (0.5, 0.0)
    """
    return min(1.0, max(0.0, math.log(max(value, low) / low) / math.log(high / low)))


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move positions apart until neighbours are ``gap`` apart, within ``low`` to ``high`` if there is room.

    >>> spread([5.0, 5.0, 9.0], gap=1.0, low=0.0, high=9.0)
    [5.0, 6.0, 9.0]
    >>> spread([9.0, 8.5], gap=1.0, low=0.0, high=9.0)
    [9.0, 8.0]
    """
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    placed = list(wanted)
    least = low
    for i in order:
        placed[i] = max(placed[i], least)
        least = placed[i] + gap
    most = high
    for i in reversed(order):
        placed[i] = min(placed[i], most)
        most = placed[i] - gap
    return placed
