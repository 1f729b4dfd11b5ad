"""Which numbers of a state belong together.

A unit is an index along axis 0 of the state's leaves: an LSTM's unit i is {c_i, h_i}, a complex number is
one unit, a column is one. Layers have units of their own. A state whose leaves have no common axis 0 is
taken number by number.
"""

from typing import Any

import jax
import numpy as np
from jaxtyping import Int

from colonnade.cells.protocol import State
from colonnade.networks.protocol import Layered

Labels = Int[np.ndarray, " numbers"]


def units(cell: Any, state: State) -> Labels:
    """Label each real number of the state, in the order of ``as_real``, by its unit."""
    if isinstance(cell, Layered):
        return _stack([units(layer, s) for layer, s in zip(cell.layers, state, strict=True)])
    leaves = [leaf for leaf in jax.tree.leaves(state) for _ in range(2 if np.iscomplexobj(leaf) else 1)]
    lengths = {leaf.shape[:1] for leaf in leaves}
    if len(lengths) > 1 or lengths == {()}:
        return np.arange(sum(leaf.size for leaf in leaves))
    return np.concatenate([np.arange(leaf.size) // (leaf.size // leaf.shape[0]) for leaf in leaves])


def _stack(labels: list[Labels]) -> Labels:
    """Join labels so that no two lists share one."""
    starts = np.cumsum([0, *(part.max() + 1 for part in labels)])
    return np.concatenate([part + start for part, start in zip(labels, starts, strict=False)])
