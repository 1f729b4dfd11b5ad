"""Go on learning with a changed network: a new stage above frozen ones, without forgetting anything.

A stage change is made in Python, between chunks: the wider learner starts afresh, and everything it has in
common with the old one (parameters, states, traces, optimizer state) is carried over. Arrays that have grown,
such as the readout's weights, keep what they had in their leading part.
"""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Key

from colonnade.errors import BadInput
from colonnade.learners.carried import check_carry
from colonnade.learners.online import Carry, Online


def grow(learner: Online, carry: Carry, wider: Online, key: Key[Array, ""]) -> Carry:
    """Return a carry of ``wider``, whose network has further stages, that goes on from ``learner``'s.

    >>> import optax
    >>> from colonnade import LSTM, TD, Columnar, Event, Staged, frozen, independent, layered, rtrl
    >>> stage, learn = Columnar(LSTM(1), 2), independent(rtrl())
    >>> event = Event(x=jnp.ones(3), target=jnp.zeros(1))
    >>> first = Online(Staged((stage,)), layered((learn,)), TD(), optax.sgd(0.1))
    >>> both = Online(Staged((stage, stage)), layered((frozen(), learn)), TD(), optax.sgd(0.1))
    >>> carry = grow(first, first.init(jax.random.key(0), event), both, jax.random.key(1))
    >>> carry.readout.w.shape
    (1, 4)
    """
    for name, one in (("learner", learner), ("wider", wider)):
        if not isinstance(one, Online):
            raise BadInput(name, expected="a learner of one stream, Online(...)", got=type(one).__name__)
    check_carry(learner, carry)
    fresh = wider.init(key, carry.example)
    _check_room(carry, fresh)
    kept = dict(jax.tree_util.tree_leaves_with_path(carry))
    grown: Carry = jax.tree_util.tree_map_with_path(lambda path, new: _carry_over(kept.get(path), new), fresh)
    _check_features(learner, carry, wider, grown)
    return grown


def _check_room(old: Carry, fresh: Carry) -> None:
    """Refuse a network in which something that was learned has no place."""
    places = dict(jax.tree_util.tree_leaves_with_path((fresh.params, fresh.readout)))
    for path, leaf in jax.tree_util.tree_leaves_with_path((old.params, old.readout)):
        if path not in places or not _fits(leaf, places[path]):
            raise _not_wider(f"no place for an array of shape {leaf.shape}")


def _check_features(learner: Online, carry: Carry, wider: Online, grown: Carry) -> None:
    """Refuse a network whose first features aren't the old ones, which the readout's weights are for."""
    old = learner.cell.read(carry.stream.state)
    if not jnp.array_equal(wider.cell.read(grown.stream.state)[: old.shape[0]], old):
        raise _not_wider("one that reads others")


def _not_wider(found: str) -> BadInput:
    wanted = "a learner whose network is Staged and begins with the stages of the old one"
    return BadInput("wider", expected=wanted, got=found)


def _fits(old: Any, new: Array) -> bool:
    """Say whether an array has room for another in its leading part."""
    shapes = jnp.shape(old), new.shape
    return len(shapes[0]) == len(shapes[1]) and all(a <= b for a, b in zip(*shapes, strict=True))


def _carry_over(old: Any, new: Array) -> Array:
    """Return ``old`` in the leading part of ``new``; ``new`` alone where there is no such part."""
    if old is None or not _fits(old, new):
        return new
    if jnp.issubdtype(new.dtype, jax.dtypes.prng_key):
        return old  # type: ignore[no-any-return]
    return new.at[tuple(slice(size) for size in jnp.shape(old))].set(old)
