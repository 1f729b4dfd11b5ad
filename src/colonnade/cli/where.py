"""Where runs run: on this machine, or on a Ray cluster."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from colonnade.checks import whole

if TYPE_CHECKING:
    from colonnade.runs.executor import Executor

JobsOption = Annotated[
    int | None, typer.Option(help="How many runs at a time.", show_default="as many as there are cores")
]
RayOption = Annotated[
    str | None,
    typer.Option(help="Run on a Ray cluster: the address of its head, or auto.", show_default="here"),
]


@dataclass(frozen=True)
class Where:
    """How many runs at a time, and on which cluster; None: on this machine.

    >>> Where(2, "auto").words
    ['--jobs', '2', '--ray', 'auto']
    """

    jobs: int | None = None
    ray: str | None = None

    def __post_init__(self) -> None:
        if self.jobs is not None:
            whole("jobs", self.jobs)

    @property
    def words(self) -> list[str]:
        """What to type to get the same."""
        jobs = [] if self.jobs is None else ["--jobs", str(self.jobs)]
        return jobs if self.ray is None else [*jobs, "--ray", self.ray]

    def executor(self) -> "Executor":
        """Return who does the tasks."""
        if self.ray is not None:
            from colonnade.runs.cluster import Cluster

            return Cluster(self.ray, self.jobs)
        from colonnade.runs.local import Local

        return Local(self.jobs)
