"""`colonnade reproduce`: items listed, run and judged."""

import json
from dataclasses import replace
from functools import partial

import pytest

from colonnade import TracePatterning
from colonnade.cli import main
from colonnade.papers import ccn
from colonnade.papers.ccn import trace_patterning

TINY = TracePatterning(interval=(2, 3), pause=(3, 5), distractors=0)


@pytest.fixture
def tiny(monkeypatch):
    """One item, so small that it is run in a second."""
    monkeypatch.setattr(trace_patterning, "LONG", (4000, 4000, 4000))
    monkeypatch.setattr(trace_patterning, "SHORT", (2000, 2000, 2000))
    monkeypatch.setattr(trace_patterning, "STEP_SIZES", (1e-3,))
    item = replace(ccn.TRACE_PATTERNING, study=partial(trace_patterning.study, TINY, "tiny"))
    monkeypatch.setattr(ccn, "ITEMS", (item,))


def leaves(*arguments):
    with pytest.raises(SystemExit) as left:
        main(arguments)
    return left.value.code


def test_every_item_is_listed_with_what_it_takes(capsys):
    assert leaves("reproduce", "--list") == 0
    out = capsys.readouterr().out
    assert "ccn trace-patterning: " in out and "laptop 1 h" in out
    assert all(item.name in out for item in ccn.ITEMS)


def test_an_item_is_run_written_and_judged(tiny, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert leaves("reproduce", "ccn", "trace-patterning", "--seeds", "2", "--jobs", "2") == 0
    out = capsys.readouterr().out
    assert "trace-patterning: quick scale, which is too small to count" in out
    assert "reduced: seeds: 2, published 30" in out
    record = json.loads((tmp_path / "results/ccn/trace-patterning.json").read_text())
    assert record["origin"]["command"] == (
        "colonnade reproduce ccn trace-patterning --scale quick --seeds 2 --jobs 2"
    )
    assert len(record["claims"]) == 5
    assert {path.suffix for path in (tmp_path / "results/ccn").iterdir()} == {".json", ".png", ".svg"}
    assert leaves("reproduce", "ccn", "--check") == 1
    assert "too small to count" in capsys.readouterr().out


def test_what_is_there_is_not_run_again(tiny, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = ("reproduce", "ccn", "trace-patterning", "--seeds", "1", "--jobs", "1")
    assert leaves(*command) == leaves(*command) == 0
    record = json.loads((tmp_path / "results/ccn/trace-patterning.json").read_text())
    assert record["origin"]["runs"] == 11 + 11 + 3


def test_nothing_run_is_nothing_held(tmp_path, capsys):
    assert leaves("reproduce", "ccn", "--check", "--results", str(tmp_path)) == 1
    assert "trace-patterning: not run yet" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ((), "colonnade: paper: expected one of ccn, or --list, got none"),
        (("atari",), "colonnade: paper: expected one of ccn, got 'atari'"),
        (("ccn", "none"), "colonnade: item: expected one of trace-patterning, "),
        (("ccn", "--scale", "huge"), "colonnade: scale: expected one of quick, laptop, paper, got 'huge'"),
        (("ccn", "--jobs", "0"), "colonnade: jobs: expected a whole number of at least 1, got 0"),
        (("ccn", "--seeds", "-1"), "colonnade: seeds: expected a whole number of at least 1, got -1"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(arguments, line, capsys):
    assert leaves("reproduce", *arguments) == 2
    assert capsys.readouterr().err.startswith(line)
