"""How a network fares: what is read of it is what it is."""

import numpy as np
import pytest

from colonnade import BadInput, Plan, Regressor, TDPredictor, TracePatterning, ccn, columnar, dense_lstm
from colonnade.runs.driver import drive
from colonnade.runs.local import Local
from colonnade.runs.store import Store
from colonnade.runs.streamed import Recipe, Streamed
from colonnade.runs.sweep import Goal, Point, Sweep
from colonnade.runs.vitals import vitals

WORLD = TracePatterning()


def experiment(network, **settings):
    return Streamed(Recipe(TDPredictor, network, settings), WORLD, steps=3000, every=1000, vitals=True)


def test_they_are_read_beside_the_error():
    course = experiment(ccn(2, 3, stage_steps=1000)).begin((0,))
    values = [course.advance().values[0] for _ in range(3)]
    assert set(values[0]) == {"error", "excess", "slope", "moved", "use 1", "use 2", "use 3"}
    assert set(values[0]) == set(experiment(ccn(2, 3, stage_steps=1000)).metrics)
    assert [value["use 3"] > 0 for value in values] == [False, False, True]
    assert all(sum(value[f"use {s}"] for s in (1, 2, 3)) == pytest.approx(1.0) for value in values)
    assert all(value["slope"] > 0 and value["moved"] > 0 for value in values)


def test_they_are_of_the_stage_that_learned_last():
    learner = Regressor(Plan((2, 1), stage_steps=10), inputs=3, step_size=1e-2)
    first = learner.parameters()
    rng = np.random.default_rng(0)
    for events, stage in ((10, 0), (5, 1)):
        learner.run(rng.normal(size=(events, 3)), rng.normal(size=events))
        state, read = learner.state(), vitals(learner)
        moved = state[f"stage.{stage}.W"] - first[f"stage.{stage}.W"]
        assert read["moved"] == pytest.approx(np.sqrt(np.mean(moved**2)))
        assert read["slope"] == pytest.approx(np.sqrt(np.mean(state[f"stage.{stage}.W.H"] ** 2)))


def test_reading_them_changes_nothing(tmp_path):
    sweep = [
        Sweep(
            str(on),
            (Point(Streamed(Recipe(TDPredictor, columnar(3)), WORLD, 4000, 500, vitals=on), {}),),
            (0,),
            goal=Goal("error"),
        )
        for on in (True, False)
    ]
    with Store(tmp_path / "runs.db") as store:
        for one in sweep:
            drive(one, store, Local(1))
        errors = store.db.execute(
            "SELECT points.run, points.value FROM points JOIN metrics ON metrics.id = points.metric"
            " WHERE metrics.name = 'error' ORDER BY points.run, points.step"
        ).fetchall()
    mine, others = ([value for run, value in errors if run == which] for which in (1, 2))
    assert len(mine) == 8 and mine == others


def test_only_columns_have_them():
    with pytest.raises(BadInput, match="vitals: expected false: only columns have them"):
        experiment(dense_lstm(2, 3))
    with pytest.raises(BadInput, match="vitals: expected"):
        Streamed(Recipe(TDPredictor, columnar(2)), WORLD, 1000, 500, vitals=1)
