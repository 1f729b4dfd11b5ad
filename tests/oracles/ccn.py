"""Columnar, constructive and columnar-constructive networks that predict (Javed et al. 2023): the readable
specification of the compiled engine. One stage of many columns is columnar, stages of one constructive.

Event t = 0, 1, …; stage a = min(t // stage_steps, last) is active, those before it are frozen, those after
it do not exist. Every stage s = 0 … a in turn sees u = [x, features of earlier stages] and moves:

    û = (u - μ)/√max(σ², floor)     μ, σ² of stage s; they move, first, only while it is active
    i, f, o = sigmoid(W û + r h⁻ + b)    g = tanh(W û + r h⁻ + b)
    c = f c⁻ + i g                       h = o tanh(c)
    dz_k = [θ belongs to gate k] input + r_k H⁻                             input = û_j, h⁻ or 1
    C = f C⁻ + c⁻ f (1 - f) dz_f + g i (1 - i) dz_i + i (1 - g²) dz_g       C = dc/dθ, of stage a only
    H = o (1 - tanh²c) C + tanh(c) o (1 - o) dz_o                           H = dh/dθ, of stage a only

    ŷ = Σ w (h - μ)/√max(σ², floor) + b      μ, σ² of each feature; they always move, first
    δ = c + γ ŷ - ŷ⁻                         c the cumulant; 0 where an episode begins
    θ ← θ + α step(δ E)                      of stage a; of w and b with α / features
    E ← γ λ E + dŷ/dθ                        the ŷ that was predicted, with the weights of then

    μ ← β μ + (1 - β) v      σ² ← β σ² + (1 - β) (v - μ)²      0 and 1 at the start

RMSProp takes an episode's first zero, and a new stage's, like any other number.
"""

import numpy as np

from oracles.activations import sigmoid


def sgd(g, v):
    return g, v


def rmsprop(g, v):
    v = 0.9999 * v + 0.0001 * g**2
    return g / (np.sqrt(v) + 1e-8), v


OPTIMIZERS = {"rmsprop": rmsprop, "sgd": sgd}


class Learned:
    """θ, with what its optimizer keeps and its traces."""

    def __init__(self, theta, optimizer):
        self.theta, self.optimizer = theta, optimizer
        self.v, self.E = np.ones_like(theta), np.zeros_like(theta)

    def learn(self, delta, alpha, decay, slope):
        step, self.v = self.optimizer(delta * self.E, self.v)
        self.theta = self.theta + alpha * step
        self.E = decay * self.E + slope


class Statistics:
    """Running μ and σ² of n numbers."""

    def __init__(self, n, rate, floor, dtype):
        self.mean, self.variance, self.rate, self.floor = np.zeros(n, dtype), np.ones(n, dtype), rate, floor

    def move(self, v):
        self.mean = self.rate * self.mean + (1 - self.rate) * v
        self.variance = self.rate * self.variance + (1 - self.rate) * (v - self.mean) ** 2

    def deviation(self):
        return np.sqrt(np.maximum(self.variance, self.floor))


class Stage:
    """k columns of d inputs, theta (k, 4, d + 2): gates i, f, o, g; then W, r, b."""

    def __init__(self, theta, rate, floor, optimizer):
        k, _, p = theta.shape
        self.columns, self.w = Learned(theta, optimizer), Learned(np.zeros(k, theta.dtype), optimizer)
        self.inputs, self.features = (Statistics(n, rate, floor, theta.dtype) for n in (p - 2, k))
        self.begin()

    def begin(self):
        """A new episode."""
        self.c = self.h = self.w.E = np.zeros_like(self.w.theta)
        self.C = self.H = self.columns.E = np.zeros_like(self.columns.theta)

    def move(self, u):
        """One event through columns whose input statistics stand still; what was seen, c⁻ and the gates."""
        seen = np.tile((u - self.inputs.mean) / self.inputs.deviation(), (len(self.h), 1))
        seen = np.concatenate([seen, self.h[:, None], np.ones_like(self.h)[:, None]], axis=1)
        z = np.einsum("kgp,kp->gk", self.columns.theta, seen)
        (i, f, o), g = sigmoid(z[:3]), np.tanh(z[3])
        before, self.c = self.c, f * self.c + i * g
        self.h = o * np.tanh(self.c)
        self.features.move(self.h)
        self.phi = (self.h - self.features.mean) / self.features.deviation()
        return seen, before, i, f, o, g

    def move_active(self, u):
        """The same with input statistics that move, and C and H."""
        self.inputs.move(u)
        seen, *gates = self.move(u)
        before, i, f, o, g, tanh_c = (v[:, None, None] for v in (*gates, np.tanh(self.c)))
        belongs = np.eye(4, dtype=seen.dtype)[:, None, :, None] * seen[:, None, :]
        dz_i, dz_f, dz_o, dz_g = belongs + self.columns.theta[:, :, -2].T[..., None, None] * self.H
        self.C = f * self.C + before * f * (1 - f) * dz_f + g * i * (1 - i) * dz_i + i * (1 - g**2) * dz_g
        self.H = o * (1 - tanh_c**2) * self.C + tanh_c * o * (1 - o) * dz_o

    def slope(self):
        """dŷ/dθ."""
        return (self.w.theta / self.features.deviation())[:, None, None] * self.H


class CCN:
    """stages: columns of each; weights: theta of each, with d = inputs + columns of earlier stages."""

    def __init__(
        self,
        inputs,
        stages,
        stage_steps,
        discount,
        trace_decay,
        step_size,
        optimizer="rmsprop",
        rate=0.99999,
        floor=0.001,
        *,
        weights,
        dtype=np.float64,
    ):
        shapes = [(k, 4, inputs + sum(stages[:s]) + 2) for s, k in enumerate(stages)]
        assert [np.shape(theta) for theta in weights] == shapes
        rule = OPTIMIZERS[optimizer]
        self.stages = [Stage(np.array(theta, dtype), rate, floor, rule) for theta in weights]
        self.b = Learned(np.zeros((), dtype), rule)
        self.stage_steps, self.step_size, self.dtype = stage_steps, step_size, dtype
        self.discount, self.trace_decay = discount, trace_decay
        self.t, self.prediction = 0, None

    def reset(self):
        """A new episode begins: parameters and statistics stay."""
        for stage in self.stages:
            stage.begin()
        self.b.E, self.prediction = np.zeros_like(self.b.theta), None

    def step(self, x, cumulant, discount=None):
        """One event: ŷ as it was predicted, before this event's δ taught anything."""
        *frozen, active = begun = self.stages[: self.t // self.stage_steps + 1]
        u = np.asarray(x, self.dtype)
        for stage in frozen:
            stage.move(u)
            u = np.append(u, stage.h)
        active.move_active(u)

        gamma = float(self.discount if discount is None else discount)
        prediction = sum((stage.w.theta @ stage.phi for stage in begun), start=self.b.theta)
        delta = 0.0 if self.prediction is None else float(cumulant) + gamma * prediction - self.prediction

        alpha = self.step_size / sum(len(stage.h) for stage in begun)
        decay = gamma * self.trace_decay
        active.columns.learn(delta, self.step_size, decay, active.slope())
        for stage in begun:
            stage.w.learn(delta, alpha, decay, stage.phi)
        self.b.learn(delta, alpha, decay, 1)

        self.t, self.prediction = self.t + 1, prediction
        return prediction
