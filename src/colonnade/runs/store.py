"""The store: one SQLite file that holds what every run was, how it stands and what it measured.

Many may write to it at once. What belongs together is written in one transaction: a run's points with the
checkpoint that goes on from them, its last points with the word that it is finished. So nothing is ever
half-recorded, whatever is killed when. A run that is running belongs to one session, and a session that no
longer lives loses its runs to whoever asks next.
"""

import json
import os
import socket
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from colonnade.errors import BadInput
from colonnade.runs.described import text
from colonnade.runs.experiment import Files, Reading
from colonnade.runs.provenance import code, versions
from colonnade.runs.schema import APPLICATION, TABLES, VERSION
from colonnade.runs.sweep import Run, Sweep

SECONDS_TO_WAIT = 60.0  # for others that write
SECONDS_TO_LIVE = 60.0  # without a word, a session is taken for dead
MOST_VARIABLES = 500  # of one statement

ADVICE = {  # by the beginning of SQLite's name for what went wrong
    "SQLITE_FULL": "what was recorded before is still there: make room, then run the same again",
    "SQLITE_READONLY": "the file and its folder must be writable",
    "SQLITE_CANTOPEN": "it must be a file, or none yet, and its folder must be writable",
    "SQLITE_BUSY": f"others wrote to it for {SECONDS_TO_WAIT:.0f} s without a pause",
    "SQLITE_CORRUPT": "the file is damaged; `sqlite3 FILE .recover` saves what can be saved",
}


class Standing(NamedTuple):
    """How a run stands."""

    id: int
    identity: str
    status: str
    step: int


class StoreFailure(OSError):
    """The store can't be written: what was there before is still there, and whole."""


class Store:
    """A store, open for reading and writing."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._db = _opened(self.path)
        self._metrics: dict[str, int] = {}

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def db(self) -> sqlite3.Connection:
        """The connection, for questions that have no method here."""
        return self._db

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write all that is written inside together, or nothing of it."""
        with _failures_told(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                self._metrics.clear()  # new ones went with the rest
                raise

    # ---- sweeps ----

    def register(self, sweep: Sweep, runs: Sequence[Run]) -> None:
        """Write down what a sweep is now, and those of its runs that nobody wrote down before."""
        with self.writing():
            self._db.execute(
                "INSERT INTO sweeps (name, about, created) VALUES (?, ?, ?)"
                " ON CONFLICT (name) DO UPDATE SET about = excluded.about",
                (sweep.name, text(sweep.described()), time.time()),
            )
            self._db.executemany(
                "INSERT OR IGNORE INTO runs (identity, setting, seed, spec, steps) VALUES (?, ?, ?, ?, ?)",
                ((r.identity, r.setting, r.seed, r.spec, r.point.experiment.steps) for r in runs),
            )
            self._db.execute(
                "DELETE FROM members WHERE sweep = (SELECT id FROM sweeps WHERE name = ?)", (sweep.name,)
            )
            self._db.executemany(
                "INSERT OR REPLACE INTO members (sweep, run, label)"
                " SELECT sweeps.id, runs.id, ? FROM sweeps, runs WHERE sweeps.name = ? AND runs.identity = ?",
                ((label_of(run), sweep.name, run.identity) for run in runs),
            )

    def standings(self, identities: Iterable[str]) -> dict[str, Standing]:
        """Return how these runs stand."""
        found: dict[str, Standing] = {}
        for some in _parts(list(identities)):
            question = f"SELECT id, identity, status, step FROM runs WHERE identity IN ({_marks(some)})"
            found.update((row[1], Standing(*row)) for row in self._db.execute(question, some))
        return found

    # ---- sessions ----

    def begin_session(self) -> int:
        """Say that a driver lives."""
        now = time.time()
        with self.writing():
            row = self._db.execute(
                "INSERT INTO sessions (host, process, started, seen, code, versions)"
                " VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
                (socket.gethostname(), os.getpid(), now, now, code(), json.dumps(versions())),
            ).fetchone()
        return int(row[0])

    def still_there(self, session: int) -> None:
        """Say that it still lives. Inside ``writing``."""
        self._db.execute("UPDATE sessions SET seen = ? WHERE id = ?", (time.time(), session))

    def end_session(self, session: int) -> None:
        """Say that it is over; what it was running waits again."""
        with self.writing():
            self._release([session])
            self._db.execute(
                "UPDATE sessions SET ended = ?1, seen = ?1 WHERE id = ?2", (time.time(), session)
            )

    def bury(self) -> None:
        """Let the runs of sessions that no longer live wait again. Inside ``writing``."""
        rows = self._db.execute(
            "SELECT DISTINCT sessions.id, host, process, seen FROM sessions"
            " JOIN runs ON runs.session = sessions.id WHERE runs.status = 'running'"
        ).fetchall()
        self._release([id for id, host, process, seen in rows if not _lives(host, process, seen)])

    def _release(self, sessions: Sequence[int]) -> None:
        for session in sessions:
            self._db.execute(
                "UPDATE runs SET status = 'waiting', session = NULL WHERE session = ? AND status = 'running'",
                (session,),
            )

    # ---- runs ----

    def claim(self, ids: Sequence[int], session: int, again: bool = False) -> bool:
        """Take runs that wait, all or none; with ``again``, failed ones too. Inside ``writing``."""
        takes = "('waiting', 'failed')" if again else "('waiting')"
        marks = _marks(ids)
        waiting = self._db.execute(
            f"SELECT count(*) FROM runs WHERE id IN ({marks}) AND status IN {takes}", ids
        ).fetchone()
        if waiting[0] < len(ids):
            return False
        self._db.execute(
            "UPDATE runs SET status = 'running', session = ?, started = coalesce(started, ?), failure = NULL,"
            f" attempts = attempts + 1 WHERE id IN ({marks})",
            (session, time.time(), *ids),
        )
        return True

    def go_back(self, task: str, ids: Sequence[int]) -> tuple[bytes | None, int]:
        """Return what a task goes on from, and its step, with nothing recorded beyond. Inside ``writing``.

        What was saved is of no use if a run has less on record, after it went back with other company.
        """
        row = self._db.execute(
            "SELECT saved, step FROM checkpoints WHERE task = ? AND step <="
            f" (SELECT min(step) FROM runs WHERE id IN ({_marks(ids)}))",
            (task, *ids),
        ).fetchone()
        saved, step = row or (None, 0)
        for id in ids:
            self._db.execute("DELETE FROM points WHERE run = ? AND step > ?", (id, step))
            self._db.execute("UPDATE runs SET step = ? WHERE id = ?", (step, id))
        return saved, step

    def holds(self, ids: Sequence[int], session: int) -> bool:
        """Whether runs are still this session's. Inside ``writing``."""
        count = self._db.execute(
            f"SELECT count(*) FROM runs WHERE id IN ({_marks(ids)}) AND session = ? AND status = 'running'",
            (*ids, session),
        ).fetchone()
        return bool(count[0] == len(ids))

    def progress(self, ids: Sequence[int], readings: Iterable[Reading], step: int, seconds: float) -> None:
        """Record what was measured of runs side by side. Inside ``writing``."""
        self._db.executemany(
            "INSERT OR REPLACE INTO points (run, metric, step, value) VALUES (?, ?, ?, ?)",
            [
                (id, self._metric(name), reading.step, value)
                for reading in readings
                for id, values in zip(ids, reading.values, strict=True)
                for name, value in values.items()
            ],
        )
        self._db.executemany(
            "UPDATE runs SET step = ?, seconds = seconds + ? WHERE id = ?",
            ((step, seconds / len(ids), id) for id in ids),
        )

    def keep(self, task: str, step: int, saved: bytes | None) -> None:
        """Keep what a task goes on from, or that it goes on from the start. Inside ``writing``."""
        if saved is None:
            self._db.execute("DELETE FROM checkpoints WHERE task = ?", (task,))
        else:
            self._db.execute(
                "INSERT OR REPLACE INTO checkpoints (task, step, saved) VALUES (?, ?, ?)", (task, step, saved)
            )

    def finish(self, task: str, ids: Sequence[int], files: Iterable[Files], peak_memory: int) -> None:
        """Record that runs are finished, and what they leave. Inside ``writing``."""
        self.keep(task, 0, None)
        for id, named in zip(ids, files, strict=True):
            self._db.executemany(
                "INSERT OR REPLACE INTO artifacts (run, name, content) VALUES (?, ?, ?)",
                ((id, name, content) for name, content in named.items()),
            )
        self._db.executemany(
            "UPDATE runs SET status = 'finished', finished = ?, peak_memory = ? WHERE id = ?",
            ((time.time(), peak_memory, id) for id in ids),
        )

    def fail(self, ids: Sequence[int], reason: str) -> None:
        """Record that runs can't go on. Inside ``writing``."""
        self._db.executemany(
            "UPDATE runs SET status = 'failed', finished = ?, failure = ? WHERE id = ?",
            ((time.time(), reason, id) for id in ids),
        )

    def release(self, ids: Sequence[int]) -> None:
        """Let runs wait again. Inside ``writing``."""
        self._db.executemany(
            "UPDATE runs SET status = 'waiting', session = NULL WHERE id = ?", ((id,) for id in ids)
        )

    def final(self, id: int, metric: str, share: float) -> float | None:
        """Return the mean of a metric over the last ``share`` of a run's steps, or its last reading."""
        row = self._db.execute(
            "SELECT avg(value), count(*), count(value) FROM points JOIN runs ON runs.id = points.run"
            " WHERE run = ?1 AND metric = (SELECT id FROM metrics WHERE name = ?2) AND points.step >= min("
            " (1 - ?3) * runs.steps + 0.5,"
            " (SELECT max(step) FROM points WHERE run = ?1 AND metric ="
            " (SELECT id FROM metrics WHERE name = ?2)))",
            (id, metric, share),
        ).fetchone()
        mean, readings, numbers = row
        return mean if readings and readings == numbers else None

    def _metric(self, name: str) -> int:
        if name not in self._metrics:
            self._db.execute("INSERT OR IGNORE INTO metrics (name) VALUES (?)", (name,))
            row = self._db.execute("SELECT id FROM metrics WHERE name = ?", (name,)).fetchone()
            self._metrics[name] = row[0]
        return self._metrics[name]


def label_of(run: Run) -> str:
    """Write a run's place on each axis down."""
    from colonnade.runs.described import described

    return text(described(run.point.label, "label"))


def _opened(path: Path) -> sqlite3.Connection:
    """Open a store, or make one; refuse a file that is something else."""
    if not path.parent.is_dir():
        raise BadInput("store", expected="a file in a folder that is there", got=str(path))
    with _failures_told(path):
        db = sqlite3.connect(path, timeout=SECONDS_TO_WAIT, isolation_level=None)
        try:
            _check(db, path)
        except BaseException:
            db.close()
            raise
    return db


def _check(db: sqlite3.Connection, path: Path) -> None:
    empty = is_empty(db, path)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    if empty:
        _make(db)


def is_empty(db: sqlite3.Connection, path: Path) -> bool:
    """Whether nothing was written yet; refuse what is something else, or a store of another version."""
    try:
        application, version = _pragma(db, "application_id"), _pragma(db, "user_version")
    except sqlite3.DatabaseError as failure:
        if isinstance(failure, sqlite3.OperationalError):
            raise
        raise BadInput("store", expected="a store of Colonnade", got=f"{path}, which is none") from None
    empty = not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if application != APPLICATION and not empty:
        raise BadInput("store", expected="a store of Colonnade", got=f"{path}, another program's database")
    if application == APPLICATION and version != VERSION:
        raise BadInput("store", expected=f"a store of version {VERSION}", got=f"version {version} in {path}")
    return empty


def _make(db: sqlite3.Connection) -> None:
    db.execute("BEGIN IMMEDIATE")
    if not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:  # nobody was quicker
        for statement in TABLES.split(";\n"):
            db.execute(statement)
        db.execute(f"PRAGMA application_id = {APPLICATION}")
        db.execute(f"PRAGMA user_version = {VERSION}")
    db.execute("COMMIT")


def _pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])


@contextmanager
def _failures_told(path: Path) -> Iterator[None]:
    """Say what SQLite couldn't do in a line, and what to do about it."""
    try:
        yield
    except sqlite3.DatabaseError as failure:
        name = getattr(failure, "sqlite_errorname", "")
        advice = next((told for start, told in ADVICE.items() if name.startswith(start)), None)
        if advice is None and not isinstance(failure, sqlite3.OperationalError):
            raise
        told = advice or "what was recorded before is still there"
        raise StoreFailure(f"{path}: {failure}; {told}") from failure


def _lives(host: str, process: int, seen: float) -> bool:
    """Whether a session lives, as far as can be known from here."""
    if abs(time.time() - seen) > SECONDS_TO_LIVE:  # a clock that was put back must not make it live for ever
        return False
    if host != socket.gethostname() or process == os.getpid():
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def _parts(values: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(values), MOST_VARIABLES):
        yield values[start : start + MOST_VARIABLES]
