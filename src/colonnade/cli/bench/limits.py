"""What this machine can do at most, measured in the same run, and how near the engine comes.

A step of a columnar learner asks of every parameter 23 floating-point operations, a square root with a
division, and 40 bytes of traffic: weight, mean square, trace and the two influences, each read and written.
These go on side by side in a processor, so the slowest of the three is the limit.
"""

import ctypes
from functools import cache
from typing import NamedTuple

import numpy as np

from colonnade.cli.bench.compiled import build
from colonnade.cli.bench.measuring import Go, timed
from colonnade.cli.bench.task import Numbers

FLOPS, STATE_BYTES = 23, 20  # of a parameter; the state is both read and written
LEVELS = {"L1": 16 << 10, "L2": 512 << 10, "L3": 8 << 20, "DRAM": 256 << 20}  # bytes that are surely there
ROOTS = 1024
TRAFFIC = 256 << 20  # bytes a round
LINE = 64  # bytes
ARRAY = np.ctypeslib.ndpointer(np.float32, flags="C_CONTIGUOUS")


def multiply_add() -> Go:
    """Nanoseconds of a multiply-add, which is two operations."""
    built = library()
    width, passes = built.limits_width() * built.limits_chains(), 1_000_000
    return timed(lambda: built.limits_multiply_add(passes), passes * width)


def root_and_divide() -> Go:
    """Nanoseconds of a square root with a division."""
    built, passes = library(), 5_000
    x, y = _aligned(ROOTS), _aligned(ROOTS)
    y[:] = 2.0
    return timed(lambda: built.limits_root_and_divide(x, y, ROOTS, passes), ROOTS * passes)


def in_place(size: int) -> Go:
    """Nanoseconds of a byte that is read and written, of ``size`` bytes gone through again and again."""
    built = library()
    lines = max(1, size // LINE)
    x, passes = _aligned(lines * LINE // 4), max(1, TRAFFIC // (lines * LINE))
    vectors = lines * LINE // 4 // built.limits_width()
    return timed(lambda: built.limits_in_place(x, vectors, passes), lines * LINE * passes)


class Standing(NamedTuple):
    """Where a step of a learner stands to what is possible."""

    parameters: int
    nanoseconds: float
    limit: float
    bound: str  # by what

    @property
    def share(self) -> float:
        """The limit's share of the time; 1 is as fast as can be."""
        return self.limit / self.nanoseconds


def standing(parameters: int, nanoseconds: float, multiply_add: float, root: float, byte: float) -> Standing:
    """Hold a step against the nanoseconds of a multiply-add, of a root with division, of a byte in place.

    >>> standing(1000, 400.0, multiply_add=0.01, root=0.1, byte=0.004)
    Standing(parameters=1000, nanoseconds=400.0, limit=115.0, bound='operations')
    """
    times = {
        "operations": parameters * FLOPS / 2 * multiply_add,
        "root and division": parameters * root,
        "traffic": parameters * STATE_BYTES * byte,
    }
    bound = max(times, key=times.__getitem__)
    return Standing(parameters, nanoseconds, times[bound], bound)


@cache
def library() -> ctypes.CDLL:
    """The source, compiled and loaded, its functions' types declared."""
    built = build("limits.c", "-ffp-contract=fast")
    built.limits_multiply_add.restype = ctypes.c_float
    built.limits_multiply_add.argtypes = (ctypes.c_long,)
    built.limits_root_and_divide.restype = None
    built.limits_root_and_divide.argtypes = (ARRAY, ARRAY, ctypes.c_long, ctypes.c_long)
    built.limits_in_place.restype = None
    built.limits_in_place.argtypes = (ARRAY, ctypes.c_long, ctypes.c_long)
    return built


def _aligned(count: int) -> Numbers:
    """``count`` zeros that begin where a line of the cache does."""
    memory = np.zeros(count + LINE // 4, np.float32)
    skip = -memory.ctypes.data % LINE // 4
    return memory[skip : skip + count]
