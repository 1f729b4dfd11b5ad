"""TD(λ) prediction, semi-gradient, with accumulating traces (Sutton & Barto); the columnar learner of
Javed et al. (2023) on top of it.

    v_t = w · φ_t + b
    δ_t = c_t + γ_t v_t - v_{t-1}       v_{t-1} as it was predicted, with the weights of then
    g_t = -δ_t E_{t-1}                  the direction given to the optimizer
    E_t = γ_t λ E_{t-1} + dv_t/dθ       E = 0 before the first event: it teaches nothing

The trace that meets δ_{t+1} has been decayed by γ_t: the discount of the event that was just entered.
With m outputs, each has its own cumulant, δ and E.

RMSProp:   ms ← 0.9999 ms + 0.0001 g²,  θ ← θ - α g/(sqrt(ms) + 1e-8),  ms = 1 at the start.
"""

from typing import NamedTuple

import numpy as np

from oracles import columns
from oracles.trees import leafwise, zeros_like


class Memory(NamedTuple):
    v: np.ndarray  # the last prediction
    E: dict  # traces


def start(readout):
    """readout: {"w": (n,), "b": ()}, or {"w": (m, n), "b": (m,)} for m outputs."""
    return Memory(np.zeros_like(readout["b"]), zeros_like(readout))


def step(readout, memory, phi, cumulant, discount, lam):
    """One event: (g, memory); g has the shapes of the readout."""
    v = readout["w"] @ phi + readout["b"]
    delta = np.asarray(cumulant + discount * v - memory.v)
    decay = np.asarray(discount * lam)
    g = {"w": -delta[..., None] * memory.E["w"], "b": -delta * memory.E["b"]}
    E = {"w": decay[..., None] * memory.E["w"] + phi, "b": decay * memory.E["b"] + 1}
    return g, Memory(v, E)


def gradients(readout, features, cumulants, discounts, lam):
    """g_t for every event, the readout held still. discounts (T,) or (T, m)."""
    memory, out = start(readout), []
    for phi, c, gamma in zip(features, cumulants, discounts, strict=True):
        g, memory = step(readout, memory, phi, c, gamma, lam)
        out.append(g)
    return out


def rmsprop(theta, ms, g, alpha):
    """(theta, ms) after one step."""
    ms = 0.9999 * ms + 0.0001 * g**2
    return theta - alpha * g / (np.sqrt(ms) + 1e-8), ms


def columnar(params, xs, cumulants, discounts, lam, alpha, alpha_readout=None):
    """Columns learning for ever by TD(λ) with RMSProp, nothing normalised.

    params: {"columns": as in `oracles.columns`, "readout": {"w": (k,), "b": ()}}. Event t moves the
    columns, predicts v_t, and last of all applies g_t. The readout's rate, bias included, is alpha divided
    by the number of columns unless given. The first event's zero g passes through RMSProp like any other.

    Returns v (T,), and the parameters after each event, a list of T dicts shaped like params.
    """
    alpha_readout = alpha / len(params["readout"]["w"]) if alpha_readout is None else alpha_readout
    theta = {"columns": columns.pack(params["columns"]), **leafwise(np.asarray, params["readout"])}
    alphas = {"columns": alpha, "w": alpha_readout, "b": alpha_readout}
    ms = leafwise(np.ones_like, theta)
    E = zeros_like(theta)
    memory = columns.start(theta["columns"])
    v_before, vs, trajectory = 0.0, [], []
    for x, c, gamma in zip(xs, cumulants, discounts, strict=True):
        memory = columns.step(theta["columns"], memory, x)
        h = memory.h[:, 0, 0]
        v = theta["w"] @ h + theta["b"]
        delta = c + gamma * v - v_before
        slope = {"columns": theta["w"][:, None, None] * memory.H, "w": h, "b": 1.0}
        for name in theta:
            theta[name], ms[name] = rmsprop(theta[name], ms[name], -delta * E[name], alphas[name])
            E[name] = gamma * lam * E[name] + slope[name]
        v_before = v
        vs.append(v)
        readout = {"w": theta["w"], "b": theta["b"]}
        trajectory.append({"columns": columns.unpack(theta["columns"]), "readout": readout})
    return np.array(vs), trajectory
