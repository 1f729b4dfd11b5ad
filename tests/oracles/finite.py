"""Central finite differences, the judge that knows no calculus.

    df/dp = (f(p + eps) - f(p - eps)) / (2 eps)

for one number p of the parameters at a time.
"""

import numpy as np

from oracles.trees import leafwise


def finite_difference(f, params, eps=1e-6):
    """df/dparams as a dict shaped like `params`.

    f takes the nested dict. It gives a float, or an array, whose axes then come first in every leaf: with
    f giving the losses of T steps, leaf[t] is the gradient of step t's own loss.
    """
    moved = leafwise(lambda leaf: np.array(leaf, dtype=float), params)

    def slope(leaf):
        columns = []
        for at in np.ndindex(leaf.shape):
            here = leaf[at]
            leaf[at] = here + eps
            above = np.asarray(f(moved), dtype=float)
            leaf[at] = here - eps
            below = np.asarray(f(moved), dtype=float)
            leaf[at] = here
            columns.append((above - below) / (2 * eps))
        return np.stack(columns, axis=-1).reshape(*columns[0].shape, *leaf.shape)

    return leafwise(slope, moved)
