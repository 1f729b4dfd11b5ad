"""The least error that anyone can reach, as far as a store tells: what `error` has more than `excess`."""

from collections.abc import Sequence

import numpy as np

from colonnade.runs.curves import Array
from colonnade.runs.reading import Records, Series
from colonnade.runs.summary import Summary

ERROR, EXCESS = "error", "excess"


def best_possible(records: Records, summary: Summary, metric: str) -> dict[str, float]:
    """Return the best that anyone can reach of a metric, by the setting's digest, where it is known."""
    runs = summary.series.runs.tolist()
    excess = records.series(EXCESS, runs) if metric in (ERROR, EXCESS) else None
    if excess is None or not len(excess.step):
        return {}
    if metric == EXCESS:
        return {setting.digest: 0.0 for setting in summary.settings}
    error = records.series(ERROR, runs)
    where = error.places()
    found = {}
    for setting in summary.settings:
        apart = _apart(error, excess, [where[run.id] for run in setting.runs])
        if np.isfinite(apart).any():
            found[setting.digest] = float(f"{np.nanmedian(apart):.4g}")
    return found


def _apart(error: Series, excess: Series, places: Sequence[int]) -> Array:
    """Return error less excess, of the first of these runs that has both on the same steps."""
    for place in places:
        (steps, errors), (others, excesses) = error.of(place), excess.of(place)
        if len(steps) and np.array_equal(steps, others):
            return errors - excesses
    return np.empty(0)
