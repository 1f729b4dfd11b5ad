"""Where a sweep's numbers come from: code, packages, machines and days; and what failed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from colonnade.runs.reading import RecordedRun, Records
from colonnade.runs.summary import Summary

CHANGED = "-dirty"  # how git calls a checkout with changes that were not committed


@dataclass
class Origin:
    """Runs of one state of the code, with the same packages."""

    code: str
    versions: str
    hosts: set[str] = field(default_factory=set)
    runs: int = 0
    started: float = float("inf")
    ended: float = float("-inf")

    @property
    def changed(self) -> bool:
        """Whether the code had changes that no commit has."""
        return self.code.endswith(CHANGED)


@dataclass(frozen=True)
class Failure:
    """Runs that failed alike: their last words, one of them in full, and who they are."""

    reason: str
    whole: str
    runs: tuple[RecordedRun, ...]


def origins(records: Records, summary: Summary) -> list[Origin]:
    """Return where the runs that were begun come from, most runs first."""
    sessions = {session.id: session for session in records.sessions()}
    found: dict[tuple[str, str], Origin] = {}
    for run in summary.runs:
        session = sessions.get(run.session) if run.session is not None else None
        if session is None:
            continue
        versions = ", ".join(f"{name} {version}" for name, version in session.versions.items())
        origin = found.setdefault((session.code, versions), Origin(session.code, versions))
        origin.runs += 1
        origin.hosts.add(session.host)
        origin.started = min(origin.started, run.started or session.started)
        origin.ended = max(origin.ended, run.finished or session.seen)
    return sorted(found.values(), key=lambda origin: -origin.runs)


def failures(runs: Sequence[RecordedRun]) -> list[Failure]:
    """Return what failed, the most frequent first."""
    alike: dict[str, list[RecordedRun]] = {}
    for run in runs:
        if run.status == "failed":
            lines = (run.failure or "").strip().splitlines()
            alike.setdefault(lines[-1] if lines else "no reason was told", []).append(run)
    counted = Counter({reason: len(some) for reason, some in alike.items()})
    return [
        Failure(reason, alike[reason][0].failure or reason, tuple(alike[reason]))
        for reason, _ in counted.most_common()
    ]
