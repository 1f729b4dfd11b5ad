"""Where everything stands in a TOML text: the line of each key and of each element of a list.

Python's own reader of TOML says no lines. This walks through a text that it has read, and so can take for
granted that it is well formed: what is between keys and values need only be passed over.
"""

import re
import tomllib
from collections.abc import Callable
from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_NAME = re.compile(r"""[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'""")
_TEXT = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}' "|'''(?:[^']|'(?!''))*'{3,5}" r"""|"(?:[^"\\\n]|\\.)*"|'[^'\n]*\'""",
    re.DOTALL,
)
_PLAIN = re.compile(r"[^,\]}#\n]*")


def lines_of(text: str) -> dict[Path, int]:
    r"""Return the line, from 1 on, of everything in a well-formed TOML text.

    >>> lines_of('a = 1\n[b]\nc.d = [\n  2,\n  3]')
    {('a',): 1, ('b',): 2, ('b', 'c'): 3, ('b', 'c', 'd'): 3, ('b', 'c', 'd', 0): 4, ('b', 'c', 'd', 1): 5}
    """
    return _Walk(text).all()


class _Walk:
    """A place in the text, and what was found up to it."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.counted, self.line = 0, 1
        self.found: dict[Path, int] = {}
        self.tables: dict[Path, int] = {}  # how many elements a list of [[tables]] has

    def all(self) -> dict[Path, int]:
        """Walk through everything."""
        here: Path = ()
        self._pass(_BLANK)
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                here = self._heading()
            else:
                self._pair(here)
            self._pass(_BLANK)
        return self.found

    def _heading(self) -> Path:
        """Pass [a.b] or [[a.b]]; return the table that it begins."""
        many = self.text.startswith("[[", self.at)
        self.at += 2 if many else 1
        self._pass(_SPACE)
        path: Path = ()
        names = self._names()
        for name in names[:-1]:
            path = self._last(self._here((*path, name)))
        path = self._here((*path, names[-1]))
        if many:
            self.tables[path] = self.tables.get(path, 0) + 1
            path = self._here(self._last(path))
        self.at += 2 if many else 1
        return path

    def _last(self, path: Path) -> Path:
        """Return the last element of a list of [[tables]], or else the same."""
        return (*path, self.tables[path] - 1) if path in self.tables else path

    def _pair(self, path: Path) -> None:
        """Pass a key and its value."""
        for name in self._names():
            path = self._here((*path, name))
        self.at += 1  # =
        self._pass(_SPACE)
        self._value(path)

    def _names(self) -> list[str]:
        """Pass a key; return its parts."""
        names = [self._name()]
        while self.text[self.at] == ".":
            self.at += 1
            self._pass(_SPACE)
            names.append(self._name())
        return names

    def _name(self) -> str:
        told = self._pass(_NAME)
        self._pass(_SPACE)
        (name,) = tomllib.loads(f"{told} = 0")
        return name

    def _value(self, path: Path) -> None:
        """Pass a value, and note what is in it."""
        first = self.text[self.at]
        if first in "\"'":
            self._pass(_TEXT)
        elif first == "[":
            elements = iter(range(len(self.text)))
            self._between("]", lambda: self._value(self._here((*path, next(elements)))))
        elif first == "{":
            self._between("}", lambda: self._pair(path))
        else:
            self._pass(_PLAIN)

    def _between(self, end: str, part: Callable[[], None]) -> None:
        """Pass a bracket, parts with commas between them, and the other bracket."""
        self.at += 1
        self._pass(_BLANK)
        while self.text[self.at] != end:
            part()
            self._pass(_BLANK)
            if self.text[self.at] == ",":
                self.at += 1
                self._pass(_BLANK)
        self.at += 1

    def _here(self, path: Path) -> Path:
        """Note that a path begins here, unless it has begun before."""
        self.line += self.text.count("\n", self.counted, self.at)
        self.counted = self.at
        self.found.setdefault(path, self.line)
        return path

    def _pass(self, pattern: re.Pattern[str]) -> str:
        """Pass what fits here; return it."""
        fitting = pattern.match(self.text, self.at)
        if fitting is None:
            raise ValueError(f"no TOML that was read before, at character {self.at}")
        self.at = fitting.end()
        return fitting[0]
