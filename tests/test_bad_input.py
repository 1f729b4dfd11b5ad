"""Bad input: one clear line that names the argument, what was expected and what came; nothing changes."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from colonnade import (
    GRU,
    LRU,
    LSTM,
    RNN,
    TD,
    Additive,
    BadInput,
    Batch,
    Columnar,
    CrossEntropy,
    Event,
    LeakyRNN,
    LinearRNN,
    Normalise,
    Online,
    SquaredError,
    Stacked,
    Staged,
    apart,
    events_of,
    first_of,
    frozen,
    independent,
    layered,
    rtrl,
    run,
    snap,
    spatial,
    tbptt,
)

SGD = optax.sgd(0.1)
X, Y = np.ones((5, 3)), np.zeros((5, 1))


def learner(objective=None, cell=None, credit=None, **more):
    return Online(cell or RNN(2), credit or rtrl(), objective or SquaredError(), SGD, **more)


def chunk(**fields):
    return Event(**({"x": X, "target": Y} | fields))


def put(array, place, value):
    changed = np.array(array)
    changed[place] = value
    return changed


@dataclass(frozen=True)
class Mute:
    """A cell that lacks one function."""

    units: int
    init = start = step = lambda self, *given: jnp.zeros(self.units)


@dataclass(frozen=True)
class Careless:
    """A rule that lacks two."""

    every = 1
    start = advance = lambda self, *given: ()


CONSTRUCTIONS = {
    "units: expected a whole number of at least 1, got 0": lambda: RNN(0),
    "units: expected a whole number of at least 1, got 2.5": lambda: LSTM(2.5),
    "units: expected a whole number of at least 1, got True": lambda: GRU(True),
    "units: expected a whole number of at least 1, got '3'": lambda: Additive("3"),
    "activation: expected a function, such as jax.numpy.tanh, got 'tanh'": lambda: RNN(3, "tanh"),
    "leak: expected two numbers, lowest and highest rate, got 0.5": lambda: LeakyRNN(3, leak=0.5),
    "leak[1]: expected a number from 0.5 to 1.0, got 0.2": lambda: LeakyRNN(3, leak=(0.5, 0.2)),
    "radius: expected a number from 0.0 to inf, got -1": lambda: LinearRNN(3, radius=-1),
    "radius[1]: expected a number from 0.9 to 0.999999, got 0.1": lambda: LRU(3, radius=(0.9, 0.1)),
    "radius: expected two numbers, smallest and largest |λ|, got 0.9": lambda: LRU(3, radius=0.9),
    "scale: expected a number from 0.0 to inf, got nan": lambda: RNN(3, scale=float("nan")),
    "rate: expected a number from 0.0 to 1.0, got 2": lambda: Normalise(rate=2),
    "columns: expected a whole number of at least 1, got 0": lambda: Columnar(LSTM(1), 0),
    "cell: expected a cell, such as LSTM(1), got 'LSTM'": lambda: Columnar("LSTM", 3),
    "cell: expected a cell, such as LSTM(1), got <class": lambda: Columnar(LSTM, 3),
    "layers[0]: expected a cell, such as LSTM(8), got <class": lambda: Stacked((LSTM,)),
    "rule: expected a credit rule, such as rtrl(), got <class": lambda: independent(type(rtrl())),
    "cell: expected one of optax's, such as optax.adam(1e-3), got 0.1": lambda: apart(0.1, SGD),
    "radius[1]: expected a number from 0.0 to 0.999999, got 1.0": lambda: LRU(3, radius=(0.0, 1.0)),
    "layers: expected a tuple of one or more cells, got ()": lambda: Stacked(()),
    "layers: expected a tuple of one or more cells, got [": lambda: Stacked([RNN(2)]),
    "layers[1]: expected a cell, such as LSTM(8), got 'LSTM'": lambda: Staged((RNN(2), "LSTM")),
    "k: expected a whole number of at least 1, got 0": lambda: snap(0),
    "k: expected a whole number of at least 1, got -1": lambda: tbptt(-1),
    "every: expected 1, or k = 4, got 2": lambda: tbptt(4, every=2),
    "rule: expected a credit rule, such as rtrl(), got 'rtrl'": lambda: independent("rtrl"),
    "rules: expected a tuple of credit rules, one a layer, got ()": lambda: layered(()),
    "rules: expected a tuple of credit rules, one a layer, got 'rtrl'": lambda: layered("rtrl"),
    "rules[1]: expected a credit rule, such as rtrl(), got <function": lambda: layered((rtrl(), rtrl)),
    "cell: expected a cell, such as LSTM(8), got Mute, which has no `read`": lambda: learner(cell=Mute(2)),
    "cell: expected a cell, such as LSTM(1), got Mute, which has no `read`": lambda: Columnar(Mute(2), 3),
    "credit: expected a credit rule, such as rtrl(), got Careless, which has no `assign`, no `learns`": (
        lambda: learner(credit=Careless())
    ),
    "units: expected a whole number of at least 1, got array([[1., 1.], [1., 1.]])": (
        lambda: RNN(np.ones((2, 2)))
    ),
    "outputs: expected a whole number of at least 1, got 0": lambda: SquaredError(0),
    "classes: expected a whole number of at least 2, got 1": lambda: CrossEntropy(1),
    "base: expected a number from 1.000001 to inf, got 1": lambda: CrossEntropy(2, base=1),
    "discount: expected a number from 0.0 to 1.0, got 1.5": lambda: TD(discount=1.5),
    "trace_decay: expected a number from 0.0 to 1.0, got -0.1": lambda: TD(trace_decay=-0.1),
    "cell: expected a cell, such as LSTM(8), got <class": lambda: Online(RNN, rtrl(), TD(), SGD),
    "credit: expected a credit rule, such as rtrl(), got <function": lambda: Online(RNN(2), rtrl, TD(), SGD),
    "objective: expected an objective, such as SquaredError(), got 'TD'": lambda: Online(
        RNN(2), rtrl(), "TD", SGD
    ),
    "optimizer: expected one of optax's, such as optax.adam(1e-3), got 0.1": lambda: Online(
        RNN(2), rtrl(), TD(), 0.1
    ),
    "every: expected a multiple of 4, as the credit rule gives a gradient that often, got 1": lambda: learner(
        credit=tbptt(4, every=4)
    ),
    "credit: expected a rule that gives each step its gradient": lambda: Online(
        RNN(2), tbptt(4, every=4), TD(), SGD, every=4
    ),
    "online: expected a learner of one stream, Online(...), got": lambda: Batch(RNN(2), 3),
    "streams: expected a whole number of at least 1, got 0": lambda: Batch(learner(), 0),
}


@pytest.mark.parametrize("line", CONSTRUCTIONS)
def test_impossible_arguments(line):
    with pytest.raises(BadInput) as caught:
        CONSTRUCTIONS[line]()
    assert str(caught.value).startswith(line)
    assert "\n" not in str(caught.value)


MISFITS = {
    "cell: expected a cell made of modules for independent(...), such as Columnar(cell, n)": lambda: learner(
        cell=Stacked((RNN(2), RNN(2))), credit=independent(rtrl())
    ),
    "cell: expected Stacked(...) or Staged(...) for layered(...), got RNN": lambda: learner(
        credit=layered((rtrl(),))
    ),
    "rules: expected 2 rules, one a layer, got 3": lambda: learner(
        cell=Stacked((RNN(2), RNN(2))), credit=layered((spatial(), rtrl(), frozen()))
    ),
}


@pytest.mark.parametrize("line", MISFITS)
def test_parts_that_do_not_fit(line):
    made = MISFITS[line]()
    with pytest.raises(BadInput) as caught:
        made.init(jax.random.key(0), first_of(chunk()))
    assert str(caught.value).startswith(line)


NAN, INF = float("nan"), float("inf")
CHUNKS = {
    "x[1] of event 3: expected a finite number of float32, got nan": (None, chunk(x=put(X, (3, 1), NAN))),
    "x[0] of event 0: expected a finite number of float32, got inf": (None, chunk(x=put(X, (0, 0), INF))),
    "x[2] of event 4: expected a finite number of float32, got inf": (None, chunk(x=put(X, (4, 2), 1e300))),
    "x: expected shape (5, 3), got shape (5, 4)": (None, chunk(x=np.ones((5, 4)))),
    "x: expected shape (5, 3), got shape (5,)": (None, chunk(x=np.ones(5))),
    "x: expected an array of numbers, got list of object": (None, chunk(x=[[1, 2], [3]])),
    "x: expected an array of numbers, got str of <U4": (None, chunk(x="here")),
    "x: expected an array of numbers, got ndarray of complex128": (None, chunk(x=X * 1j)),
    "x: expected real numbers, got an array of complex64": (None, chunk(x=jnp.ones((5, 3), complex))),
    "x: expected one or more events along axis 0, got shape (0, 3)": (
        None,
        chunk(x=np.ones((0, 3)), target=np.ones((0, 1))),
    ),
    "target[0] of event 2: expected a finite number of float32, got nan": (
        None,
        chunk(target=put(Y, 2, NAN)),
    ),
    "target: expected shape (5, 1), got shape (5, 2)": (None, chunk(target=np.ones((5, 2)))),
    "target: expected 5 events, as many as x, got shape (4, 1)": (None, chunk(target=np.ones((4, 1)))),
    "target: expected an array, as when the learner was made, got None": (None, chunk(target=None)),
    "target: expected integers, got an array of float64": (CrossEntropy(3), chunk(target=np.ones(5))),
    "target of event 1: expected a class, an integer from 0 to 2, got 3": (
        CrossEntropy(3),
        chunk(target=np.array([0, 3, 1, 2, 0])),
    ),
    "target of event 4: expected a class, an integer from 0 to 2, got -1": (
        CrossEntropy(3),
        chunk(target=np.array([0, 2, 1, 2, -1])),
    ),
    "discount: expected None, as when the learner was made, got shape (5,)": (
        TD(),
        chunk(discount=np.ones(5)),
    ),
    "first: expected None, as when the learner was made, got shape (5,)": (
        None,
        chunk(first=np.ones(5, bool)),
    ),
}


@pytest.mark.parametrize("line", CHUNKS)
def test_bad_chunks(line):
    objective, events = CHUNKS[line]
    made = learner(objective)
    good = chunk() if not isinstance(objective, CrossEntropy) else chunk(target=np.zeros(5, int))
    carry = made.init(jax.random.key(0), first_of(good))
    before = jax.tree.map(np.array, (carry.params, carry.readout, carry.stream))
    with pytest.raises(BadInput) as caught:
        run(made, carry, events)
    assert str(caught.value) == line
    jax.tree.map(np.testing.assert_array_equal, before, (carry.params, carry.readout, carry.stream))


FIELDS = {
    "discount of event 1: expected a number from 0 to 1, got 1.5": (TD(), {"discount": [1, 1.5, 1, 1, 1]}),
    "discount of event 0: expected a number from 0 to 1, got nan": (TD(), {"discount": [NAN, 1, 1, 1, 1]}),
    "first: expected True or False, got an array of float64": (None, {"first": np.zeros(5)}),
    "given: expected True or False, got an array of int64": (None, {"given": np.zeros(5, int)}),
    "given: expected shape (5,), got shape (5, 1)": (None, {"given": np.ones((5, 1), bool)}),
}


@pytest.mark.parametrize("line", FIELDS)
def test_bad_fields(line):
    objective, fields = FIELDS[line]
    made = learner(objective)
    right = {name: np.ones(5, float if name == "discount" else bool) for name in fields}
    carry = made.init(jax.random.key(0), first_of(chunk(**right)))
    with pytest.raises(BadInput) as caught:
        run(made, carry, chunk(**fields))
    assert str(caught.value) == line


STEPS = {
    "x: expected shape (3,), got shape (4,)": Event(np.ones(4), np.zeros(1)),
    "x: expected shape (3,), got shape (1, 3)": Event(np.ones((1, 3)), np.zeros(1)),
    "target: expected shape (1,), got shape (2,)": Event(np.ones(3), np.zeros(2)),
    "x: expected an array of numbers, got dict of object": Event({"a": 1.0}, np.zeros(1)),
    "event: expected Event(x=..., target=...), got tuple": (1, 2),
    "x[1] of event 0: expected a finite number of float32, got nan": Event([1.0, NAN, 2.0], [0.0]),
}


@pytest.mark.parametrize("line", STEPS)
def test_bad_steps(line):
    made = learner()
    with pytest.raises(BadInput) as caught:
        made.step(made.init(jax.random.key(0), first_of(chunk())), STEPS[line])
    assert str(caught.value) == line


@pytest.mark.parametrize("line", [line for line in STEPS if "nan" not in line])
def test_bad_steps_where_they_are_compiled(line):
    made = learner()
    with pytest.raises(BadInput) as caught:
        jax.jit(made.step)(made.init(jax.random.key(0), first_of(chunk())), STEPS[line])
    assert str(caught.value) == line


def test_a_compiled_step_cannot_look_at_numbers():
    """As the documentation says: the caller has to, or `run`."""
    made = learner()
    carry = made.init(jax.random.key(0), first_of(chunk()))
    _, outcome = jax.jit(made.step)(carry, Event(np.array([1.0, NAN, 2.0]), np.zeros(1)))
    assert np.isnan(outcome.loss)


@dataclass(frozen=True)
class Complex(RNN):
    """A cell that forgets to read real features."""

    def read(self, state):
        return state + 0j


def test_a_cell_with_complex_features_is_refused():
    with pytest.raises(BadInput, match=r"^cell: expected features .* real, along one axis, got complex64"):
        learner(cell=Complex(2)).init(jax.random.key(0), first_of(chunk()))


@dataclass(frozen=True)
class Counting(RNN):
    """A cell whose state is an integer."""

    def start(self, params):
        return jnp.zeros(self.units, int)


def test_a_cell_with_a_state_of_integers_is_refused():
    with pytest.raises(BadInput, match=r"^cell: expected a state of real or complex numbers, got int32"):
        learner(cell=Counting(2)).init(jax.random.key(0), first_of(chunk()))


@dataclass(frozen=True)
class Starting(RNN):
    """A cell whose first state is a parameter: no rule would train it."""

    def start(self, params):
        return params[:, -1]


@dataclass(frozen=True)
class Growing(RNN):
    """A cell whose step changes the shape of its state."""

    def step(self, params, state, x):
        return super().step(params, state, x)[:, None]


def test_a_first_state_that_depends_on_parameters_is_refused():
    with pytest.raises(BadInput, match=r"^cell: expected a first state that depends on .* shapes and dtypes"):
        learner(cell=Starting(2)).init(jax.random.key(0), first_of(chunk()))


def test_a_step_that_changes_the_states_shape_is_refused():
    line = r"^cell: expected a step to a state like float32\[2\], got float32\[2,1\]"
    with pytest.raises(BadInput, match=line):
        learner(cell=Growing(2)).init(jax.random.key(0), first_of(chunk()))


def test_a_number_is_no_key():
    with pytest.raises(BadInput, match=r"^key: expected a key, such as jax.random.key\(0\), got 0$"):
        learner().init(0, first_of(chunk()))


def test_a_discount_where_none_is_asked_for_is_refused():
    with pytest.raises(BadInput, match=r"^discount: expected None: this objective discounts nothing"):
        learner().init(jax.random.key(0), first_of(chunk(discount=np.ones(5))))
    with pytest.raises(BadInput, match=r"^discount: expected shape \(\), got shape \(3,\)"):
        learner(TD()).init(jax.random.key(0), first_of(chunk(discount=np.ones((5, 3)))))


def test_a_cell_that_cannot_be_hashed_is_refused():
    @dataclass
    class Thawed:
        units: int = 2
        init = start = step = read = lambda self, *_: None

    with pytest.raises(BadInput, match=r"^cell: expected a frozen dataclass .* got Thawed"):
        learner(cell=Thawed())


def test_a_whole_chunk_is_no_example():
    with pytest.raises(BadInput, match=r"^x: expected one event, shape \(inputs,\), got shape \(5, 3\)"):
        learner().init(jax.random.key(0), chunk())


def test_only_chunks_of_worlds_become_events():
    with pytest.raises(BadInput, match=r"^chunk: expected a chunk of a world"):
        events_of(np.ones((3, 2)))


def test_lists_and_numbers_will_do():
    made = learner()
    carry = made.init(jax.random.key(0), Event([1.0, 2.0, 3.0], 0.5))
    _, outcome = run(made, carry, Event([[1, 2, 3], [4, 5, 6]], [0.5, 1.0]))
    assert outcome.loss.shape == (2,)


def test_numbers_where_no_target_is_given_are_not_looked_at():
    given = np.array([True, False, True, True, True])
    made = learner(CrossEntropy(3))
    events = chunk(target=np.array([0, 99, 1, 2, 0]), given=given)
    _, outcome = run(made, made.init(jax.random.key(0), first_of(events)), events)
    assert np.isfinite(outcome.loss).all()


def test_a_batch_says_which_streams_number_is_bad():
    made = Batch(learner(), streams=2)
    events = Event(np.ones((4, 2, 3)), np.zeros((4, 2, 1)))
    carry = made.init(jax.random.key(0), first_of(events))
    bad = events._replace(x=put(events.x, (2, 1, 0), NAN))
    with pytest.raises(BadInput, match=r"^x\[1, 0\] of event 2: "):
        run(made, carry, bad)
    with pytest.raises(BadInput, match=r"^x: expected an array of shape \(2, inputs\), got shape \(3,\)"):
        made.init(jax.random.key(0), Event(np.ones(3), np.zeros(1)))
