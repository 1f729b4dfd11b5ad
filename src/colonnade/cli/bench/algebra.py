"""The JAX algebra as a peer: the same learners with the same first weights, compiled, in ``scan``."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from colonnade import (
    LSTM,
    TD,
    Cell,
    Columnar,
    Credit,
    Event,
    Normalise,
    Online,
    Stacked,
    apart,
    frozen,
    independent,
    layered,
    rmsprop,
    rtrl,
    tbptt,
)
from colonnade.cli.bench import task
from colonnade.cli.bench.task import Numbers


def columns(weights: Numbers, x: Numbers, cumulants: Numbers) -> Callable[[], Numbers]:
    """Columns that begin with ``weights`` (columns, 4, inputs + 2)."""
    count = len(weights)
    learner = _online(Columnar(LSTM(1), count), independent(rtrl()), count)
    return _chunk(learner, jnp.asarray(weights)[:, None], x, cumulants)


def dense(truncation: int, weights: Numbers, x: Numbers, cumulants: Numbers) -> Callable[[], Numbers]:
    """A dense LSTM that begins with ``weights`` (units, 4, inputs + units + 1)."""
    units = len(weights)
    learner = _online(LSTM(units), tbptt(truncation), units)
    return _chunk(learner, jnp.asarray(weights), x, cumulants)


def _online(cell: Cell, credit: Credit, features: int) -> Online:
    normalise = Normalise(task.RATE, task.FLOOR)
    step = rmsprop(task.STEP_SIZE, task.KEEP, task.EPS)
    shared = rmsprop(task.STEP_SIZE / features, task.KEEP, task.EPS)
    return Online(
        Stacked((normalise, cell, normalise)),
        layered((frozen(), credit, frozen())),
        TD(task.DISCOUNT, task.TRACE_DECAY),
        apart(cell=step, readout=shared),
    )


def _chunk(learner: Online, weights: jax.Array, x: Numbers, cumulants: Numbers) -> Callable[[], Numbers]:
    """The whole stream from the start, in one call."""
    carry: Any = learner.init(jax.random.key(0), Event(x[0], cumulants[:1]))
    below, drawn, above = carry.params
    if drawn.shape != weights.shape:
        raise ValueError(f"the algebra's weights are {drawn.shape}, the engine's {weights.shape}")
    carry = carry._replace(params=(below, weights, above))
    events = Event(jnp.asarray(x), jnp.asarray(cumulants[:, None]))

    @jax.jit
    def run(carry: Any, events: Event) -> jax.Array:
        _, outcome = jax.lax.scan(learner.step, carry, events)
        return jnp.asarray(outcome.prediction)[:, 0]

    return lambda: np.asarray(run(carry, events))
