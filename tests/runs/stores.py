"""Stores full of made-up runs, for whatever reads them: nothing has to run."""

import zlib
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from colonnade.runs.experiment import Reading
from colonnade.runs.store import Store
from colonnade.runs.sweep import Goal, Sweep, grid

BEST_POSSIBLE = 0.01


@dataclass(frozen=True)
class Made:
    """An experiment whose course follows from its settings: nothing has to run."""

    step_size: float = 1e-3
    units: int = 8
    world: str = "easy"
    steps: int = 10_000
    every: int = 500
    place: ClassVar[str] = "thread"
    lanes: ClassVar[int] = 1

    def begin(self, seeds):
        raise NotImplementedError

    def resume(self, seeds, saved):
        raise NotImplementedError


AXES = {"step_size": [1e-4, 1e-3, 1e-2], "units": [4, 16]}


def sweep(name="sizes", axes=AXES, seeds=5, about="which step size is best?", goal=None, **settings):
    """A sweep of made-up experiments."""
    return Sweep(name, grid(Made(**settings), axes), tuple(range(seeds)), about, goal or Goal())


def errors(made, seed):
    """Steps and errors of one run: they fall towards a level that depends on the settings."""
    rng = np.random.default_rng([seed, zlib.crc32(repr(made).encode())])
    step = np.arange(made.every, made.steps + 1, made.every)
    level = 0.02 + 0.05 * abs(np.log10(made.step_size) + 3) / made.units * (2 if made.world == "hard" else 1)
    fall = np.exp(-step / (0.2 * made.steps)) * 0.3
    return step, (level + fall) * np.exp(0.1 * rng.standard_normal(len(step)))


def fill(store, sweep, leave=lambda run: "finished"):
    """Record every run of a sweep; ``leave`` says how it's left: finished, failed, waiting or diverged."""
    runs = sweep.runs()
    store.register(sweep, runs)
    session = store.begin_session()
    standings = store.standings(run.identity for run in runs)
    with store.writing():
        for run in runs:
            how = leave(run)
            if how != "waiting" and standings[run.identity].status == "waiting":
                _record(store, session, run, standings[run.identity].id, how)
    store.end_session(session)


def _record(store, session, run, id, how):
    made = run.point.experiment
    store.claim([id], session)
    step, error = errors(made, run.seed)
    if how == "failed":
        step, error = step[: len(step) // 2], error[: len(error) // 2]
    if how == "diverged":
        error[len(error) // 2 :] = np.nan
    readings = [
        Reading(int(s), ({"error": float(e), "excess": float(e) - BEST_POSSIBLE},))
        for s, e in zip(step, error, strict=True)
    ]
    store.progress([id], readings, int(step[-1]), 2.5)
    if how == "failed":
        store.fail([id], 'Traceback:\n  File "x.py"\nValueError: <b>too large</b> & seed ' + str(run.seed))
    else:
        store.finish(run.identity, [id], ({"weights": b"1234"},), 50_000_000)


def made_store(path, *sweeps, **how):
    """A store at this path with these sweeps, or with the usual one."""
    with Store(path) as store:
        for one in sweeps or (sweep(),):
            fill(store, one, **how)
    return path
