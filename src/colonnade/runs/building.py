"""From what a spec file says to what it means: tables with a `kind` become what they name, and are checked.

A text in place of a table is a kind without settings: "Adam" is { kind = "Adam" }.

Whatever is wrong, also what only a constructor finds, is said of the line and the key that it comes from.
"""

import re
from typing import Any

from colonnade.errors import BadInput
from colonnade.runs.entries import Entry, in_short, unknown
from colonnade.runs.kinds import KINDS, Kind, Part

KIND = "kind"
_NAME = re.compile(r"(\w+)(?:\[(\d+)\])?")


def built(entry: Entry, part: Part, default: str | None = None) -> Any:
    """Make a part, and the parts of it; ``default`` is its kind where none is said.

    >>> from colonnade.runs.entries import entries_of
    >>> built(entries_of("kind = 'columnar'\\ncolumns = 7", "x.toml"), Part("network")).columns
    (7,)
    """
    if part.many:
        if not isinstance(entry.value, tuple):
            raise entry.refused(f"a list of tables, each with a kind of {part.of}")
        return tuple(built(each, Part(part.of)) for each in entry.value)
    entry = with_kind(entry)
    kind = _kind(entry, part.of, default)
    told = _arguments(entry, kind)
    try:
        return kind.make(told)
    except BadInput as bad:
        raise placed(bad, entry) from None
    except ImportError as missing:
        raise entry.refused(f"a kind of {part.of} that is installed", str(missing)) from None
    except (TypeError, ValueError, ArithmeticError, MemoryError) as failure:
        told_of = f"{in_short(entry.plain())}: {failure or type(failure).__name__}"
        raise entry.refused(f"settings of which a {part.of} can be made", told_of) from None


def placed(bad: BadInput, entry: Entry) -> BadInput:
    """Return a complaint as one of the line and the key within ``entry`` that it is about."""
    name = _NAME.match(bad.argument.rpartition(".")[2])
    for within in entry.within():
        if name and isinstance(within.value, dict) and name[1] in within.value:
            found = within.value[name[1]]
            if name[2] and isinstance(found.value, tuple) and int(name[2]) < len(found.value):
                found = found.value[int(name[2])]
            same = str(bad.got) == repr(found.plain())
            return found.refused(bad.expected, None if same else str(bad.got))
    return BadInput(f"{entry.where}: {bad.argument}", expected=bad.expected, got=bad.got)


def with_kind(entry: Entry) -> Entry:
    """Return a text as the table that it stands for, and all else as it is."""
    if not isinstance(entry.value, str):
        return entry
    return entry.saying({KIND: entry})


def _kind(entry: Entry, of: str, default: str | None) -> Kind:
    """Return the kind that a table names."""
    kinds = KINDS[of]
    named = entry.table(f'a {of}, such as {{ kind = "{next(iter(kinds))}" }}').get(KIND)
    if named is None and default is None:
        raise entry.refused(f"a kind of {of}: one of {', '.join(sorted(kinds))}", "none")
    if named is None:
        return kinds[str(default)]
    if not isinstance(named.value, str) or named.value not in kinds:
        raise unknown(named, named.plain(), kinds)
    return kinds[named.value]


def _arguments(entry: Entry, kind: Kind) -> dict[str, Any]:
    """Make what a table says of each argument, if all are known and none is missing."""
    try:
        known = kind.arguments()
    except ImportError as missing:
        raise entry.refused("a kind that is installed", str(missing)) from None
    told = {name: each for name, each in entry.table().items() if name != KIND}
    for name, each in told.items():
        if name not in known:
            raise unknown(each, name, known)
    for name, must in known.items():
        if must and name not in told:
            raise entry.lacks(name)
    return {name: _argument(each, kind.parts.get(name)) for name, each in told.items()}


def _argument(entry: Entry, part: Part | None) -> Any:
    if part is not None:
        return built(entry, part)
    for within in entry.within():
        if isinstance(within.value, dict):
            raise within.refused("a value, no table")
    return entry.plain()
