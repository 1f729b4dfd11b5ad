"""Judging what is written: every claim of a paper against the numbers in `results`, in seconds.

Claims are computed from the data anew; what a file says of them itself is not believed. They count at the
scale `laptop` or above.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from colonnade.errors import BadInput
from colonnade.papers.claims import Claim
from colonnade.papers.item import Item
from colonnade.papers.perform import read

COUNTING = ("laptop", "paper")


@dataclass(frozen=True)
class Verdict:
    """An item, at which scale it was run if it was, and its claims."""

    item: str
    scale: str | None
    claims: tuple[Claim, ...]
    reductions: tuple[dict[str, str], ...]

    @property
    def counts(self) -> bool:
        """Whether what was run is enough to judge by."""
        return self.scale in COUNTING

    @property
    def holds(self) -> bool:
        """Whether it counts, and every claim held."""
        return self.counts and all(claim.held for claim in self.claims)


def check(paper: str, items: Iterable[Item], folder: Path) -> list[Verdict]:
    """Judge the items of a paper by what is written below ``folder``."""
    return [_verdict(paper, item, folder) for item in items]


def _verdict(paper: str, item: Item, folder: Path) -> Verdict:
    record = read(paper, item, folder)
    if record is None:
        return Verdict(item.name, None, (), ())
    try:
        claims = item.claims(record["data"])
    except (KeyError, TypeError, ValueError, IndexError) as failure:
        where = f"{folder / paper / item.name}.json"
        raise BadInput("results", expected=f"the data of this item in {where}", got=repr(failure)) from None
    return Verdict(item.name, record["scale"], claims, tuple(record.get("reductions", ())))
