"""The library that draws in the page: Chart.js, as the installed package `chartkick` brings it."""

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from colonnade.runs.missing import Missing

PACKAGE = "chartkick"
FILE = "Chart.bundle.js"


def library() -> str:
    """Return the library's source, with the licence at its head."""
    try:
        files = distribution(PACKAGE).files or []
    except PackageNotFoundError:
        raise Missing("a report", (PACKAGE,), "reports") from None
    for file in files:
        if file.name == FILE:
            return Path(str(file.locate())).read_text(encoding="utf-8")
    raise Missing("a report", (f"{PACKAGE} with its {FILE}",), "reports")
