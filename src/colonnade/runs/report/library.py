"""The library that draws in the page: Chart.js, as the installed package `chartkick` brings it."""

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

PACKAGE = "chartkick"
FILE = "Chart.bundle.js"


class LibraryMissing(Exception):
    """What draws in the page isn't installed."""


def library() -> str:
    """Return the library's source, with the licence at its head."""
    try:
        files = distribution(PACKAGE).files or []
    except PackageNotFoundError:
        raise LibraryMissing(PACKAGE) from None
    for file in files:
        if file.name == FILE:
            return Path(str(file.locate())).read_text(encoding="utf-8")
    raise LibraryMissing(f"a {PACKAGE} that brings {FILE}")
