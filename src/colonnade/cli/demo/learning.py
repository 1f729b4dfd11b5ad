"""The run itself: the learners on the same events, block by block, each on a thread of its own.

There are several worlds, which differ by their seeds, and a learner of each kind in every one of them. The
engine lets go of Python's lock, so that the threads use all cores. Every learner's prediction of an event
is made before it is told; its error is held against the true return, which it never sees.
"""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np

from colonnade.cli.demo.contenders import Prepared
from colonnade.cli.demo.record import BLOCK, Course, Record
from colonnade.streaming import TDPredictor
from colonnade.worlds import TracePatterning
from colonnade.worlds.protocol import Chunk


def learn(
    prepared: tuple[Prepared, ...], record: Record, clock: Callable[[], float], report: Callable[[], None]
) -> None:
    """Learn until there were enough events or the time is up, and at least one block of events."""
    streams = [TracePatterning().stream(seed) for seed in record.seeds]
    record.courses = tuple(Course(one.contender, len(streams)) for one in prepared)
    record.stage, record.learning_since = "learning", clock()
    with _workers(len(prepared) * len(streams)) as pool:
        chunks = [stream.take(BLOCK) for stream in streams]
        while not (record.events and record.over):
            jobs = [pool.map(_block, one.learners, chunks) for one in prepared]
            chunks = [stream.take(BLOCK) for stream in streams]  # the next ones are drawn meanwhile
            for course, blocks in zip(record.courses, [list(of_one) for of_one in jobs], strict=True):
                errors, seconds = zip(*blocks, strict=True)
                course.add(errors, sum(seconds))
            record.elapsed = clock()
            report()
    record.stage = "done"


@contextmanager
def _workers(count: int) -> Iterator[ThreadPoolExecutor]:
    """Threads that nobody waits for when an interruption comes."""
    pool = ThreadPoolExecutor(count)
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _block(learner: TDPredictor, chunk: Chunk) -> tuple[float, float]:
    """Learn from a block: return the mean squared error, and the processor's time that learning took."""
    began = time.thread_time()
    prediction = learner.run(chunk.x, chunk.target)
    seconds = time.thread_time() - began
    return float(np.mean((prediction - chunk.answer) ** 2)), seconds
