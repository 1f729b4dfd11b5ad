"""Steps no longer than the errors that ask for them (ObGD, Elsayed et al. 2024, for any optimizer).

Δθ ← min(1, min(max_p |δ_p|, 1) / (κ ‖Δθ‖₁)) Δθ
"""

import numpy as np


def share(steps, error, kappa):
    """How much of the steps is taken."""
    length = kappa * sum(np.abs(step).sum() for step in steps)
    allowed = min(np.abs(error).max(), 1)
    return allowed / length if length > allowed else 1
