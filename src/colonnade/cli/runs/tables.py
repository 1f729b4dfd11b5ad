"""Tables: drawn on a terminal, a line a row with tabs between elsewhere; and JSON.

What stands in a store was written by people that nobody knows: no control character of theirs reaches the
terminal.
"""

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

from colonnade.cli.terminal import takes_drawings

NARROWEST, LOWEST = 30, 5  # a table needs at least this


def show(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table."""
    from rich.console import Console

    console = Console()
    if not takes_drawings(console, NARROWEST, LOWEST):
        for row in [heads, *rows]:
            print("\t".join(map(printable, row)))
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(*heads, box=box.SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        table.add_row(*(Text(printable(cell), overflow="fold") for cell in row))
    console.print(table)


def show_json(data: Any) -> None:
    """Print JSON; what is no number is null."""
    print(json.dumps(_finite(data), indent=1, ensure_ascii=True, allow_nan=False))


def printable(text: str) -> str:
    """Return text in one line, without anything that would steer a terminal.

    >>> printable("a\\x1b[31mb\\tc")
    'a�[31mb c'
    """
    return "".join(c if c.isprintable() else " " if c.isspace() else "�" for c in text)


def digits(value: float) -> str:
    """Write a number in four digits, or a dash.

    >>> digits(0.00123456), digits(float("nan"))
    ('0.001235', '–')
    """
    return f"{value:.4g}" if math.isfinite(value) else "–"


def between(low: float, high: float) -> str:
    """Write an interval, or a dash.

    >>> between(0.1, 0.25)
    '0.1 to 0.25'
    """
    return f"{low:.3g} to {high:.3g}" if math.isfinite(low) else "–"


def _finite(data: Any) -> Any:
    if isinstance(data, dict):
        return {name: _finite(part) for name, part in data.items()}
    if isinstance(data, (list, tuple)):
        return [_finite(part) for part in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data
