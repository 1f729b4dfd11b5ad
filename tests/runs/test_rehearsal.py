"""What is refused of an experiment before it runs: parts that don't go together, or not with the world."""

import pytest

from colonnade import (
    LSTM,
    RNN,
    BadInput,
    Classifier,
    CopyTask,
    RandomTeacher,
    Regressor,
    SquaredError,
    TDPredictor,
    TracePatterning,
    columnar,
    layered,
    rtrl,
)
from colonnade.runs.described import described
from colonnade.runs.rehearsal import MOST_STEPS, first_event
from colonnade.runs.scanned import Optax, Scanned
from colonnade.runs.streamed import Recipe, Streamed
from colonnade.runs.sweep import Goal, Sweep, grid, together


def streamed(kind=TDPredictor, world=None, steps=1000, every=500, **settings):
    return Streamed(Recipe(kind, columnar(2), settings), world or TracePatterning(), steps, every)


def scanned(**more):
    parts = {"cell": LSTM(2), "credit": rtrl(), "objective": SquaredError(), "world": RandomTeacher(3, 4)}
    numbers = {"optimizer": Optax("sgd", {"learning_rate": 0.1}), "steps": 20, "every": 10}
    return Scanned(**{**parts, **numbers, **more})


WRONG = {
    "steps: expected a whole number of at least 1, got 1.5": lambda: streamed(steps=1.5),
    f"steps: expected at most {MOST_STEPS}, got {2**60}": lambda: streamed(steps=2**60),
    "every: expected at most 1000, as many as `steps`, got 1001": lambda: streamed(every=1001),
    "learner: expected one that can do without targets, as CopyTask asks, got TDPredictor": lambda: streamed(
        world=CopyTask(3, 1)
    ),
    "outputs: expected 2, as many as CopyTask asks for, got 1": lambda: streamed(Regressor, CopyTask(3, 2)),
    "predictions: expected 1, as many as TracePatterning asks for, got 2": lambda: streamed(predictions=2),
    "learner: expected one for what CopyTask tells, got y: expected shape (1,), got shape (1, 2)": (
        lambda: streamed(Classifier, CopyTask(3, 2), classes=2)
    ),
    "every: expected at most 20, as many as `steps`, got 21": lambda: scanned(every=21),
    "objective: expected one for what RandomTeacher tells, got target: expected shape (2,), got shape (1,)": (
        lambda: scanned(objective=SquaredError(2))
    ),
}


@pytest.mark.parametrize("line", WRONG)
def test_what_cannot_run_is_refused_before_it_does(line):
    with pytest.raises(BadInput) as caught:
        WRONG[line]()
    assert str(caught.value) == line


def test_a_rule_that_is_not_for_the_cell_is_refused():
    with pytest.raises(BadInput):
        scanned(credit=layered((rtrl(),)))


def test_one_number_may_come_as_a_column():
    course = streamed(Regressor, RandomTeacher(3, 4)).begin((0,))
    assert course.advance().values[0]["error"] > 0


def test_a_first_event_is_kept_and_small():
    world = RandomTeacher(3, 4, episode=50)
    assert first_event(world) is first_event(world)
    assert first_event(world).x.base is None

    class Unhashable(RandomTeacher):
        __hash__ = None

    assert first_event(Unhashable(3, 4)).x.shape == (1, 3)


def test_settings_that_need_each_other_change_at_once():
    first = streamed(Regressor, RandomTeacher(3, 4))
    places = [{"world": CopyTask(3, 2), "learner.outputs": 2}, {"steps": 10, "every": 5}]
    copying, short = (point.experiment for point in together(first, places))
    assert copying.learner.settings["outputs"] == copying.world.bits == 2
    assert (short.steps, short.every) == (10, 5)


@pytest.mark.parametrize(
    "experiment", [streamed(), streamed(Classifier, CopyTask(3, 1), classes=2), scanned()]
)
def test_what_is_read_is_known_before(experiment):
    values = experiment.begin((0,)).advance().values[0]
    assert tuple(values) == experiment.metrics


def test_a_goal_must_be_something_that_is_read():
    assert Sweep("a", grid(streamed(), {}), (0,), goal=Goal("excess"))
    with pytest.raises(BadInput, match=r"^goal.metric: expected one of error, excess, got 'misses'"):
        Sweep("a", grid(streamed(), {}), (0,), goal=Goal("misses"))


def test_functions_are_described_by_their_public_names():
    jax = pytest.importorskip("jax")
    assert described(RNN(3))["activation"] == "jax.numpy:tanh"
    assert described(RNN(3, jax.nn.relu))["activation"] == "jax:relu"
    for nameless in (lambda x: x, "a".upper):
        with pytest.raises(BadInput, match=r"^experiment: expected a setting that can be written down"):
            described(nameless)
