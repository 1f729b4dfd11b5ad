"""What a cell's functions are given, and what is said of what they can't use."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from colonnade.checks import whole
from colonnade.errors import BadInput


def check_key(key: object) -> None:
    """Refuse what isn't one key of JAX's random numbers, of the new kind or the old.

    >>> check_key(jax.random.key(0))
    >>> check_key(0)
    Traceback (most recent call last):
    ...
    colonnade.errors.BadInput: key: expected a key, such as jax.random.key(0), got 0
    """
    wanted = "a key, such as jax.random.key(0)"
    if not hasattr(key, "dtype") or not hasattr(key, "shape"):
        raise BadInput("key", expected=wanted, got=repr(key))
    new = jnp.issubdtype(key.dtype, jax.dtypes.prng_key) and key.shape == ()
    old = key.dtype == jnp.uint32 and key.shape == (2,)
    if not (new or old):
        raise BadInput("key", expected=wanted, got=f"an array of {key.dtype}, shape {key.shape}")


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
