"""Statistics over seeds."""

import numpy as np
from numpy.typing import ArrayLike


def interval(values: ArrayLike, level: float = 0.95, draws: int = 2000) -> tuple[float, float]:
    """Return a bootstrap percentile interval of the mean."""
    found = np.asarray(values, float)
    rng = np.random.default_rng(0)
    means = found[rng.integers(0, found.size, (draws, found.size))].mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
