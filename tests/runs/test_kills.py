"""Killed at random moments, again and again: every run is there once, and is what it would have been."""

import sqlite3
import sys
import time
from functools import cache

import pytest

from runs.killing import Driver, rounds_of_kills, sweeper, wait_until
from runs.sweeper import everything
from runs.walks import recorded, statuses, undisturbed

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")


@cache
def expected():
    return undisturbed(everything())


def check(path):
    assert recorded(path) == expected()
    assert statuses(path) == {"finished": 16}
    with sqlite3.connect(path) as db:
        (whole,) = db.execute("PRAGMA integrity_check").fetchone()
        counts = [
            db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("runs", "members", "checkpoints")
        ]
        files = db.execute(
            "SELECT seed, content FROM artifacts JOIN runs ON runs.id = run ORDER BY seed"
        ).fetchall()
    assert whole == "ok" and counts == [16, 16, 0]
    assert files == [(seed, b"%d" % seed) for seed in (0, 0, 1, 1, 2, 2, 3, 3)]


def how_tasks_began(folder):
    return [line.split()[-1] for path in folder.glob("*.tasks") for line in path.read_text().splitlines()]


def kill(folder, kills, most_seconds, seed):
    began = time.monotonic()
    lines = []

    def log(line):
        lines.append(f"{time.monotonic() - began:8.2f} s  {line}")
        (folder / "kills.log").write_text("\n".join(lines) + "\n")

    rounds_of_kills(folder, kills, most_seconds, seed, check, log)
    begun = how_tasks_began(folder)
    log(f"{kills} kills; {begun.count('on')} tasks went on from a checkpoint, {begun.count('begins')} began")
    print((folder / "kills.log").read_text())
    return begun


def test_ten_kills(tmp_path):
    kill(tmp_path, kills=10, most_seconds=1.5, seed=1)


@pytest.mark.soak
def test_two_hundred_kills(tmp_path):
    begun = kill(tmp_path, kills=200, most_seconds=3.0, seed=2)
    assert begun.count("on") > 100


def test_two_sweeps_share_a_store(tmp_path):
    path = tmp_path / "runs.db"
    some = {"one": ("engine", "here", "walk"), "other": ("here", "walk", "computation")}
    drivers = [sweeper(path, tmp_path / f"{name}.tasks", kinds=kinds) for name, kinds in some.items()]
    assert [one.process.wait() for one in drivers] == [0, 0]
    assert recorded(path) == expected()
    assert statuses(path) == {"finished": 16}
    with sqlite3.connect(path) as db:
        shared = db.execute("SELECT sweep, count(*) FROM members GROUP BY sweep").fetchall()
        tasks = how_tasks_began(tmp_path)
    assert shared == [(1, 12), (2, 12)]
    assert len(tasks) == 14  # walks go side by side in twos; none was done twice


def test_who_is_left_takes_over_from_who_is_killed(tmp_path):
    path = tmp_path / "runs.db"
    one, other = (sweeper(path, tmp_path / f"{name}.tasks") for name in ("one", "other"))
    wait_until(lambda: len(how_tasks_began(tmp_path)) >= 8)
    one.kill()
    assert other.process.wait() == 0
    check(path)


def test_a_killed_drivers_processes_end_in_the_middle_of_a_reading(tmp_path):
    mark = tmp_path / "mark"
    driver = Driver(f"from runs.sweeper import hang; hang({str(tmp_path / 'runs.db')!r}, {str(mark)!r})")
    wait_until(mark.exists)
    assert len(driver.workers()) == 1
    driver.kill()
