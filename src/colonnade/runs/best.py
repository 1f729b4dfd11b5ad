"""Which setting is best so far: by the mean over seeds, of the settings of which most seeds are finished."""

from colonnade.runs.store import Store
from colonnade.runs.sweep import Goal, Run


class Best:
    """Keeps what each finished run came to."""

    def __init__(self, goal: Goal, store: Store) -> None:
        self._goal, self._store = goal, store
        self._sums: dict[str, tuple[float, int]] = {}
        self._runs: dict[str, Run] = {}

    def add(self, run: Run, id: int) -> None:
        """Take a finished run in; one that came to no number isn't best."""
        score = self._store.final(id, self._goal.metric, self._goal.share)
        if score is not None:
            total, seeds = self._sums.get(run.setting, (0.0, 0))
            self._sums[run.setting] = total + score, seeds + 1
            self._runs[run.setting] = run

    def now(self) -> tuple[float, Run, int] | None:
        """Return the best mean, one of its runs, and how many seeds it is of."""
        if not self._sums:
            return None
        most = max(seeds for _, seeds in self._sums.values())
        totals = {name: total for name, (total, seeds) in self._sums.items() if seeds == most}
        chosen = min if self._goal.best == "least" else max
        setting = chosen(totals, key=totals.__getitem__)
        return totals[setting] / most, self._runs[setting], most
