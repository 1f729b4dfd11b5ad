"""Arguments, drawn at random, that no learner can take; and odd ways to hold numbers, which all must take."""

import array
import ctypes
import datetime
import random
from collections import deque
from decimal import Decimal
from fractions import Fraction

import numpy as np


class Fails:
    """Raises in every way of being a number or a row of them."""

    def _fail(self, *_, **__):
        raise ZeroDivisionError("it always fails")

    __float__ = __index__ = __int__ = __len__ = __getitem__ = __iter__ = __array__ = __repr__ = _fail


class NotANumber:
    """Says that it has a float, and gives something else."""

    def __float__(self):
        return "1.5"


class Shrinks:
    """Empties the list that it is in when it is asked for its number."""

    def __init__(self, row):
        self.row = row

    def __float__(self):
        self.row.clear()
        return 0.5


class Liar:
    """Says that it is an array, and isn't."""

    def __array__(self, *_, **__):
        return "an array"


def with_one(row, place, value):
    """Put a value in the place of another."""
    row = list(row)
    row[place] = value
    return row


def shrinking(row, place):
    """Make a list that one of its numbers empties, which isn't the last."""
    row = [*row, 0.0]
    row[place] = Shrinks(row)
    return row


NUMBERS_BEYOND = (float("nan"), float("inf"), -float("inf"), 1e300, -1.1e15, 10**16, 10**400, -(10**5000))
BEYOND = (
    *NUMBERS_BEYOND,
    np.float16("inf"),
    np.float32("nan"),
    np.longdouble("1e4000"),
    np.uint64(2**63),
    np.array(np.nan),
    Decimal("NaN"),
    Decimal("1e400"),
    Fraction(10**400),
)
NO_NUMBERS = (
    "1.5",
    b"1.5",
    bytearray(b"1"),
    1j,
    np.complex64(1),
    np.str_("1"),
    np.bytes_(b"1"),
    np.datetime64("2020-01-01"),
    np.timedelta64(5, "s"),
    np.array("1.5"),
    np.array(1j),
    np.array(Decimal(1), object),
    np.void(b"1234"),
    {},
    {1.0},
    object(),
    ...,
    int,
    datetime.datetime(2020, 1, 1),
    Fails(),
    NotANumber(),
    Liar(),
    ctypes.c_char(b"1"),
)
ROWS_OF_NO_NUMBERS = (
    lambda row: np.array(row).astype("U5"),
    lambda row: np.array(row).astype("S5"),
    lambda row: np.array(row).astype(complex),
    lambda row: np.array(row).astype(np.complex64),
    lambda row: np.array(row).astype(object),
    lambda row: np.zeros(len(row), "M8[s]"),
    lambda row: np.zeros(len(row), "m8[s]"),
    lambda row: np.zeros(len(row), [("a", "f4")]),
    lambda row: memoryview(bytes(len(row))).cast("c"),
    lambda row: bytes(len(row)),
    lambda row: "1" * len(row),
    lambda row: set(range(len(row))),
    lambda row: (number for number in row),
    lambda row: dict.fromkeys(range(len(row)), 0.5),
)
AXES = (
    lambda row: np.array(row)[None],
    lambda row: np.array([row, row]),
    lambda row: np.array(row[0]),
    lambda row: memoryview(np.array([row])),
    lambda row: np.array([[row]], np.float16),
    lambda row: [list(row)],
)
# As many ways to hold a row of numbers that will do; float32 holds each of them.
HOLDERS = (
    list,
    tuple,
    deque,
    np.array,
    lambda row: np.array(row, np.float32),
    lambda row: np.array(row, np.float16),
    lambda row: np.array(row, np.longdouble),
    lambda row: np.array(row, ">f8"),
    lambda row: np.array(row, ">f4"),
    lambda row: np.array(row)[::-1].copy()[::-1],
    lambda row: np.repeat(np.array(row, np.float32), 3)[::3],
    lambda row: np.stack([row, row], axis=1)[:, 1],
    lambda row: memoryview(np.array(row)),
    lambda row: memoryview(np.repeat(row, 2))[::2],
    lambda row: array.array("f", row),
    lambda row: (ctypes.c_float * len(row))(*row),
    lambda row: [Decimal(number) for number in row],
    lambda row: [Fraction(number) for number in row],
    lambda row: [np.float32(number) for number in row],
    lambda row: [np.array(number) for number in row],
    lambda row: frozen(np.array(row)),
)
HOLDERS_OF_WHOLE = (
    lambda row: [int(number) for number in row],
    lambda row: np.array(row, np.int8),
    lambda row: np.array(row, np.int64),
    lambda row: np.array(row, ">i2"),
    lambda row: array.array("q", [int(number) for number in row]),
    lambda row: memoryview(np.array(row, np.int32)),
    lambda row: (ctypes.c_long * len(row))(*(int(number) for number in row)),
)


def frozen(numbers):
    """Make an array that can't be written to."""
    numbers.flags.writeable = False
    return numbers


class Malformed:
    """Draws what is wrong, from a seed."""

    def __init__(self, seed):
        self.draw = random.Random(seed)

    def row(self, n):
        """A row of n numbers that float32 holds."""
        return [self.draw.randrange(-64, 64) / 8 for _ in range(n)]

    def bad_number(self):
        return self.draw.choice(BEYOND if self.draw.random() < 0.4 else NO_NUMBERS)

    def bad_row(self, n):
        """A row of n numbers, but for something."""
        row, way, place = self.row(n), self.draw.randrange(8), self.draw.randrange(n)
        if way == 0:
            return self.draw.choice(HOLDERS)(self.row(self.draw.choice([n + 1, n + 7, 3 * n])))
        if way == 1:
            return self.draw.choice([list, tuple, np.array, deque])(row[1:] if n > 1 else [])
        if way == 2:
            return self.draw.choice(ROWS_OF_NO_NUMBERS)(row)
        if way == 3:
            return self.draw.choice(AXES)(row)
        if way == 4:
            return self.draw.choice(NO_NUMBERS)
        if way == 5:
            bad = self.draw.choice([np.float16, np.float32, np.float64, ">f4", np.longdouble])
            return np.array(with_one(row, place, self.draw.choice(NUMBERS_BEYOND[:3])), bad)
        if way == 6 and n > 1:
            return shrinking(row[1:], place % (n - 1))
        bad = self.bad_number() if self.draw.random() < 0.8 else self.draw.choice([None, [0.5], (1, 2), []])
        return self.draw.choice([list, tuple])(with_one(row, place, bad))

    def bad_named(self, names):
        """A dict of numbers by name, but for something."""
        told, way = dict(zip(names, self.row(len(names)), strict=True)), self.draw.randrange(4)
        some = self.draw.choice(names)
        if way == 0:
            del told[some]
        elif way == 1:
            told[self.draw.choice(["another", 3, (), None])] = 0.5
        elif way == 2:
            told[some.upper()] = told.pop(some)
        else:
            told[some] = self.bad_number()
        return told

    def bad_class(self, classes):
        far = (-1, classes, 10**5000, -(2**63), np.int64(classes), np.uint64(2**63))
        return self.draw.choice(
            (
                *far,
                True,
                False,
                0.0,
                1.5,
                float("nan"),
                np.float64(1),
                np.bool_(True),
                [1],
                np.array([1]),
                *NO_NUMBERS,
            )
        )

    def bad_chunk(self, shape):
        """Numbers of this shape, but for something."""
        right, way = np.array(self.row(int(np.prod(shape)))).reshape(shape), self.draw.randrange(6)
        if way == 0:
            return self.draw.choice(
                [right[None], right[..., 1:], right[..., None], right.ravel()[:-1], np.zeros(()), []]
            )
        if way == 1:
            return right.astype(self.draw.choice(["U5", "S5", complex, object, "M8[s]", "m8[s]"]))
        if way == 2:
            return self.draw.choice(NO_NUMBERS)
        if way == 3:
            return [*right.tolist()[1:], [1.0, [2.0]]]
        if way == 4:
            return [*right.tolist()[1:], self.draw.choice(NO_NUMBERS)]
        place = tuple(self.draw.randrange(n) for n in shape)
        right[place] = self.draw.choice([float("nan"), float("inf"), -1e300, 2e15])
        with np.errstate(over="ignore"):
            return right.astype(self.draw.choice([np.float64, np.float32, np.longdouble]))
