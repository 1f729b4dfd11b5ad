"""Nonlinearities, and their slopes as functions of the value they took.

    y = tanh z       dy/dz = 1 - y²
    y = sigmoid z    dy/dz = y (1 - y)
    y = max(z, 0)    dy/dz = [y > 0]

The kink of max counts as flat.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


class Activation(NamedTuple):
    of: Callable
    slope: Callable  # at the value y, not at z


TANH = Activation(np.tanh, lambda y: 1 - y**2)
SIGMOID = Activation(sigmoid, lambda y: y * (1 - y))
RELU = Activation(lambda z: np.maximum(z, 0), lambda y: (y > 0).astype(float))
