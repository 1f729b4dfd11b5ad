"""What numbers were measured on: the machine, the versions of everything, the commit."""

import platform
from typing import Any

from colonnade.cli.bench import deep_river
from colonnade.runs.provenance import code, installed, processor, said

PACKAGES = ("numpy", "jax", "torch")


def origin() -> dict[str, Any]:
    """Return it, for JSON; None is what isn't there."""
    from colonnade import __version__
    from colonnade._engine import instruction_set

    return {
        "version": __version__,
        "commit": code(),
        "platform": platform.platform(),
        "processor": processor(),
        "instruction_set": instruction_set(),
        "python": platform.python_version(),
        "cc": said("cc", "--version"),
        **{package: installed(package) for package in PACKAGES},
        "deep-river": deep_river.DEEP_RIVER if deep_river.ready() else None,
    }
