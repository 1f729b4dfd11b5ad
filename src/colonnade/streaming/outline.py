"""What a learner would be, before it is made: how much room it takes, and the shapes of its arrays."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from colonnade.errors import BadInput, shown
from colonnade.streaming.network import Network, Shapes

NUMBER = 4  # bytes

_EXPECTED: ContextVar[Mapping[str, tuple[int, ...]] | None] = ContextVar("expected", default=None)


@contextmanager
def expecting(shapes: Mapping[str, tuple[int, ...]]) -> Iterator[None]:
    """Refuse learners whose arrays have other names or shapes, before there is room for them."""
    before = _EXPECTED.set(shapes)
    try:
        yield
    finally:
        _EXPECTED.reset(before)


def check_outline(network: Network, numbers: int, shapes: Shapes) -> None:
    """Refuse a learner that this machine has no room for, or another than is expected."""
    if numbers * NUMBER > memory():
        raise BadInput("network", expected="one that this machine has room for", got=shown(network))
    expected = _EXPECTED.get()
    if expected is None:
        return
    for name in {**shapes, **expected}:
        if shapes.get(name) != expected.get(name):
            wanted, came = (f"shape {of[name]}" if name in of else "none" for of in (shapes, expected))
            raise BadInput(name, expected=wanted, got=came)


def memory() -> int:
    """Return how many bytes this machine has; where it can't be asked, more than any."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 2**62
