"""Driving a sweep: its runs are claimed, done by an executor, and recorded, until all are there.

What comes in within a moment is recorded in one transaction, together with the claims of what is next. A
task that is lost goes on from its last checkpoint, up to three times without getting further; one that fails
stays failed until it is asked for again.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Protocol

from colonnade.runs.best import Best
from colonnade.runs.executor import Executor
from colonnade.runs.experiment import Reading
from colonnade.runs.groups import Group, Line, grouped, still_to_do, what_is_left
from colonnade.runs.store import Standing, Store
from colonnade.runs.sweep import Run, Sweep
from colonnade.runs.work import SECONDS_A_MESSAGE, Failed, Finished, Lost, Message, Progress, Stopped, Task

SECONDS_A_COMMIT = 0.2
SECONDS_A_SIGN = 5.0  # that the session lives
SECONDS_A_LOOK = 2.0  # at what others have finished
SECONDS_AHEAD = 0.5  # of work that is submitted before it is needed
MOST_AHEAD = 256
MOST_LOSSES = 3
LATEST_FAILURES = 3


@dataclass
class State:
    """How a sweep stands, for whoever watches."""

    sweep: Sweep
    total: int
    counts: Counter[str] = field(default_factory=Counter)
    """Of runs: finished, failed, running here, elsewhere, waiting."""
    steps_done: int = 0
    """In this session."""
    steps_left: int = 0
    steps_total: int = 0
    began: float = field(default_factory=time.monotonic)
    best: tuple[float, Run, int] | None = None
    """The best mean over seeds, one of its runs, and how many seeds it is of."""
    failures: deque[tuple[Run, str]] = field(default_factory=lambda: deque(maxlen=LATEST_FAILURES))
    """The latest of this session: a run, and the last line of why."""
    stopping: bool = False


class Watch(Protocol):
    """Is told whenever something has changed."""

    def __call__(self, state: State) -> None: ...


def drive(
    sweep: Sweep,
    store: Store,
    executor: Executor,
    watch: Watch = lambda state: None,
    stop: Callable[[], bool] = lambda: False,
    again: bool = False,
    seconds_a_message: float = SECONDS_A_MESSAGE,
) -> State:
    """Run what isn't there yet of a sweep, and return how it stands.

    With ``again``, also what failed. A run says how to go on every ``seconds_a_message``: so much of it is
    lost if whoever does it is killed.
    """
    with closing(executor):
        runs = sweep.runs()
        store.register(sweep, runs)
        session = store.begin_session()
        try:
            driver = Driver(sweep, runs, store, executor, session, again, seconds_a_message)
            while not driver.turn(stop()):
                watch(driver.state)
            watch(driver.state)
            return driver.state
        finally:
            store.end_session(session)


class Driver:
    """One session of a sweep."""

    def __init__(
        self,
        sweep: Sweep,
        runs: Sequence[Run],
        store: Store,
        executor: Executor,
        session: int,
        again: bool,
        seconds_a_message: float,
    ) -> None:
        self.store, self.executor, self.session, self.again = store, executor, session, again
        self.seconds_a_message = seconds_a_message
        self.state = State(sweep, len(runs), steps_total=sum(run.point.experiment.steps for run in runs))
        self.best = Best(sweep.goal, store)
        standings = store.standings(run.identity for run in runs)
        self._count_done(runs, standings)
        self.waiting = Line(grouped(runs, standings, again))
        self.elsewhere = Line()
        self.under_way: dict[str, Group] = {}
        self.seconds: deque[float] = deque([SECONDS_AHEAD], maxlen=64)  # that recent tasks took
        self.signed = self.looked = -SECONDS_A_SIGN

    def turn(self, stopping: bool) -> bool:
        """Hear what was told, record it, and hand out more; return whether all is done."""
        if stopping and not self.state.stopping:
            self.state.stopping = True
            self.executor.ask_to_stop()
        told = self._hear()
        with self.store.writing():
            self._sign()
            again = [task for message in told for task in self._record(message)]
            tasks = again + self._claim()
        for task in tasks:
            self.executor.submit(task)
        self._count()
        return not self.under_way and (self.state.stopping or not (self.waiting or self.elsewhere))

    # ---- hearing ----

    def _hear(self) -> list[Message]:
        """Wait a moment for what is told; less, if everybody might run out of work."""
        told: list[Message] = []
        until = time.monotonic() + SECONDS_A_COMMIT
        spare = max(0, len(self.under_way) - self.executor.slots)
        while (left := until - time.monotonic()) > 0:
            told += self.executor.messages(left)
            if sum(not isinstance(message, Progress) for message in told) > spare:
                break
        return told

    def _sign(self) -> None:
        """Say that this session lives, and look what others do, now and then."""
        now = time.monotonic()
        if now - self.signed > SECONDS_A_SIGN:
            self.store.still_there(self.session)
            self.signed = now
        if self.elsewhere and now - self.looked > SECONDS_A_LOOK:
            self.store.bury()
            for group in self.elsewhere.take(len(self.elsewhere)):
                self.waiting.add(group)
            self.looked = now

    # ---- recording ----

    def _record(self, message: Message) -> list[Task]:
        """Record what was told; return what must be handed out again."""
        group = self.under_way.get(message.key)
        if group is None:
            return []
        if not self.store.holds(group.ids, self.session):  # another session took them over
            self._leave(message)
            return []
        match message:
            case Progress(_, readings, step, saved, seconds):
                self._advance(group, readings, step, seconds)
                self.store.keep(group.key, step, saved)
                group.losses = 0 if saved else group.losses
            case Finished(_, readings, step, seconds, files, peak_memory):
                self._advance(group, readings, step, seconds)
                self.store.finish(group.key, group.ids, files, peak_memory)
                self._end(group, "finished")
                for run, id in zip(group.runs, group.ids, strict=True):
                    self.best.add(run, id)
            case Failed(_, reason):
                self._fail(group, reason)
            case Stopped():
                self.store.release(group.ids)
                self.waiting.add(self.under_way.pop(group.key))
            case Lost(_, reason):
                return self._go_back(group, reason)
        return []

    def _advance(self, group: Group, readings: Sequence[Reading], step: int, seconds: float) -> None:
        self.store.progress(group.ids, readings, step, seconds)
        group.seconds += seconds
        self.state.steps_done += (step - group.step) * len(group.ids)
        group.step = step

    def _go_back(self, group: Group, reason: str) -> list[Task]:
        """Do a lost task again from where it was saved, unless it was lost too often."""
        group.losses += 1
        if group.losses > MOST_LOSSES:
            said = f"the process that ran it died {group.losses} times"
            self._fail(group, f"{said}; {reason}" if reason else said)
            return []
        if self.state.stopping:
            self.store.release(group.ids)
            self.waiting.add(self.under_way.pop(group.key))
            return []
        return [self._task(group)]

    def _fail(self, group: Group, reason: str) -> None:
        self.store.fail(group.ids, reason)
        self.state.failures.append((group.runs[0], last_line(reason)))
        self._end(group, "failed")

    def _end(self, group: Group, status: str) -> None:
        del self.under_way[group.key]
        self.state.counts[status] += len(group.ids)
        self.seconds.append(group.seconds)

    def _leave(self, message: Message) -> None:
        """Let another session have a group; what is still told of it here is not recorded."""
        if not isinstance(message, Progress):
            self.elsewhere.add(self.under_way.pop(message.key))

    # ---- handing out ----

    def _claim(self) -> list[Task]:
        """Claim groups, as many as there will soon be room for."""
        tasks: list[Task] = []
        if self.state.stopping:
            return tasks
        room = self._ahead() - len(self.under_way)
        while self.waiting and len(tasks) < room:
            taken = self.waiting.take(room - len(tasks))
            runs = [run for group in taken for run in group.runs]
            standings = self.store.standings(run.identity for run in runs)
            self._count_done(runs, standings)
            for group in (left for one in taken for left in what_is_left(one, standings, self.again)):
                if self.store.claim(group.ids, self.session, self.again):
                    self.under_way[group.key] = group
                    tasks.append(self._task(group))
                else:
                    self.elsewhere.add(group)
        return tasks

    def _count_done(self, runs: Sequence[Run], standings: Mapping[str, Standing]) -> None:
        """Count what is finished or stays failed already."""
        for run in runs:
            standing = standings[run.identity]
            if standing.status == "finished":
                self.best.add(run, standing.id)
            if not still_to_do(run, standings, self.again):
                self.state.counts[standing.status] += 1

    def _task(self, group: Group) -> Task:
        """Return a group's task, from where it was saved."""
        saved, group.step = self.store.go_back(group.key, group.ids)
        return Task(group.key, group.runs[0].point.experiment, group.seeds, saved, self.seconds_a_message)

    def _ahead(self) -> int:
        """How many tasks to have under way, so that nobody waits for the next."""
        mean = sum(self.seconds) / len(self.seconds)
        return self.executor.slots + min(
            MOST_AHEAD, 1 + int(self.executor.slots * SECONDS_AHEAD / max(mean, 1e-6))
        )

    def _count(self) -> None:
        state, slots = self.state, self.executor.slots
        sizes = [len(group.runs) for group in self.under_way.values()]
        state.counts["running"] = sum(sizes[:slots])
        state.counts["waiting"] = sum(sizes[slots:]) + self.waiting.runs
        state.counts["elsewhere"] = self.elsewhere.runs
        under_way = sum(group.steps_left for group in self.under_way.values())
        state.steps_left = under_way + self.waiting.steps + self.elsewhere.steps
        state.best = self.best.now()


def last_line(reason: str) -> str:
    """Return what a traceback ends with.

    >>> last_line("Traceback ...\\nValueError: no such pitch\\n")
    'ValueError: no such pitch'
    """
    return next(reversed(reason.strip().splitlines()), "")
