"""Is a carry one of this learner's? Another learner's is refused before anything is computed with it."""

from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from colonnade.cells.given import is_key
from colonnade.checks import part
from colonnade.errors import BadInput
from colonnade.learners.events import as_arrays, as_computed, check_shapes
from colonnade.learners.likeness import same_tree
from colonnade.learners.protocol import Event, Learner

KINDS = (jnp.floating, jnp.complexfloating, jnp.integer, jnp.bool_)
"""Numbers of a kind may stand for each other, whatever their precision."""


def check_learner(argument: str, learner: object) -> None:
    """Refuse what isn't a learner."""
    part(argument, learner, Learner, "a learner, such as Online(...)")


def check_carry(learner: Any, carry: Any) -> None:
    """Refuse a carry that isn't made of the same arrays as those that the learner's ``init`` makes."""
    example = getattr(carry, "example", None)
    if not isinstance(example, Event):
        raise BadInput("carry", expected="what the learner's `init` returns", got=type(carry).__name__)
    try:
        wanted = _made(learner, tuple(None if f is None else (f.shape, str(f.dtype)) for f in example))
    except BadInput as bad:
        raise BadInput("carry", expected="one of this learner's", got=f"another's ({bad})") from None
    ours, theirs = jax.tree.leaves(wanted), jax.tree.leaves(carry)
    if not same_tree(wanted, carry) or not all(map(_alike, theirs, ours)):
        raise BadInput("carry", expected="one of this learner's", got=f"another's: {_apart(carry, wanted)}")


def accepted(learner: Any, carry: Any, event: Event) -> Event:
    """Return one event as the learner computes with it; refuse an event, or a carry, that isn't for it."""
    check_carry(learner, carry)
    event = as_arrays(event)
    check_shapes(carry.example, event)
    return as_computed(learner.objective, carry.example, event)


@lru_cache(maxsize=256)
def _made(learner: Any, fields: tuple[tuple[tuple[int, ...], str] | None, ...]) -> Any:
    """Return the shapes of what ``init`` makes for an event with such fields."""
    event = Event(*(None if field is None else np.zeros(*field) for field in fields))  # type: ignore[arg-type]
    try:
        return jax.eval_shape(lambda: learner.init(jax.random.key(0), event))
    except BadInput as bad:
        if not isinstance(bad.__cause__, jax.errors.JAXTypeError):
            raise
        # A cell may draw its parameters with NumPy: JAX can't follow that.
        with jax.ensure_compile_time_eval():
            return jax.eval_shape(lambda carry: carry, learner.init(jax.random.key(0), event))


def _alike(came: Any, wanted: jax.ShapeDtypeStruct) -> bool:
    """Say whether an array has the shape and the kind of numbers that it must have, in any precision."""
    if jnp.issubdtype(wanted.dtype, jax.dtypes.prng_key):
        return is_key(came)
    dtype = _dtype(came)
    same = all(jnp.issubdtype(dtype, kind) == jnp.issubdtype(wanted.dtype, kind) for kind in KINDS)
    return same and jnp.shape(came) == wanted.shape


def _dtype(leaf: Any) -> np.dtype[Any]:
    return leaf.dtype if hasattr(leaf, "dtype") else np.asarray(leaf).dtype


def _apart(carry: Any, wanted: Any) -> str:
    """Say where two carries differ first."""
    ours, theirs = (dict(jax.tree_util.tree_leaves_with_path(tree)) for tree in (wanted, carry))
    for path, leaf in ours.items():
        where = jax.tree_util.keystr(path).lstrip(".")
        if path not in theirs:
            return f"no {where}"
        if not _alike(theirs[path], leaf):
            if jnp.shape(theirs[path]) != leaf.shape:
                return f"{where} of shape {jnp.shape(theirs[path])}, not {leaf.shape}"
            return f"{where} of {_dtype(theirs[path])}, not {leaf.dtype}"
    return "more than this one has, or in another form"
