"""Running mean and variance, which bring numbers to mean 0 and variance 1. `statistics`, elsewhere, makes
them for n numbers.

μ ← βμ + (1 - β)v      σ² ← βσ² + (1 - β)(v - μ)²      0 and 1 at first      normal: (v - μ)/√max(σ², floor)
"""

import numpy as np


class Statistics:
    """μ and σ² of n numbers."""

    def __init__(self, n, dtype, rate, floor):
        self.mean, self.variance, self.rate, self.floor = np.zeros(n, dtype), np.ones(n, dtype), rate, floor

    def move(self, v):
        self.mean = self.rate * self.mean + (1 - self.rate) * v
        self.variance = self.rate * self.variance + (1 - self.rate) * (v - self.mean) ** 2

    def deviation(self):
        return np.sqrt(np.maximum(self.variance, self.floor))

    def normal(self, v):
        return (v - self.mean) / self.deviation()


class Unchanged:
    """No normalisation: numbers are what they are."""

    def __init__(self, n, dtype):
        self.one = np.ones(n, dtype)

    def move(self, v):
        pass

    def deviation(self):
        return self.one

    def normal(self, v):
        return v
