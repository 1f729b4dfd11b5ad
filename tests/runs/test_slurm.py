"""The SLURM script of the documentation: read by shellcheck, and run where `srun` is a fake."""

import contextlib
import itertools
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from docs.pages import DOCS, blocks
from runs.killing import wait_until
from runs.walks import recorded, statuses

(SCRIPT,) = [block.code for block in blocks(DOCS / "runs.md") if block.language == "bash"]
TESTS = Path(__file__).parents[1]
JOB_IDS = itertools.count(os.getpid())
SRUN = """#!/bin/bash
# Runs what SLURM would run on nodes, here; says what it was asked for.
echo "$@" >> "$ASKED"
while [[ "$1" == --* ]]; do shift; done
exec "$@"
"""
STUDY = """
from dataclasses import dataclass
from runs.walks import Walk, sweep_of

@dataclass(frozen=True)
class Mine(Walk):
    pass

def quick():
    return sweep_of(Mine(steps=60, pause=0.02))

def long():
    return sweep_of(Mine(steps=600, pause=0.05))
"""


def test_shellcheck_finds_nothing(tmp_path):
    if not shutil.which("shellcheck"):
        pytest.skip("shellcheck is not installed")
    (tmp_path / "sweep.sh").write_text(SCRIPT)
    done = subprocess.run(["shellcheck", tmp_path / "sweep.sh"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


def test_it_is_told_in_time_and_has_a_task_a_node():
    asked = re.findall(r"^#SBATCH (\S+)$", SCRIPT, re.MULTILINE)
    assert "--signal=B:TERM@120" in asked and "--ntasks-per-node=1" in asked


@pytest.fixture
def allocation(tmp_path):
    """Two nodes of one core, which are this machine."""
    pytest.importorskip("ray")
    (tmp_path / "bin").mkdir()
    for name, code in (("bin/srun", SRUN), ("sweep.sh", SCRIPT), ("study.py", STUDY)):
        (tmp_path / name).write_text(code)
        (tmp_path / name).chmod(0o755)
    path = os.pathsep.join([str(tmp_path / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {
        **os.environ,
        "PATH": path,
        "PYTHONPATH": str(TESTS),
        "ASKED": str(tmp_path / "asked"),
        "SLURM_CPUS_PER_TASK": "1",
        "SLURM_JOB_NUM_NODES": "2",
        "SLURM_JOB_ID": str(next(JOB_IDS)),
        "SLURMD_NODENAME": "first",
    }

    jobs = []

    def submit(*arguments):
        command = ["./sweep.sh", *arguments]
        jobs.append(subprocess.Popen(command, cwd=tmp_path, env=environment, start_new_session=True))
        return jobs[-1]

    yield submit
    for job in jobs:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(job.pid, signal.SIGKILL)


@pytest.mark.soak
def test_a_sweep_runs_in_an_allocation(allocation, tmp_path):
    assert allocation("study.py:quick", "--store", "runs.db").wait(300) == 0
    assert statuses(tmp_path / "runs.db") == {"finished": 8}
    head, others = (tmp_path / "asked").read_text().splitlines()
    assert "--nodelist=first" in head and "ray start --block --num-cpus=1 --head" in head
    assert "--nodes=1 --exclude=first" in others and "--address=" in others


def begun(path):
    try:
        return recorded(path)
    except sqlite3.OperationalError:  # not there yet, or nothing in it
        return False


@pytest.mark.soak
def test_when_time_is_nearly_up_it_stops_gently(allocation, tmp_path):
    job = allocation("study.py:long", "--store", "runs.db")
    wait_until(lambda: begun(tmp_path / "runs.db"))
    job.send_signal(signal.SIGTERM)
    assert job.wait(300) == 130
    assert set(statuses(tmp_path / "runs.db")) <= {"waiting", "finished"}
    assert recorded(tmp_path / "runs.db")
