"""Can JAX follow what a part does, and is what it gives like what it must be? What is said where it isn't.

All of this is looked at while a program is traced: it costs the compiled one nothing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp

from colonnade.errors import BadInput


@contextmanager
def followed(argument: str, wanted: str) -> Iterator[None]:
    """Blame a fault within on ``argument``, in one line; its cause stays attached.

    >>> with followed("cell", "a `step` that JAX can follow"):
    ...     jnp.zeros(2) @ jnp.zeros(3)
    Traceback (most recent call last):
    ...
    colonnade.errors.BadInput: cell: expected a `step` that JAX can follow, got TypeError: dot_general ...
    """
    try:
        yield
    except BadInput as bad:  # without the note on tracebacks that JAX adds
        raise BadInput(bad.argument, expected=bad.expected, got=bad.got) from None
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as fault:
        found = f"{type(fault).__name__}: {str(fault).partition(chr(10))[0]}"
        raise BadInput(argument, expected=wanted, got=found) from fault


def check_like(argument: str, what: str, came: Any, like: Any) -> None:
    """Refuse a tree of arrays that isn't like another in structure, shapes and dtypes.

    >>> check_like("credit", "a memory", jnp.zeros(2), jnp.ones(2))
    >>> check_like("credit", "a memory", jnp.zeros(3), jnp.ones(2))
    Traceback (most recent call last):
    ...
    colonnade.errors.BadInput: credit: expected a memory like float32[2], got float32[3]
    """
    if form(came) != form(like):
        raise BadInput(argument, expected=f"{what} like {form(like)}", got=form(came))
    if not same_tree(came, like):
        raise BadInput(argument, expected=f"{what} like {form(like)}", got="the same in another tree")


def same_tree(one: Any, other: Any) -> bool:
    """Say whether two trees have the same structure, whatever their leaves are."""
    structures: list[Any] = [jax.tree.structure(one), jax.tree.structure(other)]
    return bool(structures[0] == structures[1])


def form(tree: Any) -> str:
    """Describe a tree's shapes and dtypes on one line.

    >>> form((jnp.zeros(2), jnp.zeros((), int)))
    'float32[2] int32[]'
    """
    leaves = jax.tree.leaves(tree)
    return " ".join(_describe(leaf) for leaf in leaves) or "nothing"


def _describe(leaf: Any) -> str:
    if not hasattr(leaf, "dtype"):
        return type(leaf).__name__
    return f"{leaf.dtype}[{','.join(map(str, jnp.shape(leaf)))}]"
