"""Sessions that share a store, runs that share a task: nothing is lost, doubled, or waited for for ever."""

import os
import subprocess
import sys
import time

import pytest

from colonnade.runs import store as of_store
from colonnade.runs.driver import Driver, drive
from colonnade.runs.local import Local
from colonnade.runs.store import Store
from colonnade.runs.work import Finished, Lost, work
from runs.walks import WalkHere, recorded, statuses, sweep_of, undisturbed


class Slow:
    """Does tasks bit by bit: a message of each task a turn, and now and then a loss."""

    slots = 2

    def __init__(self, *losses):
        self.losses, self.count, self.courses = losses, 0, []

    def submit(self, task):
        self.courses.append((task, work(task, lambda: False)))

    def messages(self, seconds):
        told = []
        for task, messages in list(self.courses):
            self.count += 1
            lost = self.count in self.losses
            told.append(Lost(task.key) if lost else next(messages))
            if lost or isinstance(told[-1], Finished):
                self.courses.remove((task, messages))
        time.sleep(seconds)
        return told

    def ask_to_stop(self):
        pass

    def close(self):
        self.courses = []


def begun(sweep, store, executor):
    """Return a driver that has done nothing yet."""
    runs = sweep.runs()
    store.register(sweep, runs)
    return Driver(sweep, runs, store, executor, store.begin_session(), False, seconds_a_message=0.0)


def through(driver, turns=10_000):
    for _ in range(turns):
        if driver.turn(False):
            return driver.state
    raise AssertionError("it waits without end")


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr("colonnade.runs.driver.SECONDS_A_LOOK", 0.0)
    monkeypatch.setattr("colonnade.runs.driver.SECONDS_A_COMMIT", 0.001)


def test_a_task_that_gets_further_may_be_lost_any_number_of_times(tmp_path):
    sweep = sweep_of(WalkHere(steps=40), starts=(0.2,), seeds=(0,))
    with Store(tmp_path / "runs.db") as store:
        state = through(begun(sweep, store, Slow(*range(4, 40, 4))))
    assert state.counts["finished"] == 1 and state.counts["failed"] == 0
    assert recorded(tmp_path / "runs.db") == undisturbed(sweep)


def test_a_task_that_gets_no_further_fails(tmp_path):
    sweep = sweep_of(WalkHere(), starts=(0.2,), seeds=(0,))
    with Store(tmp_path / "runs.db") as store:
        state = through(begun(sweep, store, Slow(3, 4, 5, 6)))
        assert state.counts["failed"] == 1
        assert store.db.execute("SELECT max(step) FROM points").fetchone() == (2,)


def test_two_sessions_whose_groups_overlap_finish_every_run_once(tmp_path):
    path = tmp_path / "runs.db"
    whole, part = sweep_of(WalkHere(lanes=4)), sweep_of(WalkHere(lanes=4), seeds=(1, 2), name="part")
    with Store(path) as mine, Store(path) as theirs:
        ours, other = begun(part, mine, Slow()), begun(whole, theirs, Slow())
        ended = [False, False]
        for _ in range(1000):
            ended = [driver.turn(False) for driver in (ours, other)]
            if all(ended):
                break
    assert ended == [True, True]
    assert ours.state.counts["finished"] == 4 and other.state.counts["finished"] == 8
    assert recorded(path) == undisturbed(whole)


def test_what_was_saved_in_other_company_leaves_no_gap(tmp_path):
    path = tmp_path / "runs.db"
    walk = WalkHere(lanes=4, steps=30)
    whole, part = sweep_of(walk), sweep_of(walk, seeds=(1, 2), name="part")
    with Store(path) as store:
        for sweep, turns in ((whole, 20), (part, 8)):
            driver = begun(sweep, store, Slow())
            for _ in range(turns):
                driver.turn(False)
            store.end_session(driver.session)
        reached = dict(store.db.execute("SELECT seed, step FROM runs"))
        assert 0 < reached[1] < reached[0] < 30  # the part went back to the start
        assert drive(whole, store, Local(1)).counts["finished"] == 8
    assert recorded(path) == undisturbed(whole)


def claimed(path, **session):
    """Leave runs to a session that is like this."""
    sweep = sweep_of(WalkHere())
    with Store(path) as store:
        runs = sweep.runs()
        store.register(sweep, runs)
        number = store.begin_session()
        ids = [standing.id for standing in store.standings(run.identity for run in runs).values()]
        with store.writing():
            assert store.claim(ids, number)
            for column, value in session.items():
                store.db.execute(f"UPDATE sessions SET {column} = ? WHERE id = ?", (value, number))
    return sweep


def process_that_is_gone():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


DEAD = {
    "its process is gone": {},
    "it was silent for long": {"seen": time.time() - 3600},
    "it was silent for long, elsewhere": {"host": "elsewhere", "seen": time.time() - 3600},
    "the clock was put back an hour after it died": {"seen": time.time() + 3600},
}
ALIVE = {
    "elsewhere, it spoke a moment ago": {"host": "elsewhere"},
    "its process is there": {"process": os.getppid()},
}


@pytest.mark.parametrize("why", DEAD)
def test_the_runs_of_a_dead_session_are_free_at_once(tmp_path, why):
    sweep = claimed(tmp_path / "runs.db", **(DEAD[why] or {"process": process_that_is_gone()}))
    with Store(tmp_path / "runs.db") as store:
        assert through(begun(sweep, store, Slow()), turns=500).counts["finished"] == 8
    assert recorded(tmp_path / "runs.db") == undisturbed(sweep)


@pytest.mark.parametrize("why", ALIVE)
def test_the_runs_of_a_live_session_are_left_to_it(tmp_path, why):
    path = tmp_path / "runs.db"
    sweep = claimed(path, **ALIVE[why])
    with Store(path) as store:
        driver = begun(sweep, store, Slow())
        assert not any(driver.turn(False) for _ in range(50))
        assert driver.state.counts["elsewhere"] == 8
    assert statuses(path) == {"running": 8}


def test_a_session_that_hung_for_long_leaves_its_runs_to_who_took_them(tmp_path, monkeypatch):
    path = tmp_path / "runs.db"
    sweep = sweep_of(WalkHere())
    with Store(path) as mine, Store(path) as theirs:
        hung = begun(sweep, mine, Slow())
        for _ in range(5):
            hung.turn(False)
        mine.db.execute("UPDATE sessions SET seen = seen - 3600")
        other = begun(sweep, theirs, Slow())
        for _ in range(5):
            other.turn(False)  # it has taken over
        monkeypatch.setattr(of_store, "SECONDS_TO_LIVE", 7200.0)  # nothing is taken back
        for _ in range(1000):
            if all([hung.turn(False), other.turn(False)]):
                break
        assert hung.state.counts["finished"] == other.state.counts["finished"] == 8
    assert recorded(path) == undisturbed(sweep)
