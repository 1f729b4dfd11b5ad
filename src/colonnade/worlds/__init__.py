"""Synthetic streams with a known answer.

A world is a frozen dataclass of settings. `stream(seed)` starts it, and `take(n)` gives its next n events.

>>> from colonnade.worlds import TracePatterning
>>> world = TracePatterning()
>>> chunk = world.stream(seed=0).take(1000)
>>> chunk.x.shape, chunk.target.shape
((1000, 12), (1000,))
>>> round(world.best_error(), 5)
0.00168
"""

from colonnade.worlds.copy_task import CopyTask
from colonnade.worlds.latched_product import LatchedProduct
from colonnade.worlds.protocol import Chunk, Stream, World
from colonnade.worlds.random_teacher import RandomTeacher
from colonnade.worlds.trace_conditioning import TraceConditioning
from colonnade.worlds.trace_patterning import TracePatterning

__all__ = [
    "Chunk",
    "CopyTask",
    "LatchedProduct",
    "RandomTeacher",
    "Stream",
    "TraceConditioning",
    "TracePatterning",
    "World",
]
