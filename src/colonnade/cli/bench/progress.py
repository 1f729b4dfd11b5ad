"""What is going on, on standard error: a bar in a terminal, else a line now and then."""

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

SECONDS_A_LINE = 5.0

T = TypeVar("T")


@contextmanager
def shown(what: str, items: Sequence[T]) -> Iterator[Iterable[T]]:
    """Go through ``items``, and show how far it is.

    >>> with shown("adding", [1, 2, 3]) as numbers:
    ...     sum(numbers)
    6
    """
    console = Console(stderr=True)
    if not console.is_terminal or console.is_dumb_terminal:
        yield _lines(what, items)
        return
    columns = (
        TextColumn("{task.fields[what]}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console, transient=True, refresh_per_second=4) as progress:
        yield _bar(progress, what, items)


def _bar(progress: Progress, what: str, items: Sequence[T]) -> Iterator[T]:
    task = progress.add_task("", total=len(items), what=what)
    for item in items:
        progress.update(task, description=str(item))
        yield item
        progress.advance(task)


def _lines(what: str, items: Sequence[T]) -> Iterator[T]:
    last = -SECONDS_A_LINE
    for n, item in enumerate(items):
        if time.monotonic() - last >= SECONDS_A_LINE:
            last = time.monotonic()
            print(f"{what} {n + 1} of {len(items)}: {item} ...", file=sys.stderr, flush=True)
        yield item
