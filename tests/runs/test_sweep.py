"""What a sweep is made of, and who its runs are."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

from colonnade import SGD, BadInput, RMSProp, TDPredictor, TracePatterning, ccn, columnar
from colonnade.runs.described import described, digest, text
from colonnade.runs.streamed import Recipe, Streamed
from colonnade.runs.sweep import Goal, Span, Sweep, drawn, grid, together, with_setting


def experiment(**settings):
    return Streamed(Recipe(TDPredictor, columnar(2), settings), TracePatterning(), steps=1000, every=500)


def identities(sweep):
    return {run.identity for run in sweep.runs()}


def test_the_same_settings_are_the_same_run_however_they_were_told():
    told = experiment(step_size=1e-4, optimizer=RMSProp())
    assert identities(Sweep("a", grid(told, {}), (0, 1))) == identities(
        Sweep("b", grid(experiment(), {"learner.step_size": [1e-4]}), (1, 0))
    )


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("learner.step_size", 2e-4),
        ("learner.network", ccn(2, 1, 100)),
        ("learner.network.columns", (3,)),
        ("learner.optimizer", SGD()),
        ("world.interval", (4, 6)),
        ("steps", 1001),
        ("every", 499),
    ],
)
def test_every_setting_counts(setting, value):
    mine = identities(Sweep("a", grid(experiment(), {}), (0,)))
    assert mine.isdisjoint(identities(Sweep("a", grid(experiment(), {setting: [value]}), (0,))))


def test_a_spec_says_everything():
    (run,) = Sweep("a", grid(experiment(), {}), (7,)).runs()
    spec = json.loads(run.spec)
    assert text(spec) == run.spec and digest(spec) == run.identity
    assert spec["seed"] == 7
    assert spec["experiment"]["learner"]["settings"]["normalise_rate"] == 0.99999
    assert spec["experiment"]["world"]["kind"] == "TracePatterning"


def test_points_that_are_the_same_run_once():
    points = grid(experiment(), {"steps": [1000, 1000, 2000]})
    assert len(Sweep("a", points, (0, 1)).runs()) == 4


def test_groups_of_settings_go_together():
    places = [{"steps": 500, "every": 100}, {"steps": 900, "every": 300}]
    points = together(experiment(), places)
    assert [(p.experiment.steps, p.experiment.every) for p in points] == [(500, 100), (900, 300)]
    assert [p.label for p in points] == places


def test_random_places_are_within_their_ranges_and_the_same_each_time():
    spans = {"learner.step_size": Span(1e-5, 1e-2, "log"), "steps": Span(500, 900, "whole")}
    points = drawn(experiment(), spans, 200, seed=3)
    sizes = np.array([p.label["learner.step_size"] for p in points])
    assert ((sizes >= 1e-5) & (sizes <= 1e-2)).all()
    assert 0.3 < (sizes < 10**-3.5).mean() < 0.7
    assert {p.experiment.steps for p in points} <= set(range(500, 901))
    assert [p.label for p in points] == [p.label for p in drawn(experiment(), spans, 200, seed=3)]


def test_a_class_of_someone_elses_is_named_with_its_module():
    @dataclass(frozen=True)
    class Plan:
        columns: int

    assert described(Plan(2))["kind"] != described(columnar(2))["kind"]
    assert digest(described(Plan(2))) != digest(described(Plan(3)))


BAD = {
    "learner.speed.step_size: expected": lambda: with_setting(experiment(), "learner.speed.step_size", 1),
    "world.length: expected one of cues, active": lambda: with_setting(experiment(), "world.length", 1),
    "step_size: expected a number from 0.0": lambda: with_setting(experiment(), "learner.step_size", -1.0),
    "every: expected at most 1000": lambda: with_setting(experiment(), "every", 2000),
    "seeds: expected at least one": lambda: Sweep("a", grid(experiment(), {}), ()),
    "seeds: expected different": lambda: Sweep("a", grid(experiment(), {}), (1, 1)),
    "name: expected a name": lambda: Sweep("", grid(experiment(), {}), (1,)),
    "steps: expected a list of values": lambda: grid(experiment(), {"steps": 5}),
    "goal.best: expected 'least' or 'most'": lambda: Goal(best="biggest"),
    "scale: expected": lambda: Span(0, 1, "logarithmic"),
    "low: expected a number": lambda: Span(0.0, 1, "log"),
    "experiment.x: expected a setting that can be written down": lambda: described({"x": object()}),
    "experiment: expected a finite number": lambda: described(float("nan")),
}


@pytest.mark.parametrize("line", BAD)
def test_what_cannot_be_is_refused(line):
    with pytest.raises((BadInput, TypeError)) as caught:
        BAD[line]()
    assert isinstance(caught.value, BadInput)
    assert str(caught.value).startswith(line)
