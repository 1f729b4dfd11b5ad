"""An item of a paper: a question, the sweeps that answer it, what is claimed, and how it is drawn.

A study is a generator. It yields one sweep after another, is given what each came to, and returns the item's
data: plain JSON, all that claims are judged by and figures drawn from.
"""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from colonnade.errors import BadInput
from colonnade.papers.claims import Claim
from colonnade.runs.sweep import Sweep

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from colonnade.papers.results import Results

Data: TypeAlias = dict[str, Any]
Study: TypeAlias = "Generator[Sweep, Results, Data]"

SCALES = ("quick", "laptop", "paper")


@dataclass(frozen=True)
class Scale:
    """How much is spent: a name, and how many seeds if not as many as that name says."""

    name: Literal["quick", "laptop", "paper"]
    seeds: int | None = None

    def __post_init__(self) -> None:
        if self.name not in SCALES:
            raise BadInput("scale", expected=f"one of {', '.join(SCALES)}", got=repr(self.name))

    def pick(self, quick: int, laptop: int, paper: int) -> int:
        """Return the number that goes with the scale."""
        return {"quick": quick, "laptop": laptop, "paper": paper}[self.name]

    def many(self, quick: int, laptop: int, paper: int) -> int:
        """The same of seeds, unless so many were asked for."""
        return self.seeds or self.pick(quick, laptop, paper)


@dataclass(frozen=True)
class Reduction:
    """Where a scale does less than what was published."""

    what: str
    published: str
    here: str


@dataclass(frozen=True)
class Item:
    """One of a paper's experiments."""

    name: str
    asks: str
    """The question, in a sentence."""
    study: Callable[[Scale], Study]
    claims: Callable[[Data], tuple[Claim, ...]]
    figures: "Callable[[Data], Mapping[str, Figure]]"
    reductions: Callable[[Scale], tuple[Reduction, ...]]
    core_minutes: Mapping[str, float]
    """About what each scale takes on one core; what it took is in `results`."""
