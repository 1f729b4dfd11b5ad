"""What Colonnade raises when it is given something it cannot use.

One line says which argument, what was expected and what came. A bad input changes nothing.
"""


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
