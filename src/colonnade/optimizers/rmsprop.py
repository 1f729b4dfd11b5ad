"""RMSProp as the columnar-constructive papers use it, on top of optax's.

    v ← 0.9999 v + 0.0001 g²,  v₀ = 1        θ ← θ − α g / (√v + 1e-8)

Since v starts at 1 and moves slowly, early steps are plain gradient steps of size α.
"""

import optax

from colonnade.checks import number


def rmsprop(step_size: float, decay: float = 0.9999, eps: float = 1e-8) -> optax.GradientTransformation:
    """Return the transformation; combine it with others by ``optax.chain``.

    >>> import jax.numpy as jnp
    >>> optimizer = rmsprop(0.1)
    >>> step, _ = optimizer.update(jnp.array(0.0), optimizer.init(jnp.array(0.0)))
    >>> float(step)
    -0.0
    """
    number("step_size", step_size, low=0.0)
    number("decay", decay, low=0.0, high=1.0)
    number("eps", eps, low=0.0)
    return optax.rmsprop(step_size, decay=decay, eps=eps, initial_scale=1.0, eps_in_sqrt=False)
