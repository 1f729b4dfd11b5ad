"""What Colonnade raises when it is given something it cannot use.

One line says which argument, what was expected and what came. A bad input changes nothing.
"""

LONGEST = 100  # characters that are shown of a value


class BadInput(ValueError):
    """An argument, a field of an event or an option that cannot be used.

    >>> raise BadInput("discount", expected="a number from 0 to 1", got=1.5)
    Traceback (most recent call last):
    ...
    colonnade.errors.BadInput: discount: expected a number from 0 to 1, got 1.5
    """

    def __init__(self, argument: str, *, expected: str, got: object) -> None:
        self.argument = argument
        self.expected = expected
        self.got = got
        super().__init__(f"{argument}: expected {expected}, got {got}")


def shown(value: object) -> str:
    """Return how ``value`` is written, in one line that isn't long, whatever it is.

    >>> shown("seven"), len(shown(list(range(1000))))
    ("'seven'", 100)
    """
    try:
        line = " ".join(repr(value).split())
    except Exception:
        return f"a {type(value).__name__} that can't be shown"
    return line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."
