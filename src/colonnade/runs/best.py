"""Which setting is best so far: by the mean over seeds, of the settings of which most seeds are finished."""

from statistics import fmean

from colonnade.runs.store import Store
from colonnade.runs.sweep import Goal, Run


class Best:
    """Keeps what each finished run came to."""

    def __init__(self, goal: Goal, store: Store) -> None:
        self._goal, self._store = goal, store
        self._scores: dict[str, list[float]] = {}
        self._runs: dict[str, Run] = {}

    def add(self, run: Run, id: int) -> None:
        """Take a finished run in; one that came to no number isn't best."""
        score = self._store.final(id, self._goal.metric, self._goal.share)
        if score is not None:
            self._scores.setdefault(run.setting, []).append(score)
            self._runs[run.setting] = run

    def now(self) -> tuple[float, Run, int] | None:
        """Return the best mean, one of its runs, and how many seeds it is of."""
        if not self._scores:
            return None
        sign = 1.0 if self._goal.best == "least" else -1.0
        most = max(map(len, self._scores.values()))
        settings = [name for name, scores in self._scores.items() if len(scores) == most]
        setting = min(settings, key=lambda name: sign * fmean(self._scores[name]))
        return fmean(self._scores[setting]), self._runs[setting], len(self._scores[setting])
