"""Checks of the arguments that every room takes: numbers, flags, functions, parts that follow a protocol."""

import math
from collections.abc import Callable
from numbers import Integral, Real

from colonnade.errors import BadInput, shown


def whole(argument: str, value: object, *, least: int = 1, most: int | None = None) -> None:
    """Refuse anything but a whole number of at least ``least``, and of at most ``most`` if there is such.

    >>> whole("units", 3)
    >>> whole("units", 2.5)
    Traceback (most recent call last):
    ...
    colonnade.errors.BadInput: units: expected a whole number of at least 1, got 2.5
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise BadInput(argument, expected=f"a whole number of at least {least}", got=shown(value))
    if most is not None and int(value) > most:
        raise BadInput(argument, expected=f"at most {most}", got=shown(value))


def number(argument: str, value: object, *, low: float = -math.inf, high: float = math.inf) -> None:
    """Refuse anything but a finite number from ``low`` to ``high``, both included.

    >>> number("discount", 0.9, low=0.0, high=1.0)
    >>> number("discount", 1.5, low=0.0, high=1.0)
    Traceback (most recent call last):
    ...
    colonnade.errors.BadInput: discount: expected a number from 0.0 to 1.0, got 1.5
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not low <= _float(value) <= high:
        raise BadInput(argument, expected=f"a number from {low} to {high}", got=shown(value))


def _float(value: Real) -> float:
    """Return a finite number; NaN, which is in no range, for what a float can't hold."""
    try:
        return float(value) if math.isfinite(value) else math.nan
    except OverflowError:
        return math.nan


def span(argument: str, value: object, *, low: float, high: float, words: str) -> None:
    """Refuse anything but a tuple of two numbers in order, from ``low`` to ``high``.

    >>> span("leak", (0.2, 0.9), low=0.0, high=1.0, words="lowest and highest rate")
    >>> span("leak", 0.5, low=0.0, high=1.0, words="lowest and highest rate")
    Traceback (most recent call last):
    ...
    colonnade.errors.BadInput: leak: expected two numbers, lowest and highest rate, got 0.5
    """
    if not isinstance(value, tuple) or len(value) != 2:
        raise BadInput(argument, expected=f"two numbers, {words}", got=shown(value))
    number(f"{argument}[0]", value[0], low=low, high=high)
    number(f"{argument}[1]", value[1], low=value[0], high=high)


def flag(argument: str, value: object) -> None:
    """Refuse anything but True and False.

    >>> flag("adapt", "no")
    Traceback (most recent call last):
    ...
    colonnade.errors.BadInput: adapt: expected True or False, got 'no'
    """
    if not isinstance(value, bool):
        raise BadInput(argument, expected="True or False", got=shown(value))


def function(argument: str, value: object) -> None:
    """Refuse anything that cannot be called.

    >>> function("activation", "tanh")
    Traceback (most recent call last):
    ...
    colonnade.errors.BadInput: activation: expected a function, such as jax.numpy.tanh, got 'tanh'
    """
    if not isinstance(value, Callable):  # type: ignore[arg-type]
        raise BadInput(argument, expected="a function, such as jax.numpy.tanh", got=shown(value))


def part(argument: str, value: object, protocol: type, wanted: str) -> None:
    """Refuse what doesn't have everything that a protocol asks for, and say what it lacks.

    >>> from collections.abc import Sized
    >>> part("items", [1, 2], Sized, "a list")
    >>> part("items", 3, Sized, "a list")
    Traceback (most recent call last):
    ...
    colonnade.errors.BadInput: items: expected a list, got 3
    """
    if isinstance(value, protocol) and not isinstance(value, type):
        return
    asked = [name for kind in reversed(protocol.__mro__) for name in vars(kind) if not name.startswith("_")]
    lacks = [name for name in asked if not hasattr(value, name)]
    some = not isinstance(value, type) and lacks and len(lacks) < len(asked)
    name, line = type(value).__name__, shown(value)
    came = f"{name}, which has no `{'`, no `'.join(lacks)}`" if some else line if len(line) < 60 else name
    raise BadInput(argument, expected=wanted, got=came)


def parts(argument: str, values: object, protocol: type, wanted: str, each: str) -> None:
    """Refuse anything but a tuple of one or more parts that follow a protocol."""
    if not isinstance(values, tuple) or not values:
        raise BadInput(argument, expected=wanted, got=shown(values))
    for index, value in enumerate(values):
        part(f"{argument}[{index}]", value, protocol, each)
