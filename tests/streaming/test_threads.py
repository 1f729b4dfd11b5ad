"""One learner and several threads: safe, or refused in words, never half an event. Learners side by side."""

import copy
import pickle
import random
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from colonnade import BadInput
from streaming.made import INPUTS, KINDS, NETWORKS, made, same_bits, stream

BUSY = "this learner is at work in another call: give each thread its own, or let them take turns"
CHUNKS = (50_000, 400_000, 3_000_000, 20_000_000)  # events; on a busy machine, some may end too early


@pytest.fixture(autouse=True)
def hurried():
    """Let threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def every_call(learner, kind, folder):
    """Everything that can be asked of a learner, by name."""
    x, target = stream(kind, 3)
    state, parameters = learner.state(), learner.parameters()
    return {
        "step": lambda: learner.step(x[0], target[0]),
        "learn": lambda: learner.learn(x[0], target[0]),
        "predict": lambda: learner.predict(x[0]),
        "run": lambda: learner.run(x, target),
        "reset": learner.reset,
        "state": learner.state,
        "set_state": lambda: learner.set_state(state),
        "parameters": learner.parameters,
        "set_parameters": lambda: learner.set_parameters(parameters),
        "save": lambda: learner.save(folder / "it"),
        "pickle": lambda: pickle.dumps(learner),
        "deepcopy": lambda: copy.deepcopy(learner),
    }


def refused(call):
    """Whether a call is refused because another is at work."""
    try:
        call()
    except RuntimeError as busy:
        assert str(busy) == BUSY
        return True
    return False


def at_work(learner):
    """Whether a chunk is at work; else nothing happens."""
    return refused(lambda: learner.predict([0.5] * INPUTS))


def seen_at_work(learners, working):
    """Wait until all of them are at work at the same time; or say that a chunk has ended before."""
    while not all([at_work(one) for one in learners]):
        if any(chunk.done() for chunk in working):
            return False
    return True


def all_refused(kind, folder, events):
    """Try every call while a chunk of so many events is at work. Say whether it was long enough for that."""
    learner, twin = made("columnar", kind), made("columnar", kind)
    calls = every_call(learner, kind, folder)
    x, target = stream(kind, events)
    with ThreadPoolExecutor(1) as other:
        working = other.submit(learner.run, x, target)
        if not seen_at_work([learner], [working]):
            return False
        for name, call in calls.items():
            if not refused(call):
                assert not at_work(learner), f"{name} was taken"
                return False
        assert learner.events == 0 and repr(learner) == repr(twin)
    assert working.result().tobytes() == twin.run(x, target).tobytes()
    same_bits(learner, twin)
    return True


@pytest.mark.parametrize("kind", KINDS)
def test_while_a_chunk_is_at_work_all_else_is_refused(kind, tmp_path):
    assert any(all_refused(kind, tmp_path, events) for events in CHUNKS)


def side_by_side(network, events):
    """Let two learners run at once, and compare; say whether they were seen at work at the same time."""
    kinds = ("returns", "numbers")
    side, alone = ([made(network, kind) for kind in kinds] for _ in range(2))
    chunks = [stream(kind, events) for kind in kinds]
    with ThreadPoolExecutor(2) as others:
        working = [others.submit(one.run, *chunk) for one, chunk in zip(side, chunks, strict=True)]
        seen = seen_at_work(side, working)
    for one, judge, chunk, done in zip(side, alone, chunks, working, strict=True):
        assert done.result().tobytes() == judge.run(*chunk).tobytes()
        same_bits(one, judge)
    return seen


@pytest.mark.parametrize("network", ["ccn", "online LRU", "dense LSTM"])
def test_learners_run_side_by_side_with_the_bits_of_each_alone(network):
    assert any(side_by_side(network, events) for events in CHUNKS)


class Slow:
    """A number that takes its time: other threads have their turns while it is read."""

    def __float__(self):
        return sum(i for i in range(60)) / 3540

    def __array__(self, *_, **__):
        return np.full(INPUTS, float(self))

    def __index__(self):
        return int(float(self)) + 1


def same_event(kind):
    """Ways to tell a learner one and the same event, some of them slow."""
    number, slow = 0.5, Slow()
    rows = [[number] * INPUTS, np.full(INPUTS, number), [slow] * INPUTS, slow]
    if kind == "classes":
        return rows, [1, slow]
    outputs = KINDS[kind].outputs
    return rows, [number, slow] if outputs == 1 else [[number] * outputs, [slow] * outputs]


def hammer(learner, kind, calls, seed):
    """Make calls at random; return how many events were taken, how many calls refused."""
    draw, taken, turned_away = random.Random(seed), 0, 0
    rows, targets = same_event(kind)
    looks = [
        learner.state,
        learner.parameters,
        lambda: learner.predict(rows[1]),
        lambda: pickle.dumps(learner),
    ]
    chunk = np.full((50, INPUTS), 0.5), np.broadcast_to(np.asarray(targets[0]), (50, *np.shape(targets[0])))
    for _ in range(calls):
        event = draw.choice(rows), draw.choice(targets)
        call, events = draw.choice(
            [(lambda event=event: learner.learn(*event), 1)] * 8
            + [(lambda: learner.run(*chunk), 50), (draw.choice(looks), 0), (lambda: learner.events, 0)]
        )
        if refused(call):
            turned_away += 1
        else:
            taken += events
    return taken, turned_away


def hammered(network, kind, calls):
    """Four threads on one learner; return how many calls were refused.

    All tell it the same event. So it must be what a learner is that was told it as often, one after another.
    """
    learner, twin = made(network, kind), made(network, kind)
    with ThreadPoolExecutor(4) as threads:
        counts = list(threads.map(lambda seed: hammer(learner, kind, calls, seed), range(4)))
    events = sum(taken for taken, _ in counts)
    (row, *_), (target, *_) = same_event(kind)
    for _ in range(events):
        twin.learn(row, target)
    assert learner.events == events
    same_bits(learner, twin)
    return sum(turned_away for _, turned_away in counts)


@pytest.mark.parametrize(
    ("network", "kind"), [("ccn", "returns"), ("dense LSTM", "a number"), ("columnar", "classes")]
)
def test_four_threads_on_one_learner(network, kind):
    hammered(network, kind, calls=500)


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("network", NETWORKS)
def test_four_threads_on_one_learner_for_long(network, kind):
    assert hammered(network, kind, calls=20_000) > 0


def test_states_are_of_one_moment():
    """Weights, and the number of the event that they belong to."""
    learner, stop = made("columnar", "a number"), threading.Event()
    moments = {}
    judge = made("columnar", "a number")
    for _ in range(3000):
        moments[judge.events] = judge.state()["readout.b"].tobytes()
        judge.learn([0.5] * INPUTS, 1.0)

    def learn():
        while learner.events < 2999 and not stop.is_set():
            learner.learn([0.5] * INPUTS, 1.0)

    with ThreadPoolExecutor(1) as other:
        working = other.submit(learn)
        try:
            while not working.done():
                state = learner.state()
                assert moments[int(state["progress.events"])] == state["readout.b"].tobytes()
        finally:
            stop.set()


# ---- calls out of calls ----


class CallsBack:
    """A number whose own code calls the learner that reads it; and lets an error through, or not."""

    def __init__(self, call, silent):
        self.call, self.silent, self.refused = call, silent, 0

    def __float__(self):
        self.refused += refused(self.call)
        if not self.silent:
            self.call()
        return 0.5

    def __array__(self, *_, **__):
        return np.full(INPUTS, float(self))

    def __index__(self):
        return int(float(self)) + 1


NAMES = tuple("abcde")


@pytest.mark.parametrize("kind", KINDS)
def test_calls_out_of_calls_are_refused(kind, tmp_path):
    learner, twin = (made("ccn", kind, inputs=NAMES) for _ in range(2))
    row, named = [0.5] * INPUTS, dict.fromkeys(NAMES, 0.5)
    _, (target, _) = same_event(kind)
    learner.step(row, target), twin.step(row, target)
    for name, call in every_call(learner, kind, tmp_path).items():
        for silent in (True, False):
            it = CallsBack(call, silent)
            events = [([*row[:-1], it], target), (it, target), ({**named, "c": it}, target)]
            events.append((row, [*target[1:], it] if isinstance(target, list) else it))
            for i, event in enumerate(events):
                if silent:
                    mine = learner.step(*event)
                    assert np.array_equal(mine, twin.step(row, target)), name
                else:
                    with pytest.raises(BadInput) as caught:
                        learner.step(*event)
                    assert str(caught.value.__cause__) == BUSY
                assert it.refused == i + 1
            same_bits(learner, twin)


def test_a_chunk_is_read_before_it_begins():
    """So that a call out of reading it is one of its own, before."""
    learner, twin = made("ccn", "a number"), made("ccn", "a number")
    row = [0.5] * INPUTS

    class Chunk:
        def __array__(self, *_, **__):
            learner.step(row, 1.0)
            return np.full((3, INPUTS), 0.5)

    mine = learner.run(Chunk(), [0.0, 1.0, 0.0])
    twin.step(row, 1.0)
    assert mine.tobytes() == twin.run([row] * 3, [0.0, 1.0, 0.0]).tobytes()
    same_bits(learner, twin)


def test_arrays_that_another_thread_writes_to():
    """What is learned from is what was looked at: no number that isn't usable ever comes in."""
    learner = made("columnar", "a return")
    events = 4000
    x, cumulant, discount = np.zeros((events, INPUTS), np.float32), *np.zeros((2, events), np.float32)
    stop = threading.Event()

    def write():
        while not stop.is_set():
            for value in (np.nan, 1e30, -5.0, 0.5):
                x[::7], cumulant[::5], discount[::3] = value, value, value

    refusals = 0
    with ThreadPoolExecutor(1) as other:
        other.submit(write)
        try:
            for _ in range(100):
                try:
                    learner.run(x, cumulant, discount)
                except BadInput:
                    refusals += 1
        finally:
            stop.set()
    assert learner.events == (100 - refusals) * events
    assert all(np.isfinite(array).all() for array in learner.state().values())
