"""The engine against its specification, of any sizes, over short streams."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colonnade import Adam, RMSProp, TDPredictor
from colonnade.streaming import SGD, Classifier, Plan, Regressor, columnar, dense_lstm, online_lru
from streaming.events import Events
from streaming.specified import difference, differences, follow, lead, specification_of, state_of

EVENTS, BEGINS = 30, (13,)


def alike(kind, network, inputs, seed=0, **settings):
    """Hold a learner of drawn weights to its specification: it is as near as that in single precision."""
    learner = kind(network, inputs, normalise_rate=0.9, step_size=1e-2, **settings)
    rng = np.random.default_rng(seed)
    wide = {
        name: rng.uniform(-1, 1, array.shape) / np.sqrt(array.shape[-1])
        for name, array in learner.parameters().items()
        if name.startswith(("stage.", "readout."))
    }
    learner.set_parameters(learner.parameters() | wide)
    events = drawn(learner, inputs, rng)
    exact, single = specification_of(learner), specification_of(learner, np.float32)
    expected = follow(exact, events)
    rounded = difference(follow(single, events), expected)
    assert np.isfinite(rounded)
    assert difference(lead(learner, events), expected) < 10 * max(rounded, 1e-6)
    found, rounded = differences(learner.state(), exact), differences(state_of(single), exact)
    assert max(found.values()) < 10 * max(*rounded.values(), 1e-5), max(found, key=found.get)


def drawn(learner, inputs, rng):
    x = rng.standard_normal((EVENTS, inputs)).astype(np.float32) + 1
    if isinstance(learner, Classifier):
        return Events(
            x, rng.integers(learner.settings["classes"], size=EVENTS), rng.random(EVENTS) < 0.8, BEGINS
        )
    y = (
        rng.standard_normal((EVENTS, outputs))
        if (outputs := outputs_of(learner)) > 1
        else rng.standard_normal(EVENTS)
    )
    if isinstance(learner, TDPredictor):
        return Events(x, y, rng.random(y.shape), BEGINS)
    return Events(x, y, rng.random(EVENTS) < 0.8, BEGINS)


def outputs_of(learner):
    return learner.settings.get("predictions") or learner.settings["outputs"]


def returns(predictions, decay=0.8):
    return TDPredictor, {"predictions": predictions, "trace_decay": decay}


def numbers(outputs):
    return Regressor, {"outputs": outputs}


def classes(count):
    return Classifier, {"classes": count}


sizes = st.integers(1, 19)
networks = st.one_of(
    st.builds(Plan, st.lists(sizes, min_size=1, max_size=4).map(tuple), st.integers(1, 20)),
    st.builds(dense_lstm, sizes, st.integers(1, EVENTS + 10)),
    st.builds(online_lru, st.integers(1, 35), st.just((0.1, 0.95)), st.just(1.5)),
)
kinds = st.one_of(
    st.builds(returns, sizes, st.sampled_from([0.0, 0.7, 1.0])),
    st.builds(numbers, sizes),
    st.builds(classes, st.integers(2, 19)),
)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    networks,
    kinds,
    st.one_of(sizes, st.integers(20, 70)),
    st.sampled_from([SGD(), RMSProp(), RMSProp(0.9, 1e-4), Adam(eps=1e-4), Adam(0.0, 0.0, 1e-2)]),
    st.sampled_from([None, 1.0, 100.0]),
    st.booleans(),
    st.booleans(),
)
def test_any_learner_is_its_specification(network, kind, inputs, optimizer, bound, of_inputs, of_features):
    cls, own = kind
    switches = {"normalise_inputs": of_inputs, "normalise_features": of_features}
    alike(cls, network, inputs, optimizer=optimizer, bound=bound, **switches, **own)


EXTREMES = {
    "one input, one column": (columnar(1), 1, returns(1)),
    "275 inputs, 5 columns": (columnar(5), 275, returns(1)),
    "275 inputs, 6 columns, 7 predictions": (columnar(6), 275, returns(7)),
    "1,000 columns": (columnar(1000), 2, returns(1)),
    "1,001 columns, 3 numbers": (columnar(1001), 1, numbers(3)),
    "64 stages of one event": (Plan((1,) * 64, stage_steps=1), 3, returns(2)),
    "stages that fill rows and don't": (Plan((16, 1, 15, 17), stage_steps=6), 16, numbers(17)),
    "33 classes": (columnar(3), 4, classes(33)),
    "one unit, truncation 1": (dense_lstm(1, 1), 1, returns(1)),
    "a truncation longer than the stream": (dense_lstm(5, 100), 3, returns(3)),
    "a truncation as long as an episode": (dense_lstm(17, 13), 3, numbers(1)),
    "65 units, 33 numbers": (dense_lstm(65, 3), 20, numbers(33)),
    "one linear unit": (online_lru(1, radius=(0.5, 0.9)), 1, classes(2)),
    "129 linear units": (online_lru(129, radius=(0.5, 0.9)), 20, returns(2)),
}


@pytest.mark.parametrize("name", EXTREMES)
@pytest.mark.parametrize(
    "optimizer", [SGD(), RMSProp(), Adam(eps=1e-4)], ids=lambda rule: type(rule).__name__
)
def test_extremes(name, optimizer):
    network, inputs, (kind, own) = EXTREMES[name]
    alike(kind, network, inputs, optimizer=optimizer, **own)
