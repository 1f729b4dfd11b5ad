"""The online rule for linear recurrent units (Zucchet et al. 2023, section 3 and appendix A).

    λ = exp(-exp(ν) + i exp(θ))                                        (11)
    h = λ h⁻ + γ B x                  γ = exp(γ_log)                   (8)
    e_λ = λ e_λ⁻ + h⁻                                                  (12)
    e_γ = λ e_γ⁻ + B x                                                 (13)
    e_B = diag(λ) e_B⁻ + γ xᵀ                                          (14)
    dL/dλ = δ e_λ    dL/dγ = 2 Re[δ e_γ]    dL/dB = diag(δ) e_B        (15, 23, 17)

with the Wirtinger error δ = dL/dh = (dL/dRe h - i dL/dIm h)/2. For a real leaf p that h depends on
holomorphically, dL/dp = 2 Re[δ dh/dp]:

    dλ/dν = -exp(ν) λ    dλ/dθ = i exp(θ) λ    dγ/dγ_log = γ    B = B_re + i B_im

Between layers, the error is what this step alone carries back: with x the real features of the layer
below, dL/dx = 2 Re[(δ γ) B].
"""

import numpy as np


class Layer:
    """One layer's state h and sensitivities e."""

    def __init__(self, params):
        self.params = params
        self.lam = np.exp(-np.exp(params["nu"]) + 1j * np.exp(params["theta"]))
        self.gamma = np.exp(params["gamma"])
        self.B = params["B_re"] + 1j * params["B_im"]
        self.h = self.e_lam = self.e_gamma = np.zeros(len(self.lam), complex)
        self.e_B = np.zeros(self.B.shape, complex)

    def step(self, x):
        self.e_lam = self.lam * self.e_lam + self.h
        self.e_gamma = self.lam * self.e_gamma + self.B @ x
        self.e_B = self.lam[:, None] * self.e_B + np.outer(self.gamma, x)
        self.h = self.lam * self.h + self.gamma * (self.B @ x)
        return np.concatenate([self.h.real, self.h.imag])

    def gradient(self, e):
        """dL/dparams, given the error e of the features (Re h, Im h)."""
        delta = wirtinger(e)
        by_lam = delta * self.e_lam
        return {
            "nu": 2 * (by_lam * -np.exp(self.params["nu"]) * self.lam).real,
            "theta": 2 * (by_lam * 1j * np.exp(self.params["theta"]) * self.lam).real,
            "gamma": 2 * (delta * self.e_gamma).real * self.gamma,
            "B_re": 2 * (delta[:, None] * self.e_B).real,
            "B_im": 2 * (delta[:, None] * self.e_B * 1j).real,
        }

    def below(self, e):
        """The error of this step's input: spatial backpropagation."""
        return 2 * ((wirtinger(e) * self.gamma) @ self.B).real


def wirtinger(e):
    """δ = dL/dh from (dL/dRe h, dL/dIm h)."""
    by_re, by_im = np.split(e, 2)
    return (by_re - 1j * by_im) / 2


def gradients(params, xs, es):
    """One layer: exact. es are (T, 2n)."""
    layer = Layer(params)
    out = []
    for x, e in zip(xs, es, strict=True):
        layer.step(x)
        out.append(layer.gradient(e))
    return out


def layered_gradients(first, second, xs, es):
    """Two layers: a list over t of (gradient of first, gradient of second). es are (T, 2 n2)."""
    one, two = Layer(first), Layer(second)
    out = []
    for x, e in zip(xs, es, strict=True):
        two.step(one.step(x))
        out.append((one.gradient(two.below(e)), two.gradient(e)))
    return out
