"""How fast a sweep goes: steps a second over the last minute, and how long is left at that."""

from collections import deque

SECONDS_BACK = 60.0


class Pace:
    """Takes in how many steps were done by when.

    >>> pace = Pace(began=0.0)
    >>> pace.add(10.0, 1000)
    >>> pace.speed, pace.left(500)
    (100.0, 5.0)
    """

    def __init__(self, began: float) -> None:
        self._seen = deque([(began, 0)])

    def add(self, now: float, steps: int) -> None:
        """Note that ``steps`` were done by now; those of a minute ago no longer count."""
        self._seen.append((now, steps))
        while len(self._seen) > 2 and self._seen[1][0] <= now - SECONDS_BACK and self._seen[1][1] < steps:
            self._seen.popleft()

    @property
    def speed(self) -> float:
        """Steps a second."""
        (then, before), (now, steps) = self._seen[0], self._seen[-1]
        return (steps - before) / (now - then) if now > then else 0.0

    def left(self, steps: int) -> float | None:
        """Return how many seconds so many steps take; None if it can't be said."""
        return steps / self.speed if self.speed > 0 else None
