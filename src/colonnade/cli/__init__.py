"""The `colonnade` command: its entry point, and what it says when it is given something it cannot use."""

import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NoReturn

from colonnade.errors import BadInput

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `colonnade` with these arguments, or the process's own, and leave with an exit code.

    0 is success, 1 failure (a store that can't be written is said in one line), 2 something that cannot be
    used (the same), 130 an interruption from the keyboard.
    """
    try:
        code = _run(arguments)
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    raise SystemExit(code or 0)


def _run(arguments: Sequence[str] | None) -> int | None:
    """Run the command and return its exit code; what it can't use is said, and it leaves."""
    from typer import Abort, BadParameter

    from colonnade.cli.app import app

    usage_errors: Any = BadParameter.__bases__  # typer has no public name for them
    try:
        code: int | None = app(args=arguments, standalone_mode=False)
    except BadInput as bad:
        _leave(2, "colonnade", str(bad))
    except usage_errors as wrong:
        _leave(2, *_usage(wrong, sys.argv[1:] if arguments is None else arguments))
    except OSError as failure:
        from colonnade.runs.store import StoreFailure

        if not isinstance(failure, StoreFailure):
            raise
        _leave(1, "colonnade", str(failure))
    except ImportError as failure:
        from colonnade.runs.missing import Missing

        if not isinstance(failure, Missing):
            raise
        _leave(2, "colonnade", str(failure))
    except Abort:
        return INTERRUPTED
    return code


def _leave(code: int, command: str, complaint: str) -> NoReturn:
    """Say in one line what is wrong, and leave."""
    print(f"{command}:", *complaint.split(), file=sys.stderr)
    raise SystemExit(code) from None


def _usage(wrong: Any, arguments: Sequence[str]) -> tuple[str, str]:
    """Return the command that was called wrongly, and what was wrong."""
    command = wrong.ctx.command_path if wrong.ctx else "colonnade"
    complaint = wrong.format_message().rstrip(".") + _came(getattr(wrong, "param", None), arguments)
    return command, f"{complaint}; see {command} --help"


def _came(parameter: Any, arguments: Sequence[str]) -> str:
    """Say what came for a parameter, which typer leaves out."""
    words = [word for argument in arguments for word in argument.split("=", 1)]
    values = [value for name, value in pairwise(words) if name in getattr(parameter, "opts", ())]
    return f", got {values[-1]!r}" if values else ""
