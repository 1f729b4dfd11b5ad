"""Columns with feature extractors and lateral links (Javed, White & Sutton 2021), as the paper has them: with
dense matrices, most of whose entries are masked.

    f_i = C_φi([x, h_i⁻])    ReLU layers                    z_i = Σ_j (M_ij U_ij)ᵀ f_j + Σ_j m_ij R_ij h_j⁻
    additive    h_i = h_i⁻ + tanh z_i                       (eq. 10)
    memoryless  h_i = tanh Σ_j (M_ij U_ij)ᵀ f_j             (eq. 22; f_i of x alone)
    gru         r, u = σ(z_r), σ(z_u)    n = tanh(U_n f + r R_n h⁻)    h_i = (1 - u) n + u h_i⁻
    lstm        i, f, o = σ(z)    g = tanh(z_g)    c_i = f c_i⁻ + i g    h_i = o tanh(c_i)

m_ij is 1 where any of M_ij is, and for i = j.
"""

import numpy as np

from oracles.activations import sigmoid


def masked(params, links):
    """U (columns, gates, columns, features) and R (columns, gates, columns), of lists of links."""
    columns, gates, k = params.U.shape
    U = np.zeros((columns, gates, columns, k))
    R = np.zeros((columns, params.R.shape[1], columns))
    for i in range(columns):
        U[i, :, i] = params.U[i]
        R[i, :, i] = params.R[i]
        for place, weights in zip(links.features[i], params.U_links[i].T, strict=True):
            U[i, :, place // k, place % k] = weights
        for j, real, weights in zip(links.sources[i], links.real[i], params.R_links[i].T, strict=True):
            if real:
                R[i, :, j] = weights
    return U, R


def states(recurrence, params, links, xs):
    """h at every step, (steps, columns)."""
    columns = len(params.U)
    U, R = masked(params, links)
    h, c, lived = np.zeros(columns), np.zeros(columns), []
    for x in xs:
        f = np.stack([features(recurrence, params, i, x, h[i]) for i in range(columns)])
        drive = np.einsum("igjk,jk->gi", U, f)
        back = np.einsum("igj,j->gi", R, h)
        h, c = move(recurrence, drive, back, h, c)
        lived.append(h)
    return np.array(lived)


def features(recurrence, params, i, x, h):
    f = x if recurrence == "memoryless" else np.append(x, h)
    for W, b in zip(params.W, params.b, strict=True):
        f = np.maximum(W[i] @ f + b[i], 0)
    return f


def move(recurrence, drive, back, h, c):
    if recurrence == "memoryless":
        return np.tanh(drive[0]), c
    if recurrence == "additive":
        return h + np.tanh(drive[0] + back[0]), c
    if recurrence == "gru":
        r, u = sigmoid(drive[:2] + back[:2])
        return (1 - u) * np.tanh(drive[2] + r * back[2]) + u * h, c
    i, f, o = sigmoid(drive[:3] + back[:3])
    c = f * c + i * np.tanh(drive[3] + back[3])
    return o * np.tanh(c), c
