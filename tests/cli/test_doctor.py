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


WRONG = {
    ("--nonsense",): "colonnade: No such option: --nonsense; see colonnade --help",
    ("nonsense",): "colonnade: No such command 'nonsense'; see colonnade --help",
    ("doctor", "--nonsense"): "colonnade doctor: No such option: --nonsense; see colonnade doctor --help",
    ("doctor", "x"): "colonnade doctor: Got unexpected extra argument(s) (x); see colonnade doctor --help",
    ("demo", "--seed"): "colonnade: Option '--seed' requires an argument; see colonnade --help",
    ("demo", "--seed", "1.5"): "colonnade demo: Invalid value for '--seed': ",
    ("demo", "--seconds=abc"): "colonnade demo: Invalid value for '--seconds': ",
}


@pytest.mark.parametrize("arguments", WRONG)
def test_what_cannot_be_used_exits_with_2_and_one_line(arguments: tuple[str, ...]) -> None:
    refused = run(*arguments)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith(WRONG[arguments])
    assert refused.stderr.count("\n") == 1
    if "Invalid value" in refused.stderr:
        assert f", got '{arguments[-1].rpartition('=')[2]}'; see " in refused.stderr


def test_without_arguments_it_shows_its_commands() -> None:
    shown = run()
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "demo" in shown.stdout and "doctor" in shown.stdout


def test_help_says_what_is_done_without_an_option() -> None:
    said = " ".join(run("demo", "--help").stdout.replace("│", " ").split())
    assert "[default: (the one that costs as much)]" in said


def test_doctor_reports_plain_lines_when_redirected() -> None:
    shown = run("doctor")
    assert shown.returncode == 0, shown.stderr
    assert "\x1b" not in shown.stdout
    assert f"engine: {instruction_set()}" in shown.stdout.splitlines()
    assert all(re.fullmatch(r"[^:]+: .+", line) for line in shown.stdout.splitlines())


def test_doctor_on_a_terminal_shows_the_same_findings() -> None:
    findings = [doctor.Finding("river", "not installed", "pip install '.[river]'")]
    findings.append(doctor.Finding("platform", "Linux-6.1" * 12))
    for width in (60, 120):
        terminal = io.StringIO()
        Console(file=terminal, force_terminal=True, width=width).print(doctor.table(findings))
        assert "pip install '.[river]'" in terminal.getvalue()
        assert "".join(re.findall(r"[-\w.]+", terminal.getvalue())).count("6.1") == 12


def test_doctor_says_how_to_get_what_is_missing() -> None:
    missing = doctor.package("no-such-package", "pip install '.[river]'")
    assert missing.line() == "no-such-package: not installed (pip install '.[river]')"


def test_doctor_does_without_jax(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    assert doctor.devices() == []


def test_doctor_reports_an_engine_that_does_not_load(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "colonnade._engine", None)
    assert doctor.engine().found.startswith("cannot be loaded")


def test_doctor_looks_for_what_is_installed() -> None:
    declared = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    wanted = {"always": declared["dependencies"]} | declared["optional-dependencies"]
    for extra, packages in {"always": doctor.ALWAYS, **doctor.EXTRAS}.items():
        assert {re.split(r"[^\w-]", requirement)[0] for requirement in wanted[extra]} == set(packages)


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
    monkeypatch.setattr(app, "app", lambda args, standalone_mode: command())
    with pytest.raises(SystemExit) as leaving:
        main(["anything"])
    assert (leaving.value.code, capsys.readouterr().err) == (code, said)
