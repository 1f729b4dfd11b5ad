"""Independent LSTM columns with one scalar state each, and their RTRL (Javed et al. 2023).

    i, f, o = sigmoid(W x + u h⁻ + b)    g = tanh(W x + u h⁻ + b)
    c = f c⁻ + i g                       h = o tanh(c)

For any parameter θ of a column, with C = dc/dθ and H = dh/dθ,

    dz_k = [θ belongs to gate k] input + u_k H⁻          input = x_j, h⁻ or 1
    C = f C⁻ + c⁻ f (1 - f) dz_f + g i (1 - i) dz_i + i (1 - g²) dz_g
    H = o (1 - tanh²c) C + tanh(c) o (1 - o) dz_o

All parameters of k columns are one array `theta` (k, 4, d + 2): gates i, f, o, g; then W, u, b.
"""

from typing import NamedTuple

import numpy as np

from oracles.activations import sigmoid

GATES = "ifog"


class Memory(NamedTuple):
    c: np.ndarray  # (k, 1, 1)
    h: np.ndarray  # (k, 1, 1)
    C: np.ndarray  # (k, 4, d + 2)
    H: np.ndarray  # (k, 4, d + 2)


def pack(params):
    """{"i": {"W": (k, 1, d), "R": (k, 1, 1), "b": (k, 1)}, ..} to theta."""
    gates = [params[k] for k in GATES]
    return np.concatenate(
        [np.concatenate([p["W"], p["R"], p["b"][..., None]], axis=2) for p in gates], axis=1
    )


def unpack(theta):
    """theta to the nested dict."""
    rows = {k: theta[:, [at]] for at, k in enumerate(GATES)}
    return {k: {"W": row[:, :, :-2], "R": row[:, :, -2:-1], "b": row[:, :, -1]} for k, row in rows.items()}


def start(theta):
    scalar = np.zeros((len(theta), 1, 1))
    return Memory(scalar, scalar, np.zeros(theta.shape), np.zeros(theta.shape))


def step(theta, memory, x):
    """One event x (d,) through every column and every trace."""
    c_before, h_before, C, H = memory
    k = len(theta)
    inputs = np.concatenate([np.tile(x, (k, 1)), h_before[:, 0], np.ones((k, 1))], axis=1)
    z_i, z_f, z_o, z_g = np.einsum("kgp,kp->gk", theta, inputs)[..., None, None]
    u_i, u_f, u_o, u_g = theta[:, :, -2].T[..., None, None]

    i, f, o, g = sigmoid(z_i), sigmoid(z_f), sigmoid(z_o), np.tanh(z_g)
    c = f * c_before + i * g
    h = o * np.tanh(c)

    belongs = np.eye(4)[:, None, :, None] * inputs[:, None, :]
    dz_i = belongs[0] + u_i * H
    dz_f = belongs[1] + u_f * H
    dz_o = belongs[2] + u_o * H
    dz_g = belongs[3] + u_g * H
    C = f * C + c_before * f * (1 - f) * dz_f + g * i * (1 - i) * dz_i + i * (1 - g**2) * dz_g
    H = o * (1 - np.tanh(c) ** 2) * C + np.tanh(c) * o * (1 - o) * dz_o
    return Memory(c, h, C, H)


def gradients(params, xs, es):
    """The gradient of each step's own loss; es are (T, k)."""
    theta = pack(params)
    memory = start(theta)
    out = []
    for x, e in zip(xs, es, strict=True):
        memory = step(theta, memory, x)
        out.append(unpack(e[:, None, None] * memory.H))
    return out


def features(params, xs):
    """h of every column, (T, k)."""
    theta = pack(params)
    memory = start(theta)
    return np.array([(memory := step(theta, memory, x)).h[:, 0, 0] for x in xs])
