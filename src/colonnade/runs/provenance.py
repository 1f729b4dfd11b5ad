"""What numbers were made with: the machine, the versions of everything, the commit."""

import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("colonnade", "numpy", "jax", "jaxlib", "optax", "ray")


@cache
def code() -> str:
    """Return the commit of the checkout that this runs from, "-dirty" if it was changed; or the release."""
    checkout = Path(__file__).parents[3]
    if (checkout / ".git").exists():
        commit = said("git", "-C", str(checkout), "describe", "--always", "--dirty", "--abbrev=40")
        if commit:
            return commit
    return f"release {version('colonnade')}"


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that are there."""
    found = {package: installed(package) for package in PACKAGES}
    return {"python": platform.python_version()} | {name: v for name, v in found.items() if v is not None}


def installed(package: str) -> str | None:
    """Return a package's version, if it is there."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def processor() -> str:
    """Return the processor's name, where it can be read."""
    try:
        with open("/proc/cpuinfo") as told:
            return next(line.split(":", 1)[1].strip() for line in told if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def said(*command: str) -> str | None:
    """Return the first line of what a command says."""
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return None
    return next(iter(done.stdout.splitlines()), None)
