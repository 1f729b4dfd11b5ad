"""Places on axes in words, for people to read."""

import dataclasses
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any


def in_words(label: Mapping[str, Any]) -> str:
    """Return a point's place on each axis in one line.

    >>> in_words({"learner.step_size": 3e-4, "learner.network": {"kind": "columnar", "columns": 7}})
    'learner.step_size 0.0003, learner.network columnar(columns 7)'
    >>> in_words({})
    'the only setting'
    """
    return ", ".join(f"{name} {words(value)}" for name, value in label.items()) or "the only setting"


def words(value: Any) -> str:
    """Return a place on an axis as one would say it; parts by their kind and what isn't as usual of them.

    >>> from colonnade.streaming import RMSProp, columnar
    >>> [words(value) for value in (1_000_000, 0.1 + 0.2, True, "Adam", (4, 4), None)]
    ['1,000,000', '0.3', 'true', 'Adam', '(4, 4)', 'none']
    >>> words(columnar(7)), words(RMSProp(decay=0.99))
    ('Plan(columns (7))', 'RMSProp(decay 0.99)')
    """
    if value is None or isinstance(value, bool):
        return {None: "none", True: "true", False: "false"}[value]
    if isinstance(value, Integral):
        return f"{int(value):,}"
    if isinstance(value, Real):
        return f"{float(value):.4g}"
    if isinstance(value, (list, tuple)):
        return f"({', '.join(map(words, value))})"
    if isinstance(value, Mapping):
        return _part(value.get("kind", ""), {name: told for name, told in value.items() if name != "kind"})
    if dataclasses.is_dataclass(value):
        return _part(type(value).__name__, _unusual(value))
    return str(getattr(value, "__name__", value))


def _part(kind: str, settings: Mapping[str, Any]) -> str:
    told = ", ".join(f"{name} {words(value)}" for name, value in settings.items())
    return f"{kind}({told})" if told else str(kind)


def _unusual(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that aren't at their defaults."""
    told = {field: getattr(value, field.name) for field in dataclasses.fields(value)}
    return {field.name: each for field, each in told.items() if each != field.default}
