"""Performing an item: its sweeps run, its data written down with where it came from, its figures drawn.

`results/PAPER/ITEM.json` holds everything; `results/PAPER/ITEM-FIGURE.png` and `.svg` are drawn from it.
"""

import json
import math
import platform
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from colonnade.errors import BadInput
from colonnade.papers.item import Data, Item, Scale
from colonnade.papers.results import Results
from colonnade.runs.driver import State
from colonnade.runs.provenance import code, processor, versions
from colonnade.runs.store import Store
from colonnade.runs.sweep import Sweep

RESULTS = Path("results")
DIGITS = 6  # that numbers are written with

Drive = Callable[[Sweep, Store], State]


class Incomplete(Exception):
    """A sweep was stopped, or some of its runs failed: there is nothing to judge yet."""

    def __init__(self, state: State) -> None:
        self.state = state
        super().__init__(f"{state.sweep.name}: {state.counts['finished']} of {state.total} runs are finished")


def perform(paper: str, item: Item, scale: Scale, store: Store, drive: Drive, command: str) -> Data:
    """Run an item's sweeps and return its record."""
    began = time.time()
    study = item.study(scale)
    sweep = next(study)
    sweeps: list[Sweep] = []
    while True:
        state = drive(sweep, store)
        sweeps.append(sweep)
        if state.counts["finished"] < state.total:
            raise Incomplete(state)
        try:
            sweep = study.send(Results(sweep, store))
        except StopIteration as ended:
            data: Data = ended.value
            break
    return {
        "paper": paper,
        "item": item.name,
        "asks": item.asks,
        "scale": scale.name,
        "reductions": [asdict(one) for one in item.reductions(scale)],
        "origin": {"command": command, **_origin(sweeps, store), "date": _day(began)},
        "data": _rounded(data),
    }


def write(record: Data, item: Item, folder: Path) -> list[Path]:
    """Write a record and its figures below ``folder``; return the files."""
    home = folder / record["paper"]
    home.mkdir(parents=True, exist_ok=True)
    paths = [home / f"{item.name}.json"]
    claims = _rounded([asdict(claim) for claim in item.claims(record["data"])])
    text = json.dumps({**record, "claims": claims}, indent=1, ensure_ascii=False, allow_nan=False)
    paths[0].write_text(text + "\n", encoding="utf-8")
    for name, figure in item.figures(record["data"]).items():
        for ending in ("png", "svg"):
            paths.append(home / f"{item.name}-{name}.{ending}")
            figure.savefig(paths[-1], metadata={"Date": None} if ending == "svg" else None)
    return paths


def read(paper: str, item: Item, folder: Path) -> Data | None:
    """Return what is written of an item, if anything is."""
    path = folder / paper / f"{item.name}.json"
    if not path.exists():
        return None
    try:
        record: Data = json.loads(path.read_text(encoding="utf-8"))
        _ = record["data"], record["scale"], record["origin"]
    except (ValueError, KeyError, TypeError) as failure:
        raise BadInput("results", expected=f"{path} as Colonnade writes it", got=repr(failure)) from None
    return record


def _origin(sweeps: list[Sweep], store: Store) -> dict[str, Any]:
    """Say what the numbers were made with, and what they took."""
    names = [sweep.name for sweep in sweeps]
    members = (
        "runs JOIN members ON members.run = runs.id JOIN sweeps ON sweeps.id = members.sweep"
        f" WHERE sweeps.name IN ({', '.join('?' * len(names))})"
    )
    runs, seconds, steps = store.db.execute(
        "SELECT count(*), sum(seconds), sum(step) FROM"
        f" (SELECT DISTINCT runs.id, runs.seconds, runs.step FROM {members})",
        names,
    ).fetchone()
    codes = store.db.execute(
        f"SELECT DISTINCT code FROM sessions WHERE id IN (SELECT runs.session FROM {members})", names
    ).fetchall()
    return {
        "code": sorted({code(), *(row[0] for row in codes)}),
        "versions": versions(),
        "machine": f"{processor()}, {platform.system()}",
        "runs": runs,
        "steps": steps,
        "core_minutes": seconds / 60,
        "seeds": {sweep.name: list(sweep.seeds) for sweep in sweeps},
    }


def _day(seconds: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))


def _rounded(data: Any) -> Any:
    """Return data as JSON has it: arrays as lists, numbers with few digits, none where there is no number."""
    if isinstance(data, dict):
        return {name: _rounded(part) for name, part in data.items()}
    if isinstance(data, (np.ndarray, np.generic)):
        return _rounded(data.tolist())
    if isinstance(data, (list, tuple)):
        return [_rounded(part) for part in data]
    if isinstance(data, float):
        return float(f"{data:.{DIGITS}g}") if math.isfinite(data) else None
    return data
