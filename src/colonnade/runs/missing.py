"""Packages that aren't installed, and how to get them."""

from collections.abc import Sequence


class Missing(ImportError):
    """Something needs packages that only an extra brings.

    >>> raise Missing("a report", ("chartkick",), "reports")
    Traceback (most recent call last):
    ...
    colonnade.runs.missing.Missing: a report needs chartkick: pip install '.[reports]' in a checkout
    """

    def __init__(self, what: str, packages: Sequence[str], extra: str) -> None:
        needs = ", ".join(packages)
        super().__init__(f"{what} needs {needs}: pip install '.[{extra}]' in a checkout")
