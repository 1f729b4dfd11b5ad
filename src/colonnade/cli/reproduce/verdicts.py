"""How claims are shown: each with its number, its interval, who makes it, and whether it held."""

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from colonnade.cli.terminal import say

if TYPE_CHECKING:
    from colonnade.papers.check import Verdict
    from colonnade.papers.claims import Claim

HELD, NOT_HELD = "held", "not held"


def show(verdicts: "Sequence[Verdict]") -> None:
    """Show every verdict: as a table on a terminal, as plain lines elsewhere."""
    if not sys.stdout.isatty():
        for line in lines(verdicts):
            say(line)
        return
    from rich.console import Console, Group
    from rich.table import Table
    from rich.text import Text

    console = Console()
    for verdict in verdicts:
        table = Table.grid(padding=(0, 2))
        for claim in verdict.claims:
            style = "green" if claim.held else "bold red"
            told = Text(f"{claim.says} ({claim.source})")
            told.append(f"\n{number(claim)}; {claim.bound}", style="dim")
            table.add_row(Text(HELD if claim.held else NOT_HELD, style=style), told)
        console.print(
            Group(Text(heading(verdict), style="bold"), table, *map(Text, reduced(verdict)), Text())
        )


def lines(verdicts: "Sequence[Verdict]") -> Iterator[str]:
    """Yield them as plain lines."""
    for verdict in verdicts:
        yield heading(verdict)
        for claim in verdict.claims:
            held = HELD if claim.held else NOT_HELD
            yield f"  {held}: {claim.says} ({claim.source}): {number(claim)}; {claim.bound}"
        yield from reduced(verdict)


def heading(verdict: "Verdict") -> str:
    """Return an item's name, and whether what was run counts."""
    if verdict.scale is None:
        return f"{verdict.item}: not run yet"
    note = "" if verdict.counts else ", which is too small to count"
    return f"{verdict.item}: {verdict.scale} scale{note}"


def reduced(verdict: "Verdict") -> Iterator[str]:
    """Yield where less was done than was published."""
    for one in verdict.reductions:
        yield f"  reduced: {one['what']}: {one['here']}, published {one['published']}"


def number(claim: "Claim") -> str:
    """Return a claim's number with its interval and its seeds."""
    return f"{claim.number:.3g} [{claim.low:.3g}, {claim.high:.3g}], {claim.seeds} seeds"
