"""`--list`: every item of every paper, and what it takes at each scale."""

import sys

from colonnade.cli.numbers import MINUTE, duration
from colonnade.cli.terminal import say
from colonnade.papers import PAPERS, items
from colonnade.papers.item import SCALES

NOTE = "Times are estimates, of one core; they are shared out among as many as there are."


def show(paper: str) -> None:
    """Show a paper's items, or all papers'."""
    rows = [
        (name, item.name, item.asks, *(duration(item.core_minutes[scale] * MINUTE) for scale in SCALES))
        for name in ([paper] if paper else PAPERS)
        for item in items(name).values()
    ]
    if not sys.stdout.isatty():
        for name, item, asks, *times in rows:
            taken = ", ".join(f"{scale} {time}" for scale, time in zip(SCALES, times, strict=True))
            say(f"{name} {item}: {asks} ({taken})")
        say(NOTE)
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, caption=NOTE, caption_justify="left")
    for head in ("paper", "item", "what it asks"):
        table.add_column(head, overflow="fold", style="bold" if head == "item" else "")
    for scale in SCALES:
        table.add_column(scale, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    Console().print(table)
