"""What can be known of an experiment before it runs: whether its steps add up, and a world's first event."""

from functools import lru_cache

from colonnade.checks import whole
from colonnade.errors import BadInput
from colonnade.worlds.protocol import Chunk, World

MOST_STEPS = 2**53  # what JSON's readers can count to


def check_steps(steps: int, every: int) -> None:
    """Refuse numbers of steps that can't be run, or not be read so often.

    >>> check_steps(1000, every=2000)
    Traceback (most recent call last):
    ...
    colonnade.errors.BadInput: every: expected at most 1000, as many as `steps`, got 2000
    """
    whole("steps", steps)
    if steps > MOST_STEPS:
        raise BadInput("steps", expected=f"at most {MOST_STEPS}", got=steps)
    whole("every", every)
    if every > steps:
        raise BadInput("every", expected=f"at most {steps}, as many as `steps`", got=every)


def first_event(world: World) -> Chunk:
    """Return the first event of a world.

    >>> from colonnade.worlds import TracePatterning
    >>> first_event(TracePatterning()).x.shape
    (1, 12)
    """
    try:
        hash(world)
    except TypeError:
        return _first(world)
    return _kept(world)  # type: ignore[arg-type]  # it has a hash


def _first(world: World) -> Chunk:
    first = world.stream(0).take(1)
    return Chunk._make(None if part is None else part.copy() for part in first)


_kept = lru_cache(maxsize=64)(_first)
