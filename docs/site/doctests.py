"""Shows the examples of docstrings as Python sessions. To Markdown their `>>>` would be quotations."""

import re
from typing import Any

from griffe import Extension, Object

EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)
"""From the first prompt to the next empty line."""


class Doctests(Extension):
    """Puts each example into a fence."""

    def on_object(self, *, obj: Object, **others: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(docstring: str) -> str:
    """Return a docstring with its examples in fences."""
    return EXAMPLE.sub(lambda example: f"```pycon\n{example[0]}\n```", docstring)
