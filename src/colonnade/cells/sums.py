"""The weighted sums that go into nonlinearities: one a unit, or several gates a unit.

    z = W [x, h, 1]        W: units × (inputs + units + 1), or units × gates × (inputs + units + 1)

The last column of W is the bias. One unit's part of W, without axis 0, makes its z by the same expression:
a network of units and one unit alone are written once. All weights of a cell are one array where they can
be, for a rule keeps traces for each array and fewer arrays are faster.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from colonnade.cells.given import check_sum
from colonnade.checks import number, whole


def drive(
    W: Float[Array, "*sums inputs+units+1"], x: Float[Array, " inputs"], h: Float[Array, " units"]
) -> Float[Array, "*sums"]:
    """Return z."""
    check_sum(W.shape[-1] - 1, x, h)
    return W @ jnp.concatenate([x, h, jnp.ones_like(h[:1])])


def drive_open(W: Float[Array, "*sums inputs+1"], x: Float[Array, " inputs"]) -> Float[Array, "*sums"]:
    """Return z = W [x, 1], of what is seen alone."""
    check_sum(W.shape[-1] - 1, x)
    return W @ jnp.append(x, jnp.ones_like(x[:1]))


def check_drawn(units: int, scale: float | None) -> None:
    """Refuse a number of units, or a scale of their first weights, that there can't be."""
    whole("units", units)
    if scale is not None:
        number("scale", scale, low=0.0)


def draw(key: Key[Array, ""], shape: tuple[int, ...], scale: float | None) -> Float[Array, "..."]:
    """Draw weights uniformly within ±scale; ±1/√units, with units along axis 0, where no scale is given."""
    bound = shape[0] ** -0.5 if scale is None else scale
    return jax.random.uniform(key, shape, minval=-bound, maxval=bound)


def gates_of(z: Float[Array, "*units gates"]) -> list[Float[Array, "*units"]]:
    """Take the gates apart. A split differentiates into one concatenation, slices into a padding each."""
    return [part[..., 0] for part in jnp.split(z, z.shape[-1], axis=-1)]


def with_own(
    index: Int[Array, ""], own: Float[Array, ""], h: Float[Array, " units"]
) -> Float[Array, " units"]:
    """Return all units' values as data, but unit ``index``'s own: that one carries its gradient."""
    return jnp.where(jnp.arange(h.shape[0]) == index, own, jax.lax.stop_gradient(h))
