"""The engine's headers need no library at all, so the same learner can go onto a microcontroller."""

import shutil
import subprocess
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "core"
COMPILER = shutil.which("c++")
FREESTANDING = ("-std=c++20", "-ffreestanding", "-fno-exceptions", "-fno-rtti", "-nostdlib", "-nostdinc")


@pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler called c++ on this machine")
@pytest.mark.parametrize("header", sorted(path.name for path in CORE.glob("*.hpp")))
def test_header_compiles_freestanding(header: str) -> None:
    """The header alone, warnings being errors; with -nostdinc there is nothing else to include."""
    command = [str(COMPILER), *FREESTANDING, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c++", "-"]
    done = subprocess.run(
        command, input=f'#include "{header}"\n', cwd=CORE, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
