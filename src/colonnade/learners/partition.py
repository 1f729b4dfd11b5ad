"""Split parameters into those that learn and those that don't, and join them again.

What does not learn is None: JAX and optax see no leaf there, so it has no traces and no optimizer state.
"""

import jax

from colonnade.cells.protocol import Params
from colonnade.credit.protocol import Mask


def keep(params: Params, mask: Mask) -> Params:
    """Return the parameters that learn, None elsewhere.

    >>> keep({"a": 1.0, "b": 2.0}, {"a": True, "b": False})
    {'a': 1.0, 'b': None}
    """
    return jax.tree.map(lambda leaf, learns: leaf if learns else None, params, mask)


def join(learned: Params, params: Params) -> Params:
    """Return ``params`` with the learned ones in their places.

    >>> join({"a": 5.0, "b": None}, {"a": 1.0, "b": 2.0})
    {'a': 5.0, 'b': 2.0}
    """
    return jax.tree.map(
        lambda new, old: old if new is None else new, learned, params, is_leaf=lambda leaf: leaf is None
    )
