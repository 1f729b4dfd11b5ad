"""A state seen as real numbers: a complex leaf is two real ones.

Derivatives of a real loss along real parameters are then plain Jacobians, whether or not the cell is
holomorphic. JAX's cotangent of a complex number z is dL/d(Re z) − i dL/d(Im z).
"""

from collections.abc import Sequence
from typing import TypeAlias

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from colonnade.cells.protocol import State

Real: TypeAlias = tuple[Float[Array, "..."], ...]


def as_real(state: State) -> Real:
    """Return the state's leaves, the complex ones as real part and imaginary part."""
    parts: Real = ()
    for leaf in jax.tree.leaves(state):
        parts += (leaf.real, leaf.imag) if jnp.iscomplexobj(leaf) else (leaf,)
    return parts


def from_real(parts: Sequence[Float[Array, "..."]], like: State) -> State:
    """Undo ``as_real``; ``like`` says which leaves are complex."""
    leaves, structure = jax.tree.flatten(like)
    rest = iter(parts)
    built = [
        jax.lax.complex(next(rest), next(rest)) if jnp.iscomplexobj(leaf) else next(rest) for leaf in leaves
    ]
    return jax.tree.unflatten(structure, built)


def cotangent_as_real(dstate: State) -> Real:
    """Return dL/d(each real number of the state), from a cotangent as ``jax.vjp`` gives it."""
    parts: Real = ()
    for leaf in jax.tree.leaves(dstate):
        parts += (leaf.real, -leaf.imag) if jnp.iscomplexobj(leaf) else (leaf,)
    return parts
