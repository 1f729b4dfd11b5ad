"""Exports: whatever the form, all that was read comes back; TensorBoard and MLflow take it, once."""

import csv
import json

import numpy as np
import pytest

from colonnade import BadInput
from colonnade.runs import exporting, missing, trackers
from colonnade.runs.exporting import export
from colonnade.runs.reading import Records
from colonnade.runs.trackers import to_mlflow, to_tensorboard
from runs.stores import Made, errors, made_store, sweep

MIXED = {"units": [4, 16], "step_size": [1e-3, 1]}


@pytest.fixture
def records(tmp_path):
    leave = {0: "finished", 1: "diverged", 2: "failed", 3: "waiting"}
    path = made_store(
        tmp_path / "runs.db",
        sweep("a", MIXED, 4),
        sweep("b", {"units": [4]}, 2),
        leave=lambda run: leave[run.seed],
    )
    with Records(path) as opened:
        yield opened


def rows(records):
    """All that was read, as rows, straight from the store."""
    return sorted(
        records._db.execute("SELECT sweep, run, setting, seed, metric, step, value FROM series").fetchall(),
        key=repr,
    )


def test_csv_has_a_row_for_each_reading_and_a_column_for_each_axis(records, tmp_path):
    assert export(records, tmp_path / "all.csv") == 18
    with open(tmp_path / "all.csv", newline="") as file:
        found = list(csv.DictReader(file))
    assert list(found[0]) == [
        "sweep", "run", "setting", "seed", "status", "step_size", "units", "metric", "step", "value",
    ]  # fmt: skip
    told = [
        (
            r["sweep"],
            r["run"],
            r["setting"],
            int(r["seed"]),
            r["metric"],
            int(r["step"]),
            float(r["value"]) if r["value"] else None,
        )
        for r in found
    ]
    assert sorted(told, key=repr) == rows(records)
    assert {r["step_size"] for r in found if r["sweep"] == "b"} == {""}


def test_parquet_has_the_same_with_types(records, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    assert export(records, tmp_path / "a.parquet", "a") == 16
    table = parquet.read_table(tmp_path / "a.parquet")
    assert dict(zip(table.column_names, map(str, table.schema.types), strict=True)) == {
        "sweep": "string", "run": "string", "setting": "string", "seed": "int64", "status": "string",
        "step_size": "double", "units": "int64", "metric": "string", "step": "int64", "value": "double",
    }  # fmt: skip
    names = ("sweep", "run", "setting", "seed", "metric", "step", "value")
    told = [
        tuple(None if row[name] != row[name] else row[name] for name in names) for row in table.to_pylist()
    ]
    assert sorted(told, key=repr) == [row for row in rows(records) if row[0] == "a"]


def test_json_has_an_object_for_each_run(records, tmp_path):
    export(records, tmp_path / "b.json", "b")
    found = json.loads((tmp_path / "b.json").read_text())
    assert [(one["seed"], one["status"], one["label"]) for one in found] == [
        (0, "finished", {"units": 4}),
        (1, "finished", {"units": 4}),
    ]
    step, error = errors(Made(units=4), 0)
    assert found[0]["series"]["error"] == {"step": step.tolist(), "value": error.tolist()}
    assert found[1]["series"]["error"]["value"][-1] is None
    assert found[0]["spec"]["experiment"]["units"] == 4


def test_a_column_of_an_axis_never_takes_the_place_of_another(tmp_path):
    path = made_store(tmp_path / "runs.db", sweep("a", {"world": ["easy"], "units": [4]}))
    with Records(path) as records:
        runs = [
            exporting.RecordedRun(**{**vars(run), "label": {"seed": 3, "x": [1]}}) for run in records.runs()
        ]
        assert list(exporting.kinds(runs)) == [
            "sweep", "run", "setting", "seed", "status", "axis.seed", "x", "metric", "step", "value",
        ]  # fmt: skip
        assert exporting.kinds(runs)["x"] == "json"


def test_a_file_is_there_as_a_whole_or_not_at_all(records, tmp_path, monkeypatch):
    (tmp_path / "all.csv").write_text("what was there before")

    def fail(*_):
        yield {"step": np.zeros(1)}
        raise OSError("no space left")

    monkeypatch.setattr(exporting, "tables", fail)
    with pytest.raises(OSError, match="no space"):
        export(records, tmp_path / "all.csv")
    assert (tmp_path / "all.csv").read_text() == "what was there before"
    assert sorted(file.name for file in tmp_path.glob("*all*")) + list(tmp_path.glob(".all*")) == ["all.csv"]


def test_what_cannot_be_written_is_refused(records, tmp_path):
    with pytest.raises(BadInput, match=r"a name that ends in \.parquet, \.csv, \.json, got .*all.xls"):
        export(records, tmp_path / "all.xls")
    with pytest.raises(BadInput, match="a folder that is there"):
        export(records, tmp_path / "nowhere" / "all.csv")
    with pytest.raises(BadInput, match="sweep: expected one of 'a', 'b', got 'c'"):
        export(records, tmp_path / "all.csv", "c")


@pytest.mark.parametrize("module", [exporting, trackers])
def test_what_is_missing_is_named_with_the_way_to_get_it(module, records, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    if module is exporting:
        with pytest.raises(
            missing.Missing, match=r"a Parquet file needs pyarrow: pip install '\.\[reports\]'"
        ):
            export(records, tmp_path / "all.parquet")
        assert not list(tmp_path.glob("*.parquet*"))
        return
    with pytest.raises(missing.Missing, match=r"needs tensorboard: pip install '\.\[trackers\]'"):
        to_tensorboard(records, tmp_path / "tb")
    with pytest.raises(missing.Missing, match=r"MLflow needs mlflow-skinny: pip install '\.\[trackers\]'"):
        to_mlflow(records, "file:nowhere")


def test_tensorboard_reads_what_was_handed_on_once(records, tmp_path):
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    assert to_tensorboard(records, tmp_path / "tb", "a") == 12  # but for those that wait
    assert to_tensorboard(records, tmp_path / "tb", "a") == 0
    run = next(run for run in records.runs("a") if run.seed == 1)
    (folder,) = (tmp_path / "tb").glob(f"a/*-{run.identity[:8]}")
    found = accumulator.EventAccumulator(str(folder), size_guidance={"tensors": 0}).Reload()
    events = found.Tensors("error")
    step, error = errors(Made(**run.label), 1)
    assert [event.step for event in events] == step[:10].tolist()  # the rest are no numbers
    assert [event.tensor_proto.float_val[0] for event in events] == pytest.approx(error[:10])


def test_names_of_strangers_lead_nowhere_else(tmp_path):
    pytest.importorskip("tensorboard")
    path = made_store(tmp_path / "runs.db", sweep("../../out", {"world": ["../x", "/etc"]}, seeds=1))
    with Records(path) as records:
        to_tensorboard(records, tmp_path / "tb")
    assert sorted(file.name for file in tmp_path.iterdir() if "db" not in file.name) == ["tb"]
    assert len([file for file in (tmp_path / "tb").rglob("*") if file.is_file()]) == 2


def test_mlflow_reads_what_was_handed_on_once(records, tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    uri = (tmp_path / "ml").as_uri()
    client = mlflow.MlflowClient(uri)
    left = client.create_run(client.create_experiment("b"), tags={"colonnade.run": "left half-way"})
    assert to_mlflow(records, uri, "b") == 2
    assert to_mlflow(records, uri, "b") == 0
    experiment = client.get_experiment_by_name("b").experiment_id
    found = {run.data.params["seed"]: run for run in client.search_runs([experiment])}
    assert sorted(found) == ["0", "1"] and left.info.run_id not in [r.info.run_id for r in found.values()]
    assert found["0"].data.params == {"units": "4", "seed": "0"}
    assert found["0"].info.status == "FINISHED"
    history = client.get_metric_history(found["0"].info.run_id, "error")
    step, error = errors(Made(units=4), 0)
    assert sorted((m.step, m.value) for m in history) == list(zip(step.tolist(), error.tolist(), strict=True))
