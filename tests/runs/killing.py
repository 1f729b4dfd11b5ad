"""Kills -9 drivers and their worker processes at random moments, and says what was killed when."""

import itertools
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

TESTS = Path(__file__).parents[1]
SECONDS_TO_WAIT = 60.0  # for what should happen at once


class Driver:
    """A process that runs a program of the tests: a sweep's driver, and where it notes its tasks."""

    def __init__(self, program, notes=None):
        self.notes = notes
        environment = {**os.environ, "PYTHONPATH": str(TESTS)}
        self.process = subprocess.Popen([sys.executable, "-c", program], env=environment)

    def wait_until_begun(self):
        """Wait until it has handed out a task."""
        wait_until(lambda: self.notes.exists() or not self.lives())

    def lives(self):
        return self.process.poll() is None

    def workers(self):
        """Return the processes that run its tasks."""
        return [pid for pid in _children(self.process.pid) if "spawn_main" in _command(pid)]

    def kill(self):
        """Kill it, and wait until its workers have ended by themselves."""
        workers = self.workers()
        self.process.kill()
        self.process.wait()
        wait_until(lambda: not any(_runs(pid) for pid in workers))


def rounds_of_kills(folder, kills, most_seconds, seed, check, log):
    """Kill so many times; each time that a sweep is done, ``check`` its store and begin another.

    There are now one, now two drivers of the same sweep on a store. Some are killed while they begin, more
    when they have handed out tasks. After the last kill they are left alone.
    """
    rng = random.Random(seed)
    done = round = 0
    while done < kills:
        round += 1
        path, drivers = folder / f"{round}.db", 1 + round % 2
        done = _one_sweep(path, drivers, done, kills, rng, most_seconds, log)
        check(path)
        log(f"sweep {round}, {drivers} driver(s): done and checked, {done} kills so far")
    return round


def sweeper(store, notes, **some):
    """Return a driver of everything, or of some of it."""
    told = ", ".join(f"{name}={value!r}" for name, value in some.items())
    return Driver(f"from runs.sweeper import main; main({str(store)!r}, {str(notes)!r}, {told})", notes)


def _one_sweep(path, count, done, kills, rng, most_seconds, log):
    names = (path.with_suffix(f".{number}.tasks") for number in itertools.count())
    drivers = [sweeper(path, next(names)) for _ in range(count)]
    while any(driver.process.poll() != 0 for driver in drivers):
        place = rng.randrange(count)
        if rng.random() < 0.75:
            drivers[place].wait_until_begun()
        until = time.monotonic() + rng.uniform(0.0, most_seconds)
        while time.monotonic() < until and any(driver.lives() for driver in drivers):
            time.sleep(0.005)
        if drivers[place].lives() and done < kills:
            done += 1
            log(f"kill {done}: {_kill(drivers[place], rng)}")
        if drivers[place].process.poll():  # killed, or not all runs are finished
            drivers[place] = sweeper(path, next(names))
    return done


def _kill(driver, rng):
    """Kill the driver or one of its workers; say which."""
    workers = driver.workers()
    if workers and rng.random() < 0.6:
        victim = rng.choice(workers)
        os.kill(victim, signal.SIGKILL)
        return f"worker {victim} of driver {driver.process.pid}"
    driver.kill()
    return f"driver {driver.process.pid}, and with it {len(workers)} worker(s)"


def wait_until(holds):
    until = time.monotonic() + SECONDS_TO_WAIT
    while not holds():
        assert time.monotonic() < until, "it goes on without end"
        time.sleep(0.01)


def _runs(pid):
    return _state(pid)[:1] not in ([], ["Z"])


def _children(parent):
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and _state(entry.name)[1:2] == [str(parent)]:
            found.append(int(entry.name))
    return found


def _state(pid):
    """Return a process's state and parent, and what else follows its name."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _command(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""
