"""Weights move between the compiled engine and the JAX algebra both ways, and then both predict the same."""

import jax
import numpy as np
import optax
import pytest

import colonnade as c

EVENTS = 300


def staged(inputs):
    first, second = c.Columnar(c.LSTM(1), 3), c.Columnar(c.LSTM(1), 2)
    rules = c.layered((c.frozen(), c.independent(c.rtrl())))
    return c.Staged((first, second)), rules, c.Plan((3, 2), stage_steps=1), inputs


NETWORKS = {
    "columns": (c.Columnar(c.LSTM(1), 5), c.independent(c.rtrl()), c.columnar(5)),
    "stages": staged(4)[:3],
    "LSTM": (c.LSTM(6), c.tbptt(3), c.dense_lstm(6, 3)),
    "LRU": (c.LRU(7), c.independent(c.rtrl()), c.online_lru(7)),
}


def stream(inputs=4):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(EVENTS, inputs)).astype(np.float32)
    return x, np.roll(x[:, :2], 1, axis=0)


def pair(name):
    """Both learners with the same network, neither normalised, neither learning: step size 0."""
    cell, credit, network = NETWORKS[name]
    algebra = c.Online(cell, credit, c.SquaredError(2), optax.sgd(0.0))
    engine = c.Regressor(
        network, 4, outputs=2, step_size=0.0, normalise_inputs=False, normalise_features=False, seed=3
    )
    x, y = stream()
    return algebra, algebra.init(jax.random.key(1), c.Event(x[0], y[0])), engine


def same_predictions(algebra, carry, engine):
    x, y = stream()
    if isinstance(engine.network, c.Plan) and len(engine.network.columns) > 1:
        engine.run(x[:1], y[:1])  # by the second event all stages have begun
        engine.reset()
    _, outcome = c.run(algebra, carry, c.Event(x, y))
    np.testing.assert_allclose(engine.run(x, y), outcome.prediction, rtol=1e-4, atol=1e-5)
    assert np.abs(outcome.prediction).max() > 0.01


def with_readout(parameters):
    """First readouts are zero, which would hide everything else."""
    rng = np.random.default_rng(2)
    drawn = {n: rng.normal(size=a.shape).astype(np.float32) for n, a in parameters.items() if "readout" in n}
    return {**parameters, **drawn}


@pytest.mark.parametrize("name", NETWORKS)
def test_from_the_algebra_to_the_engine(name):
    algebra, carry, engine = pair(name)
    carry = c.with_parameters(algebra, carry, with_readout(c.parameters_of(algebra, carry)))
    engine.set_parameters(c.parameters_of(algebra, carry))
    same_predictions(algebra, carry, engine)


@pytest.mark.parametrize("name", NETWORKS)
def test_from_the_engine_to_the_algebra(name):
    algebra, carry, engine = pair(name)
    engine.set_parameters(with_readout(engine.parameters()))
    same_predictions(algebra, c.with_parameters(algebra, carry, engine.parameters()), engine)


@pytest.mark.parametrize("name", NETWORKS)
def test_there_and_back_is_the_same_bits(name):
    algebra, carry, engine = pair(name)
    there = c.parameters_of(algebra, c.with_parameters(algebra, carry, engine.parameters()))
    assert there.keys() == engine.parameters().keys()
    for array, mine in zip(there.values(), engine.parameters().values(), strict=True):
        np.testing.assert_array_equal(array, mine)


def test_what_does_not_fit_is_refused():
    algebra, carry, engine = pair("columns")
    parameters = engine.parameters()
    for wrong, line in (
        ({**parameters, "lstm.W": parameters["readout.b"]}, "expected only stage.0.W, readout.w, readout.b"),
        ({"stage.0.W": parameters["stage.0.W"]}, "expected an array 'readout.w', got none of that name"),
        ({**parameters, "readout.b": np.zeros(3)}, r"parameters\['readout.b'\]: expected shape \(2,\)"),
    ):
        with pytest.raises(c.BadInput, match=line):
            c.with_parameters(algebra, carry, wrong)
    gru = c.Online(c.GRU(2), c.rtrl(), c.SquaredError(), optax.sgd(0.1))
    x, y = stream()
    with pytest.raises(c.BadInput, match="which the engine has, got GRU"):
        c.parameters_of(gru, gru.init(jax.random.key(0), c.Event(x[0], y[0, :1])))
