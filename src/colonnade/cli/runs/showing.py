"""`colonnade runs show`: all that is known of one run."""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colonnade.cli.numbers import duration
from colonnade.cli.runs.tables import digits, printable
from colonnade.runs.curves import aligned
from colonnade.runs.exporting import as_told
from colonnade.runs.labels import in_words
from colonnade.runs.reading import RecordedRun, Records

BARS = "▁▂▃▄▅▆▇█"
WIDTH = 40  # of a sparkline
MEGABYTE = 1e6


def lines(records: Records, found: Sequence[RecordedRun]) -> Iterator[str]:
    """Yield a run, line by line; it is the same in every sweep that it is in."""
    run = found[0]
    yield f"run          {run.identity}"
    for place in found:
        yield f"sweep        {printable(place.sweep)}: {printable(in_words(place.label))}"
    yield f"setting      {run.setting}"
    yield f"seed         {run.seed}"
    yield f"status       {run.status}, step {run.step:,} of {run.steps:,}"
    yield f"attempts     {run.attempts}"
    yield f"started      {_when(run.started)}"
    yield f"finished     {_when(run.finished)}"
    yield f"work         {duration(run.seconds)}"
    if run.peak_memory is not None:
        yield f"peak memory  {run.peak_memory / MEGABYTE:,.0f} MB"
    yield from _session(records, run)
    for name, size in records.artifacts(run.id).items():
        yield f"artifact     {printable(name)}, {size:,} bytes"
    yield from _metrics(records, run)
    if run.failure:
        yield "failure"
        yield from (f"  {printable(line)}" for line in run.failure.splitlines())
    yield "spec"
    yield from (f"  {printable(line)}" for line in json.dumps(records.spec(run.id), indent=1).splitlines())


def as_data(records: Records, found: Sequence[RecordedRun]) -> dict[str, Any]:
    """Return a run as plain data, with its series."""
    run = found[0]
    series = {metric: records.series(metric, [run.id]).of(0) for metric in records.metrics([run.id])}
    sessions = {session.id: session for session in records.sessions()}
    session = sessions.get(run.session) if run.session is not None else None
    return {
        **as_told(run),
        "sweeps": {place.sweep: dict(place.label) for place in found},
        "spec": records.spec(run.id),
        "made_with": vars(session) if session else None,
        "artifacts": records.artifacts(run.id),
        "series": {
            metric: {"step": step.tolist(), "value": value.tolist()}
            for metric, (step, value) in series.items()
        },
    }


def sparkline(values: NDArray[np.float64]) -> str:
    """Draw a few numbers as bars; those that are none as gaps.

    >>> sparkline(np.array([0.0, 1.0, np.inf, 7.0]))
    '▁▂ █'
    """
    there = np.isfinite(values)
    if not there.any():
        return " " * len(values)
    low, high = values[there].min(), values[there].max()
    height = np.zeros(len(values), int)
    height[there] = np.rint((len(BARS) - 1) * (values[there] - low) / ((high - low) or 1.0)).astype(int)
    return "".join(BARS[i] if shown else " " for i, shown in zip(height, there, strict=True))


def _session(records: Records, run: RecordedRun) -> Iterator[str]:
    for session in records.sessions():
        if session.id == run.session:
            versions = ", ".join(f"{name} {version}" for name, version in session.versions.items())
            yield f"code         {printable(session.code)}"
            yield f"versions     {printable(versions)}"
            yield f"host         {printable(session.host)}"


def _metrics(records: Records, run: RecordedRun) -> Iterator[str]:
    """Yield the last value of each metric, and what it was before."""
    for metric in records.metrics([run.id]):
        series = records.series(metric, [run.id])
        drawn = sparkline(aligned(series, [0]).coarser(WIDTH).value[0])
        yield f"{printable(metric):<12} {digits(series.value[-1]):<10} {drawn}"


def _when(seconds: float | None) -> str:
    if seconds is None:
        return "not yet"
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
