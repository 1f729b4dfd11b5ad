"""A carry, a learner, a cell that can't be used: one line, before anything is computed."""

from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from colonnade import (
    LSTM,
    RNN,
    BadInput,
    Batch,
    Event,
    Online,
    SquaredError,
    Stacked,
    Staged,
    first_of,
    grow,
    layered,
    rtrl,
    run,
    snap,
    tbptt,
)

SGD, KEY = optax.sgd(0.1), jax.random.key(0)
EVENTS = Event(x=np.ones((5, 3)), target=np.zeros((5, 1)))


def learner(cell=None, credit=None, objective=None, optimizer=SGD, **more):
    return Online(cell or RNN(2), credit or rtrl(), objective or SquaredError(), optimizer, **more)


def begun(made):
    return made.init(KEY, first_of(EVENTS))


OTHERS = {
    "params of shape (2, 6), not (3, 4, 7)": learner(LSTM(3)),
    "params of shape (2, 6), not (5, 9)": learner(RNN(5)),
    "no optimizer[0].count": learner(optimizer=optax.adam(0.1)),
    "no stream.memory.state": learner(credit=tbptt(3)),
    "no pending['cell']": learner(every=3),
}

SPOILT = {
    "params of int32, not float32": {"params": jnp.zeros((2, 6), int)},
    "params of complex64, not float32": {"params": jnp.zeros((2, 6), complex)},
    "params of shape (), not (2, 6)": {"params": "weights"},
    "steps of <U5, not uint32": {"steps": "three"},
    "key of int64, not key<fry>": {"key": 3},
    "key of shape (3,), not ()": {"key": jax.random.split(KEY, 3)},
}


@pytest.mark.parametrize("apart", SPOILT)
def test_a_carry_with_something_else_in_a_place(apart):
    with pytest.raises(BadInput) as caught:
        run(learner(), begun(learner())._replace(**SPOILT[apart]), EVENTS)
    assert str(caught.value) == f"carry: expected one of this learner's, got another's: {apart}"


@pytest.mark.parametrize("apart", OTHERS)
def test_another_learners_carry(apart):
    line = f"carry: expected one of this learner's, got another's: {apart}"
    carry, event = begun(learner()), first_of(EVENTS)
    steps = (OTHERS[apart].step, jax.jit(OTHERS[apart].step), OTHERS[apart].gradient)
    for use in (partial(run, OTHERS[apart], events=EVENTS), *(partial(step, event=event) for step in steps)):
        with pytest.raises(BadInput) as caught:
            use(carry=carry)
        assert str(caught.value) == line


def test_a_batch_takes_no_carry_of_one_stream():
    with pytest.raises(BadInput, match=r"^carry: expected one of this learner's, got another's .*3, inputs"):
        Batch(learner(), 3).step(begun(learner()), first_of(EVENTS))


@pytest.mark.parametrize("carry", [None, 1, (1, 2), learner()], ids=["None", "1", "pair", "learner"])
def test_no_carry_at_all(carry):
    for use in (learner().step, learner().gradient, partial(run, learner())):
        with pytest.raises(BadInput, match=r"^carry: expected what the learner's `init` returns, got "):
            use(carry, EVENTS)


@pytest.mark.parametrize("made", ["learner", None, Online, RNN(2)], ids=["str", "None", "class", "cell"])
def test_no_learner(made):
    with pytest.raises(BadInput, match=r"^learner: expected a learner, such as Online\(...\), got "):
        run(made, begun(learner()), EVENTS)


def test_what_cannot_grow():
    one = Online(Staged((RNN(2),)), layered((rtrl(),)), SquaredError(), SGD)
    for wider in ("wider", None, Batch(one, 2)):
        with pytest.raises(BadInput, match=r"^wider: expected a learner of one stream, Online\(...\), got "):
            grow(one, begun(one), wider, KEY)
    with pytest.raises(BadInput, match=r"^carry: expected what the learner's `init` returns, got NoneType"):
        grow(one, None, one, KEY)


def test_carries_that_only_look_different_will_do():
    old_key = learner().init(jax.random.PRNGKey(0), first_of(EVENTS))
    assert run(learner(), old_key, EVENTS)[1].loss.shape == (5,)
    sparse = learner(credit=snap(2))
    assert run(sparse, begun(sparse), EVENTS)[1].loss.shape == (5,)
    faster = learner(optimizer=optax.sgd(0.5))
    assert run(faster, begun(learner()), EVENTS)[1].loss.shape == (5,)


FIELDS = {
    "x: expected an array of numbers, got None": first_of(EVENTS)._replace(x=None),
    "x: expected an array of one or more numbers, got shape (0,)": Event(np.ones(0), 0.0),
    "x: expected numbers, got an array with some of them masked": Event(
        np.ma.masked_array([1.0, 2.0, 3.0], mask=[0, 1, 0]), 0.0
    ),
}


@pytest.mark.parametrize("line", FIELDS)
def test_examples_that_show_nothing(line):
    with pytest.raises(BadInput) as caught:
        learner().init(KEY, FIELDS[line])
    assert str(caught.value) == line


@dataclass(frozen=True)
class Own:
    """A cell as a user would write it, with one thing wrong."""

    wrong: str = ""

    def init(self, key, inputs):
        w = jax.random.normal(key, (2, inputs + 2))
        if self.wrong == "no inputs":
            return {"w": w @ jnp.ones(2)}
        others = {
            "integers": jnp.arange(2),
            "complex": 1j * w,
            "a number": 0.5,
            "NumPy's": np.ones((2, 2), np.float32),
        }
        if self.wrong == "drawn by NumPy":
            return {"w": np.random.default_rng(int(jnp.sum(w) * 0)).normal(size=w.shape).astype(np.float32)}
        return {"w": w} | ({"more": others[self.wrong]} if self.wrong in others else {})

    def start(self, params):
        starts = {"no state": None, "a state of numbers": [0.0, 0.0]}
        return starts.get(self.wrong, jnp.zeros(2))

    def step(self, params, state, x):
        if self.wrong == "a branch" and state[0] > 0:
            return state
        if self.wrong == "a loop":
            state = jax.lax.while_loop(lambda s: s.sum() < 3, lambda s: s + 1, state)
        if self.wrong == "a name that isn't there":
            return params["W"]
        if self.wrong == "a shape":
            return jnp.tanh(params["w"] @ x)
        return None if self.wrong == "no step" else jnp.tanh(params["w"] @ jnp.concatenate([x, state]))

    def read(self, state):
        reads = {
            "no features": None,
            "two arrays": (state, state),
            "nothing": None if state is None else jnp.asarray(state)[:0],
        }
        return reads.get(self.wrong, state)


WRONG = {
    "integers": "parameters of real numbers, got int32",
    "complex": "parameters of real numbers, got complex64",
    "a number": "parameters of real numbers in arrays, got float",
    "no state": "a state of real or complex numbers, got none",
    "a state of numbers": "a state of real or complex numbers in arrays, got float",
    "a branch": "a `step` that JAX can follow, got TracerBoolConversionError: ",
    "a shape": "a `step` that JAX can follow, got TypeError: ",
    "no step": "a step to a state like float32[2], got nothing",
    "a name that isn't there": "a `step` that JAX can follow, got KeyError: 'W'",
    "a loop": "one that RTRL() can follow, got ValueError: Reverse-mode differentiation does not work",
    "no inputs": "an `init(key, inputs)` that draws parameters, got TypeError: dot_general requires ",
    "no features": "features (what it reads) in one array, got NoneType",
    "two arrays": "features (what it reads) in one array, got tuple",
    "nothing": "features (what it reads) that are real, along one axis, got float32 of shape (0,)",
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_cell_of_ones_own_with_one_thing_wrong(wrong):
    with pytest.raises(BadInput) as caught:
        run(learner(Own(wrong)), begun(learner(Own(wrong))), EVENTS)
    assert str(caught.value).startswith(f"cell: expected {WRONG[wrong]}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("fine", ["", "NumPy's", "drawn by NumPy"])
def test_a_cell_of_ones_own_that_is_fine(fine):
    made = learner(Own(fine))
    assert np.isfinite(run(made, begun(made), EVENTS)[1].loss).all()


def test_a_layer_that_the_next_cannot_see():
    with pytest.raises(
        BadInput, match=r"^layers: expected cells whose features are along one axis, got None"
    ):
        begun(learner(Stacked((Own("no features"), RNN(2)))))
