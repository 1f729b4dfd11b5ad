"""A dense LSTM and truncated backpropagation through its last k steps, at every event.

    û = normal x      z = W [û, h⁻, 1]      c and h as in lstm.py

    from the newest step, with dh = dŷ/dh and dc = 0, back over k of them, or to where the episode began:
        dc ← dc + dh · dh/dc      dz_k = dc · dc/dz_k, but dz_o = dh · dh/dz_o
        dŷ/dW ← dŷ/dW + dz [û, h⁻, 1]ᵀ
        dh ← Σ_k R_kᵀ dz_k        dc ← dc · dc/dc⁻                          R_k: W of gate k for h⁻

What was seen, and the slopes, are those of then; R is that of now.
"""

import numpy as np

from oracles.engine import lstm


class Dense:
    """n units of d inputs, W (n, 4, d + n + 1): gates i, f, o, g; of û, h⁻ and 1."""

    began = ()  # weights whose past is forgotten at this event

    def __init__(self, W, truncation, statistics):
        self.W, self.truncation = W, truncation
        self.weights = {"lstm.W": W}
        self.seen = statistics(W.shape[2] - len(W) - 1)
        self.forget()

    def forget(self):
        self.c = self.h = np.zeros_like(self.W[:, 0, 0])
        self.lived = []

    def move(self, x):
        self.seen.move(x)
        inputs = np.concatenate([self.seen.normal(x), self.h, np.ones_like(self.h[:1])])
        gates = lstm.gates((self.W @ inputs).T)
        before = self.c
        self.c, self.h = lstm.move(gates, before)
        self.lived = [*self.lived, (inputs, lstm.slopes(gates, before, self.c))][-self.truncation :]
        return [self.h]

    def slopes(self, dh):
        """dŷ/dW (predictions, n, 4, d + n + 1), from dŷ/dh (predictions, n)."""
        (dh,), dc, dW = dh, 0, 0
        for inputs, slopes in reversed(self.lived):
            dc = dc + dh * slopes.down
            dz = np.stack([dc * slopes.by_i, dc * slopes.by_f, dh * slopes.by_o, dc * slopes.by_g], axis=2)
            dW = dW + dz[..., None] * inputs
            dh, dc = self.before(dz), dc * slopes.kept
        return {"lstm.W": dW}

    def before(self, dz):
        """dŷ/dh⁻ by way of the gates."""
        n = len(self.W)
        return dz.reshape(len(dz), -1) @ self.W[:, :, -1 - n : -1].reshape(-1, n)
