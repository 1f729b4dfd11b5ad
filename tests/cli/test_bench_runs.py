"""`colonnade bench runs`: both do the same, and what comes out is what was measured. No time is asserted."""

import json
import re
import sqlite3

import pytest

from colonnade.cli import main
from colonnade.cli.bench import overhead
from colonnade.cli.bench.overhead import READINGS, SEEDS, Load, Row, Spent, bare, swept

SMALL = Load(runs=30, events=200, jobs=2)
LINE = (
    r"[\d,]+ runs of [\d,]+ events, 2 at a time: [\d.]+ % of the speed of bare threads \([\d.]+ s, [\d.]+ s\)"
    r"(, required 90 %, reached: (yes|no))?; -?[\d.]+ ms of a processor a run"
)


def leaves(*arguments):
    with pytest.raises(SystemExit) as left:
        main(["bench", "runs", *arguments])
    return left.value.code


def test_a_sweep_and_bare_threads_come_to_the_same_numbers(tmp_path):
    swept(SMALL, tmp_path / "runs.db")
    found = {}
    with sqlite3.connect(tmp_path / "runs.db") as db:
        for label, seed, metric, value in db.execute(
            "SELECT label, seed, metric, value FROM series ORDER BY step"
        ):
            run = (json.loads(label)["learner.step_size"], seed)
            found.setdefault(run, {}).setdefault(metric, []).append(value)
    expected = {
        run: {metric: [reading[metric] for reading in readings] for metric in readings[0]}
        for run, readings in bare(SMALL).items()
    }
    assert found == expected
    assert len(found) == 3 * SEEDS and all(len(values["error"]) == READINGS for values in found.values())


def test_it_says_and_writes_what_came_out(tmp_path, capsys):
    file = tmp_path / "numbers.json"
    assert leaves("--runs", "40", "--events", "160", "--rounds", "2", "--json", str(file)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 and all(re.fullmatch(LINE, line) for line in lines)
    assert ["required" in line for line in lines] == [True, False, False]
    numbers = json.loads(file.read_text())
    assert numbers["command"] == "colonnade bench runs" and numbers["rounds"] == 2
    assert [(load["runs"], load["events"]) for load in numbers["loads"]] == [(40, 160), (40, 40), (10, 640)]
    for load in numbers["loads"]:
        assert load["share"] == load["bare"]["seconds"] / load["swept"]["seconds"]


def test_the_least_of_all_rounds_counts(monkeypatch):
    times = iter([Spent(5.0, 9.0), Spent(3.0, 4.0), Spent(4.0, 10.0), Spent(3.5, 3.0)])
    monkeypatch.setattr(overhead, "spent", lambda work: next(times))
    row = Row(SMALL).again().again()
    assert (row.swept, row.bare) == (Spent(4.0, 9.0), Spent(3.0, 3.0))
    assert row.share == 0.75 and row.overhead == pytest.approx(6.0 / 30)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("--runs", "15"), "colonnade: runs: expected a multiple of 10: each setting has 10 seeds, got 15"),
        (("--events", "3"), "colonnade: events: expected a whole number of at least 40, got 3"),
        (("--jobs", "0"), "colonnade: jobs: expected a whole number of at least 1, got 0"),
        (("--rounds", "0"), "colonnade: rounds: expected a whole number of at least 1, got 0"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(arguments, line, capsys):
    assert leaves(*arguments) == 2
    assert capsys.readouterr().err == line + "\n"
