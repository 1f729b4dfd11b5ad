"""Truncated backpropagation through time, backwards by hand.

A window is what was stored of the last k events: the state before each, and its input. With the present
parameters, from the newest event to the oldest, and each event's error e (zero where its loss isn't asked):

    rnn     δ = h' ⊙ (e + Rᵀ δ⁺)                                   h' = activation's slope
            dW = Σ δ xᵀ      dR = Σ δ h⁻ᵀ      db = Σ δ

    lstm    δh = e + Σ_k R_kᵀ δz_k⁺             δc = f⁺ δc⁺ + o (1 - tanh²c) δh
            δz_i = g i (1 - i) δc      δz_f = c⁻ f (1 - f) δc
            δz_g = i (1 - g²) δc       δz_o = tanh(c) o (1 - o) δh

where ⁺ is the event after, absent for the newest; nothing goes back beyond the window. `window` k at every
event asks for the newest loss alone (k = 1: spatial); `chunked` asks every k events for all the k losses.
"""

import numpy as np

from oracles.activations import TANH, sigmoid
from oracles.trees import add, zeros_like


def affine_gradient(dz, x, h):
    return {"W": np.outer(dz, x), "R": np.outer(dz, h), "b": dz}


class Rnn:
    """h = activation(W x + R h⁻ + b); the state is h."""

    def __init__(self, activation=TANH):
        self.activation = activation

    def start(self, p):
        return np.zeros(len(p["b"]))

    def step(self, p, h, x):
        return self.activation.of(p["W"] @ x + p["R"] @ h + p["b"])

    def backward(self, p, events, es):
        """Events: (h⁻, x) from old to new. The gradient of the sum of es · h."""
        total, dh = zeros_like(p), 0
        for (h, x), e in reversed(list(zip(events, es, strict=True))):
            dz = self.activation.slope(self.step(p, h, x)) * (e + dh)
            total = add(total, affine_gradient(dz, x, h))
            dh = p["R"].T @ dz
        return total


class Lstm:
    """c = f c⁻ + i g, h = o tanh(c); the state is the pair (c, h)."""

    def start(self, p):
        return np.zeros(len(p["i"]["b"])), np.zeros(len(p["i"]["b"]))

    def gates(self, p, h, x):
        z = {k: p[k]["W"] @ x + p[k]["R"] @ h + p[k]["b"] for k in "ifog"}
        return sigmoid(z["i"]), sigmoid(z["f"]), sigmoid(z["o"]), np.tanh(z["g"])

    def step(self, p, state, x):
        i, f, o, g = self.gates(p, state[1], x)
        c = f * state[0] + i * g
        return c, o * np.tanh(c)

    def backward(self, p, events, es):
        """Events: ((c⁻, h⁻), x) from old to new. The gradient of the sum of es · h."""
        total, dh, dc = zeros_like(p), 0, 0
        for ((c_before, h_before), x), e in reversed(list(zip(events, es, strict=True))):
            i, f, o, g = self.gates(p, h_before, x)
            tanh_c = np.tanh(f * c_before + i * g)
            dh = e + dh
            dc = dc + o * (1 - tanh_c**2) * dh
            dz = {
                "i": g * i * (1 - i) * dc,
                "f": c_before * f * (1 - f) * dc,
                "o": tanh_c * o * (1 - o) * dh,
                "g": i * (1 - g**2) * dc,
            }
            total = add(total, {k: affine_gradient(dz[k], x, h_before) for k in "ifog"})
            dh = sum(p[k]["R"].T @ dz[k] for k in "ifog")
            dc = f * dc
        return total


def stored(cell, params, xs):
    """(state before, x) of every event."""
    events, state = [], cell.start(params)
    for x in xs:
        events.append((state, x))
        state = cell.step(params, state, x)
    return events


def window(cell, params, xs, es, k):
    """At every event: the gradient of its own loss through the last k applications of the cell."""
    events = stored(cell, params, xs)
    out = []
    for t, e in enumerate(es):
        seen = events[max(0, t - k + 1) : t + 1]
        out.append(cell.backward(params, seen, [np.zeros_like(e)] * (len(seen) - 1) + [e]))
    return out


def chunked(cell, params, xs, es, k):
    """At events k - 1, 2k - 1, ..: the gradient of the chunk's summed losses within the chunk; else zeros."""
    events = stored(cell, params, xs)
    out = [zeros_like(params) for _ in xs]
    for t in range(k - 1, len(xs), k):
        chunk = slice(t - k + 1, t + 1)
        out[t] = cell.backward(params, events[chunk], es[chunk])
    return out
