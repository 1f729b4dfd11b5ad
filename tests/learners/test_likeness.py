"""Modules, rules, objectives and optimizers that aren't what they must be: one line, never JAX's own."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from colonnade import GRU, RNN, TD, BadInput, Event, Online, SquaredError, first_of, independent, rtrl, run
from colonnade.credit.spatial import Spatial

SGD, KEY = optax.sgd(0.1), jax.random.key(0)
EVENTS = Event(x=np.ones((5, 3)), target=np.zeros((5, 1)))


@dataclass(frozen=True)
class Bent(RNN):
    """A module that moves to a state of another shape than its own."""

    def module(self, index, params, state, x, messages):
        return state[None]


@dataclass(frozen=True)
class Shared(RNN):
    """Parameters of which one belongs to no module."""

    def init(self, key, inputs):
        return {"W": super().init(key, inputs), "gain": jnp.ones(())}

    def start(self, params):
        return super().start(params["W"])

    def step(self, params, state, x):
        return super().step(params["gain"] * params["W"], state, x)


class Nothing(Spatial):
    """A rule that gives no gradient for parameters that it says learn."""

    def assign(self, cell, params, memory, dstate):
        return None, memory


class Thin(Spatial):
    """A rule whose gradient would be spread over parameters that it isn't for."""

    def assign(self, cell, params, memory, dstate):
        gradient, _ = super().assign(cell, params, memory, dstate)
        return gradient[:, :1], memory


class Swelling(Spatial):
    """A rule whose memory doesn't keep its shape."""

    def advance(self, cell, params, state, memory, x, key):
        state, memory = super().advance(cell, params, state, memory, x, key)
        return state, memory._replace(x=jnp.append(memory.x, 0.0))


class Vague(Spatial):
    """A rule that doesn't say of each array whether it learns."""

    def learns(self, cell, params):
        return True


class Never(Spatial):
    """A rule that gives a gradient every zeroth step."""

    every = 0


class Sideways(SquaredError):
    """An objective that gives a direction only for the readout."""

    def combine(self, memory, gradient, prediction, event):
        return gradient | {"cell": None}, memory


class Hoarding(TD):
    """An objective whose traces become another tree."""

    def combine(self, memory, gradient, prediction, event):
        direction, memory = super().combine(memory, gradient, prediction, event)
        return direction, memory._replace(traces=tuple(jax.tree.leaves(memory.traces)))


NO_CHANGE = optax.GradientTransformation(
    lambda params: (), lambda gradient, state, params=None: (None, state)
)

MISFITS = {
    "cell: expected a step to a state like float32[2], got float32[2,1]": (
        lambda: Online(Bent(2), independent(rtrl()), SquaredError(), SGD)
    ),
    "cell: expected parameters and state with modules along axis 0, got shapes (2, 6) () (2,)": (
        lambda: Online(Shared(2), independent(rtrl()), SquaredError(), SGD)
    ),
    "credit: expected a gradient like float32[2,6], got nothing": (
        lambda: Online(RNN(2), Nothing(), SquaredError(), SGD)
    ),
    "credit: expected a gradient like float32[2,6], got float32[2,1]": (
        lambda: Online(RNN(2), Thin(), SquaredError(), SGD)
    ),
    "credit: expected a memory like float32[2] float32[3], got float32[2] float32[4]": (
        lambda: Online(RNN(2), Swelling(), SquaredError(), SGD)
    ),
    "credit: expected a `learns` that is True or False for each array of the parameters, got True": (
        lambda: Online(GRU(2), Vague(), SquaredError(), SGD)
    ),
    "credit.every: expected a whole number of at least 1, got 0": (
        lambda: Online(RNN(2), Never(), SquaredError(), SGD)
    ),
    "objective: expected a direction like float32[2,6] float32[1,2] float32[1], got float32[1,2]": (
        lambda: Online(RNN(2), rtrl(), Sideways(), SGD)
    ),
    "objective: expected a memory like float32[1,2,6] ": lambda: Online(RNN(2), rtrl(), Hoarding(), SGD),
    "optimizer: expected a change like float32[2,6] float32[1,2] float32[1], got nothing": (
        lambda: Online(RNN(2), rtrl(), SquaredError(), NO_CHANGE)
    ),
    "optimizer: expected one that needs gradients and parameters only, got TypeError: ": (
        lambda: Online(RNN(2), rtrl(), SquaredError(), optax.lbfgs())
    ),
}


@pytest.mark.parametrize("line", MISFITS)
def test_a_part_that_is_not_what_it_must_be(line):
    with pytest.raises(BadInput) as caught:
        learner = MISFITS[line]()
        run(learner, learner.init(KEY, first_of(EVENTS)), EVENTS)
    assert str(caught.value).startswith(line)
    assert "\n" not in str(caught.value)
