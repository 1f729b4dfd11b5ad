"""Courses: what is saved goes on as if nothing had happened, and seeds don't depend on their company."""

import pytest

from colonnade import (
    LRU,
    Classifier,
    CopyTask,
    CrossEntropy,
    RandomTeacher,
    Regressor,
    SquaredError,
    TDPredictor,
    TracePatterning,
    ccn,
    dense_lstm,
    independent,
    online_lru,
    rtrl,
)
from colonnade.runs.scanned import Apart, Optax, Scanned
from colonnade.runs.streamed import Recipe, Streamed
from colonnade.runs.work import Failed, Finished, Progress, Stopped, Task, work

ADAM = Optax("adam", {"learning_rate": 1e-2})


def streamed(kind=TDPredictor, network=None, world=None, **settings):
    network = network or ccn(2, 2, 700)
    return Streamed(Recipe(kind, network, settings), world or TracePatterning(), steps=2500, every=400)


def scanned(**more):
    parts = {"cell": LRU(4), "credit": independent(rtrl()), "objective": SquaredError(), "optimizer": ADAM}
    return Scanned(**{**parts, "world": RandomTeacher(3, 4), "steps": 300, "every": 70, "lanes": 4, **more})


COURSES = {
    "returns": streamed(),
    "numbers": streamed(Regressor, dense_lstm(3, 4), CopyTask(3, 2), outputs=2),
    "classes": streamed(Classifier, online_lru(3), classes=2),
    "algebra": scanned(),
    "algebra, two rates": scanned(optimizer=Apart(ADAM, Optax("rmsprop", {"step_size": 1e-3}))),
}


def through(course):
    readings = []
    while not course.done:
        readings.append(course.advance())
    return readings


@pytest.mark.parametrize("name", COURSES)
def test_a_saved_course_goes_on_as_if_nothing_had_happened(name):
    experiment = COURSES[name]
    undisturbed = through(experiment.begin((5,)))
    course = experiment.begin((5,))
    first = [course.advance() for _ in range(3)]
    rest = through(experiment.resume((5,), course.save()))
    assert first + rest == undisturbed
    assert undisturbed[-1].step == experiment.steps
    assert all(value == value for reading in undisturbed for value in reading.values[0].values())


def test_a_seed_comes_to_the_same_numbers_in_any_company():
    experiment = scanned()
    together = through(experiment.begin((0, 1, 2, 3)))
    for seed in range(4):
        alone = through(experiment.begin((seed,)))
        assert [reading.values[0] for reading in alone] == [reading.values[seed] for reading in together]


def test_seeds_differ():
    values = scanned().begin((0, 1)).advance().values
    assert values[0] != values[1]


def test_episodes_reset_the_state_and_events_without_a_target_do_not_count():
    experiment = streamed(Regressor, dense_lstm(3, 4), CopyTask(3, 2), outputs=2)
    course = experiment.begin((0,))
    assert 0.2 < course.advance().values[0]["error"] < 0.6  # bits, predicted as 0 at first


def test_classes_are_read_as_misses_and_nats():
    experiment = streamed(Classifier, online_lru(3), classes=2)
    values = experiment.begin((0,)).advance().values[0]
    assert values.keys() == {"misses", "nats"}


def test_log_odds_are_read_as_the_probabilities_they_are():
    import numpy as np

    from colonnade.runs.measures import of_classes, of_log_odds
    from colonnade.worlds.protocol import Chunk

    rng = np.random.default_rng(0)
    odds = rng.normal(size=(50, 4)).astype(np.float32) * 9
    p = np.exp(odds.astype(float)) / np.exp(odds.astype(float)).sum(axis=1, keepdims=True)
    answer = rng.integers(0, 4, 50)
    chunk = Chunk(np.zeros((50, 1)), answer, answer)
    for mine, theirs in zip(of_log_odds(odds, chunk).values(), of_classes(p, chunk).values(), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-6, atol=1e-9)


def test_a_task_tells_what_came_of_it():
    task = Task("key", streamed(), (0,))
    (finished,) = work(task, lambda: False)
    assert isinstance(finished, Finished)
    assert [reading.step for reading in finished.readings] == [400, 800, 1200, 1600, 2000, 2400, 2500]
    assert finished.peak_memory > 2**20


def test_a_task_tells_as_often_as_it_is_asked_to():
    told = list(work(Task("key", streamed(), (0,), seconds_a_message=0.0), lambda: False))
    assert [type(message) for message in told] == [Progress] * 6 + [Finished]
    assert [reading.step for message in told for reading in message.readings] == [
        400, 800, 1200, 1600, 2000, 2400, 2500,
    ]  # fmt: skip
    for progress in told[:-1]:
        *_, finished = work(Task("key", streamed(), (0,), progress.saved), lambda: False)
        assert finished.readings[-1] == told[-1].readings[-1]


def test_a_task_that_is_asked_to_stop_says_how_to_go_on():
    answers = iter([False, False, True])
    progress, stopped = work(Task("key", streamed(), (0,)), lambda: next(answers))
    assert isinstance(stopped, Stopped) and progress.step == 800
    (rest,) = work(Task("key", streamed(), (0,), progress.saved), lambda: False)
    assert rest.readings[-1] == through(streamed().begin((0,)))[-1]


def test_a_task_that_cannot_be_done_says_why():
    (failed,) = work(Task("key", streamed(), (0,), b"nonsense"), lambda: False)
    assert isinstance(failed, Failed) and "BadInput: a checkpoint" in failed.reason


def test_a_diverged_learner_is_recorded_and_starts_again_if_it_must():
    experiment = streamed(step_size=1e15)
    course = experiment.begin((0,))
    while course.save() is not None and not course.done:
        course.advance()
    assert course.save() is None
    through(course)


def test_cross_entropy_in_the_algebra():
    class Labels(RandomTeacher):
        def stream(self, seed):
            inner = super().stream(seed)

            class Stream:
                def take(self, n):
                    chunk = inner.take(n)
                    labels = (chunk.target[:, 0] > 0).astype("int32")
                    return chunk._replace(target=labels, answer=labels)

            return Stream()

    values = scanned(objective=CrossEntropy(2), world=Labels(3, 4)).begin((0,)).advance().values[0]
    assert 0.3 < values["nats"] < 1.0 and 0 < values["misses"] < 1
