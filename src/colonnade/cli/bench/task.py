"""What everybody learns in the speed table: to predict the discounted sum of a cumulant, from one stream."""

import numpy as np
from numpy.typing import NDArray

from colonnade.cli.bench.measuring import NotMeasured

DISCOUNT, TRACE_DECAY, STEP_SIZE = 0.9, 0.9, 1e-3
KEEP, EPS = 0.9999, 1e-8  # RMSProp
RATE, FLOOR = 0.99999, 0.001  # normalisation
SAME = 1e-3  # of the largest prediction: how near two learners must come to be called the same

Numbers = NDArray[np.float32]


def events(inputs: int, count: int) -> tuple[Numbers, Numbers]:
    """Observations (count, inputs), and a cumulant that is one now and then.

    >>> x, cumulant = events(12, 100)
    >>> x.shape, cumulant.shape
    ((100, 12), (100,))
    """
    rng = np.random.default_rng(0)
    x = rng.normal(size=(count, inputs)).astype(np.float32)
    return x, (rng.random(count) < 0.1).astype(np.float32)


def check_same(theirs: Numbers, ours: Numbers) -> None:
    """Refuse to compare the speed of learners that don't predict the same.

    >>> check_same(np.ones(3, np.float32), np.ones(3, np.float32))
    """
    largest, apart = float(np.abs(ours).max()), float(np.abs(theirs - ours).max())
    if largest == 0 or not apart <= SAME * largest:
        raise NotMeasured(
            f"it isn't the same learner: predictions of up to {largest:.2g} differ by {apart:.2g}"
        )
