"""What an experiment is, as plain data: every setting by name, and a digest of it all.

    dataclass          {"kind": name of the class, field: …}
    mapping            the same by name
    tuple, list        a list
    class, function    its name
    number, text, truth value, nothing    itself

The same settings give the same data and so the same digest, in every process and on every machine.
"""

import dataclasses
import hashlib
import json
import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, TypeAlias

from colonnade.errors import BadInput

Data: TypeAlias = dict[str, "Data"] | list["Data"] | str | int | float | bool | None

LIBRARY = "colonnade"
DIGITS = 20  # of a digest, in hexadecimal: 80 bits, never the same by accident


def described(thing: Any, where: str = "experiment") -> Data:
    """Return ``thing`` as plain data.

    >>> from colonnade.streaming import columnar
    >>> described(columnar(7))
    {'kind': 'Plan', 'columns': [7], 'stage_steps': 4611686018427387904, 'turns': False}
    """
    if thing is None or isinstance(thing, (str, bool)):
        return thing
    if isinstance(thing, Integral):
        return int(thing)
    if isinstance(thing, Real):
        return _finite(float(thing), where)
    if isinstance(thing, (tuple, list, range)):
        return [described(part, f"{where}[{i}]") for i, part in enumerate(thing)]
    if isinstance(thing, Mapping):
        return {str(name): described(part, f"{where}.{name}") for name, part in thing.items()}
    if isinstance(thing, type):
        return kind_of(thing)
    if dataclasses.is_dataclass(thing):
        return {"kind": kind_of(type(thing)), **_fields(thing, where)}
    if callable(thing) and (name := _name_of(thing)):
        return name
    raise BadInput(where, expected="a setting that can be written down", got=type(thing).__name__)


def kind_of(kind: type) -> str:
    """Name a class: by its name alone in this library, elsewhere with its module.

    >>> kind_of(BadInput)
    'BadInput'
    """
    own = kind.__module__.partition(".")[0] == LIBRARY
    return kind.__qualname__ if own else f"{kind.__module__}:{kind.__qualname__}"


def _name_of(function: Any) -> str | None:
    """Name a function that is found under its name; of its module, the part that isn't private.

    >>> _name_of(json.dumps), _name_of(lambda: 0), _name_of("a".upper)
    ('json:dumps', None, None)
    """
    module = (getattr(function, "__module__", None) or "").partition("._")[0]
    name = getattr(function, "__qualname__", None) or "<"
    bound = hasattr(function, "__self__")
    return None if not module or "<" in name or bound else f"{module}:{name}"


def digest(data: Data) -> str:
    """Return a text that no other data has.

    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    return digest_of(text(data))


def digest_of(written: str) -> str:
    """Return the same for data that is written down already."""
    return hashlib.sha256(written.encode()).hexdigest()[:DIGITS]


def text(data: Data) -> str:
    """Write data down in the one way there is: JSON, names in order, no spaces."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _fields(thing: Any, where: str) -> dict[str, Data]:
    named = {field.name: getattr(thing, field.name) for field in dataclasses.fields(thing)}
    return {name: described(part, f"{where}.{name}") for name, part in named.items()}


def _finite(value: float, where: str) -> float:
    if not math.isfinite(value):
        raise BadInput(where, expected="a finite number", got=value)
    return value
