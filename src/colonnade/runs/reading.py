"""Reading a store while others write to it: what there is of sweeps, runs and sessions, and series as arrays.

All that is read of one `Records` is of one moment: what others write meanwhile is not seen.

>>> from colonnade.runs.store import Store
>>> import tempfile
>>> path = tempfile.mkdtemp() + "/store.db"
>>> Store(path).close()
>>> with Records(path) as records:
...     records.sweeps()
[]
"""

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colonnade.errors import BadInput
from colonnade.runs.described import Data
from colonnade.runs.store import SECONDS_TO_WAIT, StoreFailure, is_empty
from colonnade.runs.sweep import Goal

ROWS_AT_A_TIME = 100_000
STATUSES = ("waiting", "running", "finished", "failed")


@dataclass(frozen=True)
class RecordedSweep:
    """A sweep as a whole."""

    id: int
    name: str
    about: str
    axes: Mapping[str, list[Data]]
    goal: Goal
    created: float


@dataclass(frozen=True)
class RecordedRun:
    """A run, and its place on each axis of a sweep; what isn't known is None."""

    id: int
    identity: str
    setting: str
    seed: int
    status: str
    session: int | None
    steps: int
    step: int
    started: float | None
    finished: float | None
    seconds: float
    attempts: int
    peak_memory: int | None
    failure: str | None
    sweep: str
    label: Mapping[str, Data]


@dataclass(frozen=True)
class RecordedSession:
    """A driver that ran some of the runs: where, when and with which code."""

    id: int
    host: str
    started: float
    seen: float
    ended: float | None
    code: str
    versions: Mapping[str, str]


@dataclass(frozen=True)
class Series:
    """What was read of one metric: run ``i`` has the readings from ``start[i]`` up to ``start[i + 1]``."""

    runs: NDArray[np.int64]
    start: NDArray[np.int64]
    step: NDArray[np.int64]
    value: NDArray[np.float64]
    """Not a number where none came out."""

    def of(self, place: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the steps and values of the run at this place."""
        part = slice(self.start[place], self.start[place + 1])
        return self.step[part], self.value[part]

    def places(self) -> dict[int, int]:
        """Return where each run is."""
        return {int(run): place for place, run in enumerate(self.runs)}


class Records:
    """A store, open for reading only."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._db = _opened(self.path)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> "Records":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def sweeps(self) -> list[RecordedSweep]:
        """Return the sweeps, the oldest first."""
        rows = self._db.execute("SELECT id, name, about, created FROM sweeps ORDER BY id")
        return [_sweep(*row) for row in rows]

    def sweep(self, name: str | None = None) -> RecordedSweep:
        """Return the sweep of this name, or the only one."""
        sweeps = self.sweeps()
        names = ", ".join(repr(sweep.name) for sweep in sweeps) or "none"
        if name is None:
            if len(sweeps) != 1:
                raise BadInput("sweep", expected=f"one of {names}: {self.path} has {len(sweeps)}", got="none")
            return sweeps[0]
        for sweep in sweeps:
            if sweep.name == name:
                return sweep
        raise BadInput("sweep", expected=f"one of {names}", got=repr(name))

    def runs(self, sweep: str | None = None) -> list[RecordedRun]:
        """Return the runs of one sweep, or of each."""
        question = (
            "SELECT runs.id AS id, identity, setting, seed, status, session, steps, step, started, finished,"
            " seconds, attempts, peak_memory, failure, sweeps.name AS sweep, label FROM runs"
            " JOIN members ON members.run = runs.id JOIN sweeps ON sweeps.id = members.sweep"
            " WHERE ?1 IS NULL OR sweeps.name = ?1 ORDER BY sweeps.id, runs.id"
        )
        rows = _by_name(self._db.execute(question, (sweep,)))
        return [RecordedRun(**{**row, "label": json.loads(row["label"])}) for row in rows]

    def run(self, beginning: str) -> list[RecordedRun]:
        """Return the one run whose identity begins so, once for each sweep that it is in."""
        found = [run for run in self.runs() if run.identity.startswith(beginning)]
        identities = sorted({run.identity for run in found})
        if len(identities) == 1 and beginning:
            return found
        some = ", ".join(identities[:3]) + (", …" if len(identities) > 3 else "")
        got = f"{beginning!r}, which is {len(identities)} of them: {some}" if identities else repr(beginning)
        raise BadInput("run", expected="the beginning of one run's identity", got=got)

    def spec(self, id: int) -> Data:
        """Return a run's full spec."""
        found: Data = json.loads(self._db.execute("SELECT spec FROM runs WHERE id = ?", (id,)).fetchone()[0])
        return found

    def artifacts(self, id: int) -> dict[str, int]:
        """Return the names of what a run left, and of how many bytes each is."""
        return dict(self._db.execute("SELECT name, length(content) FROM artifacts WHERE run = ?", (id,)))

    def sessions(self) -> list[RecordedSession]:
        """Return the sessions, the oldest first."""
        question = "SELECT id, host, started, seen, ended, code, versions FROM sessions ORDER BY id"
        rows = _by_name(self._db.execute(question))
        return [RecordedSession(**{**row, "versions": json.loads(row["versions"])}) for row in rows]

    def metrics(self, runs: Sequence[int]) -> list[str]:
        """Return the metrics that were read of any of these runs, in the order in which they came up."""
        found: set[str] = set()
        known = self._db.execute("SELECT id, name FROM metrics ORDER BY id").fetchall()
        for run in runs:
            for id, name in known:
                if name not in found and self._has(run, id):
                    found.add(name)
            if len(found) == len(known):
                break
        return [name for _, name in known if name in found]

    def series(self, metric: str, runs: Sequence[int]) -> Series:
        """Return one metric of these runs, in their order; runs without a reading have none."""
        rows = list(self._readings(metric, runs))
        place, step, value = np.concatenate(rows).T if rows else np.empty((3, 0))
        lengths = np.bincount(place.astype(np.int64), minlength=len(runs))
        start = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        return Series(np.asarray(runs, np.int64), start, step.astype(np.int64), np.ascontiguousarray(value))

    def _readings(self, metric: str, runs: Sequence[int]) -> Iterator[NDArray[np.float64]]:
        """Yield rows of a run's place among these, step and value, in their order."""
        self._db.execute("CREATE TEMP TABLE IF NOT EXISTS wanted (place INTEGER PRIMARY KEY, run INTEGER)")
        self._db.execute("DELETE FROM wanted")
        self._db.executemany("INSERT INTO wanted VALUES (?, ?)", enumerate(map(int, runs)))
        cursor = self._db.execute(
            "SELECT place, step, value FROM wanted CROSS JOIN points ON points.run = wanted.run"
            " WHERE metric = (SELECT id FROM metrics WHERE name = ?) ORDER BY place, step",
            (metric,),
        )
        while rows := cursor.fetchmany(ROWS_AT_A_TIME):
            yield np.array(rows, dtype=np.float64)  # None becomes not-a-number

    def _has(self, run: int, metric: int) -> bool:
        question = "SELECT 1 FROM points WHERE run = ? AND metric = ? LIMIT 1"
        return self._db.execute(question, (run, metric)).fetchone() is not None


def _opened(path: Path) -> sqlite3.Connection:
    """Open a store for reading, as it is now."""
    if not path.is_file():
        raise BadInput("store", expected="a store that is there", got=str(path))
    try:
        db = sqlite3.connect(_address(path), uri=True, timeout=SECONDS_TO_WAIT, isolation_level=None)
        db.execute("PRAGMA temp_store = MEMORY")
        if is_empty(db, path):
            db.close()
            raise BadInput("store", expected="a store of Colonnade", got=f"{path}, which is empty")
        db.execute("BEGIN")
        db.execute("SELECT count(*) FROM sweeps").fetchone()  # from here on, one moment
    except sqlite3.OperationalError as failure:
        raise StoreFailure(f"{path}: {failure}") from failure
    return db


def _address(path: Path) -> str:
    """Say how to open a store without writing to it.

    SQLite keeps two files beside one that is written to. Where they can't be made, nobody writes.
    """
    alone = not Path(f"{path}-wal").exists() and not os.access(path.resolve().parent, os.W_OK)
    return f"{path.resolve().as_uri()}?mode=ro" + ("&immutable=1" if alone else "")


def _by_name(cursor: sqlite3.Cursor) -> Iterator[dict[str, Any]]:
    names = [column[0] for column in cursor.description]
    for row in cursor:
        yield dict(zip(names, row, strict=True))


def _sweep(id: int, name: str, told: str, created: float) -> RecordedSweep:
    about: dict[str, Any] = json.loads(told)
    goal = {field: about["goal"][field] for field in ("metric", "best", "share")}
    return RecordedSweep(id, name, about["about"], about["axes"], Goal(**goal), created)
