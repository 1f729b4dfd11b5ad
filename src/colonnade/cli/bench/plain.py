"""The plain C peer: `benchmarks/plain_columns.c`, the columnar learner, one fused loop over its weights."""

import ctypes
from collections.abc import Callable
from functools import cache

import numpy as np

from colonnade.cli.bench import task
from colonnade.cli.bench.compiled import build
from colonnade.cli.bench.task import Numbers

ARRAY = np.ctypeslib.ndpointer(np.float32, flags="C_CONTIGUOUS")


class Settings(ctypes.Structure):
    """As `struct settings` of the source has it."""

    _fields_ = (
        ("inputs", ctypes.c_int),
        ("columns", ctypes.c_int),
        ("discount", ctypes.c_float),
        ("trace_decay", ctypes.c_float),
        ("step_size", ctypes.c_float),
        ("keep", ctypes.c_float),
        ("eps", ctypes.c_float),
        ("rate", ctypes.c_float),
        ("floor", ctypes.c_float),
    )


class PlainColumns:
    """A learner whose memory is C's; it begins with ``weights`` (columns, 4, inputs + 2)."""

    def __init__(self, weights: Numbers) -> None:
        self._library = library()
        columns, _, row = weights.shape
        learned = (
            task.DISCOUNT,
            task.TRACE_DECAY,
            task.STEP_SIZE,
            task.KEEP,
            task.EPS,
            task.RATE,
            task.FLOOR,
        )
        settings = Settings(row - 2, columns, *learned)
        self._learner = self._library.plain_new(ctypes.byref(settings), np.ascontiguousarray(weights))

    def __del__(self) -> None:
        if hasattr(self, "_learner"):
            self._library.plain_free(self._learner)

    def run(self, x: Numbers, cumulants: Numbers) -> Numbers:
        """Take a chunk of events in, and return the prediction made at each."""
        prediction = np.empty(len(x), np.float32)
        self._library.plain_run(self._learner, x, cumulants, prediction, len(x))
        return prediction


def chunk(weights: Numbers, x: Numbers, cumulants: Numbers) -> Callable[[], Numbers]:
    """All events in one call."""
    learner = PlainColumns(weights)
    return lambda: learner.run(x, cumulants)


@cache
def library() -> ctypes.CDLL:
    """The source, compiled and loaded, its functions' types declared."""
    built = build("plain_columns.c")
    built.plain_new.restype = ctypes.c_void_p
    built.plain_new.argtypes = (ctypes.POINTER(Settings), ARRAY)
    built.plain_run.restype = None
    built.plain_run.argtypes = (ctypes.c_void_p, ARRAY, ARRAY, ARRAY, ctypes.c_long)
    built.plain_free.restype = None
    built.plain_free.argtypes = (ctypes.c_void_p,)
    return built
