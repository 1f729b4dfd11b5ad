"""The compiled engine against its readable specification, and what it promises of chunks and copies."""

import numpy as np
import pytest

from colonnade import BadInput, TracePatterning
from colonnade.streaming import Plan, TDPredictor, ccn, columnar, constructive
from oracles.ccn import CCN

PLANS = {
    "columnar": columnar(7),
    "constructive": constructive(3, stage_steps=700),
    "ccn": ccn(columns=3, stages=3, stage_steps=700),
    "one column": columnar(1),
    "uneven": Plan((5, 1, 18), stage_steps=900),
}


def made(plan, inputs=12, seed=0, **more):
    settings = {"discount": 0.9, "trace_decay": 0.9, "step_size": 1e-2, "normalise_floor": 0.01, **more}
    return TDPredictor(plan, inputs, seed=seed, **settings)


def reference(plan, learner, inputs=12, **more):
    settings = {"discount": 0.9, "trace_decay": 0.9, "step_size": 1e-2, "floor": 0.01, **more}
    state = learner.state()
    weights = [state[f"stage.{s}.W"] for s in range(len(plan.columns))]
    return CCN(inputs, plan.columns, plan.stage_steps, weights=weights, **settings)


def stream(events=3000, inputs=12, seed=1):
    rng = np.random.default_rng(seed)
    x = (rng.random((events, inputs)) < 0.2).astype(np.float32)
    return x, np.roll(x[:, 0], 5).astype(np.float32)


def same(a, b):
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], err_msg=name)


@pytest.mark.parametrize("name", PLANS)
def test_the_engine_is_its_specification(name):
    learner = made(PLANS[name])
    judge = reference(PLANS[name], learner)
    x, cumulant = stream()
    came = learner.run(x, cumulant)
    judged = np.array([judge.step(*event) for event in zip(x, cumulant, strict=True)])
    assert np.abs(judged).max() > 0.1
    np.testing.assert_allclose(came, judged, rtol=1e-3, atol=1e-4 * np.abs(judged).max())
    # What the last event asks is done when the next one comes: a step more on both brings weights together.
    learner.step(x[0], 0.0)
    for s, stage in enumerate(judge.stages):
        weights = learner.state()[f"stage.{s}.W"]
        np.testing.assert_allclose(weights, stage.columns.theta, rtol=1e-2, atol=1e-3)


def test_ten_thousand_events_of_trace_patterning():
    learner = made(columnar(7), step_size=1e-3, trace_decay=0.99)
    judge = reference(columnar(7), learner, step_size=1e-3, trace_decay=0.99)
    chunk = TracePatterning().stream(seed=3).take(10_000)
    came = learner.run(chunk.x, chunk.target)
    judged = np.array([judge.step(*event) for event in zip(chunk.x, chunk.target, strict=True)])
    assert np.abs(came - judged).max() < 1e-5 * max(1, np.abs(judged).max())


def test_changing_discounts_and_episodes():
    plan = ccn(columns=2, stages=2, stage_steps=150)
    learner = made(plan)
    judge = reference(plan, learner)
    x, cumulant = stream(400)
    discount = np.random.default_rng(0).choice([0.0, 0.5, 0.9], 400).astype(np.float32)
    for t in range(400):
        if t % 90 == 60:
            learner.reset()
            judge.reset()
        came = learner.step(x[t], cumulant[t], discount[t])
        assert came == pytest.approx(judge.step(x[t], cumulant[t], discount[t]), rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("cut", [1, 699, 700, 701, 2999])
def test_chunks_of_any_length_give_the_same_bits(cut):
    x, cumulant = stream()
    whole, parts = made(PLANS["ccn"]), made(PLANS["ccn"])
    together = whole.run(x, cumulant)
    apart = np.concatenate([parts.run(x[:cut], cumulant[:cut]), parts.run(x[cut:], cumulant[cut:])])
    np.testing.assert_array_equal(together, apart)
    same(whole.state(), parts.state())


def test_event_by_event_gives_the_same_bits():
    x, cumulant = stream(300)
    whole, single = made(columnar(5)), made(columnar(5))
    together = whole.run(x, cumulant)
    np.testing.assert_array_equal(together, [single.step(*event) for event in zip(x, cumulant, strict=True)])


def test_predicting_only_looks():
    x, cumulant = stream(1500)
    learner = made(PLANS["ccn"])
    learner.run(x[:1400], cumulant[:1400])  # the next event begins the third stage
    before = learner.state()
    expected = learner.predict(x[1400])
    assert learner.predict(x[1400]) == expected
    same(before, learner.state())
    assert learner.step(x[1400], cumulant[1400]) == expected


def test_a_state_carries_everything():
    x, cumulant = stream(2000)
    learner = made(PLANS["ccn"])
    learner.run(x[:1000], cumulant[:1000])
    copy = made(PLANS["ccn"], seed=9)
    copy.set_state(learner.state())
    np.testing.assert_array_equal(copy.run(x[1000:], cumulant[1000:]), learner.run(x[1000:], cumulant[1000:]))
    same(copy.state(), learner.state())


@pytest.mark.parametrize("inputs", [1, 275])
def test_sizes(inputs):
    plan = columnar(20)
    learner = made(plan, inputs)
    judge = reference(plan, learner, inputs)
    x, cumulant = stream(200, inputs)
    judged = [judge.step(*event) for event in zip(x, cumulant, strict=True)]
    np.testing.assert_allclose(learner.run(x, cumulant), judged, rtol=1e-3, atol=1e-4)


BAD = {
    "x[1] of event 0: expected a finite number of float32, got nan": lambda m: m.step([0.0, np.nan], 0.0),
    "x[0] of event 2: expected a finite number of float32, got inf": lambda m: m.run(
        [[0, 0], [0, 0], [1e300, 0]], [0, 0, 0]
    ),
    "x: expected shape (1, 2), got shape (1, 3)": lambda m: m.step([0.0, 1.0, 2.0], 0.0),
    "x: expected numbers, got list of object": lambda m: m.run([[1, 2], [3]], [0, 0]),
    "cumulant: expected shape (1,), got shape (2,)": lambda m: m.run([[1, 2]], [0, 0]),
    "cumulant of event 0: expected a finite number of float32, got nan": lambda m: m.step([0, 0], np.nan),
    "discount of event 0: expected a number from 0 to 1, got 1.5": lambda m: m.step([0, 0], 0.0, 1.5),
    "x[0] of event 0: expected a finite number of float32, got -inf": lambda m: m.predict([-np.inf, 0]),
    "state: expected an array 'stage.0.W', got none of that name": lambda m: m.set_state({}),
    "plan: expected a plan, such as columnar(7), got 7": lambda m: TDPredictor(7, 2),
    "inputs: expected a whole number of at least 1, got 0": lambda m: TDPredictor(columnar(1), 0),
    "columns: expected a whole number of at least 1, got 0": lambda m: columnar(0),
    "stages: expected a whole number of at least 1, got 0": lambda m: ccn(4, 0, 10),
}


@pytest.mark.parametrize("line", BAD)
def test_bad_input_changes_nothing(line):
    learner = made(columnar(2), inputs=2)
    learner.run([[0, 1], [1, 0]], [0.5, 0.1])
    before = learner.state()
    with pytest.raises(BadInput) as caught:
        BAD[line](learner)
    assert str(caught.value) == line
    same(before, learner.state())
