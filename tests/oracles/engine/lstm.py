"""A step of LSTM units, and its slopes. Gates are i, f, o, g, on the first axis of z.

i, f, o = sigmoid(z_i), sigmoid(z_f), sigmoid(z_o)    g = tanh(z_g)    c = f c⁻ + i g    h = o tanh(c)

dc/dz_i = g i (1 - i)    dc/dz_f = c⁻ f (1 - f)    dc/dz_g = i (1 - g²)    dh/dz_o = tanh(c) o (1 - o)
dc/dc⁻ = f               dh/dc = o (1 - tanh²c)
"""

from typing import NamedTuple

import numpy as np

from oracles.activations import sigmoid


class Gates(NamedTuple):
    i: np.ndarray
    f: np.ndarray
    o: np.ndarray
    g: np.ndarray


class Slopes(NamedTuple):
    """By each gate's z: of c, but of the output gate of h. Then dc/dc⁻ and dh/dc."""

    by_i: np.ndarray
    by_f: np.ndarray
    by_o: np.ndarray
    by_g: np.ndarray
    kept: np.ndarray
    down: np.ndarray


def gates(z):
    return Gates(*sigmoid(z[:3]), np.tanh(z[3]))


def move(gates, c):
    """(c, h), from c⁻."""
    c = gates.f * c + gates.i * gates.g
    return c, gates.o * np.tanh(c)


def slopes(gates, c_before, c):
    (i, f, o, g), tanh_c = gates, np.tanh(c)
    return Slopes(
        by_i=g * i * (1 - i),
        by_f=c_before * f * (1 - f),
        by_o=tanh_c * o * (1 - o),
        by_g=i * (1 - g**2),
        kept=f,
        down=o * (1 - tanh_c**2),
    )
