"""Running normalisation.

    μ ← β μ + (1 - β) v                       μ = 0 at the start
    var ← β var + (1 - β) (v - μ)²            var = 1 at the start
    output (v - μ) / sqrt(max(var, floor))

μ is the new one everywhere, and so is var in the output. The floor is on what divides, not on what is stored.
"""

import numpy as np


def normalise(values, beta, floor):
    """values (T, n) to (outputs, means, variances), each (T, n), as they are after each event."""
    mean, variance = np.zeros(values.shape[1]), np.ones(values.shape[1])
    outputs, means, variances = [], [], []
    for v in values:
        mean = beta * mean + (1 - beta) * v
        variance = beta * variance + (1 - beta) * (v - mean) ** 2
        outputs.append((v - mean) / np.sqrt(np.maximum(variance, floor)))
        means.append(mean)
        variances.append(variance)
    return np.array(outputs), np.array(means), np.array(variances)
