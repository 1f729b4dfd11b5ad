"""A sweep as a Python function without arguments, which returns it: `my_study.py:sizes`, `my.module:sizes`.

Its folder, or for a module the one where one is, goes first on Python's path, so that processes which do the
work find the same experiments.
"""

import inspect
import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from colonnade.errors import BadInput
from colonnade.runs.sweep import Sweep


def sweep_by(module: str, function: str) -> Sweep:
    """Import a file or a module, and call its function."""
    where = f"{module}:{function}" if function else module
    found = _in_file(Path(module)) if module.endswith(".py") else _imported(module, Path.cwd(), module)
    maker = getattr(found, function, None)
    if not callable(maker):
        names = ", ".join(f"{module}:{name}" for name in sweeps_in(found))
        got = f"no function {function!r}" if function else "no function"
        raise BadInput(where, expected=f"one of {names}" if names else "a function of that name", got=got)
    sweep = _called(maker, where)
    if not isinstance(sweep, Sweep):
        raise BadInput(where, expected="a function that returns a Sweep", got=type(sweep).__name__)
    return sweep


def sweeps_in(module: ModuleType) -> list[str]:
    """Return the names of a module's own functions that can be called as they are.

    >>> sweeps_in(sys.modules[__name__])
    []
    """
    return [name for name, each in vars(module).items() if _is_own(each, module) and not name.startswith("_")]


def _is_own(thing: Any, module: ModuleType) -> bool:
    if not inspect.isfunction(thing) or thing.__module__ != module.__name__:
        return False
    return all(each.default is not each.empty for each in inspect.signature(thing).parameters.values())


def _in_file(path: Path) -> ModuleType:
    """Import a file, if its name is free."""
    if not path.is_file():
        raise BadInput("spec", expected="a file that is there", got=str(path))
    if not path.stem.isidentifier():
        raise BadInput("spec", expected="a file whose name Python can import", got=str(path))
    module = _imported(path.stem, path.resolve().parent, str(path))
    if Path(getattr(module, "__file__", None) or "").resolve() != path.resolve():
        taken = f"{path}: there is another module {path.stem!r} already"
        raise BadInput("spec", expected="a file with a name of its own", got=taken)
    return module


def _imported(name: str, folder: Path, told: str) -> ModuleType:
    if str(folder) not in sys.path[:1]:
        sys.path.insert(0, str(folder))
    try:
        return import_module(name)
    except Exception as failure:
        raise _failed(failure, told, "a module that can be imported") from failure


def _called(maker: Callable[[], Any], where: str) -> Any:
    try:
        return maker()
    except BadInput as bad:
        raise BadInput(f"{where}: {bad.argument}", expected=bad.expected, got=bad.got) from bad
    except Exception as failure:
        raise _failed(failure, where, "a function that returns a Sweep") from failure


def _failed(failure: Exception, where: str, expected: str) -> BadInput:
    """Return a complaint that says what was raised, and on which line of whose file."""
    last = traceback.extract_tb(failure.__traceback__)[-1]
    place = f"{Path(last.filename).name}, line {last.lineno}"
    if isinstance(failure, SyntaxError) and failure.filename:
        place = f"{Path(failure.filename).name}, line {failure.lineno}"
    return BadInput(where, expected=expected, got=f"{type(failure).__name__}: {failure} ({place})")
