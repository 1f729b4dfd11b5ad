"""All that was read, as one long table: a row for each run, metric and step, and a column for each axis.

Files end in .parquet, .csv or .json (an object for each run, its spec and its series in it). They are there
as a whole or not at all.
"""

import csv
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from colonnade.errors import BadInput
from colonnade.runs.described import Data, text
from colonnade.runs.missing import Missing
from colonnade.runs.reading import RecordedRun, Records

Kind: TypeAlias = Literal["string", "int64", "float64", "bool", "json"]
Table: TypeAlias = dict[str, Any]
"""Arrays by the names of their columns."""

RUN: dict[str, Kind] = {
    "sweep": "string",
    "run": "string",
    "setting": "string",
    "seed": "int64",
    "status": "string",
}
READING: dict[str, Kind] = {"metric": "string", "step": "int64", "value": "float64"}
RUNS_AT_A_TIME = 500


def export(records: Records, file: Path, sweep: str | None = None) -> int:
    """Write the runs of one sweep, or of all, to a file, and return how many there are."""
    writers: Mapping[str, Callable[[Records, Path, Sequence[RecordedRun]], None]] = {
        ".parquet": _parquet,
        ".csv": _csv,
        ".json": _json,
    }
    if file.suffix not in writers:
        raise BadInput("file", expected=f"a name that ends in {', '.join(writers)}", got=str(file))
    if not file.parent.is_dir():
        raise BadInput("file", expected="a file in a folder that is there", got=str(file))
    runs = records.runs(records.sweep(sweep).name if sweep else None)
    with whole(file) as written:
        writers[file.suffix](records, written, runs)
    return len(runs)


def kinds(runs: Sequence[RecordedRun]) -> dict[str, Kind]:
    """Return the columns of the table, and what is in them."""
    axes = dict.fromkeys(axis for run in runs for axis in run.label)
    named = {_column(axis): _kind([run.label.get(axis) for run in runs]) for axis in axes}
    return {**RUN, **named, **READING}


def tables(records: Records, runs: Sequence[RecordedRun]) -> Iterator[Table]:
    """Yield the table part by part."""
    columns = kinds(runs)
    axes = dict.fromkeys(axis for run in runs for axis in run.label)
    metrics = records.metrics(list(dict.fromkeys(run.id for run in runs)))
    for start in range(0, len(runs), RUNS_AT_A_TIME):
        some = runs[start : start + RUNS_AT_A_TIME]
        of_runs: dict[str, list[object]] = {
            "sweep": [run.sweep for run in some],
            "run": [run.identity for run in some],
            "setting": [run.setting for run in some],
            "seed": [run.seed for run in some],
            "status": [run.status for run in some],
        }
        for axis in axes:
            kind = columns[_column(axis)]
            of_runs[_column(axis)] = [_placed(run.label.get(axis), kind) for run in some]
        for metric in metrics:
            yield _table(records, metric, some, of_runs)


def _table(
    records: Records, metric: str, runs: Sequence[RecordedRun], of_runs: Mapping[str, list[object]]
) -> Table:
    series = records.series(metric, [run.id for run in runs])
    row = np.repeat(np.arange(len(runs)), np.diff(series.start))
    table: Table = {name: np.array([*values, None], object)[:-1][row] for name, values in of_runs.items()}
    name = np.full(len(row), metric, object)
    return {**table, "metric": name, "step": series.step, "value": series.value}


def _column(axis: str) -> str:
    """Name an axis' column: as the axis, unless there is a column of that name already."""
    return f"axis.{axis}" if axis in RUN or axis in READING else axis


def _kind(places: Sequence[Data]) -> Kind:
    """Return what an axis' places have in common; all else is written as JSON."""
    there = {type(place) for place in places if place is not None}
    if there == {bool}:
        return "bool"
    if there == {int}:
        return "int64"
    if there <= {int, float}:
        return "float64"
    return "string" if there == {str} else "json"


def _placed(place: Data, kind: Kind) -> object:
    if place is None:
        return None
    return text(place) if kind == "json" else float(place) if kind == "float64" else place  # type: ignore[arg-type]


def _csv(records: Records, file: Path, runs: Sequence[RecordedRun]) -> None:
    with open(file, "w", newline="", encoding="utf-8") as opened:
        writer = csv.writer(opened)
        writer.writerow(kinds(runs))
        for table in tables(records, runs):
            values = [column.tolist() for column in table.values()]
            values[-1] = [value if value == value else None for value in values[-1]]
            writer.writerows(zip(*values, strict=True))


def _parquet(records: Records, file: Path, runs: Sequence[RecordedRun]) -> None:
    if find_spec("pyarrow") is None:
        raise Missing("a Parquet file", ("pyarrow",), "reports")
    import pyarrow
    from pyarrow import parquet

    types = {
        "string": pyarrow.string(),
        "json": pyarrow.string(),
        "int64": pyarrow.int64(),
        "float64": pyarrow.float64(),
        "bool": pyarrow.bool_(),
    }
    schema = pyarrow.schema([(name, types[kind]) for name, kind in kinds(runs).items()])
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for table in tables(records, runs):
            writer.write_table(pyarrow.table(table, schema=schema))


def _json(records: Records, file: Path, runs: Sequence[RecordedRun]) -> None:
    metrics = records.metrics(list(dict.fromkeys(run.id for run in runs)))
    with open(file, "w", encoding="utf-8") as opened:
        opened.write("[")
        for start in range(0, len(runs), RUNS_AT_A_TIME):
            some = runs[start : start + RUNS_AT_A_TIME]
            series = {metric: records.series(metric, [run.id for run in some]) for metric in metrics}
            for i, run in enumerate(some):
                read = {metric: one.of(i) for metric, one in series.items()}
                opened.write(",\n" if start or i else "\n")
                json.dump({**as_told(run), "spec": records.spec(run.id), "series": _lists(read)}, opened)
        opened.write("\n]\n")


def as_told(run: RecordedRun) -> dict[str, Any]:
    """Return what is recorded of a run, by name, for JSON."""
    told = dict(vars(run))
    return {"run": told.pop("identity"), **{name: value for name, value in told.items() if name != "id"}}


def _lists(read: Mapping[str, tuple[Any, Any]]) -> dict[str, dict[str, list[Any]]]:
    return {
        metric: {"step": step.tolist(), "value": [v if np.isfinite(v) else None for v in value.tolist()]}
        for metric, (step, value) in read.items()
        if len(step)
    }


@contextmanager
def whole(file: Path) -> Iterator[Path]:
    """Give another name to write to; what is written gets its own when it is complete."""
    written = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        yield written
        os.replace(written, file)
    except BaseException:
        written.unlink(missing_ok=True)
        raise
