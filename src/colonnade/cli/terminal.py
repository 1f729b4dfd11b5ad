"""What standard output can show: drawings on a terminal that takes them, plain lines elsewhere.

Plain lines are for output that is redirected and for terminals that are too small or dumb: no escape codes.
"""

import shutil
import sys
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def takes_drawings(console: "Console", width: int, height: int) -> bool:
    """Whether a console can be drawn on: a terminal, not a dumb one, and at least as large as this."""
    return (
        sys.stdout.isatty()
        and not console.is_dumb_terminal
        and console.encoding.startswith("utf")
        and console.width >= width
        and console.height >= height
    )


def say(line: str) -> None:
    """Print a line, folded where a terminal is too narrow for it."""
    shown = folded(line, shutil.get_terminal_size().columns) if sys.stdout.isatty() else line
    known = sys.stdout.encoding or "utf-8"
    print(shown.encode(known, "replace").decode(known), flush=True)


def folded(line: str, width: int) -> str:
    """Break a line that is too long for a terminal.

    >>> print(folded("12 s: columnar 0.0121, T-BPTT 0.0169", 24))
    12 s: columnar 0.0121,
      T-BPTT 0.0169
    """
    return textwrap.fill(
        line, max(12, width - 1), subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
