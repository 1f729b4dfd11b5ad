"""Columns that are pruned and grown: what stays is as it was, what is new begins afresh."""

import numpy as np
import pytest

from colonnade import BadInput, Plan, ccn, columnar, dense_lstm, regrown
from streaming.made import INPUTS, KINDS, OPTIMIZERS, bits, made, stream

STEPS, PLAN = 70, (3, 3, 3)  # of "ccn" there


def learned(kind="a number", optimizer="RMSProp", **settings):
    learner = made("ccn", kind, optimizer, **settings)
    learner.run(*stream(kind, 3 * STEPS))
    return learner


def with_useless(learner, useless):
    """The learner when nobody listens to some of its features, and what they are called."""
    parameters = {name: array.copy() for name, array in learner.parameters().items()}
    parameters["readout.w"][:, useless] = 0.0
    for feature in useless:
        for later in range(feature // 3 + 1, 3):
            parameters[f"stage.{later}.W"][:, :, INPUTS + feature] = 0.0
    learner.set_parameters(parameters)
    return learner


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("kind", KINDS)
def test_pruning_what_nobody_listens_to_changes_no_prediction(kind, optimizer):
    learner = with_useless(learned(kind, optimizer), [1, 3, 4, 5, 7])
    grown = regrown(learner, columns=5)
    assert grown.network == Plan((2, 2, 5), STEPS)
    assert grown.events == learner.events and grown.settings == learner.settings
    for x in stream(kind, 30, seed=1)[0]:
        np.testing.assert_allclose(grown.predict(x), learner.predict(x), rtol=1e-4, atol=1e-6)


def test_everything_that_is_kept_of_a_column_comes_along():
    learner = with_useless(learned("returns", "Adam"), [1, 3, 4, 5])
    before, after = learner.state(), regrown(learner, columns=4).state()
    kept = {"W", "W.m", "W.v", "W.E", "W.H", "W.C"}
    for name in kept:
        old, new = before[f"stage.2.{name}"], after[f"stage.1.{name}"]
        seen = [*range(INPUTS), INPUTS, INPUTS + 2, -2, -1]
        np.testing.assert_array_equal(new, old[..., seen])
        np.testing.assert_array_equal(after[f"stage.0.{name}"], before[f"stage.0.{name}"][..., [0, 2], :, :])
    for name in ("readout.w", "readout.w.m", "readout.w.v", "readout.w.E", "features.mean"):
        np.testing.assert_array_equal(after[name][..., :5], before[name][..., [0, 2, 6, 7, 8]])
    np.testing.assert_array_equal(after["stage.0.h"], before["stage.0.h"][[0, 2]])
    np.testing.assert_array_equal(after["readout.last"], before["readout.last"])
    assert not after["readout.w"][:, 5:].any() and not after["stage.2.W.H"].any()


def test_the_new_columns_learn_and_the_others_are_frozen():
    learner = regrown(learned(), columns=2, seed=5)
    first = learner.parameters()
    x, y = stream("a number", 200, seed=2)
    learner.run(x, y)
    now = learner.parameters()
    *frozen, new = [name for name in first if name.startswith("stage.")]
    assert all((first[name] == now[name]).all() for name in frozen)
    assert np.abs(now[new] - first[new]).max() > 1e-7


def test_the_one_that_was_given_stays_as_it_is_and_seeds_differ():
    learner = learned()
    before = bits(learner)
    one, same, other = regrown(learner, 2, seed=1), regrown(learner, 2, seed=1), regrown(learner, 2, seed=2)
    assert bits(learner) == before
    assert bits(one) == bits(same) != bits(other)


def test_it_goes_on_for_ever():
    learner = learned(step_size=1e-3)
    for turn in range(12):
        learner.run(*stream("a number", STEPS, seed=turn))
        learner = regrown(learner, columns=3, seed=turn)
        assert learner.network.features == 9
        assert learner.events == (turn + 4) * STEPS
    assert np.isfinite(learner.run(*stream("a number", 100))).all()


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: regrown(made("dense LSTM", "a number"), 1), "learner: expected one on columns that don't"),
        (lambda: regrown(made("stages that take turns", "a number"), 1), "don't take turns"),
        (lambda: regrown(made("ccn", "a number"), 1), "one whose 3 stages have each learned for 70 events"),
        (lambda: regrown(made("columnar", "a number"), 1), "learner: expected one whose 1 stages"),
        (lambda: regrown(learned(), 0), "columns: expected a whole number of at least 1"),
        (lambda: regrown(learned(), 9), "columns: expected at most 8, got 9"),
        (lambda: regrown(learned(), 2, seed=-1), "seed: expected"),
    ],
)
def test_what_cannot_be_regrown_is_refused(make, complaint):
    with pytest.raises(BadInput, match=complaint):
        make()


def test_plans_are_the_kinds_that_there_are():
    assert ccn(2, 3, 10, turns=True) == Plan((2, 2, 2), 10, turns=True)
    assert columnar(3).turns is False
    with pytest.raises(BadInput, match="turns: expected"):
        ccn(2, 3, 10, turns=1)
    assert not hasattr(dense_lstm(2, 2), "turns")
