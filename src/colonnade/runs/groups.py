"""Which runs go side by side: those of one experiment whose seeds belong to the same block of lanes.

A group's key names exactly these runs. If another session finishes some of them, what is left is another
group.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
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

    @property
    def steps_left(self) -> int:
        """How many steps are still to come, of all of them."""
        return (self.runs[0].point.experiment.steps - self.step) * len(self.runs)


class Line:
    """Groups in the order in which they come; knows how many runs and steps they are."""

    def __init__(self, groups: Iterable[Group] = ()) -> None:
        self._groups: deque[Group] = deque()
        self.runs = self.steps = 0
        for group in groups:
            self.add(group)

    def __len__(self) -> int:
        return len(self._groups)

    def add(self, group: Group) -> None:
        """Put a group at the end."""
        self._groups.append(group)
        self.runs += len(group.runs)
        self.steps += group.steps_left

    def take(self, most: int) -> list[Group]:
        """Take the first away, at most so many."""
        taken = [self._groups.popleft() for _ in range(min(most, len(self._groups)))]
        self.runs -= sum(len(group.runs) for group in taken)
        self.steps -= sum(group.steps_left for group in taken)
        return taken


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


def what_is_left(group: Group, standings: Mapping[str, Standing], again: bool) -> list[Group]:
    """Return the group, or what others have left of it."""
    if all(still_to_do(run, standings, again) for run in group.runs):
        return [group]
    return grouped(group.runs, standings, again)


def _group(runs: list[Run], standings: Mapping[str, Standing]) -> Group:
    mine = [standings[run.identity] for run in runs]
    key = digest([run.identity for run in runs])
    return Group(key, tuple(runs), tuple(one.id for one in mine), min(one.step for one in mine))
