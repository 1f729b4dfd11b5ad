"""Tasks on many machines: each is a Ray task on one core, and tells as it goes on.

Ray isn't asked to try again what was lost: it would begin anew, and double what was told. The driver does it,
from the last checkpoint that was recorded. A node must have what the driver has: numbers depend on versions.
"""

import contextlib
import logging
import os
import pickle
import socket
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from colonnade.checks import whole
from colonnade.errors import BadInput
from colonnade.runs.local import ONE_CORE
from colonnade.runs.missing import Missing
from colonnade.runs.provenance import versions
from colonnade.runs.work import Failed, Finished, Lost, Message, Stopped, Task, work

SECONDS_A_QUESTION = 1.0  # how often a task asks whether to stop, and for how long it waits for the answer
SECONDS_A_COUNT = 5.0  # how often the cores of the cluster are counted
SECONDS_TO_REACH = 10.0

QUIET = {"RAY_USAGE_STATS_ENABLED": "0"}  # Ray would tell its makers


class Cluster:
    """An executor of as many slots as the cluster has cores, or of ``jobs``.

    ``address`` is that of the cluster's head, such as ``10.0.0.1:6379``; ``auto`` is the cluster that this
    machine belongs to.
    """

    def __init__(self, address: str = "auto", jobs: int | None = None) -> None:
        if jobs is not None:
            whole("jobs", jobs)
        self._ray = ray = _ray()
        self._joined = not ray.is_initialized()
        if self._joined:
            _join(ray, address)
        here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
            ray.get_runtime_context().get_node_id(), soft=False
        )
        self._bell = ray.remote(num_cpus=0, scheduling_strategy=here)(Bell).remote()
        self.versions = versions()
        self._do = ray.remote(num_cpus=1, max_retries=0, runtime_env={"env_vars": ONE_CORE})(do)
        self._waiting: deque[Task] = deque()
        self._going: dict[Any, str] = {}
        self._told: list[Message] = []  # here, not by Ray
        self._jobs, self._cores, self._counted = jobs, 1, -SECONDS_A_COUNT

    @property
    def slots(self) -> int:
        """How many tasks there is room for now."""
        if time.monotonic() - self._counted > SECONDS_A_COUNT:
            self._cores = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
            self._counted = time.monotonic()
        return self._jobs or self._cores

    def submit(self, task: Task) -> None:
        """Do this when there is room."""
        self._waiting.append(task)
        self._hand_out()

    def messages(self, seconds: float) -> list[Message]:
        """Return what was told since, after waiting for the first for at most so long."""
        told, self._told = self._told, []
        going = list(self._going)
        if going:
            self._ray.wait(going, num_returns=1, timeout=0 if told else seconds)
            ready, _ = self._ray.wait(going, num_returns=len(going), timeout=0)
            told += [self._hear(one) for one in ready]
            self._hand_out()
        elif not told:
            time.sleep(seconds)
        return told

    def ask_to_stop(self) -> None:
        """Ask everybody to say how to go on, and to stop."""
        self._told += [Stopped(task.key) for task in self._waiting]
        self._waiting.clear()
        self._bell.ring.remote()

    def close(self) -> None:
        """End everything at once."""
        with contextlib.suppress(self._ray.exceptions.RayError):
            for one in self._going:
                self._ray.cancel(one, force=True)
            self._ray.kill(self._bell)
        self._going = {}
        if self._joined:
            self._ray.shutdown()

    def _hand_out(self) -> None:
        """Give Ray as many tasks as it has room for, and as many again so that no core waits."""
        most = self._jobs or 2 * self.slots
        while self._waiting and len(self._going) < most:
            task = self._waiting.popleft()
            try:
                self._going[self._do.remote(task, self._bell, self.versions)] = task.key
            except (pickle.PicklingError, AttributeError, TypeError):
                self._told.append(Failed(task.key, traceback.format_exc(limit=-8)))

    def _hear(self, one: Any) -> Message:
        """Return the next message of a task that has one, or what has become of it."""
        failures, key = self._ray.exceptions, self._going[one]
        message: Message
        try:
            message = self._ray.get(next(one))
        except StopIteration:
            message = Lost(key, "it ended without a word")
        except (failures.RayTaskError, failures.RuntimeEnvSetupError) as failure:
            message = Failed(key, str(failure))
        except failures.RayError as failure:
            message = Lost(key, f"{type(failure).__name__}: {' '.join(str(failure).split())}")
        if isinstance(message, Finished | Stopped | Failed | Lost):
            del self._going[one]
        return message


class Bell:
    """What tasks ask whether to stop: an actor that lives on the driver's node and dies with the driver."""

    def __init__(self) -> None:
        self._rung = False

    def ring(self) -> None:
        """Say that all shall stop."""
        self._rung = True

    def rung(self) -> bool:
        """Whether all shall stop."""
        return self._rung


def do(task: Task, bell: Any, wanted: dict[str, str]) -> Iterator[Message]:
    """Do a task on a node of the cluster."""
    import ray

    if apart := _apart(_versions(), wanted):
        yield Failed(task.key, f"node {socket.gethostname()} has {apart}: install the same on every node")
        return
    asked = _now_and_then(lambda: _rung(ray, bell))
    if asked():
        yield Stopped(task.key)
    else:
        yield from work(task, asked)


_versions = cache(versions)


def _apart(here: dict[str, str], wanted: dict[str, str]) -> str:
    """Say which versions are not those of the driver.

    >>> _apart({"python": "3.12", "numpy": "2.4"}, {"python": "3.12", "numpy": "2.3", "ray": "2.6"})
    'numpy 2.4, the driver 2.3; ray None, the driver 2.6'
    """
    names = [name for name in sorted(here | wanted) if here.get(name) != wanted.get(name)]
    return "; ".join(f"{name} {here.get(name)}, the driver {wanted.get(name)}" for name in names)


def _rung(ray: Any, bell: Any) -> bool:
    """Whether the bell has rung; if it can't be heard, the task goes on."""
    try:
        return bool(ray.get(bell.rung.remote(), timeout=SECONDS_A_QUESTION))
    except ray.exceptions.RayError:
        return False


def _now_and_then(asked: Callable[[], bool]) -> Callable[[], bool]:
    """Ask no more often than is worth the time."""
    answer, last = False, -SECONDS_A_QUESTION

    def ask() -> bool:
        nonlocal answer, last
        if not answer and time.monotonic() - last >= SECONDS_A_QUESTION:
            answer, last = asked(), time.monotonic()
        return answer

    return ask


def _ray() -> Any:
    os.environ.update(QUIET)
    try:
        import ray
        import ray.util.scheduling_strategies
    except ImportError:
        raise Missing("a cluster", ("ray",), "cluster") from None
    return ray


def _join(ray: Any, address: str) -> None:
    """Join a cluster that runs; none is started."""
    wanted = "the address of a Ray cluster that runs and lets you in, such as 10.0.0.1:6379, or auto"
    if "://" in address:
        raise BadInput("ray", expected=f"{wanted}, without ://", got=repr(address))
    try:
        found = _find(address)
        _reach(found)
        ray.init(address=found, log_to_driver=False, logging_level=logging.ERROR)
    except (ValueError, OSError, RuntimeError) as failure:
        reason = " ".join(str(failure).split())
        raise BadInput("ray", expected=wanted, got=f"{address!r} ({reason})") from None


def _find(address: str) -> str:
    """Return the host and port that an address means; ``auto`` may name a cluster that has ended since."""
    from ray._private.services import canonicalize_bootstrap_address_or_die  # what Ray's own commands use

    found: str = canonicalize_bootstrap_address_or_die(address)
    return found


def _reach(address: str) -> None:
    """Refuse at once what Ray would try to reach for minutes."""
    host, _, port = address.rpartition(":")
    with contextlib.closing(socket.create_connection((host, int(port)), timeout=SECONDS_TO_REACH)):
        return
