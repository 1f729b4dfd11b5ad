"""TD(λ) against its transcription: traces, changing discounts, and a whole learner in float64."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from colonnade import LSTM, TD, Columnar, Event, Online, apart, frozen, independent, rmsprop, rtrl, run
from oracles import columns, td
from proof import layout

T, D, K = 40, 3, 5


@pytest.fixture(autouse=True)
def float64():
    with jax.enable_x64(True):
        yield


def stream(outputs=1, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(T, D)), rng.normal(size=(T, outputs)), rng.choice([0.0, 0.5, 0.9], size=T)


def with_params(learner, carry, params):
    readout = carry.readout
    stream = learner.begin(params, readout, learner.cell.start(params), carry.example.x)
    return learner.carry(params, readout, stream, carry.example, carry.key)


@pytest.mark.parametrize("outputs", [1, 3])
def test_directions_with_changing_discounts(outputs):
    xs, cumulants, discounts = stream(outputs)
    params = layout.draw(layout.SHAPES["columns"](K, D))
    learner = Online(Columnar(LSTM(1), K), frozen(), TD(trace_decay=0.7, outputs=outputs), optax.sgd(0.0))
    event = Event(xs[0], cumulants[0], discounts[0])
    carry = with_params(learner, learner.init(jax.random.key(0), event), layout.lstm(params))
    rng = np.random.default_rng(2)
    w, b = rng.normal(size=(outputs, K)), rng.normal(size=outputs)
    carry = carry._replace(readout=carry.readout._replace(w=jnp.asarray(w), b=jnp.asarray(b)))

    def move(carry, event):
        direction, carry, _ = learner.gradient(carry, event)
        return carry, direction["readout"]

    _, came = jax.lax.scan(
        move, carry, Event(jnp.asarray(xs), jnp.asarray(cumulants), jnp.asarray(discounts))
    )
    judged = td.gradients(
        {"w": w, "b": b}, columns.features(params, xs), cumulants, np.tile(discounts, (outputs, 1)).T, 0.7
    )
    np.testing.assert_allclose(came.w, [g["w"] for g in judged], rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(came.b, [g["b"] for g in judged], rtol=1e-10, atol=1e-13)


def test_a_whole_learner_follows_the_equations():
    """Columns, exact RTRL, TD(λ) and RMSProp, every parameter after every event."""
    xs, cumulants, _ = stream()
    params = {
        "columns": layout.draw(layout.SHAPES["columns"](K, D)),
        "readout": {"w": np.zeros(K), "b": np.zeros(())},
    }
    alpha = 0.05
    learner = Online(
        Columnar(LSTM(1), K),
        independent(rtrl()),
        TD(discount=0.9, trace_decay=0.8),
        apart(cell=rmsprop(alpha), readout=rmsprop(alpha / K)),
    )
    carry = with_params(
        learner, learner.init(jax.random.key(0), Event(xs[0], cumulants[0])), layout.lstm(params["columns"])
    )
    predictions, trajectory = td.columnar(params, xs, cumulants[:, 0], np.full(T, 0.9), 0.8, alpha)
    after, outcome = run(learner, carry, Event(xs, cumulants))
    np.testing.assert_allclose(outcome.prediction[:, 0], predictions, rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(after.params, layout.lstm(trajectory[-1]["columns"]), rtol=1e-10)
    np.testing.assert_allclose(after.readout.w[0], trajectory[-1]["readout"]["w"], rtol=1e-10)
    np.testing.assert_allclose(after.readout.b[0], trajectory[-1]["readout"]["b"], rtol=1e-10)


class Hasty(TD):
    """A mutant: traces are decayed by the discount after next, as the published CCN code does."""

    def combine(self, memory, gradient, prediction, event):
        discount = event.discount
        early = memory._replace(traces=jax.tree.map(lambda e: e * discount, memory.traces))
        return super().combine(early, gradient, prediction, event)


class Eager(TD):
    """A mutant: the trace takes in this step's gradient before the error is used."""

    def combine(self, memory, gradient, prediction, event):
        early = memory._replace(traces=jax.tree.map(jnp.add, memory.traces, gradient))
        direction, _ = super().combine(early, gradient, prediction, event)
        return direction, super().combine(memory, gradient, prediction, event)[1]


class Upside(TD):
    """A mutant: it climbs."""

    def combine(self, memory, gradient, prediction, event):
        direction, memory = super().combine(memory, gradient, prediction, event)
        return jax.tree.map(jnp.negative, direction), memory


@pytest.mark.parametrize("mutant", [Hasty, Eager, Upside])
def test_wrong_traces_are_caught(mutant, monkeypatch, record_property):
    record_property("mutant", f"TD, {mutant.__doc__.removeprefix('A mutant: ').rstrip('.')}")
    monkeypatch.setitem(test_directions_with_changing_discounts.__globals__, "TD", mutant)
    with pytest.raises(AssertionError):
        test_directions_with_changing_discounts(1)


def test_an_episodes_last_error_reaches_what_came_before():
    """With γ = 0 at the end, the prediction made before the last cumulant learns from it."""
    learner = Online(Columnar(LSTM(1), K), frozen(), TD(trace_decay=0.9), optax.sgd(0.1))
    xs, _, _ = stream()
    cumulants = np.zeros((3, 1))
    cumulants[2] = 1.0
    events = Event(xs[:3], cumulants, np.array([0.9, 0.9, 0.0]))
    carry = learner.init(jax.random.key(0), Event(xs[0], cumulants[0], np.array(0.9)))
    after, outcome = run(learner, carry, events)
    assert float(after.readout.b[0]) == pytest.approx(0.1 * (1 + 0.9 * 0.9))
    assert float(outcome.loss[2]) == pytest.approx(0.5)
