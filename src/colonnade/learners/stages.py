"""Go on learning with a changed network: a new stage above frozen ones, without forgetting anything.

A stage change is made in Python, between chunks: the wider learner starts afresh, and everything it has in
common with the old one (parameters, states, traces, optimizer state) is carried over. Arrays that have grown,
such as the readout's weights, keep what they had in their leading part.
"""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Key

from colonnade.learners.online import Carry, Online


def grow(old: Carry, learner: Online, key: Key[Array, ""]) -> Carry:
    """Return a carry of ``learner``, a network with further layers, that goes on from ``old``.

    >>> import optax
    >>> from colonnade import LSTM, TD, Columnar, Event, Staged, frozen, independent, layered, rtrl
    >>> stage, learn = Columnar(LSTM(1), 2), independent(rtrl())
    >>> event = Event(x=jnp.ones(3), target=jnp.zeros(1))
    >>> first = Online(Staged((stage,)), layered((learn,)), TD(), optax.sgd(0.1))
    >>> both = Online(Staged((stage, stage)), layered((frozen(), learn)), TD(), optax.sgd(0.1))
    >>> carry = grow(first.init(jax.random.key(0), event), both, jax.random.key(1))
    >>> carry.readout.w.shape
    (1, 4)
    """
    fresh = learner.init(key, old.example)
    kept = dict(jax.tree_util.tree_leaves_with_path(old))
    return jax.tree_util.tree_map_with_path(lambda path, new: _carry_over(kept.get(path), new), fresh)  # type: ignore[no-any-return]


def _carry_over(old: Any, new: Array) -> Array:
    """Return ``old`` in the leading part of ``new``; ``new`` alone where there is no such part."""
    if (
        old is None
        or jnp.ndim(old) != new.ndim
        or any(a > b for a, b in zip(jnp.shape(old), new.shape, strict=True))
    ):
        return new
    if jnp.issubdtype(new.dtype, jax.dtypes.prng_key):
        return old  # type: ignore[no-any-return]
    return new.at[tuple(slice(size) for size in jnp.shape(old))].set(old)
