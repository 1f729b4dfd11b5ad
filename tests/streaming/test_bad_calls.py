"""Wrong calls: one clear line that says where, what was expected and what came; the learner is as before."""

from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pytest

import colonnade as c
from colonnade import BadInput, Classifier, Regressor, TDPredictor, columnar
from streaming.made import INPUTS, KINDS, bits, made, same_bits, stream

NAN, INF = float("nan"), float("inf")
NAMES = ["a", "b", "c", "d", "e"]
ROW = [0.5] * INPUTS
PLAN = columnar(2)
FIVE = np.zeros((5, INPUTS))


def put(array, place, value):
    changed = np.array(array, float)
    changed[place] = value
    return changed


class Fake:
    """Has all that a network has, and isn't one."""

    features = 1
    engine = shapes = draw = lambda self, *_: {}


CONSTRUCTIONS = {
    "network: expected a network, such as columnar(7), got 7": lambda: TDPredictor(7, 2),
    "network: expected a network, such as columnar(7), got None": lambda: Regressor(None, 2),
    "network: expected a network, such as columnar(7), got <class": lambda: Classifier(c.Plan, 2, classes=2),
    "network: expected a network, such as columnar(7), got <": lambda: Regressor(Fake(), 2),
    "network: expected one that this machine has room for, got Plan(columns=(16777216,)": lambda: TDPredictor(
        columnar(2**24), 2**24, predictions=2**24
    ),
    "network: expected one that this machine has room for, got DenseLSTM(units=16777216": lambda: TDPredictor(
        c.dense_lstm(2**24, 2**24), 2**24, predictions=2**24
    ),
    "network: expected one that this machine has room for, got OnlineLRU(units=16777216": lambda: Classifier(
        c.online_lru(2**24), 2**24, classes=2**24
    ),
    "inputs: expected a whole number of at least 1, got 0": lambda: TDPredictor(PLAN, 0),
    "inputs: expected a whole number of at least 1, got Fraction(3, 1)": lambda: TDPredictor(
        PLAN, Fraction(3)
    ),
    "inputs: expected a whole number of at least 1, got 2.5": lambda: Regressor(PLAN, 2.5),
    "inputs: expected a whole number of at least 1, got True": lambda: Regressor(PLAN, True),
    "inputs: expected a whole number of at least 1, got None": lambda: Regressor(PLAN, None),
    "inputs: expected a whole number of at least 1, got 'abc'": lambda: Regressor(PLAN, "abc"),
    "inputs: expected at most 16777216, got 16777217": lambda: Regressor(PLAN, 2**24 + 1),
    "inputs: expected at most 16777216, got a int that can't be shown": lambda: Regressor(PLAN, 10**5000),
    "inputs: expected a number, or names, no two alike, got []": lambda: Regressor(PLAN, []),
    "inputs: expected a number, or names, no two alike, got ['a', 'a']": lambda: Regressor(PLAN, ["a", "a"]),
    "inputs: expected a number, or names, no two alike, got ['a', 1]": lambda: Regressor(PLAN, ["a", 1]),
    "predictions: expected a whole number of at least 1, got 0": lambda: TDPredictor(PLAN, 2, predictions=0),
    "predictions: expected a whole number of at least 1, got 1.0": lambda: TDPredictor(
        PLAN, 2, predictions=1.0
    ),
    "outputs: expected a whole number of at least 1, got '3'": lambda: Regressor(PLAN, 2, outputs="3"),
    "outputs: expected at most 16777216, got 1073741824": lambda: Regressor(PLAN, 2, outputs=2**30),
    "classes: expected a whole number of at least 2, got 1": lambda: Classifier(PLAN, 2, classes=1),
    "discount: expected a number from 0.0 to 1.0, got 1.5": lambda: TDPredictor(PLAN, 2, discount=1.5),
    "discount: expected a number from 0.0 to 1.0, got nan": lambda: TDPredictor(PLAN, 2, discount=NAN),
    "discount: expected a number from 0.0 to 1.0, got '0.9'": lambda: TDPredictor(PLAN, 2, discount="0.9"),
    "discount: expected a number from 0.0 to 1.0, got 1j": lambda: TDPredictor(PLAN, 2, discount=1j),
    "discount: expected a number, or 2 of them, got 1 numbers": lambda: TDPredictor(
        PLAN, 2, predictions=2, discount=[0.9]
    ),
    "discount[1]: expected a number from 0.0 to 1.0, got 2.0": lambda: TDPredictor(
        PLAN, 2, predictions=2, discount=np.array([0.9, 2.0])
    ),
    "discount[0]: expected a number from 0.0 to 1.0, got [0.5, 0.5]": lambda: TDPredictor(
        PLAN, 2, predictions=2, discount=np.full((2, 2), 0.5)
    ),
    "trace_decay: expected a number from 0.0 to 1.0, got -0.1": lambda: TDPredictor(
        PLAN, 2, trace_decay=-0.1
    ),
    "trace_decay: expected a number from 0.0 to 1.0, got True": lambda: TDPredictor(
        PLAN, 2, trace_decay=True
    ),
    "trace_decay: expected a number from 0.0 to 1.0, got None": lambda: TDPredictor(
        PLAN, 2, trace_decay=None
    ),
    "step_size: expected a number from 0.0 to 1000000000000000.0, got -1": lambda: Regressor(
        PLAN, 2, step_size=-1
    ),
    "step_size: expected a number from 0.0 to 1000000000000000.0, got inf": lambda: Regressor(
        PLAN, 2, step_size=INF
    ),
    "step_size: expected a number from 0.0 to 1000000000000000.0, got 10000000": lambda: Regressor(
        PLAN, 2, step_size=10**400
    ),
    "step_size: expected a number from 0.0 to 1000000000000000.0, got a int that can't": lambda: Regressor(
        PLAN, 2, step_size=10**5000
    ),
    "optimizer: expected SGD(), RMSProp() or Adam(), got 'adam'": lambda: Regressor(
        PLAN, 2, optimizer="adam"
    ),
    "optimizer: expected SGD(), RMSProp() or Adam(), got <class": lambda: Regressor(PLAN, 2, optimizer=c.SGD),
    "bound: expected a number from 1e-06 to 1000000000000000.0, got 0": lambda: Regressor(PLAN, 2, bound=0),
    "bound: expected a number from 1e-06 to 1000000000000000.0, got '2'": lambda: Regressor(
        PLAN, 2, bound="2"
    ),
    "normalise_inputs: expected True or False, got 1": lambda: Regressor(PLAN, 2, normalise_inputs=1),
    "normalise_features: expected True or False, got 'no'": lambda: Regressor(
        PLAN, 2, normalise_features="no"
    ),
    "normalise_rate: expected a number from 0.0 to 1.0, got 1.1": lambda: Regressor(
        PLAN, 2, normalise_rate=1.1
    ),
    "normalise_floor: expected a number from 1e-30 to": lambda: Regressor(PLAN, 2, normalise_floor=0.0),
    "seed: expected a whole number of at least 0, got -1": lambda: Regressor(PLAN, 2, seed=-1),
    "seed: expected a whole number of at least 0, got None": lambda: Regressor(PLAN, 2, seed=None),
    "seed: expected at most 3402823669": lambda: Regressor(PLAN, 2, seed=2**128),
    "rate: expected one of step_size, optimizer, bound": lambda: Regressor(PLAN, 2, rate=1),
    "columns: expected a whole number of at least 1, got 0": lambda: columnar(0),
    "columns: expected a whole number of at least 1, got '7'": lambda: columnar("7"),
    "columns: expected at most 16777216, got 1000000000000000000000": lambda: columnar(10**21),
    "columns: expected at most 16777216 in all, got 16777217": lambda: c.Plan((2**24, 1)),
    "columns: expected at most 64, got 1000000000000": lambda: c.constructive(10**12, 5),
    "columns: expected 1 to 64 stages, a tuple, got [7]": lambda: c.Plan([7]),
    "columns: expected 1 to 64 stages, a tuple, got ()": lambda: c.Plan(()),
    "stages: expected a whole number of at least 1, got 0": lambda: c.ccn(4, 0, 10),
    "stages: expected at most 64, got 65": lambda: c.ccn(4, 65, 10),
    "stage_steps: expected a whole number of at least 1, got 0": lambda: c.ccn(4, 2, 0),
    "stage_steps: expected at most 4611686018427387904, got a int that": lambda: c.ccn(4, 2, 10**5000),
    "units: expected a whole number of at least 1, got -3": lambda: c.dense_lstm(-3, 5),
    "units: expected at most 16777216, got 16777217": lambda: c.online_lru(2**24 + 1),
    "truncation: expected a whole number of at least 1, got 2.0": lambda: c.dense_lstm(3, 2.0),
    "radius: expected two numbers, smallest and largest |λ|, got 0.9": lambda: c.online_lru(3, radius=0.9),
    "radius[1]: expected a number from 0.5 to 0.999999, got 0.1": lambda: c.online_lru(3, radius=(0.5, 0.1)),
    "phase: expected a number from 0.0 to inf, got nan": lambda: c.online_lru(3, phase=NAN),
    "decay: expected a number from 0.0 to 0.9999999, got 1": lambda: c.RMSProp(decay=1),
    "eps: expected a number from 1e-30 to inf, got 0": lambda: c.Adam(eps=0),
}


@pytest.mark.parametrize("line", CONSTRUCTIONS)
def test_what_cannot_be_made(line):
    with pytest.raises(BadInput) as caught:
        CONSTRUCTIONS[line]()
    assert str(caught.value).startswith(line)
    assert "\n" not in str(caught.value)


# Each learner has seen seven events. An event of a chunk is counted from the chunk's first.
STEPS = {
    "a number": {
        "x[1] of event 7: expected a finite number within ±1e15, got nan": lambda m: m.step(
            put(ROW, 1, NAN), 0.0
        ),
        "x[4] of event 7: expected a finite number within ±1e15, got 1e+300": lambda m: m.step(
            [*ROW[:4], 1e300], 0.0
        ),
        "x[0] of event 7: expected a finite number within ±1e15, got -inf": lambda m: m.predict(
            put(ROW, 0, -INF)
        ),
        "x[2] of event 7: expected a finite number within ±1e15, got inf": lambda m: m.learn(
            [0, 1, 10**400, 2, 3], 0.0
        ),
        "x[3] of event 7: expected a number, got str": lambda m: m.step([0, 1, 2, "3", 4], 0.0),
        "x[3] of event 7: expected a number, got complex": lambda m: m.step((0, 1, 2, 3j, 4), 0.0),
        "x[0] of event 7: expected a number, got list": lambda m: m.step([[0], 1, 2, 3, 4], 0.0),
        "x of event 7: expected 5 numbers, got 3": lambda m: m.step([0.0, 1.0, 2.0], 0.0),
        "x of event 7: expected 5 numbers, got 6": lambda m: m.predict(np.zeros(6)),
        "x of event 7: expected one row of numbers, got 2 axes": lambda m: m.step(np.zeros((1, 5)), 0.0),
        "x of event 7: expected one row of numbers, got 0 axes": lambda m: m.step(3.0, 0.0),
        "x of event 7: expected numbers, got str": lambda m: m.step("12345", 0.0),
        "x of event 7: expected numbers, got ndarray of <U3": lambda m: m.step(np.array(["1.5"] * 5), 0.0),
        "x of event 7: expected numbers, got ndarray of complex128": lambda m: m.step(np.ones(5) * 1j, 0.0),
        "x of event 7: expected numbers, got NoneType of object": lambda m: m.step(None, 0.0),
        "x of event 7: expected numbers in order; for a dict, name the inputs": lambda m: m.step(
            {"a": 1.0}, 0.0
        ),
        "y of event 7: expected a number, got str": lambda m: m.step(ROW, "0.5"),
        "y of event 7: expected 1 number, got 2": lambda m: m.step(ROW, [0.5, 0.5]),
        "y of event 7: expected a finite number within ±1e15, got 1e+16": lambda m: m.learn(ROW, 10**16),
        "x: expected shape (events, 5), got shape (5,)": lambda m: m.run(ROW, [0.0]),
        "x: expected shape (5, 5), got shape (5, 4)": lambda m: m.run(np.zeros((5, 4)), np.zeros(5)),
        "x: expected numbers, got list": lambda m: m.run([ROW, [3]], [0, 0]),
        "x: expected numbers, got ndarray of datetime64[D]": lambda m: m.run(
            FIVE.astype("M8[D]"), np.zeros(5)
        ),
        "x[3] of event 2: expected a finite number within ±1e15, got 1e+300": lambda m: m.run(
            put(FIVE, (2, 3), 1e300), np.zeros(5)
        ),
        "y: expected shape (5,), got shape (5, 1)": lambda m: m.run(FIVE, np.zeros((5, 1))),
        "y of event 4: expected a finite number within ±1e15, got nan": lambda m: m.run(
            FIVE, put(np.zeros(5), 4, NAN)
        ),
        "y: expected numbers, got NoneType of object": lambda m: m.run(FIVE, None),
        "known: expected truth values, got list of int64": lambda m: m.run(
            FIVE, np.zeros(5), known=[1, 0, 1, 1, 1]
        ),
        "known: expected shape (5,), got shape (2,)": lambda m: m.run(FIVE, np.zeros(5), known=[True, False]),
        "state: expected arrays by name, got NoneType": lambda m: m.set_state(None),
        "state: expected an array 'stage.0.W', got none of that name": lambda m: m.set_state({}),
        "state: expected no other arrays than its own, got 'extra'": lambda m: m.set_state({"extra": ROW}),
        "parameters: expected an array 'readout.b', got none of that name": lambda m: m.set_parameters(
            {n: a for n, a in m.parameters().items() if n != "readout.b"}
        ),
        "parameters['readout.b']: expected shape (1,), got shape (3,)": lambda m: m.set_parameters(
            {**m.parameters(), "readout.b": np.zeros(3)}
        ),
        "parameters['readout.b']: expected finite numbers of float32, got others": lambda m: m.set_parameters(
            {**m.parameters(), "readout.b": [NAN]}
        ),
        "path: expected the path of a file, got 3": lambda m: m.save(3),
        "path: expected the path of a file, got ''": lambda m: m.save(""),
        "path: expected the path of a file, got b'bytes'": lambda m: m.save(b"bytes"),
        r"path: expected the path of a file, got 'nul\x00'": lambda m: m.load("nul\0"),
    },
    "a return": {
        "cumulant of event 7: expected a number, got NoneType": lambda m: m.step(ROW, None),
        "cumulant of event 7: expected a finite number within ±1e15, got nan": lambda m: m.step(ROW, NAN),
        "cumulant: expected shape (5,), got shape ()": lambda m: m.run(FIVE, 0.0),
        "discount of event 7: expected a number from 0 to 1, got 1.5": lambda m: m.step(ROW, 0.0, 1.5),
        "discount of event 7: expected a number from 0 to 1, got -1": lambda m: m.learn(ROW, 0.0, -1),
        "discount of event 7: expected a finite number within ±1e15, got nan": lambda m: m.learn(
            ROW, 0.0, NAN
        ),
        "discount of event 7: expected a number, got str": lambda m: m.step(ROW, 0.0, "0.9"),
        "discount of event 1: expected a number from 0 to 1, got 1.5": lambda m: m.run(
            FIVE, np.zeros(5), discount=[0, 1.5, 0, 0, 0]
        ),
        "discount: expected shape (5,), got shape (2,)": lambda m: m.run(FIVE, np.zeros(5), discount=[0, 1]),
    },
    "returns": {
        "cumulant of event 7: expected 3 numbers, got 2": lambda m: m.step(ROW, [0.0, 0.0]),
        "cumulant of event 7: expected one row of numbers, got 0 axes": lambda m: m.step(ROW, 0.0),
        "cumulant[2] of event 7: expected a finite number within ±1e15, got inf": lambda m: m.step(
            ROW, (0, 0, INF)
        ),
        "cumulant[1] of event 2: expected a finite number within ±1e15, got inf": lambda m: m.run(
            FIVE, put(np.zeros((5, 3)), (2, 1), INF)
        ),
        "discount of event 7: expected 3 numbers, got 2": lambda m: m.step(ROW, [0, 0, 0], [0.5, 0.5]),
        "discount of event 7: expected a number from 0 to 1, got 2": lambda m: m.step(
            ROW, [0, 0, 0], [0.5, 2, 0.5]
        ),
        "discount[0] of event 3: expected a number from 0 to 1, got 3.0": lambda m: m.run(
            FIVE, np.zeros((5, 3)), discount=[0, 0, 0, 3, 0]
        ),
    },
    "classes": {
        "y of event 7: expected a class, an integer from 0 to 2, got 3": lambda m: m.step(ROW, 3),
        "y of event 7: expected a class, an integer from 0 to 2, got -1": lambda m: m.learn(ROW, -1),
        "y of event 7: expected a class, an integer from 0 to 2, got 1.0": lambda m: m.step(ROW, 1.0),
        "y of event 7: expected a class, an integer from 0 to 2, got True": lambda m: m.step(ROW, True),
        "y of event 7: expected a class, an integer from 0 to 2, got '1'": lambda m: m.step(ROW, "1"),
        "y of event 7: expected a class, an integer from 0 to 2, got array([1])": lambda m: m.step(
            ROW, np.array([1])
        ),
        "y of event 2: expected a class, an integer from 0 to 2, got 3": lambda m: m.run(
            FIVE, [0, 1, 3, 0, 0]
        ),
        "y of event 4: expected a class, an integer from 0 to 2, got -1": lambda m: m.run(
            FIVE, [0, 1, 2, 0, -1]
        ),
        "y: expected classes, integers, got list of float64": lambda m: m.run(
            FIVE, [0.0, 1.0, 2.0, 0.0, 0.0]
        ),
    },
}


@pytest.mark.parametrize(("kind", "line"), [(kind, line) for kind in STEPS for line in STEPS[kind]])
def test_a_wrong_call_changes_nothing(kind, line):
    learner, twin = made("columnar", kind), made("columnar", kind)
    for one in (learner, twin):
        one.run(*stream(kind, 7))
    with pytest.raises(BadInput) as caught:
        STEPS[kind][line](learner)
    assert str(caught.value).startswith(line)
    assert "\n" not in str(caught.value)
    same_bits(learner, twin)
    assert np.array_equal(learner.predict(ROW), twin.predict(ROW))


NAMED = {
    "x of event 0: expected a number for 'c', got none of that name": {"a": 0, "b": 0, "d": 0, "e": 0},
    "x of event 0: expected 5 numbers, got 6": dict.fromkeys("abcdef", 0.5),
    "x[1] of event 0: expected a number, got str": {**dict.fromkeys("acde", 0.5), "b": "0.5"},
    "x[4] of event 0: expected a finite number within ±1e15, got nan": {
        **dict.fromkeys("abcd", 0.5),
        "e": NAN,
    },
    "x of event 0: expected a number for 'a', got none of that name": {},
}


@pytest.mark.parametrize("line", NAMED)
@pytest.mark.parametrize("kind", KINDS)
def test_named_inputs_that_do_not_fit(kind, line):
    learner, twin = made("ccn", kind, inputs=NAMES), made("ccn", kind, inputs=NAMES)
    target = stream(kind, 1)[1][0]
    for call in (lambda: learner.step(NAMED[line], target), lambda: learner.predict(NAMED[line])):
        with pytest.raises(BadInput) as caught:
            call()
        assert str(caught.value) == line
    same_bits(learner, twin)


IMPOSSIBLE_STATES = {
    "progress.events": [-1, 2**62 + 1, np.uint64(2**64 - 1), 1.0, True, [3]],
    "progress.begun": [1, 0.0, [True]],
    "lstm.ring": [
        *([5.0, 0.0], [1.5, 0.0], [-1.0, 0.0], [0.0, 4.0], [0.0, -1.0], [4.0, 1.5]),
        *(
            [0.0, 1.0],
            [2.0, 0.0],
            [2.0, 2.0],
        ),  # until it is full, how many there are says where the last one is
    ],
    "lstm.W.first_age": [[1.5], [-0.1]],
    "lstm.variance": [[-1.0] * INPUTS],
    "readout.w.v": [np.full((1, 6), -1e-9)],
    "lstm.h": [np.zeros(7), np.full(6, "0"), [NAN] * 6, [1e300] * 6, [0j] * 6, [[1], [2]]],
}


@pytest.mark.parametrize("name", IMPOSSIBLE_STATES)
def test_a_state_that_no_learner_can_have(name):
    learner = made("dense LSTM", "a number", "Adam")
    learner.run(*stream("a number", 9))
    before, state = bits(learner), learner.state()
    for impossible in IMPOSSIBLE_STATES[name]:
        with pytest.raises(BadInput) as caught:
            learner.set_state({**state, name: impossible})
        assert str(caught.value).startswith(f"state['{name}']: expected ")
        assert bits(learner) == before


def test_a_learner_is_made_once():
    learner, twin = made("columnar", "a number"), made("columnar", "a number")
    with pytest.warns(RuntimeWarning, match="already-initialized"), pytest.raises(TypeError):
        learner.__init__(columnar(3), 2)
    with pytest.raises(TypeError):
        learner.settings["step_size"] = 1.0
    with pytest.raises(FrozenInstanceError):
        learner.network.stage_steps = 1
    assert repr(learner) == repr(twin)
    same_bits(learner, twin)


def test_interrupts_go_through():
    """Only an argument's own errors are bad input; the line has them as its cause."""

    class Raises:
        def __init__(self, what):
            self.what = what

        def __float__(self):
            raise self.what

        __array__ = __float__

    learner, twin = made("columnar", "a number"), made("columnar", "a number")
    for call in (
        lambda it: learner.step([*ROW[:4], it], 0.0),
        lambda it: learner.step(it, 0.0),
        lambda it: learner.step(ROW, it),
        lambda it: learner.run(it, [0.0]),
    ):
        with pytest.raises(KeyboardInterrupt):
            call(Raises(KeyboardInterrupt()))
        with pytest.raises(BadInput) as caught:
            call(Raises(ZeroDivisionError("cause")))
        assert isinstance(caught.value.__cause__, ZeroDivisionError)
    same_bits(learner, twin)


def test_numbers_of_numpy_and_fractions_make_learners_that_can_be_saved(tmp_path):
    learner = Regressor(
        columnar(np.int64(3)),
        np.int32(2),
        outputs=np.int8(2),
        seed=np.uint64(7),
        step_size=Fraction(1, 8),
        bound=np.float32(2),
    )
    learner.save(tmp_path / "it")
    again = c.load(tmp_path / "it")
    same_bits(learner, again)
    assert again.settings == {**learner.settings}
