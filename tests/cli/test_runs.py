"""`colonnade runs` and `colonnade report`: what they print, on terminals and elsewhere, and refuse."""

import io
import json
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from colonnade.cli import main
from colonnade.cli.runs import tables
from colonnade.cli.runs.showing import sparkline
from runs.stores import Made, errors, made_store, sweep

STEERING = "a\x1b[31mred\x07"


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lost = {(16, 3): "failed", (16, 4): "diverged", (4, 4): "waiting"}
    leave = lambda run: lost.get((run.point.label["units"], run.seed), "finished")  # noqa: E731
    return made_store(tmp_path / "runs.db", leave=leave)


@pytest.fixture
def said(capsys):
    def run(*arguments, code=0):
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        found = capsys.readouterr()
        assert left.value.code == code, found.err
        return found.out if code == 0 else found.err

    return run


def rows(text):
    head, *rest = (line.split("\t") for line in text.splitlines())
    return [dict(zip(head, row, strict=True)) for row in rest]


def test_runs_are_listed_a_line_each_with_tabs_between(store, said):
    found = rows(said("runs", "list", store))
    assert len(found) == 30
    assert found[0] == {
        "run": found[0]["run"], "setting": "step_size 0.0001, units 4", "seed": "0", "status": "finished",
        "step": "10,000", "work": "2 s",
    }  # fmt: skip
    assert len(found[0]["run"]) == 8


def test_runs_are_asked_for_by_status_and_setting(store, said):
    failed = rows(said("runs", "list", store, "--status", "failed"))
    assert [one["seed"] for one in failed] == ["3"] * 3 and failed[0]["step"] == "5,000 of 10,000"
    some = rows(said("runs", "list", store, "--setting", "units=16", "--setting", "step_size=0.001"))
    assert {one["setting"] for one in some} == {"step_size 0.001, units 16"} and len(some) == 5
    digest = json.loads(said("runs", "list", store, "--json"))[0]["setting"]
    assert len(rows(said("runs", "list", store, "--setting", digest[:10]))) == 5
    assert rows(said("runs", "list", store, "--setting", "units=5")) == []


def test_runs_are_listed_as_json(store, said):
    found = json.loads(said("runs", "list", store, "--json", "--status", "waiting"))
    assert {one["seed"] for one in found} == {4} and found[0]["label"] == {"step_size": 1e-4, "units": 4}
    assert found[0]["finished"] is None


def test_one_run_is_shown_with_all_that_is_known_of_it(store, said):
    failed = json.loads(said("runs", "list", store, "--status", "failed", "--json"))[0]
    told = said("runs", "show", store, failed["run"][:12])
    for wanted in (
        f"run          {failed['run']}",
        "sweep        sizes: step_size 0.0001, units 16",
        "status       failed, step 5,000 of 10,000",
        "ValueError: <b>too large</b> & seed 3",
        '"step_size": 0.0001',
        f"numpy {np.__version__}",
        "host         ",
        "attempts     1",
    ):
        assert wanted in told
    line = next(line for line in told.splitlines() if line.startswith("error"))
    _, error = errors(Made(step_size=1e-4, units=16), 3)
    assert line == f"error        {error[9]:<10.4g} {sparkline(error[:10])}"


def test_one_run_is_shown_as_json(store, said):
    run = json.loads(said("runs", "list", store, "--json"))[0]
    told = json.loads(said("runs", "show", store, run["run"], "--json"))
    step, error = errors(Made(step_size=1e-4, units=4), 0)
    assert told["series"]["error"] == {"step": step.tolist(), "value": error.tolist()}
    assert told["sweeps"] == {"sizes": {"step_size": 1e-4, "units": 4}}
    assert told["artifacts"] == {"weights": 4} and told["peak_memory"] == 50_000_000
    assert told["made_with"]["versions"]["numpy"] == np.__version__


def test_settings_are_compared_with_the_best(store, said):
    found = rows(said("runs", "compare", store))
    assert len(found) == 6 and found[0]["difference"] == "" and found[0]["seeds"] == "4"
    assert [one["setting"] for one in found if one["failed"] == "1" and one["diverged"] == "1"] == [
        one["setting"] for one in found if "units 16" in one["setting"]
    ]
    assert {one["seeds"] for one in found if "units 16" in one["setting"]} == {"3"}


def test_settings_are_compared_with_one_that_is_named(store, said):
    found = json.loads(said("runs", "compare", store, "sizes", "--to", "step_size 0.01, units 4", "--json"))
    own = next(one for one in found if one["setting"] == "step_size 0.01, units 4")
    assert own["difference"]["value"] == 0.0 and own["improvement"]["value"] == 0.5
    best = found[0]
    assert best["difference"]["value"] < 0 and best["improvement"]["value"] > 0.5
    assert best["score"]["scores"] == 4 and best["score"]["low"] < best["score"]["value"]


def test_settings_are_compared_across_worlds(tmp_path, said):
    store = made_store(tmp_path / "w.db", sweep(axes={"step_size": [1e-4, 1e-3], "world": ["easy", "hard"]}))
    found = rows(said("runs", "compare", store))
    assert [one["setting"] for one in found] == ["step_size 0.001", "step_size 0.0001"]
    assert found[0]["seeds"] == "5 in 2 worlds"
    assert len(rows(said("runs", "compare", store, "--across", "step_size"))) == 2


def test_what_is_in_a_store_is_exported(store, said, tmp_path):
    assert said("runs", "export", store, "all.csv") == "all.csv: 30 runs\n"
    assert (tmp_path / "all.csv").read_text().startswith("sweep,run,setting,seed,status,step_size,units,")
    pytest.importorskip("tensorboard")
    assert "27 new runs in tb" in said("runs", "export", store, "--tensorboard", "tb")


def test_a_report_is_written_with_its_figures(store, said, tmp_path):
    assert said("report", store).startswith("report.html: 30 runs, 0.3 MB")
    assert "colonnade report runs.db" in (tmp_path / "report.html").read_text()
    told = said("report", store, "sizes", "-o", "other.html", "--metric", "excess", "--figures", "figures")
    assert "figures/curves.png" in told and (tmp_path / "figures" / "axis-units.csv").exists()
    assert "colonnade report runs.db sizes --metric excess" in (tmp_path / "other.html").read_text()


WRONG = {
    ("runs", "list", "nowhere.db"): "store: expected a store that is there, got nowhere.db",
    (
        "runs",
        "list",
        "runs.db",
        "--status",
        "done",
    ): "status: expected one of waiting, running, finished, failed",
    ("runs", "list", "runs.db", "--sweep", "x"): "sweep: expected one of 'sizes', got 'x'",
    (
        "runs",
        "list",
        "runs.db",
        "--setting",
        "x=1",
    ): "setting: expected AXIS=PLACE with an axis of step_size,",
    ("runs", "show", "runs.db", "xyz"): "run: expected the beginning of one run's identity, got 'xyz'",
    ("runs", "compare", "runs.db", "--to", "x"): "to: expected one setting's name or the beginning",
    ("runs", "compare", "runs.db", "--metric", "x"): "metric: expected one that was read: 'error', 'excess'",
    (
        "runs",
        "compare",
        "runs.db",
        "--across",
        "x",
    ): "across: expected an axis of the sweep: step_size, units",
    ("runs", "export", "runs.db"): "file: expected a file to write, --tensorboard or --mlflow, got none",
    ("runs", "export", "runs.db", "all.xls"): "file: expected a name that ends in .parquet, .csv, .json",
    ("report", "runs.db", "-o", "nowhere/report.html"): "output: expected a place in a folder that is there",
    ("report", "runs.db", "x"): "sweep: expected one of 'sizes', got 'x'",
}


@pytest.mark.parametrize("arguments", WRONG)
def test_what_cannot_be_used_is_one_line(arguments, store, said):
    told = said(*arguments, code=2)
    assert told.startswith(f"colonnade: {WRONG[arguments]}") and told.count("\n") == 1


def test_what_is_missing_is_one_line(store, said, monkeypatch):
    from colonnade.runs.report import library

    monkeypatch.setattr(library, "PACKAGE", "no-such-package")
    expected = "colonnade: a report needs no-such-package: pip install '.[reports]' in a checkout\n"
    assert said("report", store, code=2) == expected


@pytest.mark.parametrize("width", [30, 60, 200])
def test_a_table_fits_the_terminal_and_nothing_steers_it(width, monkeypatch, capsys):
    shown = io.StringIO()
    monkeypatch.setattr(tables, "takes_drawings", lambda *_: True)
    monkeypatch.setattr(
        "rich.console.Console",
        lambda: Console(file=shown, force_terminal=True, width=width, color_system=None),
    )
    tables.show(["setting", "error", "failed"], [[STEERING + " long" * 12, "0.5", "0"]])
    told = shown.getvalue() + capsys.readouterr().out
    assert max(map(len, told.splitlines())) <= width
    assert "\x1b" not in told and "\x07" not in told
    assert "0.5" in told and "failed" not in told


def test_nothing_in_a_store_steers_a_terminal(tmp_path, said):
    store = made_store(tmp_path / "runs.db", sweep("ok", {"world": [STEERING, "b"]}, seeds=1))
    for command in ("list", "compare"):
        assert "\x1b" not in said("runs", command, store)
    run = json.loads(said("runs", "list", store, "--json"))[0]["run"]
    assert "\x1b" not in said("runs", "show", store, run)


def test_bars_are_as_high_as_the_numbers():
    assert sparkline(np.arange(8.0)) == "▁▂▃▄▅▆▇█"
    assert sparkline(np.array([1.0, np.nan, 1.0])) == "▁ ▁"
    assert sparkline(np.array([np.nan, np.inf])) == "  "


def test_who_stops_reading_is_not_complained_to(tmp_path):
    store = made_store(tmp_path / "runs.db", sweep(seeds=300, every=10_000))
    command = Path(sysconfig.get_path("scripts"), "colonnade")
    listing = subprocess.Popen(
        [command, "runs", "list", store], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    listing.stdout.readline()
    listing.stdout.close()
    assert listing.stderr.read() == b""
    assert listing.wait(60) == 1
