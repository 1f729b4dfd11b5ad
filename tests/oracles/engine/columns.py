"""Columns in stages, and their exact real-time recurrent learning (Javed et al. 2023). One stage of many
columns is columnar, stages of one constructive.

Event t = 0, 1, …; stage e = min(t // stage_steps, last) is the last that exists. Stage a is active: e, or,
with turns, (t // stage_steps) mod stages; the others are frozen. When a changes, C, H and the traces of the
new stage are 0. Every stage s = 0 … e in turn sees u = [x, features of earlier stages] and moves, each column
on its own:

    û = normal u                   by statistics of stage s; they move, first, only while it is active
    z = W [û, h⁻, 1]               c and h as in lstm.py
    dz_k = [θ belongs to gate k] input + R_k H⁻                     input = û_j, h⁻ or 1; R_k the weight of h⁻
    C = dc/dc⁻ C⁻ + Σ_k≠o dc/dz_k dz_k                              C = dc/dθ, of stage a only
    H = dh/dc C + dh/dz_o dz_o                                      H = dh/dθ, of stage a only
"""

import numpy as np

from oracles.engine import lstm


class Stage:
    """k columns of d inputs, W (k, 4, d + 2): gates i, f, o, g; of û, h⁻ and 1."""

    def __init__(self, W, seen):
        self.W, self.seen = W, seen
        self.forget()

    def forget(self):
        self.c = self.h = np.zeros_like(self.W[:, 0, 0])
        self.begin()

    def begin(self):
        self.C = self.H = np.zeros_like(self.W)

    def move(self, u):
        """What the columns saw (k, d + 2), their gates and c⁻."""
        k = len(self.W)
        own = np.stack([self.h, np.ones_like(self.h)], axis=1)
        inputs = np.concatenate([np.broadcast_to(self.seen.normal(u), (k, len(u))), own], axis=1)
        gates = lstm.gates(np.matmul(self.W, inputs[..., None])[..., 0].T)
        before = self.c
        self.c, self.h = lstm.move(gates, before)
        return inputs, gates, before

    def move_and_follow(self, u):
        """The same of the active stage: its statistics, C and H move too."""
        self.seen.move(u)
        inputs, gates, before = self.move(u)
        by_i, by_f, by_o, by_g, kept, down = (v[:, None, None] for v in lstm.slopes(gates, before, self.c))
        dz_i, dz_f, dz_o, dz_g = self.drive(inputs)
        self.C = kept * self.C + by_i * dz_i + by_f * dz_f + by_g * dz_g
        self.H = down * self.C + by_o * dz_o

    def drive(self, inputs):
        """dz of each gate by every θ, (4, k, 4, d + 2)."""
        belongs = np.eye(4, dtype=inputs.dtype)[:, None, :, None]
        return belongs * inputs[:, None, :] + self.W[:, :, -2].T[..., None, None] * self.H


class Staged:
    """`weights` are W of each stage, whose d is inputs + columns of earlier stages."""

    def __init__(self, weights, stage_steps, statistics, turns=False):
        self.stages = [Stage(W, statistics(W.shape[2] - 2)) for W in weights]
        self.weights = {f"stage.{s}.W": W for s, W in enumerate(weights)}
        self.stage_steps, self.turns, self.events = stage_steps, turns, 0
        self.active, self.began = 0, []

    def forget(self):
        for stage in self.stages:
            stage.forget()

    def move(self, x):
        """The features of each stage that exists."""
        turn, before = self.events // self.stage_steps, self.active
        self.last = min(turn, len(self.stages) - 1)
        self.active = turn % len(self.stages) if self.turns else self.last
        self.events += 1
        self.began = []
        if self.active != before:
            self.stages[self.active].begin()
            self.began = [f"stage.{self.active}.W"]
        features = []
        for s, stage in enumerate(self.stages[: self.last + 1]):
            move = stage.move_and_follow if s == self.active else stage.move
            move(np.concatenate([x, *features]))
            features.append(stage.h)
        return features

    def slopes(self, dh):
        """dŷ/dθ (predictions, k, 4, d + 2), from dŷ/dh (predictions, k) of each stage."""
        return {f"stage.{self.active}.W": dh[self.active][:, :, None, None] * self.stages[self.active].H}
