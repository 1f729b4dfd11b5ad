"""Items of papers: a study that runs through the store, what is written of it, and how it is judged."""

import json
import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from colonnade import BadInput
from colonnade.papers import PAPERS, items
from colonnade.papers.check import check
from colonnade.papers.claims import at_most, below
from colonnade.papers.item import Item, Reduction, Scale
from colonnade.papers.perform import Incomplete, perform, read, write
from colonnade.runs.driver import drive
from colonnade.runs.experiment import Computed
from colonnade.runs.local import Local
from colonnade.runs.store import Store
from colonnade.runs.sweep import Sweep, grid


@dataclass(frozen=True)
class Falls(Computed):
    """An error that falls to a floor."""

    floor: float = 0.5
    steps: int = 10
    place: ClassVar[str] = "thread"

    def readings(self, seed):
        if self.floor < 0:
            raise ValueError("below nothing")
        for step in range(1, self.steps + 1):
            yield step, {"error": self.floor + math.exp(-step) + seed / 1000}


def study(scale):
    tuned = yield Sweep("floors", grid(Falls(), {"floor": [0.5, 0.1, 0.9]}), (0, 1))
    best = tuned.best("error", 3, lambda point: "all")["all"]
    final = yield Sweep("best", (best,), tuple(range(scale.many(2, 5, 30))))
    return {"floor": best.label["floor"], "final": final.final(best, "error", 3)}


def drawn(data):
    from matplotlib.figure import Figure

    figure = Figure()
    figure.add_subplot().plot(data["final"])
    return {"final": figure}


ITEM = Item(
    "falling",
    "How far does it fall?",
    study,
    lambda data: (at_most("it falls to 0.2", "our own", data["final"], 0.2),),
    drawn,
    lambda scale: (Reduction("seeds", "30", str(scale.many(2, 5, 30))),),
    {"quick": 0.0, "laptop": 0.0, "paper": 0.0},
)


LAPTOP = Scale("laptop")


def performed(tmp_path, scale=LAPTOP, item=ITEM):
    with Store(tmp_path / "runs.db") as store:
        return perform("testing", item, scale, store, lambda s, into: drive(s, into, Local(2)), "a command")


def test_an_item_is_performed_written_and_judged(tmp_path):
    record = performed(tmp_path)
    assert record["data"]["floor"] == 0.1
    assert record["origin"]["runs"] == 6 + 5 - 2  # the best setting's first two seeds were there
    assert record["origin"]["command"] == "a command"
    paths = write(record, ITEM, tmp_path)
    assert [path.name for path in paths] == ["falling.json", "falling-final.png", "falling-final.svg"]
    (verdict,) = check("testing", [ITEM], tmp_path)
    assert verdict.holds and verdict.counts
    assert verdict.claims[0].number == pytest.approx(np.mean(record["data"]["final"]))
    assert verdict.reductions == ({"what": "seeds", "published": "30", "here": "5"},)


def test_what_a_file_says_of_its_claims_is_not_believed(tmp_path):
    record = performed(tmp_path)
    record["data"]["final"] = [0.9, 0.8]
    write(record, ITEM, tmp_path)
    path = tmp_path / "testing" / "falling.json"
    told = json.loads(path.read_text())
    told["claims"][0]["held"] = True
    path.write_text(json.dumps(told))
    assert not check("testing", [ITEM], tmp_path)[0].holds


def test_a_quick_run_counts_for_nothing(tmp_path):
    write(performed(tmp_path, Scale("quick")), ITEM, tmp_path)
    (verdict,) = check("testing", [ITEM], tmp_path)
    assert verdict.claims[0].held and not verdict.holds


def test_an_item_that_was_not_run_does_not_hold(tmp_path):
    (verdict,) = check("testing", [ITEM], tmp_path)
    assert verdict.scale is None and not verdict.holds


def test_an_item_whose_runs_failed_is_not_written(tmp_path):
    def failing(scale):
        yield Sweep("failing", grid(Falls(), {"floor": [-1.0]}), (0,))

    with pytest.raises(Incomplete, match="failing: 0 of 1 runs are finished"):
        performed(tmp_path, item=replace(ITEM, study=failing))


def test_files_that_are_something_else_are_refused(tmp_path):
    (tmp_path / "testing").mkdir()
    path = tmp_path / "testing" / "falling.json"
    for text in ("{", "[]", '{"data": {}}'):
        path.write_text(text)
        with pytest.raises(BadInput, match="results: expected"):
            read("testing", ITEM, tmp_path)
    path.write_text('{"data": {}, "scale": "laptop", "origin": {}}')
    with pytest.raises(BadInput, match="results: expected the data of this item"):
        check("testing", [ITEM], tmp_path)


def test_a_claim_with_a_run_that_diverged_does_not_hold():
    assert not at_most("it is small", "our own", [0.1, None], 1.0).held
    assert not below("A is below B", "our own", [None, 0.1], [1.0]).held


def test_a_claim_that_is_just_reached_holds_and_one_just_missed_does_not():
    assert at_most("", "our own", [0.25, 0.75], 0.5).held
    assert not at_most("", "our own", [0.25, 0.7501], 0.5).held
    assert not below("", "our own", [1.0], [2.0], 0.5).held
    assert below("", "our own", [0.999], [2.0], 0.5).held


@pytest.mark.parametrize("paper", PAPERS)
def test_every_item_says_what_it_asks_and_what_it_leaves_out(paper):
    for name, item in items(paper).items():
        assert item.name == name and item.asks.endswith("?")
        for scale in ("quick", "laptop", "paper"):
            for reduction in item.reductions(Scale(scale)):
                assert reduction.published != reduction.here
            assert item.core_minutes[scale] > 0


def test_scales_that_are_not_there():
    with pytest.raises(BadInput, match="scale: expected one of quick, laptop, paper, got 'huge'"):
        Scale("huge")
    with pytest.raises(BadInput, match="paper: expected one of"):
        items("none")
