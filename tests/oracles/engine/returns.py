"""Returns, several at a time: TD(λ).

δ_p = c_p + γ_p ŷ_p - ŷ_p⁻      c the cumulant; 0 where an episode begins
g = Σ_p δ_p E_p                 the direction of ascent
E_p ← γ_p λ_p E_p + dŷ_p/dθ     the ŷ that was predicted, with the weights of then; 0 at first
"""

import numpy as np


class Returns:
    """`discount` and `trace_decay`: a number a prediction."""

    def __init__(self, discount, trace_decay):
        self.discount, self.trace_decay = discount, trace_decay
        self.forget()

    def forget(self):
        self.last, self.E = None, {}

    def begin(self, name):
        """The weights of this name have no past."""
        self.E.pop(name, None)

    def answer(self, prediction):
        return prediction

    def judge(self, prediction, cumulant, discount=None):
        discount = self.discount if discount is None else discount
        began = self.last is None
        self.error = 0 * prediction if began else cumulant + discount * prediction - self.last
        self.decay, self.last = discount * self.trace_decay, prediction

    def ascend(self, name, slope):
        """g of the weights of this name, whose dŷ/dθ is (predictions, …)."""
        E = self.E[name] if name in self.E else np.zeros_like(slope)
        self.E[name] = along(self.decay, E) + slope
        return along(self.error, E).sum(axis=0)


def along(numbers, array):
    """A number a prediction, times that prediction's part."""
    return numbers.reshape(-1, *(1,) * (array.ndim - 1)) * array
