"""What a cell's functions are given, and what is said of what they can't use."""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from colonnade.checks import whole
from colonnade.errors import BadInput, shown


def check_key(key: object) -> None:
    """Refuse what isn't one key of JAX's random numbers, of the new kind or the old.

    >>> check_key(jax.random.key(0))
    >>> check_key(0)
    Traceback (most recent call last):
    ...
    colonnade.errors.BadInput: key: expected a key, such as jax.random.key(0), got 0
    """
    if not is_key(key):
        array = hasattr(key, "dtype") and hasattr(key, "shape")
        came = f"an array of {key.dtype}, shape {key.shape}" if array else shown(key)  # type: ignore[attr-defined]
        raise BadInput("key", expected="a key, such as jax.random.key(0)", got=came)


def is_key(value: Any) -> bool:
    """Say whether a value is one key of JAX's random numbers, of the new kind or the old."""
    if not hasattr(value, "dtype") or not hasattr(value, "shape"):
        return False
    new = jnp.issubdtype(value.dtype, jax.dtypes.prng_key) and value.shape == ()
    old = value.dtype == jnp.uint32 and value.shape == (2,)
    return bool(new or old)


def check_draw(key: Key[Array, ""], inputs: int) -> None:
    """Refuse what no parameters can be drawn from, or for."""
    check_key(key)
    whole("inputs", inputs)


def check_sum(terms: int, x: Float[Array, " inputs"], *others: Float[Array, "..."]) -> None:
    """Refuse an observation that doesn't, with what stands beside it, make up as many numbers as weights."""
    beside = sum(jnp.size(other) for other in others)
    if jnp.shape(x) != (terms - beside,):
        note = f" beside a state of {beside}" if others else ""
        raise BadInput("x", expected=f"shape ({terms - beside},){note}", got=f"shape {jnp.shape(x)}")
