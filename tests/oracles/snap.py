"""SnAp, the sparse approximation of RTRL (Menick et al. 2021).

    J = P ⊙ (∂F/∂θ + (∂F/∂s⁻) J⁻)

P keeps the influence of a parameter on the units it reaches within k steps. Every parameter acts on one
unit, its own (its row); each further step follows the wiring, `mask[m, i] = 1` when unit i feeds unit m:

    reach_k = [(1 + mask)^(k - 1) > 0]                (unit reached, unit of the parameter)

A unit's state is all its numbers: {c_i, h_i} for the LSTM. With k = 1 nothing but a unit's own link is
left of the recurrence. For the rnn, and with W, u, b of gate k's row i:

    rnn     J = h' ⊙ (input + R_ii J⁻)
    lstm    dz_k = [θ belongs to gate k] input + R_k,ii H⁻,  then C and H as in `columns`
"""

import numpy as np

from oracles.activations import TANH, sigmoid
from oracles.trees import add, contract, leafwise


def reach(mask, k):
    """(n, n): whether a parameter of unit i (column) reaches unit m (row) within k steps."""
    one_more = np.eye(len(mask)) + (np.asarray(mask) != 0)
    return (np.linalg.matrix_power(one_more, k - 1) > 0).astype(float)


def masked(params, mask):
    """R ⊙ mask, wherever there is an R: also right for derivatives by R, whose last axes are R's."""
    return {
        name: masked(leaf, mask) if isinstance(leaf, dict) else leaf * mask if name == "R" else leaf
        for name, leaf in params.items()
    }


def gradients(cell, params, xs, es, k, mask):
    """SnAp-k for a cell of `oracles.rtrl` whose leaves have the unit first; mask (n, n) wires every R."""
    mask = np.asarray(mask, dtype=float)
    params = masked(params, mask)
    s = cell.start(params)
    P = np.tile(reach(mask, k), (s.size // len(mask), 1))

    def keep(influence):
        return influence * P.reshape(*P.shape, *[1] * (influence.ndim - 2))

    J = leafwise(lambda leaf: np.zeros((s.size, *leaf.shape)), params)
    out = []
    for x, e in zip(xs, es, strict=True):
        s, direct, D = cell.step(params, s, x)
        J = leafwise(keep, add(masked(direct, mask), contract(D, J)))
        out.append(contract(e @ cell.read(s)[1], J))
    return out


def rnn_snap1(params, xs, es, activation=TANH):
    """SnAp-1 for the rnn, unit by unit: J (n, d + n + 1) for (W, R, b)."""
    theta = np.hstack([params["W"], params["R"], params["b"][:, None]])
    n, d = params["W"].shape
    h, J = np.zeros(n), np.zeros(theta.shape)
    out = []
    for x, e in zip(xs, es, strict=True):
        inputs = np.concatenate([x, h, [1]])
        h = activation.of(theta @ inputs)
        J = activation.slope(h)[:, None] * (inputs + np.diag(params["R"])[:, None] * J)
        g = e[:, None] * J
        out.append({"W": g[:, :d], "R": g[:, d:-1], "b": g[:, -1]})
    return out


def lstm_snap1(params, xs, es):
    """SnAp-1 for the lstm, unit by unit: C and H (n, 4, d + n + 1) for gates i, f, o, g and (W, R, b)."""
    n, d = params["i"]["W"].shape
    gates = [params[k] for k in "ifog"]
    theta = np.stack([np.hstack([p["W"], p["R"], p["b"][:, None]]) for p in gates], axis=1)
    u = np.stack([np.diag(p["R"]) for p in gates])[..., None, None]
    c = h = np.zeros((n, 1, 1))
    C, H = np.zeros(theta.shape), np.zeros(theta.shape)
    out = []
    for x, e in zip(xs, es, strict=True):
        inputs = np.concatenate([x, h[:, 0, 0], [1]])
        z = (theta @ inputs).T[..., None, None]
        i, f, o, g = sigmoid(z[0]), sigmoid(z[1]), sigmoid(z[2]), np.tanh(z[3])
        dz = np.eye(4)[:, None, :, None] * inputs + u * H
        C = f * C + c * f * (1 - f) * dz[1] + g * i * (1 - i) * dz[0] + i * (1 - g**2) * dz[3]
        c = f * c + i * g
        H = o * (1 - np.tanh(c) ** 2) * C + np.tanh(c) * o * (1 - o) * dz[2]
        h = o * np.tanh(c)
        G = e[:, None, None] * H
        rows = zip("ifog", G.swapaxes(0, 1), strict=True)
        out.append({k: {"W": g[:, :d], "R": g[:, d:-1], "b": g[:, -1]} for k, g in rows})
    return out
