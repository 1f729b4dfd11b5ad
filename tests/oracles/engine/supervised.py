"""Numbers and classes that are told after they were predicted.

numbers   e_p = y_p - ŷ_p                   of ½ Σ (y_p - ŷ_p)²
classes   e_p = [y = p] - softmax(ŷ)_p      of -log softmax(ŷ)_y
g = Σ_p e_p dŷ_p/dθ                         the direction of ascent
"""

import numpy as np

from oracles.engine.returns import along


class Numbers:
    def forget(self):
        pass

    def begin(self, name):
        pass

    def answer(self, prediction):
        return prediction

    def judge(self, prediction, y):
        self.error = y - prediction

    def ascend(self, name, slope):
        """g of the weights of this name, whose dŷ/dθ is (predictions, …)."""
        return along(self.error, slope).sum(axis=0)


class Classes(Numbers):
    def answer(self, prediction):
        power = np.exp(prediction - prediction.max())
        return power / power.sum()

    def judge(self, prediction, y):
        self.error = (np.arange(len(prediction)) == y) - self.answer(prediction)
