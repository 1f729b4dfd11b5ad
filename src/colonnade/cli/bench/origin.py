"""What numbers were measured on: the machine, the versions of everything, the commit."""

import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from colonnade.cli.bench import compiled, deep_river

PACKAGES = ("numpy", "jax", "torch")


def origin() -> dict[str, Any]:
    """Return it, for JSON; None is what isn't there."""
    from colonnade import __version__
    from colonnade._engine import instruction_set

    return {
        "version": __version__,
        "commit": _said(
            "git", "-C", str(compiled.folder()), "describe", "--always", "--dirty", "--abbrev=40"
        ),
        "platform": platform.platform(),
        "processor": _processor(),
        "instruction_set": instruction_set(),
        "python": platform.python_version(),
        "cc": _said("cc", "--version"),
        **{package: _version(package) for package in PACKAGES},
        "deep-river": deep_river.DEEP_RIVER if deep_river.ready() else None,
    }


def _said(*command: str) -> str | None:
    """The first line of what a command says."""
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return None
    return next(iter(done.stdout.splitlines()), None)


def _processor() -> str:
    """The processor's name, where it can be read."""
    try:
        with open("/proc/cpuinfo") as told:
            return next(line.split(":", 1)[1].strip() for line in told if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
