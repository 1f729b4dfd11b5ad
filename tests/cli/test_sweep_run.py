"""`colonnade sweep` as a process of its own: what it prints and records, how it stops and goes on."""

import os
import pty
import re
import shlex
import signal
import sqlite3
import subprocess
import sysconfig
import termios
import time
from pathlib import Path

import pytest

COMMAND = str(Path(sysconfig.get_path("scripts"), "colonnade"))

SIZES = """
seeds = 2
[experiment]
steps = 2000
every = 500
world = "TracePatterning"
learner = { kind = "TDPredictor", network = { kind = "columnar", columns = 2 } }
[grid]
"learner.step_size" = [1e-3, 1e-4]
"""

STUDY = """
import os, time
from dataclasses import dataclass
from typing import ClassVar
from colonnade.runs.experiment import Computed
from colonnade.runs.sweep import Goal, Sweep, grid

@dataclass(frozen=True)
class Doubled(Computed):
    "In a process of its own."
    factor: float = 1.0
    steps: int = 1

    def readings(self, seed):
        if self.factor == 13:
            raise ValueError("unlucky")
        yield 1, {"height": 2 * self.factor + seed}

@dataclass(frozen=True)
class Waiting(Doubled):
    "Doesn't go on before there is a file."
    steps: int = 3
    place: ClassVar[str] = "thread"

    def readings(self, seed):
        open(f"at work {self.factor} {seed}", "w").close()
        for step in (1, 2, 3):
            yield step, {"height": float(step)}
            while not os.path.exists("gate"):
                time.sleep(0.01)

@dataclass(frozen=True)
class Apart(Waiting):
    "The same in a process of its own."
    place: ClassVar[str] = "process"

def sweep(experiment, factors):
    return Sweep("heights", grid(experiment, {"factor": factors}), (0, 1), goal=Goal("height"))

def doubled():
    return sweep(Doubled(), [1.0, 2.0])

def unlucky():
    return sweep(Doubled(), [1.0, 13.0])

def waiting():
    return sweep(Waiting(), [1.0, 2.0])

def apart():
    return sweep(Apart(), [1.0, 2.0])
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "sizes.toml").write_text(SIZES)
    (tmp_path / "study.py").write_text(STUDY)
    return tmp_path


def start(folder, *arguments, **options):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": folder}
    return subprocess.Popen([COMMAND, "sweep", *arguments], **{**pipes, **options})


def run(folder, *arguments):
    process = start(folder, *arguments)
    said, complaints = process.communicate(timeout=120)
    return process.returncode, said, complaints


def recorded(folder, question):
    with sqlite3.connect(folder / "runs.db") as db:
        return db.execute(question).fetchall()


def statuses(folder):
    return dict(recorded(folder, "SELECT status, count(*) FROM runs GROUP BY status"))


def test_a_file_is_run_and_is_not_run_again(folder):
    code, said, complaints = run(folder, "sizes.toml", "--jobs", "2")
    assert (code, complaints) == (0, "")
    assert said.isascii() and "\x1b" not in said
    lines = said.splitlines()
    assert lines[0].startswith("0 of 4 done, 2 running, 2 waiting")
    assert lines[-2] == "sizes: all 4 runs are done."
    assert re.fullmatch(r"Best: error 0\.0\d+, the mean of 2 seeds: learner.step_size 0\.\d+", lines[-1])
    assert recorded(folder, "SELECT count(*) FROM points WHERE step = 2000") == [(8,)]  # error and excess
    before = recorded(folder, "SELECT * FROM runs")
    assert run(folder, "sizes.toml")[0] == 0
    assert recorded(folder, "SELECT * FROM runs") == before


def test_a_function_is_run_in_processes_of_their_own(folder):
    code, said, complaints = run(folder, "study.py:doubled", "--jobs", "1")
    assert (code, complaints) == (0, "")
    assert said.splitlines()[-2:] == [
        "heights: all 4 runs are done.",
        "Best: height 2.5, the mean of 2 seeds: factor 1",
    ]


def test_what_failed_is_told_and_tried_again_when_it_is_asked_for(folder):
    code, said, complaints = run(folder, "study.py:unlucky", "--jobs", "1")
    assert (code, complaints) == (1, "")
    assert "2 failed: ValueError: unlucky (factor 13, seed 0)" in said
    assert said.endswith(
        "To try those that failed again: colonnade sweep study.py:unlucky --jobs 1 --again\n"
    )
    assert recorded(folder, "SELECT DISTINCT attempts FROM runs") == [(1,)]
    (folder / "study.py").write_text(STUDY.replace('raise ValueError("unlucky")', "pass"))
    assert run(folder, "study.py:unlucky")[0] == 1
    assert run(folder, "study.py:unlucky", "--again")[0] == 0
    assert statuses(folder) == {"finished": 4}


def at_work(folder, *arguments):
    """A sweep that has said how it stands, with two runs that don't go on."""
    process = start(folder, *arguments, "--jobs", "2")
    assert process.stdout.readline().startswith("0 of 4 done, 2 running")
    while len(list(folder.glob("at work *"))) < 2:
        time.sleep(0.01)
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_gently_it_says_how_to_go_on_and_goes_on(folder, number):
    process = at_work(folder, "study.py:waiting")
    process.send_signal(number)
    stopping = next(line for line in process.stdout if "stopping" in line)
    assert stopping.endswith("; stopping: 2 runs are saving where they are\n")
    (folder / "gate").touch()
    said, complaints = process.communicate(timeout=60)
    assert (process.returncode, complaints) == (130, "")
    assert "heights: stopped with 0 of 4 runs done; nothing is lost.\n" in said
    assert statuses(folder) == {"waiting": 4}
    program, _, *resume = shlex.split(said.splitlines()[-1].removeprefix("To go on: "))
    assert program == "colonnade" and run(folder, *resume)[0] == 0
    assert statuses(folder) == {"finished": 4}
    assert recorded(folder, "SELECT count(*) FROM points") == [(12,)]


def children(process):
    tasks = Path(f"/proc/{process.pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="processes are found in /proc")
def test_a_terminals_interruption_leaves_the_processes_that_do_the_work_alone(folder):
    """A terminal interrupts all of them, also those that have only just begun."""
    process = start(folder, "study.py:apart", "--jobs", "2")
    process.stdout.readline()
    while len(children(process)) < 3:  # two that work, and one that Python starts for them
        time.sleep(0.001)
    for _ in range(200):
        for child in children(process):
            os.kill(child, signal.SIGINT)
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    assert any("stopping" in line for line in process.stdout)
    (folder / "gate").touch()
    complaints = process.communicate(timeout=60)[1]
    assert (process.returncode, complaints) == (130, "")
    assert recorded(folder, "SELECT DISTINCT status, attempts FROM runs") == [("waiting", 1)]


def test_stopped_at_once_it_waits_for_nobody(folder):
    process = at_work(folder, "study.py:waiting")
    process.send_signal(signal.SIGINT)
    assert any("stopping" in line for line in process.stdout)
    process.send_signal(signal.SIGINT)
    said, complaints = process.communicate(timeout=60)
    assert (process.returncode, complaints) == (130, "")
    assert said.startswith("heights: stopped at once with 0 of 4 runs done.\n")
    assert said.endswith("To go on: colonnade sweep study.py:waiting --jobs 2\n")
    assert statuses(folder) == {"waiting": 4}
    (folder / "gate").touch()
    assert run(folder, "study.py:waiting")[0] == 0


def test_the_dry_run_makes_nothing(folder):
    code, said, complaints = run(folder, "sizes.toml", "--dry-run")
    assert (code, complaints) == (0, "")
    assert "2 settings x 2 seeds = 4 runs, 8,000 steps in all\n" in said
    assert not (folder / "runs.db").exists()


REFUSED = {
    ("none.toml",): "spec: expected a file that can be read, got none.toml (No such file or directory)",
    ("sizes.toml", "--jobs", "0"): "jobs: expected a whole number of at least 1, got 0",
    (
        "sizes.toml",
        "--store",
        "no/runs.db",
    ): "store: expected a file in a folder that is there, got no/runs.db",
    (
        "sizes.toml",
        "--store",
        "study.py",
    ): "store: expected a store of Colonnade, got study.py, which is none",
    ("study.py:nothing",): "study.py:nothing: expected one of study.py:doubled, study.py:unlucky,"
    " study.py:waiting, study.py:apart, got no function 'nothing'",
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_what_cannot_be_used_is_said_in_one_line(folder, arguments):
    assert run(folder, *arguments) == (2, "", f"colonnade: {REFUSED[arguments]}\n")
    assert not (folder / "runs.db").exists()


def test_a_spec_is_refused_with_its_line_before_anything_runs(folder):
    (folder / "sizes.toml").write_text(SIZES.replace("1e-4]", "-1e-4]"))
    code, said, complaints = run(folder, "sizes.toml")
    assert (code, said) == (2, "")
    assert re.fullmatch(
        r'colonnade: sizes.toml:9: grid."learner.step_size"\[1\]: .*, got -0.0001\n', complaints
    )
    assert not (folder / "runs.db").exists()


def test_a_store_that_cannot_be_written_is_one_line(folder):
    (folder / "runs.db").mkdir()
    code, said, complaints = run(folder, "sizes.toml")
    assert (code, said) == (1, "")
    assert complaints.startswith("colonnade: runs.db: ") and complaints.count("\n") == 1


def on_terminal(folder, terminal, width, height, *arguments):
    """Everything that a terminal of this kind and size is sent."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (height, width))
    variables = {**os.environ, "TERM": terminal, "PYTHONIOENCODING": "utf-8"}
    variables = {
        name: value for name, value in variables.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")
    }
    process = start(folder, *arguments, stdout=theirs, env=variables)
    os.close(theirs)
    sent = b""
    while True:
        try:
            sent += os.read(ours, 65_536)
        except OSError:  # the other end is closed
            break
    os.close(ours)
    assert process.wait(timeout=120) == 0
    return sent.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(("width", "height", "drawn"), [(120, 40, "time left"), (50, 20, " of 4 done")])
def test_a_terminal_is_drawn_on(folder, width, height, drawn):
    said = on_terminal(folder, "xterm-256color", width, height, "sizes.toml", "--jobs", "2")
    assert "\x1b[" in said and drawn in said and "Ctrl-C stops it" in said
    assert "\nBest: error" in said.rpartition("sizes: all 4 runs are done.")[2]


def test_a_dumb_terminal_gets_plain_lines(folder):
    said = on_terminal(folder, "dumb", 40, 20, "sizes.toml")
    assert said.isascii() and "\x1b" not in said
    assert all(len(line) < 40 for line in said.splitlines())
    assert "sizes: all 4 runs are done." in said


def test_a_terminal_shows_the_dry_run_as_a_table(folder):
    said = on_terminal(folder, "xterm-256color", 80, 24, "sizes.toml", "--dry-run")
    assert re.search(r"learner.step_size +.*waiting", re.sub(r"\x1b\[[0-9;]*m", "", said))
