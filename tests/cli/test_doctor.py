"""The `colonnade` command: what it prints, and the code it exits with."""

import io
import re
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest
from rich.console import Console

import colonnade
from colonnade import BadInput
from colonnade._engine import instruction_set
from colonnade.cli import app, doctor, main

COMMAND = Path(sysconfig.get_path("scripts"), "colonnade")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The installed command, its output redirected."""
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=120)


def test_version() -> None:
    shown = run("--version")
    assert (shown.returncode, shown.stdout) == (0, f"colonnade {colonnade.__version__}\n")


@pytest.mark.parametrize("arguments", [("--nonsense",), ("nonsense",), ("doctor", "--nonsense")])
def test_what_is_unknown_exits_with_2(arguments: tuple[str, ...]) -> None:
    refused = run(*arguments)
    assert refused.returncode == 2
    assert "nonsense" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_doctor_reports_plain_lines_when_redirected() -> None:
    shown = run("doctor")
    assert shown.returncode == 0, shown.stderr
    assert "\x1b" not in shown.stdout
    assert f"engine: {instruction_set()}" in shown.stdout.splitlines()
    assert all(re.fullmatch(r"[^:]+: .+", line) for line in shown.stdout.splitlines())


def test_doctor_on_a_terminal_shows_the_same_findings() -> None:
    findings = [doctor.Finding("river", "not installed", "pip install '.[river]'")]
    terminal = io.StringIO()
    Console(file=terminal, force_terminal=True, width=120).print(doctor.table(findings))
    assert "pip install '.[river]'" in terminal.getvalue()


def test_doctor_says_how_to_get_what_is_missing() -> None:
    missing = doctor.package("no-such-package", "pip install '.[river]'")
    assert missing.line() == "no-such-package: not installed (pip install '.[river]')"


def test_doctor_does_without_jax(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    assert doctor.devices() == []


def test_doctor_reports_an_engine_that_does_not_load(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "colonnade._engine", None)
    assert doctor.engine().found.startswith("cannot be loaded")


def test_doctor_looks_for_what_the_extras_install() -> None:
    declared = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    extras = declared["project"]["optional-dependencies"]
    for extra, packages in doctor.EXTRAS.items():
        assert {re.split(r"[^\w-]", requirement)[0] for requirement in extras[extra]} == set(packages)


def bad_input() -> None:
    raise BadInput("rate", expected="a positive number", got="[1\n 2]")


def interrupted() -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [(bad_input, 2, "colonnade: rate: expected a positive number, got [1 2]\n"), (interrupted, 130, "")],
)
def test_failures_leave_with_a_code_and_no_traceback(
    command: object, code: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(app, "app", lambda args: command())
    with pytest.raises(SystemExit) as leaving:
        main(["anything"])
    assert (leaving.value.code, capsys.readouterr().err) == (code, said)
