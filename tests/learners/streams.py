"""Streams to learn from, and what was learned compared: what the tests of learners share."""

import jax
import jax.numpy as jnp
import numpy as np

from colonnade import Event, first_of, run

INPUTS = 3


def events(n=24, outputs=1, seed=0, **fields):
    rng = np.random.default_rng(seed)
    return Event(
        x=rng.normal(size=(n, INPUTS)).astype(np.float32),
        target=rng.normal(size=(n, outputs)).astype(np.float32),
        **fields,
    )


def learned(learner, data, seed=0):
    return run(learner, learner.init(jax.random.key(seed), first_of(data)), data)


def same(a, b, **tolerance):
    def equal(x, y):
        if jnp.issubdtype(jnp.asarray(x).dtype, jax.dtypes.prng_key):
            x, y = jax.random.key_data(x), jax.random.key_data(y)
        np.testing.assert_allclose(x, y, **(tolerance or {"rtol": 0, "atol": 0}))

    jax.tree.map(equal, a, b)
