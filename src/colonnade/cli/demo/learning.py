"""The run itself: both learners on the same events, block by block, each on a thread of its own.

Compiled code lets go of Python's lock, so two threads use two cores. Every learner's prediction of an event
is made before it is told; its error is held against the true return, which it never sees.
"""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from colonnade.cli.demo.contenders import Prepared, example
from colonnade.cli.demo.record import BLOCK, WINDOW, Course, Record
from colonnade.learners import Event, Online, run
from colonnade.worlds import TracePatterning
from colonnade.worlds.protocol import Chunk


def learn(
    prepared: tuple[Prepared, ...], record: Record, clock: Callable[[], float], report: Callable[[], None]
) -> None:
    """Learn until the time is up, and at least one window of events. ``record`` is brought up to date."""
    stream = TracePatterning().stream(record.seed)
    record.courses = tuple(Course(one.contender) for one in prepared)
    with _workers(len(prepared)) as pool:
        record.stage = "compiling"
        report()
        warm = stream_of_zeros()
        began = [pool.submit(_begin, one.learner, record.seed, warm) for one in prepared]
        carries = [begun.result() for begun in began]
        record.stage, record.learning_since = "learning", clock()
        while record.events < WINDOW or clock() < record.seconds:
            chunk = stream.take(BLOCK)
            todo = [
                pool.submit(_block, one.learner, carry, chunk)
                for one, carry in zip(prepared, carries, strict=True)
            ]
            done = [job.result() for job in todo]
            carries = [carry for carry, _, _ in done]
            for course, (_, error, seconds) in zip(record.courses, done, strict=True):
                course.add(error, seconds)
            record.elapsed = clock()
            report()
        record.stage = "done"


def stream_of_zeros() -> Chunk:
    """A block of nothing, to compile for."""
    event = example()
    return Chunk(
        np.zeros((BLOCK, *event.x.shape), np.float32),
        np.zeros(BLOCK, np.float32),
        np.zeros(BLOCK, np.float32),
    )


@contextmanager
def _workers(count: int) -> Iterator[ThreadPoolExecutor]:
    """Threads that nobody waits for when an interruption comes."""
    pool = ThreadPoolExecutor(count)
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _begin(learner: Online, seed: int, warm: Chunk) -> Any:
    """Make a learner's carry, and compile its loop on a block that is then forgotten."""
    with jax.default_device(jax.devices("cpu")[0]):
        carry = jax.jit(learner.init)(jax.random.key(seed), example())
        _block(learner, carry, warm)
        return carry


def _block(learner: Online, carry: Any, chunk: Chunk) -> tuple[Any, float, float]:
    """Learn from a block: return the new carry, the mean squared error and the seconds it took."""
    began = time.perf_counter()
    with jax.default_device(jax.devices("cpu")[0]):
        events = Event(x=jnp.asarray(chunk.x), target=jnp.asarray(chunk.target[:, None]))
        carry, outcome = run(learner, carry, events)
        prediction = np.asarray(outcome.prediction)[:, 0]
    seconds = time.perf_counter() - began
    return carry, float(np.mean((prediction - chunk.answer) ** 2)), seconds
