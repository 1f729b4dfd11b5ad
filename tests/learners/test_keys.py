"""Randomness is a key folded with the step's count: another at every step, module, layer and stream."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from colonnade import (
    LSTM,
    Batch,
    Columnar,
    Event,
    Online,
    SquaredError,
    Staged,
    first_of,
    independent,
    layered,
    run,
)
from colonnade.credit.spatial import Spatial

STEPS = 6


@dataclass(frozen=True)
class Noting(Spatial):
    """A rule whose memory is the key that it was given last."""

    def start(self, cell, params, state, x):
        return super().start(cell, params, state, x), jnp.zeros(2, jnp.uint32)

    def advance(self, cell, params, state, memory, x, key):
        state, kept = super().advance(cell, params, state, memory[0], x, key)
        return state, (kept, jax.random.key_data(key))

    def assign(self, cell, params, memory, dstate):
        return super().assign(cell, params, memory[0], dstate)[0], memory


def notes(memory):
    """Return the keys anywhere in a rule's memory, a row each."""
    keys = [leaf for leaf in jax.tree.leaves(memory) if leaf.dtype == jnp.uint32]
    return np.concatenate([np.reshape(key, (-1, 2)) for key in keys])


def seen(learner, carry, events):
    """Return the keys that were given at each step, and the carry at the end."""
    rows = []
    for t in range(len(events.x)):
        carry, _ = learner.step(carry, jax.tree.map(lambda leaf, t=t: leaf[t], events))
        rows.append(notes(carry.stream.memory))
    return np.concatenate(rows), carry


COLUMNS, NOTE = Columnar(LSTM(1), 3), Noting()
LEARNERS = {
    "one": (Online(COLUMNS, NOTE, SquaredError(), optax.sgd(0.1)), 1),
    "modules": (Online(COLUMNS, independent(NOTE), SquaredError(), optax.sgd(0.1)), 3),
    "layers": (Online(Staged((COLUMNS, COLUMNS)), layered((NOTE, NOTE)), SquaredError(), optax.sgd(0.1)), 2),
    "modules in layers": (
        Online(
            Staged((COLUMNS, COLUMNS)),
            layered((independent(NOTE), independent(NOTE))),
            SquaredError(),
            optax.sgd(0.1),
        ),
        6,
    ),
    "streams": (Batch(Online(COLUMNS, NOTE, SquaredError(), optax.sgd(0.1)), streams=4), 4),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_no_key_is_given_twice(name):
    learner, places = LEARNERS[name]
    lead = (STEPS, 4) if name == "streams" else (STEPS,)
    events = Event(np.ones((*lead, 2)), np.zeros((*lead, 1)))
    carry = learner.init(jax.random.key(0), first_of(events))
    keys, after = seen(learner, carry, events)
    assert keys.shape == (STEPS * places, 2)
    assert len(np.unique(keys, axis=0)) == len(keys)
    assert after.key == carry.key and int(after.steps) == STEPS


def test_the_cuts_do_not_change_the_keys():
    learner, _ = LEARNERS["modules"]
    events = Event(np.ones((STEPS, 2)), np.zeros((STEPS, 1)))
    carry = learner.init(jax.random.key(0), first_of(events))
    keys, _ = seen(learner, carry, events)
    whole, _ = run(learner, carry, events)
    np.testing.assert_array_equal(notes(whole.stream.memory), keys[-3:])
