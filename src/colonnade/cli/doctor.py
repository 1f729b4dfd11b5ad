"""`colonnade doctor`: what this machine has of what Colonnade can use, and how to get what is missing."""

import platform
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rich.table import Table

ALWAYS = ("numpy", "safetensors", "typer", "rich")
EXTRAS = {
    "lab": ("jax", "optax", "jaxtyping", "matplotlib"),
    "river": ("river",),
    "cluster": ("ray",),
    "reports": ("chartkick", "pyarrow"),
    "trackers": ("tensorboard", "mlflow-skinny"),
}


class Finding(NamedTuple):
    """One thing looked at; `advice` says what to do where something is missing."""

    what: str
    found: str
    advice: str = ""

    def line(self) -> str:
        """The finding as a line of plain text.

        >>> Finding("river", "not installed", "pip install '.[river]'").line()
        "river: not installed (pip install '.[river]')"
        """
        return f"{self.what}: {self.found}" + (f" ({self.advice})" if self.advice else "")


def doctor() -> None:
    """Show what is installed, what the engine and JAX run on, and how to get what is missing."""
    findings = examine()
    if sys.stdout.isatty():
        from rich.console import Console

        Console().print(table(findings))
    else:
        for finding in findings:
            print(finding.line())


def examine() -> list[Finding]:
    """Everything there is to report, in the order it is shown."""
    return [
        Finding("Python", platform.python_version()),
        Finding("platform", platform.platform()),
        package("colonnade", "pip install ."),
        *(package(name, f"pip install {name}") for name in ALWAYS),
        engine(),
        *(package(name, f"pip install '.[{extra}]'") for extra in EXTRAS for name in EXTRAS[extra]),
        *devices(),
    ]


def table(findings: Iterable[Finding]) -> "Table":
    """The findings for a terminal."""
    from rich import box
    from rich.table import Column, Table
    from rich.text import Text

    shown = Table("what", Column("found", overflow="fold"), box=box.SIMPLE_HEAD)
    shown.add_column("to get it", no_wrap=True)
    for finding in findings:
        shown.add_row(*map(Text, finding), style="yellow" if finding.advice else None)
    return shown


def package(name: str, advice: str) -> Finding:
    """Whether a package is installed, asked without importing it."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return Finding(name, version(name))
    except PackageNotFoundError:
        return Finding(name, "not installed", advice)


def engine() -> Finding:
    """What the compiled engine runs on."""
    try:
        from colonnade._engine import instruction_set
    except ImportError as failure:
        return Finding("engine", f"cannot be loaded: {failure}", "pip install --force-reinstall .")
    return Finding("engine", instruction_set())


def devices() -> list[Finding]:
    """The devices that JAX sees, if it is installed."""
    try:
        import jax
    except ImportError:
        return []
    try:
        seen = jax.devices()
    except RuntimeError as failure:
        return [Finding("JAX devices", f"none: {failure}")]
    return [
        Finding("JAX devices", ", ".join(str(device) for device in seen)),
        Finding("GPU", "yes" if any(device.platform == "gpu" for device in seen) else "no"),
    ]
