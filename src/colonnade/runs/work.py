"""Doing a task: a course from where it stands to its end, and what is told of it on the way.

What was measured is told in one message with the checkpoint that goes with it, or with the word that it is
finished. There is one at most once in a while, so that a run that is over in no time is told of once.
"""

import resource
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from colonnade.runs.experiment import Course, Experiment, Files, Reading

SECONDS_A_MESSAGE = 2.0
KILOBYTE = 1024


@dataclass(frozen=True)
class Task:
    """An experiment, the seeds that run side by side, and where they stand."""

    key: str
    experiment: Experiment
    seeds: tuple[int, ...]
    saved: bytes | None = None
    seconds_a_message: float = SECONDS_A_MESSAGE


class Progress(NamedTuple):
    """Readings since the last message, and how to go on from them; None: only from the start."""

    key: str
    readings: tuple[Reading, ...]
    step: int
    saved: bytes | None
    seconds: float


class Finished(NamedTuple):
    """The last readings, and what is left at the end."""

    key: str
    readings: tuple[Reading, ...]
    step: int
    seconds: float
    files: tuple[Files, ...]
    peak_memory: int


class Stopped(NamedTuple):
    """It was asked to stop, and has said how to go on."""

    key: str


class Failed(NamedTuple):
    """It can't go on, and why."""

    key: str
    reason: str


class Lost(NamedTuple):
    """Whoever did it is gone."""

    key: str
    reason: str = ""


Message = Progress | Finished | Stopped | Failed | Lost


def work(task: Task, asked_to_stop: Callable[[], bool]) -> Iterator[Message]:
    """Do a task; what is to be told is yielded. Nothing raises: what fails is told, too."""
    try:
        yield from _work(task, asked_to_stop)
    except Exception:
        yield Failed(task.key, traceback.format_exc(limit=-8))


def _work(task: Task, asked_to_stop: Callable[[], bool]) -> Iterator[Message]:
    course = _course(task)
    readings: list[Reading] = []
    began = time.perf_counter()
    while not course.done:
        if asked_to_stop():
            yield _progress(task, course, readings, began)
            yield Stopped(task.key)
            return
        readings.append(course.advance())
        if time.perf_counter() - began >= task.seconds_a_message and not course.done:
            yield _progress(task, course, readings, began)
            readings, began = [], time.perf_counter()
    files, seconds = tuple(course.files()), time.perf_counter() - began
    yield Finished(task.key, tuple(readings), course.step, seconds, files, peak_memory())


def _course(task: Task) -> Course:
    if task.saved is None:
        return task.experiment.begin(task.seeds)
    return task.experiment.resume(task.seeds, task.saved)


def _progress(task: Task, course: Course, readings: list[Reading], began: float) -> Progress:
    saved = course.save()
    return Progress(task.key, tuple(readings), course.step, saved, time.perf_counter() - began)


def peak_memory() -> int:
    """Return the most bytes that this process ever held at once."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * KILOBYTE
