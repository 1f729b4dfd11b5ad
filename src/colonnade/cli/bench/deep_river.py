"""deep-river as a peer: its rolling LSTM, in a virtual environment of its own and in a process of its own.

It pins old versions of River and PyTorch, which cannot live beside ours. The environment is made once, when
asked for, in the user's cache. PyTorch is only ever taken as a build for CPUs: the one that deep-river pins,
where PyTorch's own index can be reached, and else the one that Colonnade is tested with.
"""

import json
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from colonnade.cli.bench import deep_river_worker
from colonnade.cli.bench.measuring import Go, NotMeasured

DEEP_RIVER = "deep-river==0.3.4"
PYTHONS = ((3, 11), (3, 12))
PINNED, TESTED = "torch==2.5.1", "torch==2.13.0"
UNDECLARED = "pytest"  # imported by deep-river without being asked for
CPU_BUILDS = "https://download.pytorch.org/whl/cpu"
REST = (  # what deep-river 0.3.4 asks for beside PyTorch, as it asks for it
    "numpy>=2.3.4,<3",
    "pandas>=2.2,<3",
    "river>=0.25,<0.26",
    "scikit-learn>=1.5.1,<2",
    "sortedcontainers>=2.4.0",
    "tqdm~=4.66.5",
    "torchviz~=0.0.2",
)


def home() -> Path:
    """Where the environment is, once it has been made."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache, "colonnade", DEEP_RIVER.replace("==", "-"))


def python() -> Path:
    """The environment's interpreter."""
    return home() / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def ready() -> bool:
    """Whether the environment is whole."""
    return (home() / "ready").exists()


def make() -> None:
    """Make the environment: some minutes, and 1 to 2 GB."""
    if sys.version_info[:2] not in PYTHONS:
        raise NotMeasured("deep-river needs Python 3.11 or 3.12")
    _do([sys.executable, "-m", "venv", "--clear", str(home())])
    cpu = "+cpu" if sys.platform.startswith("linux") else ""
    try:
        _install("--no-deps", "--retries", "0", "--extra-index-url", CPU_BUILDS, PINNED + cpu)
        _install(DEEP_RIVER, UNDECLARED)
    except NotMeasured:
        _install("--retries", "1", "--extra-index-url", CPU_BUILDS, TESTED + cpu)
        _install(*REST, UNDECLARED)
        _install("--no-deps", DEEP_RIVER)
    (home() / "ready").touch()


def calls(inputs: int, units: int, window: int, events: int, until_done: ExitStack) -> Go:
    """Start the process, which works through its events whenever it is told to."""
    if not ready():
        raise NotMeasured("deep-river has an environment of its own: colonnade bench engine --deep-river")
    said = until_done.enter_context(tempfile.TemporaryFile("w+"))  # noqa: SIM115
    worker = until_done.enter_context(
        subprocess.Popen(
            # -P: the modules beside the script are not for it to import.
            [python(), "-P", deep_river_worker.__file__, *map(str, (inputs, units, window, events))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            start_new_session=True,  # an interruption from the keyboard is for us
        )
    )
    until_done.callback(worker.kill)

    def once() -> float:
        assert worker.stdin and worker.stdout
        try:
            print("go", file=worker.stdin, flush=True)
            return float(json.loads(worker.stdout.readline())["nanoseconds"])
        except (OSError, ValueError):
            said.seek(0)
            last = (said.read().strip() or "it said nothing").splitlines()[-1]
            raise NotMeasured(f"deep-river's process failed: {last}") from None

    once()
    return once


def _install(*what: str) -> None:
    _do([str(python()), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *what])


def _do(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        last = (done.stderr.strip() or "no reason given").splitlines()[-1]
        raise NotMeasured(f"deep-river's environment cannot be made: {last}")
