"""Runs handed on to TensorBoard and to MLflow, through their own packages.

A run that has been handed on already is left alone: to do it again, after more runs are finished, is safe.
"""

import re
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from colonnade.runs.labels import in_words, words
from colonnade.runs.missing import Missing
from colonnade.runs.reading import RecordedRun, Records

DONE = "colonnade.run"  # what MLflow's runs are known by
MOST_METRICS, MOST_PARAMS, MOST_RUNS = 1000, 100, 1000  # of one request to MLflow
MOST_LETTERS, MOST_LETTERS_OF_A_KEY = 500, 250
STATUS = {"finished": "FINISHED", "failed": "FAILED"}


def to_tensorboard(records: Records, folder: Path, sweep: str | None = None) -> int:
    """Write the runs that are over to a folder of TensorBoard's; return how many are new there."""
    if find_spec("tensorboard") is None:
        raise Missing("TensorBoard's format", ("tensorboard",), "trackers")
    new = 0
    for run in _over(records, sweep):
        place = (
            folder / _file_name(run.sweep) / f"{_file_name(_label(run))}-seed{run.seed}-{run.identity[:8]}"
        )
        if not place.exists():
            _write(records, run, place)
            new += 1
    return new


def to_mlflow(records: Records, uri: str, sweep: str | None = None) -> int:
    """Log the runs that are over to MLflow, an experiment for each sweep; return how many are new there."""
    if find_spec("mlflow") is None:
        raise Missing("MLflow", ("mlflow-skinny",), "trackers")
    from mlflow import MlflowClient

    client = MlflowClient(uri)
    new = 0
    known: dict[str, tuple[str, set[str]]] = {}
    for run in _over(records, sweep):
        if run.sweep not in known:
            known[run.sweep] = _experiment(client, run.sweep)
        experiment, done = known[run.sweep]
        if run.identity not in done:
            _log(records, run, client, experiment)
            new += 1
    return new


def _over(records: Records, sweep: str | None) -> list[RecordedRun]:
    runs = records.runs(records.sweep(sweep).name if sweep else None)
    return [run for run in runs if run.status in STATUS]


def _write(records: Records, run: RecordedRun, place: Path) -> None:
    """Write a run to a folder, which gets its name when it is complete."""
    from tensorboard.summary import Writer

    part = place.with_name(f".{place.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    writer = Writer(str(part))
    for metric, step, value in _series(records, run):
        for at, number in zip(step, value, strict=True):
            writer.add_scalar(metric, number, at, wall_time=_time(run, at))
    writer.close()
    part.rename(place)


def _experiment(client: Any, sweep: str) -> tuple[str, set[str]]:
    """Return a sweep's experiment, and which runs are complete there; what was left half-way is removed."""
    found = client.get_experiment_by_name(sweep)
    experiment = found.experiment_id if found else client.create_experiment(sweep)
    done: set[str] = set()
    token = None
    while True:
        page = client.search_runs([experiment], max_results=MOST_RUNS, page_token=token)
        for run in page:
            if run.info.status in STATUS.values():
                done.add(run.data.tags.get(DONE, ""))
            elif DONE in run.data.tags:
                client.delete_run(run.info.run_id)
        token = page.token
        if not token:
            return experiment, done


def _log(records: Records, run: RecordedRun, client: Any, experiment: str) -> None:
    from mlflow.entities import Metric, Param

    name = f"{_label(run)}, seed {run.seed}"
    made = client.create_run(
        experiment, start_time=_milliseconds(run, 0), run_name=name, tags={DONE: run.identity}
    )
    settings = {**{axis: words(place) for axis, place in run.label.items()}, "seed": str(run.seed)}
    params = [Param(_key(axis), place[:MOST_LETTERS]) for axis, place in settings.items()]
    client.log_batch(made.info.run_id, params=params[:MOST_PARAMS])
    metrics = [
        Metric(_key(metric), number, _milliseconds(run, at), at)
        for metric, step, value in _series(records, run)
        for at, number in zip(step, value, strict=True)
    ]
    for start in range(0, len(metrics), MOST_METRICS):
        client.log_batch(made.info.run_id, metrics=metrics[start : start + MOST_METRICS])
    client.set_terminated(made.info.run_id, STATUS[run.status], _milliseconds(run, run.steps))


def _series(records: Records, run: RecordedRun) -> Iterator[tuple[str, list[int], list[float]]]:
    """Yield the metrics of a run, their steps and values; readings that came to no number are left out."""
    for metric in records.metrics([run.id]):
        step, value = records.series(metric, [run.id]).of(0)
        there = np.isfinite(value)
        yield metric, step[there].tolist(), value[there].tolist()


def _time(run: RecordedRun, step: int) -> float:
    """Return when a step was, as if all took equally long."""
    started = run.started or 0.0
    return started + ((run.finished or started) - started) * min(1.0, step / run.steps)


def _milliseconds(run: RecordedRun, step: int) -> int:
    return int(1000 * _time(run, step))


def _label(run: RecordedRun) -> str:
    return in_words(run.label)


def _file_name(text: str) -> str:
    """Return a name that a file can have anywhere, and that leads nowhere else."""
    return re.sub(r"[^\w=,.+-]+", "_", text, flags=re.ASCII).strip(".")[:100] or "_"


def _key(text: str) -> str:
    """Return a name that MLflow takes."""
    return re.sub(r"[^\w.\-/ ]", "_", text, flags=re.ASCII)[:MOST_LETTERS_OF_A_KEY].strip("./") or "_"
