"""Who does tasks: what a sweep's driver asks of it, wherever that is."""

from typing import Protocol

from colonnade.runs.work import Message, Task


class Executor(Protocol):
    """Does tasks side by side, and tells what comes of them."""

    @property
    def slots(self) -> int:
        """How many tasks can be done at the same time, as far as is known."""
        ...

    def submit(self, task: Task) -> None:
        """Do this when there is room."""
        ...

    def messages(self, seconds: float) -> list[Message]:
        """Return what was told since, after waiting for the first for at most so long."""
        ...

    def ask_to_stop(self) -> None:
        """Ask everybody to say how to go on, and to stop."""
        ...

    def close(self) -> None:
        """End everything at once."""
        ...
