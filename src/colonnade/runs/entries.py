"""What a TOML file says, each part with its place: so that whatever is wrong with it can be pointed at."""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from math import isfinite
from pathlib import Path
from typing import Any, TypeAlias

from colonnade.errors import BadInput
from colonnade.runs.toml_lines import lines_of

Value: TypeAlias = "dict[str, Entry] | tuple[Entry, ...] | str | int | float | bool"

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_AT = re.compile(r" ?\(at (?:line (\d+), column (\d+)|end of document)\)$")
MOST_SHOWN = 60  # characters of a value in a complaint


@dataclass(frozen=True)
class Entry:
    """A value, and where it stands."""

    value: Value
    file: str
    line: int
    key: str = ""

    @property
    def where(self) -> str:
        """The file, the line and the key, as complaints begin."""
        return f"{self.file}:{self.line}: {self.key}" if self.key else f"{self.file}:{self.line}"

    def refused(self, expected: str, got: str | None = None) -> BadInput:
        """Return a complaint about this value."""
        return BadInput(self.where, expected=expected, got=in_short(self.plain()) if got is None else got)

    def lacks(self, name: str) -> BadInput:
        """Return a complaint that a table has everything but this."""
        return self.refused(f"{name!r} too", f"only {', '.join(self.table()) or 'an empty table'}")

    def table(self, expected: str = "a table") -> "dict[str, Entry]":
        """Return its entries, if it is a table."""
        if not isinstance(self.value, dict):
            raise self.refused(expected)
        return self.value

    def table_of(self, *names: str, needed: Iterable[str] = ()) -> "dict[str, Entry]":
        """Return the entries of a table that has no others than these, and those that it needs."""
        for name, entry in self.table().items():
            if name not in names:
                raise unknown(entry, name, names)
        for name in needed:
            if name not in self.table():
                raise self.lacks(name)
        return self.table()

    def whole(self, least: int) -> int:
        """Return a whole number of at least ``least``."""
        if isinstance(self.value, bool) or not isinstance(self.value, int) or self.value < least:
            raise self.refused(f"a whole number of at least {least}")
        return self.value

    def text(self) -> str:
        """Return a text."""
        if not isinstance(self.value, str):
            raise self.refused("a text")
        return self.value

    def saying(self, value: Value) -> "Entry":
        """Return another value at the same place."""
        return Entry(value, self.file, self.line, self.key)

    def with_entry(self, name: str, entry: "Entry") -> "Entry":
        """Return a table with one entry changed or added."""
        return self.saying({**self.table(), name: entry})

    def plain(self) -> Any:
        """Return the value alone; what are lists in TOML are tuples.

        >>> entries_of("a = [1, {b = 2}]", "x.toml").plain()
        {'a': (1, {'b': 2})}
        """
        if isinstance(self.value, dict):
            return {name: entry.plain() for name, entry in self.value.items()}
        if isinstance(self.value, tuple):
            return tuple(entry.plain() for entry in self.value)
        return self.value

    def within(self) -> "Iterator[Entry]":
        """Yield this entry and all that are in it, those outside first."""
        level = [self]
        while level:
            yield from level
            level = [part for entry in level for part in entry.parts()]

    def parts(self) -> "tuple[Entry, ...]":
        """Return the entries of a table or a list."""
        if isinstance(self.value, dict):
            return tuple(self.value.values())
        return self.value if isinstance(self.value, tuple) else ()


def unknown(entry: Entry, name: object, known: Iterable[str]) -> BadInput:
    """Return a complaint about a name that isn't known, with the known ones and the nearest.

    >>> print(unknown(entries_of("evry = 3", "x.toml").table()["evry"], "evry", ["steps", "every"]))
    x.toml:1: evry: expected one of every, steps, got "evry" (did you mean "every"?)
    """
    names = sorted(known)
    by_case = [each for each in names if each.casefold() == str(name).casefold()]
    near = by_case or get_close_matches(str(name), names, 1)
    hint = f" (did you mean {in_short(near[0])}?)" if near else ""
    return entry.refused(f"one of {', '.join(names)}" if names else "no settings", in_short(name) + hint)


def in_short(value: object) -> str:
    """Write a value down as it may stand in a file, cut if it is long.

    >>> in_short((1, True, {"a": "b"}))
    '[1, true, {"a": "b"}]'
    """
    told = json.dumps(value, ensure_ascii=False)
    return told if len(told) <= MOST_SHOWN else f"{told[:MOST_SHOWN]} …"


def entries_in(path: Path) -> Entry:
    """Read a TOML file."""
    try:
        text = path.read_bytes().decode()
    except OSError as failure:
        reason = f"{path} ({failure.strerror})"
        raise BadInput("spec", expected="a file that can be read", got=reason) from None
    except UnicodeDecodeError as failure:
        raise BadInput(str(path), expected="text in UTF-8", got=str(failure)) from None
    return entries_of(text, str(path))


def entries_of(text: str, file: str) -> Entry:
    """Read TOML; what is wrong with it is said with its line."""
    try:
        told = tomllib.loads(text)
        lines = lines_of(text)
    except RecursionError:
        raise BadInput(file, expected="TOML", got="brackets in brackets in brackets") from None
    except ValueError as failure:
        raise _syntax(str(failure), text, file) from None
    return _entry(told, (), file, {(): 1, **lines}, "")


def _syntax(complaint: str, text: str, file: str) -> BadInput:
    """Return a complaint about what is no TOML."""
    at = _AT.search(complaint)
    if at is None:
        return BadInput(file, expected="TOML", got=complaint)
    line = int(at[1]) if at[1] else text.rstrip().count("\n") + 1
    column = f" at column {at[2]}" if at[2] else ""
    reason = complaint[: at.start()]
    told = in_short(text.splitlines()[line - 1].strip())
    return BadInput(
        f"{file}:{line}", expected="TOML", got=f"{told}: {reason[:1].lower()}{reason[1:]}{column}"
    )


def _entry(told: Any, path: tuple[str | int, ...], file: str, lines: dict[Any, int], key: str) -> Entry:
    """Put a value and its place together, and all that is in it."""
    line = lines[path]
    if isinstance(told, dict):
        table = {
            name: _entry(part, (*path, name), file, lines, f"{key}.{_as_key(name)}" if key else _as_key(name))
            for name, part in told.items()
        }
        return Entry(table, file, line, key)
    if isinstance(told, list):
        elements = (_entry(part, (*path, i), file, lines, f"{key}[{i}]") for i, part in enumerate(told))
        return Entry(tuple(elements), file, line, key)
    if not isinstance(told, (str, int, float)) or (isinstance(told, float) and not isfinite(told)):
        raise BadInput(f"{file}:{line}: {key}", expected="a text, a finite number, true or false", got=told)
    return Entry(told, file, line, key)


def _as_key(name: str) -> str:
    return name if _BARE.fullmatch(name) else f'"{name}"'
