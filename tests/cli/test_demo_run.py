"""The demo as a process of its own: what it prints, what it writes, how it ends."""

import os
import pty
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

import pytest

COMMAND = str(Path(sysconfig.get_path("scripts"), "colonnade"))


def start(*arguments: str, **options: object) -> subprocess.Popen[str]:
    return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
        [COMMAND, "demo", *arguments],
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options,
    )


def refused(*arguments: str) -> str:
    """What is said of options that cannot be used."""
    done = subprocess.run([COMMAND, "demo", *arguments], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    return done.stderr


def test_redirected_it_prints_lines_and_writes_both_files(tmp_path: Path) -> None:
    process = start("--events", "200000", "--seed", "5", "--worlds", "2", "--out", str(tmp_path / "made"))
    said, complaints = process.communicate(timeout=120)
    assert (process.returncode, complaints) == (0, "")
    assert "\x1b" not in said and said.isascii()
    assert said.startswith("starting ...\n")
    assert "the mean error is 0.0" in said
    assert said.endswith(f"{tmp_path}/made/demo.html\n")
    assert (tmp_path / "made" / "demo.png").exists() == ("Picture: none" not in said)
    assert "5, 6, each for a world and for both learners" in (tmp_path / "made" / "demo.html").read_text()


@pytest.mark.parametrize(("moment", "written"), [("starting", False), ("events", True)])
def test_interrupted_it_keeps_what_it_has(moment: str, written: bool, tmp_path: Path) -> None:
    process = start("--seconds", "100", "--out", str(tmp_path))
    assert process.stdout is not None
    assert any(moment in line for line in process.stdout)
    process.send_signal(signal.SIGINT)
    said, complaints = process.communicate(timeout=120)
    assert (process.returncode, complaints) == (130, "")
    assert "Interrupted." in said
    assert (tmp_path / "demo.html").exists() == written
    assert ("nothing was written" in said) != written


def test_a_dumb_terminal_gets_plain_lines(tmp_path: Path) -> None:
    said = on_terminal({"TERM": "dumb", "COLUMNS": "40"}, "--events", "1", "--out", str(tmp_path))
    assert "\x1b" not in said and said.isascii()
    assert all(len(line) < 40 for line in said.splitlines() if "/" not in line)
    assert "demo.png" in said


def on_terminal(variables: Mapping[str, str], *arguments: str) -> str:
    """Everything a terminal is sent."""
    ours, theirs = pty.openpty()
    process = start(*arguments, stdout=theirs, env={**os.environ, **variables})
    os.close(theirs)
    sent = b""
    while True:
        try:
            sent += os.read(ours, 65_536)
        except OSError:  # the other end is closed
            break
    os.close(ours)
    assert process.wait(timeout=120) == 0
    return sent.decode()


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("--seconds", "0"), "colonnade: seconds: expected a number from 1.0 to 86400.0, got 0.0\n"),
        (("--truncation", "4"), "colonnade: truncation: expected one of 2, 3, 5, 8, 10, 15, 20, 30, got 4\n"),
        (
            ("--out", "/dev/null"),
            "colonnade: out: expected a folder that can be written, got /dev/null (File exists)\n",
        ),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(arguments: tuple[str, ...], line: str) -> None:
    assert refused(*arguments) == line


WITHOUT = """
import sys
from importlib.abc import MetaPathFinder

class Hide(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"jax", "optax", "jaxtyping", "matplotlib"}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Hide())
from colonnade.cli import main
main(["demo", "--events", "50000"])
"""


def test_without_the_lab_it_learns_and_says_how_to_get_the_picture(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, cwd=tmp_path, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "Picture: none" in done.stdout and "pip install matplotlib" in done.stdout
    assert [path.name for path in (tmp_path / "colonnade-demo").iterdir()] == ["demo.html"]
