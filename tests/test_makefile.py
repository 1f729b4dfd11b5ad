"""The Makefile sets up once, and again where what is there can't serve: a checkout that has been moved."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run make in a folder as a terminal would, not as a part of the make that runs the tests."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(
        ["make", *arguments], cwd=folder, env=plain, capture_output=True, text=True, timeout=60
    )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout that has been set up, as far as make can see."""
    folder = tmp_path / "a checkout"
    folder.mkdir()
    for name in ("Makefile", "pyproject.toml", "constraints.txt", "CMakeLists.txt"):
        shutil.copy(ROOT / name, folder)
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "python").symlink_to(sys.executable)
    (folder / ".venv" / ".ready-python").write_text(f"{folder.resolve()}\n")
    for name in ("demo", "lab", "dev"):
        (folder / ".venv" / f".ready-{name}").touch()
    return folder


def ready(folder: Path) -> bool:
    return make(folder, "--question", ".venv/.ready-dev").returncode == 0


def test_what_is_up_to_date_is_left_alone(checkout: Path) -> None:
    assert ready(checkout)


@pytest.mark.parametrize("file", ["pyproject.toml", "constraints.txt", "CMakeLists.txt"])
def test_what_has_changed_is_installed_again(checkout: Path, file: str) -> None:
    later = (checkout / ".venv" / ".ready-dev").stat().st_mtime + 10
    os.utime(checkout / file, (later, later))
    assert not ready(checkout)
    assert "venv --clear" not in make(checkout, "--dry-run", ".venv/.ready-dev").stdout


@pytest.mark.parametrize("name", ["python", "demo", "lab", "dev"])
def test_a_set_up_that_was_cut_off_goes_on(checkout: Path, name: str) -> None:
    (checkout / ".venv" / f".ready-{name}").unlink()
    assert not ready(checkout)


def test_a_checkout_that_was_moved_is_set_up_anew(checkout: Path) -> None:
    moved = checkout.rename(checkout.with_name("elsewhere"))
    assert not ready(moved)
    assert "venv --clear" in make(moved, "--dry-run", ".venv/.ready-dev").stdout


def test_an_environment_whose_python_is_gone_is_made_anew(checkout: Path) -> None:
    python = checkout / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to("/nowhere/python")
    assert "venv --clear" in make(checkout, "--dry-run", ".venv/.ready-dev").stdout


@pytest.mark.parametrize(
    ("lacks", "line"),
    [
        ("PYTHON=false", "Colonnade needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3"),
        ("CXX=no-such-compiler", "Colonnade needs a C++ compiler; name one with: make CXX=/path/to/g++"),
    ],
)
def test_what_a_machine_lacks_is_said_in_a_line_and_nothing_is_touched(
    checkout: Path, lacks: str, line: str
) -> None:
    (checkout / ".venv" / ".ready-python").unlink()
    done = make(checkout, f"PYTHON={sys.executable}", lacks, ".venv/.ready-dev")
    assert done.returncode == 2
    assert done.stderr.splitlines()[0] == line
    assert (checkout / ".venv" / ".ready-lab").exists()
