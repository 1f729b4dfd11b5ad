"""Parameters are nested dicts of arrays; this is arithmetic on them, leaf by leaf."""

from functools import partial

import numpy as np


def leafwise(f, tree, *others):
    """f at every leaf: {"W": f(W, W', ...), ...}."""
    if isinstance(tree, dict):
        return {name: leafwise(f, tree[name], *(other[name] for other in others)) for name in tree}
    return f(tree, *others)


def add(left, right):
    return leafwise(np.add, left, right)


def contract(matrix, influence):
    """Multiply from the left into the first axis of every leaf: (.., s) and (s, *leaf) to (.., *leaf)."""
    return leafwise(partial(np.tensordot, matrix, axes=1), influence)


def zeros_like(tree):
    return leafwise(np.zeros_like, tree)
