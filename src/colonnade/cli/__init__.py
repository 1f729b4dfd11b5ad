"""The `colonnade` command: its entry point, and what it says when it is given something it cannot use."""

import sys
from collections.abc import Sequence

from colonnade.errors import BadInput


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `colonnade` with these arguments, or the process's own, and leave with an exit code.

    0 is success, 2 something that cannot be used (said in one line), 130 an interruption from the keyboard.
    """
    try:
        from colonnade.cli.app import app

        app(args=arguments)
    except BadInput as bad:
        print("colonnade:", *str(bad).split(), file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None
