"""Tables: drawn on a terminal, a line a row with tabs between elsewhere; and JSON.

What stands in a store was written by people that nobody knows: no control character of theirs reaches the
terminal.
"""

import json
import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from colonnade.cli.terminal import takes_drawings

if TYPE_CHECKING:
    from rich.table import Table

NARROWEST, LOWEST = 30, 5  # a table needs at least this
GAP = 3  # between columns


def show(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table; on a terminal that is too narrow for it, each row in lines of its own."""
    from rich.console import Console

    console = Console()
    cells = [[printable(cell) for cell in row] for row in rows]
    if not takes_drawings(console, NARROWEST, LOWEST):
        for row in [list(heads), *cells]:
            print("\t".join(row))
        return
    telling = [i for i in range(len(heads)) if i == 0 or any(row[i] not in ("", "0") for row in cells)]
    names, cells = [heads[i] for i in telling], [[row[i] for i in telling] for row in cells]
    widths = [max(map(len, column)) for column in zip(names, *cells, strict=True)]
    if sum(widths) + GAP * len(widths) > console.width:
        for line in stacked(names, cells, console.width):
            print(line)
    else:
        console.print(_drawn(names, cells))


def stacked(heads: Sequence[str], rows: Iterable[Sequence[str]], width: int) -> Iterator[str]:
    """Yield rows as lines: the first cell, and below it what the others are.

    >>> print(*stacked(["setting", "seeds", "error"], [["units 4", "10", "0.5"]], 16), sep="\\n")
    units 4
      seeds 10,
      error 0.5
    """
    for first, *others in rows:
        yield from textwrap.wrap(first, width) or [""]
        told = ", ".join(f"{name} {cell}" for name, cell in zip(heads[1:], others, strict=True) if cell)
        yield from textwrap.wrap(told, width, initial_indent="  ", subsequent_indent="  ")


def _drawn(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(*heads, box=box.SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


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
