"""PyTorch's own cells and autograd, with our parameters loaded.

    LSTMCell    weight_ih rows: i, f, g, o      GRUCell    weight_ih rows: r, z, n

PyTorch adds two biases; ours is bias_ih, and bias_hh = 0. In the GRU that makes
n = tanh(W x + b + r R h⁻). PyTorch is imported when a function is called.
"""

import numpy as np


def lstm_gradients(params, xs, es):
    """The gradient of each step's own loss, in float64."""
    import torch

    n, d = params["i"]["W"].shape
    cell = load(torch.nn.LSTMCell(d, n, dtype=torch.float64), params, "ifgo")
    state = (torch.zeros(1, n, dtype=torch.float64), torch.zeros(1, n, dtype=torch.float64))
    hs = []
    for x in torch.tensor(xs):
        h, c = cell(x[None], state)
        state = (h, c)
        hs.append(h[0])
    return per_step(cell, hs, es, "ifgo")


def gru_gradients(params, xs, es):
    """The gradient of each step's own loss, in float64."""
    import torch

    n, d = params["n"]["W"].shape
    cell = load(torch.nn.GRUCell(d, n, dtype=torch.float64), params, "rzn")
    h = torch.zeros(1, n, dtype=torch.float64)
    hs = []
    for x in torch.tensor(xs):
        h = cell(x[None], h)
        hs.append(h[0])
    return per_step(cell, hs, es, "rzn")


def load(cell, params, gates):
    """Our parameters into a torch cell whose rows are in the order of `gates`."""
    import torch

    with torch.no_grad():
        cell.weight_ih.copy_(torch.tensor(np.concatenate([params[k]["W"] for k in gates])))
        cell.weight_hh.copy_(torch.tensor(np.concatenate([params[k]["R"] for k in gates])))
        cell.bias_ih.copy_(torch.tensor(np.concatenate([params[k]["b"] for k in gates])))
        cell.bias_hh.zero_()
    return cell


def per_step(cell, hs, es, gates):
    """One backward pass for each step's loss, in our layout."""
    import torch

    leaves = (cell.weight_ih, cell.weight_hh, cell.bias_ih)
    out = []
    for h, e in zip(hs, torch.tensor(es), strict=True):
        W, R, b = (g.numpy() for g in torch.autograd.grad(e @ h, leaves, retain_graph=True))
        rows = {k: slice(at * len(h), (at + 1) * len(h)) for at, k in enumerate(gates)}
        out.append({k: {"W": W[at], "R": R[at], "b": b[at]} for k, at in rows.items()})
    return out
