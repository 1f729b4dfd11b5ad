"""Which runs go side by side: those of one experiment whose seeds belong to the same block of lanes.

A group's key names exactly these runs. If another session finishes some of them, what is left is another
group.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from colonnade.runs.described import digest
from colonnade.runs.store import Standing
from colonnade.runs.sweep import Run


@dataclass
class Group:
    """Runs that go side by side, and how far they have come."""

    key: str
    runs: tuple[Run, ...]
    ids: tuple[int, ...]
    step: int = 0
    seconds: float = 0.0
    losses: int = 0

    @property
    def seeds(self) -> tuple[int, ...]:
        """Their seeds."""
        return tuple(run.seed for run in self.runs)


def still_to_do(run: Run, standings: Mapping[str, Standing], again: bool) -> bool:
    """Whether a run is neither finished nor failed; with ``again``, failed ones count."""
    status = standings[run.identity].status
    return status != "finished" and (again or status != "failed")


def grouped(runs: Sequence[Run], standings: Mapping[str, Standing], again: bool) -> list[Group]:
    """Return the groups of runs that are still to be done; with ``again``, failed ones too."""
    blocks: dict[tuple[str, int], list[Run]] = {}
    for run in runs:
        if still_to_do(run, standings, again):
            block = (run.setting, run.seed // run.point.experiment.lanes)
            blocks.setdefault(block, []).append(run)
    return [_group(side_by_side, standings) for side_by_side in blocks.values()]


def _group(runs: list[Run], standings: Mapping[str, Standing]) -> Group:
    mine = [standings[run.identity] for run in runs]
    key = digest([run.identity for run in runs])
    return Group(key, tuple(runs), tuple(one.id for one in mine), min(one.step for one in mine))
