"""Tasks on this machine: what is being done can be ended at once."""

import subprocess
import sys

import pytest

PROGRAM = """
import time
from colonnade import TDPredictor, TracePatterning, columnar
from colonnade.runs.local import Local
from colonnade.runs.streamed import Recipe, Streamed
from colonnade.runs.work import Task

long = Streamed(Recipe(TDPredictor, columnar(4)), TracePatterning(), steps=10**9, every=10**9)
executor = Local(jobs=2)
for seed in range({tasks}):
    executor.submit(Task(str(seed), long, (seed,)))
time.sleep(0.3)
executor.close()
"""


@pytest.mark.parametrize("tasks", [0, 2])
def test_python_ends_well_while_the_engine_is_at_work(tasks):
    command = [sys.executable, "-c", PROGRAM.format(tasks=tasks)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
