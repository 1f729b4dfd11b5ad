"""The columnar-constructive networks' experiments, each from its first sweep to its figures, in little."""

import json

import numpy as np
import pytest

from colonnade import Plan, TracePatterning
from colonnade.papers.ccn import ITEMS
from colonnade.papers.ccn.gradient import Compared
from colonnade.papers.ccn.plasticity import Regrown, entrants
from colonnade.papers.item import Scale
from colonnade.papers.perform import perform
from colonnade.runs.driver import drive
from colonnade.runs.local import Local
from colonnade.runs.store import Store
from streaming.made import same_bits

STEPS = 2000
NEEDS = {"gradient": "torch"}


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.name)
def test_an_item_runs_through(item, tmp_path, monkeypatch):
    if item.name in NEEDS:
        pytest.importorskip(NEEDS[item.name])
    monkeypatch.setattr(Scale, "pick", lambda self, quick, laptop, paper: STEPS)
    with Store(tmp_path / "runs.db") as store:
        scale = Scale("quick", seeds=2)
        record = perform("ccn", item, scale, store, lambda s, into: drive(s, into, Local(2)), "a command")
    data = json.loads(json.dumps(record["data"], allow_nan=False))
    for claim in item.claims(data):
        assert np.isfinite([claim.number, claim.low, claim.high]).all()
        assert claim.low <= claim.number <= claim.high
    assert item.figures(data)


def test_columns_are_regrown_on_time_and_after_a_kill_too():
    experiment = entrants()["regrown"](1e-3, STEPS)
    assert isinstance(experiment, Regrown) and experiment.world == TracePatterning(redrawn=STEPS // 2)
    course, learners, saved = experiment.begin((3,)), {}, {}
    while not course.done:
        course.advance()
        learners[course.step], saved[course.step] = course.learner, course.save()
    assert learners[990].network == Plan((4,) * 5, STEPS // 10)
    changes = [step for step in learners if step > 10 and learners[step] is not learners[step - 10]]
    assert changes == [1000, 1200, 1400, 1600, 1800, 2000]
    assert all(learner.network.features == 20 for learner in learners.values())

    again = experiment.resume((3,), saved[1100])
    while not again.done:
        again.advance()
    same_bits(again.learner, course.learner)


def test_a_wrong_gradient_is_told_from_a_right_one():
    pytest.importorskip("torch")
    (_, right), (_, longer) = Compared(columns=2, bits=2, lengths=(2, 10), cuts=(5,)).readings(seed=0)
    assert right["engine"] < 1e-5 and right["algebra"] < 1e-13 and right["truncated 5"] == 0
    assert longer["engine"] < 1e-5 and longer["algebra"] < 1e-13 and longer["truncated 5"] > 1e-4
