"""A store that is read: what was written comes back, as of one moment, and nothing can be changed."""

import os
import sqlite3

import numpy as np
import pytest

from colonnade import BadInput
from colonnade.runs.curves import aligned, finals
from colonnade.runs.experiment import Reading
from colonnade.runs.reading import Records, Series
from colonnade.runs.schema import VERSION
from colonnade.runs.store import Store, StoreFailure
from runs.stores import Made, errors, made_store, sweep


@pytest.fixture
def path(tmp_path):
    """Two sweeps, which have two runs in common."""
    return made_store(tmp_path / "runs.db", sweep("sizes"), sweep("others", {"units": [4, 64]}, seeds=2))


def test_sweeps_runs_and_sessions_come_back(path):
    with Records(path) as records:
        assert [one.name for one in records.sweeps()] == ["sizes", "others"]
        found = records.sweep("sizes")
        assert (found.about, found.goal.metric) == ("which step size is best?", "error")
        assert found.axes == {"step_size": [1e-4, 1e-3, 1e-2], "units": [4, 16]}
        runs = records.runs("sizes")
        assert len(runs) == 30 and len(records.runs()) == 34
        assert {run.status for run in runs} == {"finished"}
        assert runs[0].label == {"step_size": 1e-4, "units": 4}
        assert records.spec(runs[0].id)["experiment"]["units"] == 4
        assert records.artifacts(runs[0].id) == {"weights": 4}
        assert records.metrics([runs[0].id]) == ["error", "excess"]
        assert {run.session for run in runs} <= {session.id for session in records.sessions()}


def test_series_come_back_in_the_order_that_is_asked_for(path):
    with Records(path) as records:
        runs = records.runs("sizes")[::-1]
        series = records.series("error", [run.id for run in runs])
        assert series.runs.tolist() == [run.id for run in runs]
        for place, run in enumerate(runs):
            step, error = errors(Made(**run.label), run.seed)
            assert np.array_equal(series.of(place)[0], step) and np.array_equal(series.of(place)[1], error)


def test_runs_without_readings_have_none_and_runs_may_come_twice(path):
    with Records(path) as records:
        one = records.runs()[0].id
        assert len(records.series("nonsense", [one]).of(0)[0]) == 0
        twice = records.series("error", [one, 10_000, one])
        assert np.diff(twice.start).tolist() == [20, 0, 20]
        assert np.array_equal(twice.of(0)[1], twice.of(2)[1])
        assert records.series("error", []).runs.tolist() == []


def test_what_is_no_number_comes_back_as_none(tmp_path):
    path = made_store(tmp_path / "runs.db", leave=lambda run: "diverged")
    with Records(path) as records:
        _, value = records.series("error", [records.runs()[0].id]).of(0)
        assert np.isfinite(value[:10]).all() and np.isnan(value[10:]).all()


def test_reading_is_of_one_moment_and_keeps_nobody_from_writing(path):
    with Records(path) as before, Store(path) as store:
        ids = [run.id for run in before.runs("others")]
        with store.writing():
            store.progress(ids[:1], [Reading(99_999, ({"error": 1.0},))], 99_999, 0.0)
        assert before.series("error", ids).step.max() == 10_000
        with Records(path) as after:
            assert after.series("error", ids).step.max() == 99_999


def test_nothing_can_be_changed(path):
    with Records(path) as records, pytest.raises(sqlite3.OperationalError, match="readonly"):
        records._db.execute("DELETE FROM points")


def test_a_store_where_nothing_can_be_written_is_read(path, monkeypatch):
    """On a read-only disk there is no room for the two files that SQLite keeps beside a store."""
    assert not path.with_name("runs.db-wal").exists()
    monkeypatch.setattr(os, "access", lambda *_: False)
    with Records(path) as records:
        assert len(records.runs()) == 34
        assert not path.with_name("runs.db-wal").exists()


def test_a_run_is_found_by_the_beginning_of_its_identity(path):
    with Records(path) as records:
        alone, both = records.runs("sizes")[0], records.runs("others")[0]
        assert [one.sweep for one in records.run(alone.identity[:10])] == ["sizes"]
        assert [one.sweep for one in records.run(both.identity[:10])] == ["sizes", "others"]
        with pytest.raises(BadInput, match=r"got '', which is 32 of them: .*, …"):
            records.run("")
        with pytest.raises(BadInput, match=r"got 'xyz'$"):
            records.run("xyz")


def test_a_sweep_must_be_named_if_there_are_several(path):
    with Records(path) as records:
        with pytest.raises(BadInput, match=r"expected one of 'sizes', 'others'.* has 2, got none"):
            records.sweep()
        with pytest.raises(BadInput, match="sweep: expected one of 'sizes', 'others', got 'x'"):
            records.sweep("x")


def test_what_is_no_store_is_refused(tmp_path):
    with pytest.raises(BadInput, match="a store that is there"):
        Records(tmp_path / "nowhere.db")
    text = tmp_path / "text.db"
    text.write_text("no database, but long enough to be taken for one" * 20)
    with pytest.raises(BadInput, match="which is none"):
        Records(text)
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE a (b)")
    with pytest.raises(BadInput, match="another program's database"):
        Records(other)
    empty = tmp_path / "empty.db"
    empty.touch()
    with pytest.raises(BadInput, match="which is empty"):
        Records(empty)
    assert empty.stat().st_size == 0


def test_another_version_is_refused(path):
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
    with pytest.raises(BadInput, match=f"version {VERSION + 1}"):
        Records(path)


def test_a_store_that_cannot_be_opened_is_one_line(path, monkeypatch):
    def fail(*_, **__):
        raise sqlite3.OperationalError("unable to open database file")

    monkeypatch.setattr(sqlite3, "connect", fail)
    with pytest.raises(StoreFailure, match=r"runs.db: unable to open"):
        Records(path)


# ---- curves ----


def series(*readings):
    """Runs 0, 1, … with these steps and values."""
    start = np.cumsum([0, *(len(steps) for steps, _ in readings)])
    steps, values = (np.concatenate([one[i] for one in readings]) for i in (0, 1))
    return Series(np.arange(len(readings)), start, steps.astype(np.int64), values.astype(float))


def test_scores_are_those_of_the_store(tmp_path):
    leave = {0: "finished", 1: "diverged", 2: "failed", 3: "waiting"}
    path = made_store(tmp_path / "runs.db", leave=lambda run: leave.get(run.seed, "finished"))
    for share in (0.0, 0.1, 0.33, 1.0):
        with Records(path) as records, Store(path) as store:
            runs = records.runs()
            found = finals(
                records.series("error", [run.id for run in runs]), [run.steps for run in runs], share
            )
            for run, score in zip(runs, found, strict=True):
                expected = store.final(run.id, "error", share)
                assert score == pytest.approx(expected) if expected is not None else not np.isfinite(score)


def test_between_two_readings_the_later_one_holds():
    both = aligned(series(([2, 4], [1.0, 2.0]), ([1, 2, 3, 4], [5.0, 6.0, 7.0, 8.0])), [0, 1])
    assert both.step.tolist() == [1, 2, 3, 4]
    assert both.value.tolist() == [[1.0, 1.0, 2.0, 2.0], [5.0, 6.0, 7.0, 8.0]]


def test_a_curve_is_of_those_that_have_come_so_far():
    some = aligned(series(([1, 2, 3], [1.0, 2.0, 3.0]), ([1, 2], [3.0, 4.0]), ([], [])), [0, 1, 2])
    curve = some.curve()
    assert curve.mean.tolist() == [2.0, 3.0, 3.0]
    assert curve.runs.tolist() == [2, 2, 1]
    assert np.isnan(curve.low[2]) and (curve.low[:2] == [1.0, 2.0]).all()


def test_a_curve_ends_where_one_of_its_runs_diverged():
    nan = float("nan")
    curve = aligned(series(([1, 2, 3], [1.0, nan, nan]), ([1, 2, 3], [3.0, 4.0, 5.0])), [0, 1]).curve()
    assert curve.mean[0] == 2.0 and np.isnan(curve.mean[1:]).all()
    assert curve.runs.tolist() == [2, 2, 2]


def test_coarser_readings_are_those_that_would_have_been_read():
    value = np.random.default_rng(0).random((3, 100))
    steps = np.arange(10, 1001, 10)
    coarser = aligned(series(*((steps, row) for row in value)), [0, 1, 2]).coarser(20)
    assert coarser.step.tolist() == list(range(50, 1001, 50))
    assert np.allclose(coarser.value, value.reshape(3, 20, 5).mean(axis=2))


def test_uneven_readings_count_by_what_they_are_of():
    coarser = aligned(series(([1, 10], [10.0, 1.0])), [0]).coarser(1)
    assert coarser.step.tolist() == [10] and coarser.value[0, 0] == pytest.approx(1.9)
