"""Real-time recurrent learning (Williams & Zipser 1989), dense, for every cell.

    s   = F(θ, s⁻, x)                         the state
    J   = ∂F/∂θ + (∂F/∂s⁻) J⁻,    J₀ = 0      the influence ds/dθ
    dL  = (dL/ds) J                           the gradient of this step's own loss

Each cell below gives F, ∂F/∂θ (`direct`) and ∂F/∂s⁻ (`D`), differentiated by hand. A leaf of `direct` is
(state, *leaf). Where z = W x + R h⁻ + b and y depends on z elementwise with slope y',

    ∂yᵢ/∂Wᵢⱼ = y'ᵢ xⱼ      ∂yᵢ/∂Rᵢⱼ = y'ᵢ h⁻ⱼ      ∂yᵢ/∂bᵢ = y'ᵢ      ∂y/∂h⁻ = diag(y') R
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from oracles.activations import SIGMOID, TANH, sigmoid
from oracles.trees import add, contract, leafwise


class Cell(NamedTuple):
    start: Callable  # params -> s
    step: Callable  # params, s⁻, x -> s, direct, D
    read: Callable  # s -> features, ∂features/∂s


def gradients(cell, params, xs, es):
    """RTRL: the gradient of each step's own loss."""
    s = cell.start(params)
    J = leafwise(lambda leaf: np.zeros((s.size, *leaf.shape)), params)
    out = []
    for x, e in zip(xs, es, strict=True):
        s, direct, D = cell.step(params, s, x)
        J = add(direct, contract(D, J))
        out.append(contract(e @ cell.read(s)[1], J))
    return out


def features(cell, params, xs):
    """The features (T, n) of the same forward pass."""
    s = cell.start(params)
    out = []
    for x in xs:
        s, _, _ = cell.step(params, s, x)
        out.append(cell.read(s)[0])
    return np.array(out)


def own(slope, inputs):
    """∂yᵢ/∂Wⱼₖ = [i = j] y'ᵢ inputsₖ."""
    return np.diag(slope)[:, :, None] * inputs


def affine(slope, x, h):
    """∂y/∂θ for y of z = W x + R h + b."""
    return {"W": own(slope, x), "R": own(slope, h), "b": np.diag(slope)}


def stack(above, below):
    """The rows of two parts of a state."""
    return leafwise(lambda *rows: np.concatenate(rows), above, below)


def whole(s):
    """The state is the features."""
    return s, np.eye(s.size)


def second_half(s):
    """The state is (c, h) and h the features."""
    n = s.size // 2
    return s[n:], np.hstack([np.zeros((n, n)), np.eye(n)])


def rnn(activation=TANH):
    """h = activation(W x + R h⁻ + b)."""

    def step(p, h, x):
        y = activation.of(p["W"] @ x + p["R"] @ h + p["b"])
        slope = activation.slope(y)
        return y, affine(slope, x, h), np.diag(slope) @ p["R"]

    return Cell(lambda p: np.zeros(len(p["b"])), step, whole)


def linear():
    """h = W x + R h⁻ + b."""

    def step(p, h, x):
        return p["W"] @ x + p["R"] @ h + p["b"], affine(np.ones(h.size), x, h), p["R"]

    return Cell(lambda p: np.zeros(len(p["b"])), step, whole)


def leaky(alpha):
    """h = alpha h⁻ + W x + R sigmoid(h⁻) + b, features sigmoid(h)."""

    def step(p, h, x):
        y = sigmoid(h)
        D = np.diag(alpha) + p["R"] @ np.diag(SIGMOID.slope(y))
        return alpha * h + p["W"] @ x + p["R"] @ y + p["b"], affine(np.ones(h.size), x, y), D

    def read(h):
        y = sigmoid(h)
        return y, np.diag(SIGMOID.slope(y))

    return Cell(lambda p: np.zeros(len(p["b"])), step, read)


def additive():
    """h = h⁻ + tanh(U x + R h⁻)."""

    def step(p, h, x):
        y = np.tanh(p["U"] @ x + p["R"] @ h)
        slope = 1 - y**2
        D = np.eye(h.size) + np.diag(slope) @ p["R"]
        return h + y, {"U": own(slope, x), "R": own(slope, h)}, D

    return Cell(lambda p: np.zeros(len(p["R"])), step, whole)


def lstm():
    """c = f c⁻ + i g, h = o tanh(c): the state is (c, h).

    ∂c/∂z_i = g i (1 - i)    ∂c/∂z_f = c⁻ f (1 - f)    ∂c/∂z_o = 0    ∂c/∂z_g = i (1 - g²)    ∂c/∂c⁻ = f
    ∂h/∂z_k = o (1 - tanh²c) ∂c/∂z_k + [k = o] tanh(c) o (1 - o)
    """

    def step(p, s, x):
        c_before, h_before = np.split(s, 2)
        z = {k: p[k]["W"] @ x + p[k]["R"] @ h_before + p[k]["b"] for k in "ifog"}
        i, f, o, g = sigmoid(z["i"]), sigmoid(z["f"]), sigmoid(z["o"]), np.tanh(z["g"])
        c = f * c_before + i * g
        h = o * np.tanh(c)

        h_by_c = o * (1 - np.tanh(c) ** 2)
        c_by_z = {"i": g * i * (1 - i), "f": c_before * f * (1 - f), "o": 0 * o, "g": i * (1 - g**2)}
        h_by_z = {k: h_by_c * c_by_z[k] for k in "ifog"}
        h_by_z["o"] = h_by_z["o"] + np.tanh(c) * o * (1 - o)

        direct = {k: stack(affine(c_by_z[k], x, h_before), affine(h_by_z[k], x, h_before)) for k in "ifog"}
        c_by_s = np.hstack([np.diag(f), sum(np.diag(c_by_z[k]) @ p[k]["R"] for k in "ifog")])
        h_by_s = np.hstack([np.diag(h_by_c * f), sum(np.diag(h_by_z[k]) @ p[k]["R"] for k in "ifog")])
        D = np.vstack([c_by_s, h_by_s])
        return np.concatenate([c, h]), direct, D

    return Cell(lambda p: np.zeros(2 * len(p["i"]["b"])), step, second_half)


def gru():
    """h = (1 - z) n + z h⁻, n = tanh(W x + b + r R h⁻), the reset gate after the product.

    With a = R_n h⁻ and a_k the inside of gate k,
    ∂h/∂a_n = (1 - z)(1 - n²)    ∂h/∂a_r = ∂h/∂a_n a r (1 - r)    ∂h/∂a_z = (h⁻ - n) z (1 - z)
    """

    def step(p, h, x):
        r = sigmoid(p["r"]["W"] @ x + p["r"]["R"] @ h + p["r"]["b"])
        z = sigmoid(p["z"]["W"] @ x + p["z"]["R"] @ h + p["z"]["b"])
        a = p["n"]["R"] @ h
        n = np.tanh(p["n"]["W"] @ x + p["n"]["b"] + r * a)

        by_n = (1 - z) * (1 - n**2)
        by_r = by_n * a * r * (1 - r)
        by_z = (h - n) * z * (1 - z)

        candidate = {"W": own(by_n, x), "R": own(by_n * r, h), "b": np.diag(by_n)}
        direct = {"r": affine(by_r, x, h), "z": affine(by_z, x, h), "n": candidate}
        D = (
            np.diag(z)
            + np.diag(by_r) @ p["r"]["R"]
            + np.diag(by_z) @ p["z"]["R"]
            + np.diag(by_n * r) @ p["n"]["R"]
        )
        return (1 - z) * n + z * h, direct, D

    return Cell(lambda p: np.zeros(len(p["n"]["b"])), step, whole)


def elstm():
    """c = f c⁻ + (1 - f) z, h = o c, gates seeing only their own cell: the state is (c, h).

    With a_k the inside of gate k (a_o = W x + w c + b sees the new c),
    ∂c/∂a_f = (c⁻ - z) f (1 - f)    ∂c/∂a_z = (1 - f)(1 - z²)    ∂c/∂c⁻ = f + w_f ∂c/∂a_f + w_z ∂c/∂a_z
    ∂h/∂a_o = c o (1 - o)           dh/dc = o + w_o ∂h/∂a_o      ∂h/∂h⁻ = 0
    """

    def peephole(slope, x, c):
        return {"W": own(slope, x), "w": np.diag(slope * c), "b": np.diag(slope)}

    def step(p, s, x):
        c_before = np.split(s, 2)[0]
        f = sigmoid(p["f"]["W"] @ x + p["f"]["w"] * c_before + p["f"]["b"])
        z = np.tanh(p["z"]["W"] @ x + p["z"]["w"] * c_before + p["z"]["b"])
        c = f * c_before + (1 - f) * z
        o = sigmoid(p["o"]["W"] @ x + p["o"]["w"] * c + p["o"]["b"])

        c_by_f = (c_before - z) * f * (1 - f)
        c_by_z = (1 - f) * (1 - z**2)
        c_by_c = f + p["f"]["w"] * c_by_f + p["z"]["w"] * c_by_z
        h_by_o = c * o * (1 - o)
        h_by_c = o + p["o"]["w"] * h_by_o

        nothing = np.zeros(c.size)
        direct = {
            "f": stack(peephole(c_by_f, x, c_before), peephole(h_by_c * c_by_f, x, c_before)),
            "z": stack(peephole(c_by_z, x, c_before), peephole(h_by_c * c_by_z, x, c_before)),
            "o": stack(peephole(nothing, x, c), peephole(h_by_o, x, c)),
        }
        c_by_s = np.hstack([np.diag(c_by_c), np.diag(nothing)])
        h_by_s = np.hstack([np.diag(h_by_c * c_by_c), np.diag(nothing)])
        D = np.vstack([c_by_s, h_by_s])
        return np.concatenate([c, o * c]), direct, D

    return Cell(lambda p: np.zeros(2 * len(p["f"]["b"])), step, second_half)
