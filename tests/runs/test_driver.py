"""Driving a sweep: every run is there exactly once, whatever becomes of those that do it."""

import math
import os
import signal
import sqlite3
import time
from collections import deque
from dataclasses import dataclass
from typing import ClassVar

import pytest

from colonnade import BadInput, TDPredictor, TracePatterning, columnar
from colonnade.runs.driver import drive
from colonnade.runs.experiment import Computed
from colonnade.runs.local import Local
from colonnade.runs.store import Store
from colonnade.runs.streamed import Recipe, Streamed
from colonnade.runs.sweep import Goal, Sweep, grid
from colonnade.runs.work import Failed, Lost, Stopped, Task, work


@dataclass(frozen=True)
class Waves(Computed):
    """A few sums, in this process."""

    pitch: float = 1.0
    steps: int = 5
    place: ClassVar[str] = "thread"

    def readings(self, seed):
        if self.pitch < 0:
            raise ValueError("no such pitch")
        for step in range(1, self.steps + 1):
            yield step, {"height": math.sin(self.pitch * step + seed)}


@dataclass(frozen=True)
class OwnProcess(Waves):
    """The same in a process of its own, of which the first may be killed."""

    mark: str = ""
    place: ClassVar[str] = "process"

    def readings(self, seed):
        yield from super().readings(seed)
        if self.mark and not os.path.exists(self.mark):
            with open(self.mark, "w"):
                os.kill(os.getpid(), signal.SIGKILL)


def sweep(experiment=None, pitches=(1.0, 2.0, 3.0), seeds=(0, 1), name="waves"):
    points = grid(experiment or Waves(), {"pitch": list(pitches)})
    return Sweep(name, points, seeds, goal=Goal("height", "most", 0.5))


def series(path):
    with sqlite3.connect(path) as db:
        return db.execute("SELECT run, metric, step, value FROM series ORDER BY 1, 2, 3").fetchall()


def statuses(path):
    with sqlite3.connect(path) as db:
        return dict(db.execute("SELECT status, count(*) FROM runs GROUP BY status"))


class Handmade:
    """An executor whose tasks do what a script says, a word a task; then all is well."""

    def __init__(self, *script, slots=2):
        self.slots, self.script, self.told, self.submitted = slots, deque(script), deque(), []
        self.stopping = False

    def submit(self, task):
        self.submitted.append(task)
        word = self.script.popleft() if self.script else "do"
        if word == "lose":
            self.told.append(Lost(task.key))
        elif word == "fail":
            self.told.append(Failed(task.key, "it fell"))
        elif word == "do":
            self.told.extend(work(task, lambda: self.stopping))

    def messages(self, seconds):
        told = list(self.told)
        self.told.clear()
        if not told:
            time.sleep(min(seconds, 0.01))
        return told

    def ask_to_stop(self):
        self.stopping = True
        self.told.extend(Stopped(task.key) for task in self.submitted)

    def close(self):
        pass


def test_a_sweep_is_run_and_recorded(tmp_path):
    path = tmp_path / "runs.db"
    with Store(path) as store:
        state = drive(sweep(), store, Local(2))
    assert state.counts["finished"] == state.total == 6
    assert statuses(path) == {"finished": 6}
    found = series(path)
    assert len(found) == 6 * 5
    assert {value for _, _, step, value in found if step == 1} == {
        math.sin(pitch + seed) for pitch in (1.0, 2.0, 3.0) for seed in (0, 1)
    }


def test_a_finished_run_is_never_repeated(tmp_path):
    with Store(tmp_path / "runs.db") as store:
        drive(sweep(), store, Handmade())
        again = Handmade()
        drive(sweep(pitches=(1.0, 2.0, 3.0, 4.0), name="more"), store, again)
        assert sorted(task.experiment.pitch for task in again.submitted) == [4.0, 4.0]


def test_a_lost_task_is_done_again(tmp_path):
    with Store(tmp_path / "runs.db") as store:
        state = drive(sweep(), store, Handmade("lose", "do", "lose", "lose"))
    assert state.counts["finished"] == 6
    assert len(series(tmp_path / "runs.db")) == 30


def test_a_task_that_is_lost_too_often_has_failed(tmp_path):
    with Store(tmp_path / "runs.db") as store:
        state = drive(sweep(pitches=(1.0,), seeds=(0,)), store, Handmade(*["lose"] * 9))
        assert state.counts["failed"] == 1
        (reason,) = store.db.execute("SELECT failure FROM runs").fetchone()
        assert reason == "the process that ran it died 4 times"


def test_what_failed_stays_failed_until_it_is_asked_for_again(tmp_path):
    with Store(tmp_path / "runs.db") as store:
        state = drive(sweep(), store, Handmade("fail"))
        assert (state.counts["failed"], state.counts["finished"]) == (1, 5)
        unasked = Handmade()
        assert drive(sweep(), store, unasked).counts["failed"] == 1
        assert not unasked.submitted
        state = drive(sweep(), store, Handmade(), again=True)
        assert (state.counts["failed"], state.counts["finished"]) == (0, 6)


def test_an_experiment_that_raises_fails_and_says_why(tmp_path):
    with Store(tmp_path / "runs.db") as store:
        state = drive(sweep(pitches=(-1.0, 1.0)), store, Local(2))
        assert (state.counts["failed"], state.counts["finished"]) == (2, 2)
        (reason,) = store.db.execute("SELECT DISTINCT failure FROM runs WHERE failure NOTNULL").fetchone()
        assert reason.rstrip().endswith("ValueError: no such pitch")


def test_an_experiment_that_cannot_be_sent_to_a_process_fails(tmp_path):
    class Inner(OwnProcess):
        pass

    with Store(tmp_path / "runs.db") as store:
        assert drive(sweep(Inner()), store, Local(2)).counts["failed"] == 6
        (reason,) = store.db.execute("SELECT DISTINCT failure FROM runs").fetchone()
    assert "Inner" in reason.splitlines()[-1]


def test_stopping_lets_runs_wait_and_another_session_goes_on(tmp_path):
    path = tmp_path / "runs.db"
    with Store(path) as store:
        turns = iter(range(100))
        state = drive(sweep(), store, Handmade("hang", "hang", "hang"), stop=lambda: next(turns) > 1)
        assert state.stopping and state.counts["finished"] < 6
        assert "running" not in statuses(path)
        assert drive(sweep(), store, Handmade()).counts["finished"] == 6


def test_what_is_best(tmp_path):
    with Store(tmp_path / "runs.db") as store:
        mean, run, seeds = drive(sweep(), store, Handmade()).best
        last_half = {
            p: [math.sin(p * s + seed) for s in (3, 4, 5) for seed in (0, 1)] for p in (1.0, 2.0, 3.0)
        }
        means = {pitch: sum(values) / 6 for pitch, values in last_half.items()}
        assert mean == pytest.approx(max(means.values()))
        assert run.point.label["pitch"] == max(means, key=means.get) and seeds == 2
        assert drive(sweep(), store, Handmade()).best[0] == pytest.approx(mean)


def test_a_killed_process_is_replaced_and_its_task_done_again(tmp_path):
    experiment = OwnProcess(mark=str(tmp_path / "mark"))
    with Store(tmp_path / "runs.db") as store:
        state = drive(sweep(experiment, pitches=(1.0,)), store, Local(1))
    assert state.counts["finished"] == 2
    assert (tmp_path / "mark").exists()
    assert len(series(tmp_path / "runs.db")) == 10


def test_the_runs_of_a_dead_session_are_taken_over(tmp_path):
    with Store(tmp_path / "runs.db") as store:
        runs = sweep().runs()
        store.register(sweep(), runs)
        dead = store.begin_session()
        ids = [standing.id for standing in store.standings(run.identity for run in runs).values()]
        with store.writing():
            assert store.claim(ids[:4], dead)
            store.db.execute("UPDATE sessions SET seen = 0")
        assert drive(sweep(), store, Handmade()).counts["finished"] == 6


def test_who_lost_a_run_to_another_session_records_nothing_of_it(tmp_path):
    path = tmp_path / "runs.db"
    with Store(path) as store:
        executor = Handmade("hang")
        state = {"turns": 0}

        def steal():
            state["turns"] += 1
            if state["turns"] == 2:
                with store.writing():
                    other = store.db.execute(
                        "INSERT INTO sessions (host, process, started, seen, code, versions)"
                        " VALUES ('elsewhere', 1, 0, ?, '', '') RETURNING id",
                        (time.time(),),
                    ).fetchone()[0]
                    store.db.execute("UPDATE runs SET session = ? WHERE status = 'running'", (other,))
                    store.db.execute("UPDATE runs SET status = 'finished' WHERE session = ?", (other,))
                executor.told.extend(work(executor.submitted[0], lambda: False))
            return False

        end = drive(sweep(pitches=(1.0,), seeds=(0,)), store, executor, stop=steal)
    assert end.counts["finished"] == 1
    assert series(path) == []


def test_a_transaction_that_fails_leaves_nothing_behind(tmp_path):
    with Store(tmp_path / "runs.db") as store:
        runs = sweep().runs()
        store.register(sweep(), runs)
        id = next(iter(store.standings([runs[0].identity]).values())).id
        (finished,) = work(Task("key", runs[0].point.experiment, (0,)), lambda: False)
        with pytest.raises(KeyboardInterrupt), store.writing():
            store.progress([id], finished.readings, finished.step, 1.0)
            raise KeyboardInterrupt
        assert series(tmp_path / "runs.db") == []
        with store.writing():
            store.progress([id], finished.readings, finished.step, 1.0)
        assert len(series(tmp_path / "runs.db")) == 5


def test_files_that_are_no_store_are_refused(tmp_path):
    text, other = tmp_path / "a.txt", tmp_path / "other.db"
    text.write_text("no database at all, but longer than a header of SQLite's would be " * 9)
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE birds (name)")
    for path, line in (
        (text, "which is none"),
        (other, "another program's database"),
        (tmp_path / "no" / "folder.db", "a file in a folder that is there"),
    ):
        with pytest.raises(BadInput, match=line):
            Store(path)


def test_an_engine_sweep_in_threads_gives_what_it_gives_alone(tmp_path):
    experiment = Streamed(Recipe(TDPredictor, columnar(2)), TracePatterning(), steps=3000, every=1000)
    with Store(tmp_path / "runs.db") as store:
        drive(Sweep("threads", grid(experiment, {}), tuple(range(6))), store, Local(3))
        found = {}
        for seed, step, value in store.db.execute(
            "SELECT seed, step, value FROM series WHERE metric = 'error'"
        ):
            found.setdefault(seed, {})[step] = value
    for seed in range(6):
        course = experiment.begin((seed,))
        while not course.done:
            reading = course.advance()
            assert found[seed][reading.step] == reading.values[0]["error"]
