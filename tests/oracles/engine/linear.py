"""Linear recurrent units and their exact real-time recurrent learning (Zucchet et al. 2023).

û = normal x      h = λ h⁻ + γ B û      λ = exp(-exp(ν) + i exp(θ))      γ = exp(g)      B = B_re + i B_im

J_ν = λ J_ν⁻ - exp(ν) λ h⁻          J_g = λ J_g⁻ + γ B û        J = dh/d(parameter), complex
J_θ = λ J_θ⁻ + i exp(θ) λ h⁻        J_B = λ J_B⁻ + γ ûᵀ         of B_re; of B_im it is i J_B

dŷ/d(parameter) = dŷ/d(Re h) Re J + dŷ/d(Im h) Im J             features: Re h, then Im h
"""

import numpy as np


class Linear:
    """n units of d inputs; weights nu, theta, gamma (n,), B_re and B_im (n, d), all real."""

    began = ()  # weights whose past is forgotten at this event

    def __init__(self, weights, statistics):
        self.weights = {f"lru.{name}": array for name, array in weights.items()}
        self.nu, self.theta, self.gamma, self.B_re, self.B_im = weights.values()
        self.seen = statistics(self.B_re.shape[1])
        self.forget()

    def forget(self):
        complex_like = np.result_type(self.nu, np.complex64)
        self.h = self.J_nu = self.J_theta = self.J_gamma = np.zeros(self.nu.shape, complex_like)
        self.J_B = np.zeros(self.B_re.shape, complex_like)

    def move(self, x):
        self.seen.move(x)
        u = self.seen.normal(x)
        eigenvalue = np.exp(-np.exp(self.nu) + 1j * np.exp(self.theta))
        gamma, Bu = np.exp(self.gamma), self.B_re @ u + 1j * (self.B_im @ u)
        self.J_nu = eigenvalue * self.J_nu - np.exp(self.nu) * eigenvalue * self.h
        self.J_theta = eigenvalue * self.J_theta + 1j * np.exp(self.theta) * eigenvalue * self.h
        self.J_gamma = eigenvalue * self.J_gamma + gamma * Bu
        self.J_B = eigenvalue[:, None] * self.J_B + np.outer(gamma, u)
        self.h = eigenvalue * self.h + gamma * Bu
        return [np.concatenate([self.h.real, self.h.imag])]

    def slopes(self, dh):
        """dŷ/d(parameter), each with a leading axis of predictions, from dŷ/dh (predictions, 2n)."""
        by_re, by_im = np.split(dh[0], 2, axis=1)

        def pulled(J):
            along = (by_re, by_im) if J.ndim == 1 else (by_re[..., None], by_im[..., None])
            return along[0] * J.real + along[1] * J.imag

        return {
            "lru.nu": pulled(self.J_nu),
            "lru.theta": pulled(self.J_theta),
            "lru.gamma": pulled(self.J_gamma),
            "lru.B_re": pulled(self.J_B),
            "lru.B_im": pulled(1j * self.J_B),
        }
