"""Tasks on this machine: as many at a time as there are cores.

A slot is a thread. What lets go of Python's lock, as the engine does, runs in it; for all else it has a
process of its own, held to one core, and hands on what that tells. If the process dies, the task is lost, and
the next one gets another process. If the driver dies, so do its processes.
"""

import contextlib
import ctypes
import multiprocessing
import os
import queue
import signal
import threading
import traceback
from collections.abc import Iterator
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess

from colonnade.checks import whole
from colonnade.runs.work import Failed, Lost, Message, Stopped, Task, work

ONE_CORE = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
}
STOP = "stop"
SECONDS_TO_LEAVE, SECONDS_TO_END = 0.02, 5.0


class Local:
    """An executor of ``jobs`` slots.

    >>> from colonnade import TDPredictor, TracePatterning, columnar
    >>> from colonnade.runs.streamed import Recipe, Streamed
    >>> experiment = Streamed(Recipe(TDPredictor, columnar(2)), TracePatterning(), steps=1000, every=1000)
    >>> executor = Local(jobs=1)
    >>> executor.submit(Task("a", experiment, seeds=(0,)))
    >>> told = executor.messages(60.0)
    >>> executor.close()
    >>> told[0].step
    1000
    """

    def __init__(self, jobs: int | None = None) -> None:
        if jobs is not None:
            whole("jobs", jobs)
        cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
        self.slots = jobs or len(cores) or os.cpu_count() or 1
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._told: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._workers = [
            Slot(self._tasks, self._told, self._stopping, cores[i % len(cores)] if cores else None)
            for i in range(self.slots)
        ]

    def submit(self, task: Task) -> None:
        """Do this when there is room."""
        self._tasks.put(task)

    def messages(self, seconds: float) -> list[Message]:
        """Return what was told since, after waiting for the first for at most so long."""
        found = []
        with contextlib.suppress(queue.Empty):
            found.append(self._told.get(timeout=seconds))
            while True:
                found.append(self._told.get_nowait())
        return found

    def ask_to_stop(self) -> None:
        """Ask everybody to say how to go on, and to stop."""
        self._stopping.set()

    def close(self) -> None:
        """End everything at once."""
        self._stopping.set()
        for _ in self._workers:
            self._tasks.put(None)
        for slot in self._workers:
            slot.end()
        for slot in self._workers:
            slot.join(SECONDS_TO_END)


class Slot:
    """Room for one task at a time."""

    def __init__(
        self,
        tasks: "queue.SimpleQueue[Task | None]",
        told: "queue.SimpleQueue[Message]",
        stopping: threading.Event,
        core: int | None,
    ) -> None:
        self._tasks, self._told, self._stopping, self._core = tasks, told, stopping, core
        self._process: OwnProcess | None = None
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """End the process, if there is one, and what the thread is doing."""
        if self._process:
            self._process.end()
        self._thread.join(SECONDS_TO_LEAVE)
        if self._thread.is_alive() and self._thread.ident is not None:
            # Python mustn't end while a thread is in compiled code: coming back would abort the process.
            ident = ctypes.c_ulong(self._thread.ident)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, ctypes.py_object(SystemExit))

    def join(self, seconds: float) -> None:
        """Wait for the thread to be gone."""
        self._thread.join(seconds)

    def _serve(self) -> None:
        with contextlib.suppress(SystemExit):  # of `end`
            while task := self._tasks.get():
                if self._stopping.is_set():
                    self._told.put(Stopped(task.key))
                    continue
                try:
                    for message in self._messages(task):
                        self._told.put(message)
                except Exception:  # it can't be sent to a process, or there can be no more processes
                    self._told.put(Failed(task.key, traceback.format_exc(limit=-8)))

    def _messages(self, task: Task) -> Iterator[Message]:
        if task.experiment.place == "thread":
            return work(task, self._stopping.is_set)
        if self._process is None or not self._process.lives():
            self._process = OwnProcess(self._core)
        return self._process.messages(task, self._stopping)


class OwnProcess:
    """A process that does one task after another."""

    def __init__(self, core: int | None) -> None:
        context = multiprocessing.get_context("spawn")
        self._here, there = context.Pipe()
        self._process: SpawnProcess = context.Process(target=_serve, args=(there, core), daemon=True)
        with _environment(ONE_CORE), _keyboard_away():
            self._process.start()
        there.close()

    def lives(self) -> bool:
        """Whether it can be given a task."""
        return self._process.is_alive()

    def end(self) -> None:
        """Kill it."""
        self._process.kill()

    def messages(self, task: Task, stopping: threading.Event) -> Iterator[Message]:
        """Give it a task and hand on what it tells."""
        try:
            self._here.send(task)
            asked = False
            while True:
                if stopping.is_set() and not asked:
                    self._here.send(STOP)
                    asked = True
                if not self._here.poll(0.1):
                    continue
                message = self._here.recv()
                if message is None:
                    return
                yield message
        except (EOFError, OSError):
            self._process.join(5.0)
            yield Lost(task.key, f"exit code {self._process.exitcode}")


_LOCK = threading.Lock()


@contextlib.contextmanager
def _environment(wanted: dict[str, str]) -> Iterator[None]:
    """Set variables for a process that begins now."""
    with _LOCK:
        before = {name: os.environ.get(name) for name in wanted}
        os.environ.update(wanted)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


@contextlib.contextmanager
def _keyboard_away() -> Iterator[None]:
    """Keep the keyboard's interruption from a process that begins now, also before it can say so itself."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # which lets the signal through again when it has begun
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(there: Connection, core: int | None) -> None:
    """Do tasks until nobody listens. The keyboard's interruption is the driver's to handle."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_driver, daemon=True).start()
    if core is not None:
        os.sched_setaffinity(0, {core})
    with contextlib.suppress(EOFError, OSError):
        while True:
            task = there.recv()
            if task == STOP:  # which came when the task before it was done already
                continue
            for message in work(task, lambda: _asked(there)):
                there.send(message)
            there.send(None)


def _end_with_the_driver() -> None:
    """End this process when the driver's has ended, whatever is going on in it."""
    if driver := multiprocessing.parent_process():
        driver.join()
    os._exit(1)


def _asked(there: Connection) -> bool:
    """Whether the driver asks to stop."""
    return there.poll() and there.recv() == STOP
