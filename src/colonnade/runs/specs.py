"""A sweep from wherever it is written down: a TOML file, or a function of a Python file or module."""

from pathlib import Path

from colonnade.errors import BadInput
from colonnade.runs.sweep import Sweep

EXPECTED = "FILE.toml, FILE.py:FUNCTION or MODULE:FUNCTION"


def sweep_from(spec: str) -> Sweep:
    """Return the sweep that is meant; whatever can't be run of it is refused.

    >>> sweep_from("sizes.yaml")
    Traceback (most recent call last):
    ...
    colonnade.errors.BadInput: spec: expected FILE.toml, FILE.py:FUNCTION or MODULE:FUNCTION, got sizes.yaml
    """
    if spec.endswith(".toml"):
        from colonnade.runs.spec_files import sweep_in

        return sweep_in(Path(spec))
    module, colon, function = spec.rpartition(":")
    if spec.endswith(".py") and not colon:
        module, function = spec, ""
    if not module:
        raise BadInput("spec", expected=EXPECTED, got=spec)
    from colonnade.runs.studies import sweep_by

    return sweep_by(module, function)
