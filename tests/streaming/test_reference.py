"""The engine's specification, `oracles.ccn`, against the algebra: every prediction, and all that learns."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from colonnade import (
    LSTM,
    TD,
    Columnar,
    Event,
    Normalise,
    Online,
    Stacked,
    Staged,
    apart,
    first_of,
    frozen,
    grow,
    independent,
    layered,
    rmsprop,
    rtrl,
    run,
)
from oracles.ccn import CCN

INPUTS, STEPS, ALPHA = 3, 30, 0.2
STATISTICS = {"rate": 0.9, "floor": 0.3}
STEPPERS = {"rmsprop": rmsprop, "sgd": optax.sgd}
CLOSE = {"rtol": 1e-9, "atol": 1e-12}


@pytest.fixture(autouse=True)
def float64():
    with jax.enable_x64(True):
        yield


def stream(events, first=()):
    """Events whose discounts change; inputs with means and sizes of their own."""
    rng = np.random.default_rng(0)
    begins = np.zeros(events, bool)
    begins[list(first)] = True
    x = rng.normal([0, 2, -1], [1, 0.1, 3], size=(events, INPUTS))
    return Event(
        x, rng.normal(size=(events, 1)), rng.choice([0.0, 0.5, 0.9], p=[0.1, 0.3, 0.6], size=events), begins
    )


def draw(stages):
    rng = np.random.default_rng(1)
    return [rng.uniform(-1, 1, (k, 4, INPUTS + sum(stages[:s]) + 2)) for s, k in enumerate(stages)]


def reference(stages, optimizer="rmsprop", **statistics):
    statistics = STATISTICS | statistics
    return CCN(INPUTS, stages, STEPS, 0.9, 0.8, ALPHA, optimizer, **statistics, weights=draw(stages))


def learner(stages, optimizer="rmsprop", **statistics):
    """The algebra's network while the last of ``stages`` is active."""
    statistics = STATISTICS | statistics
    *done, active = stages
    held = [Stacked((Normalise(**statistics, adapt=False), Columnar(LSTM(1), k))) for k in done]
    learns = Stacked((Normalise(**statistics), Columnar(LSTM(1), active)))
    rules = (frozen(),) * len(done) + (layered((frozen(), independent(rtrl()))),)
    step = STEPPERS[optimizer]
    return Online(
        Stacked((Staged((*held, learns)), Normalise(**statistics))),
        layered((layered(rules), frozen())),
        TD(discount=0.9, trace_decay=0.8),
        apart(cell=step(ALPHA), readout=step(ALPHA / sum(stages))),
    )


def with_weights(carry, theta):
    """Put theta (k, 4, d + 2) in the place of the last stage's columns."""
    (*done, (size, columns)), top = carry.params
    assert columns.shape == (len(theta), 1, *theta.shape[1:])
    return carry._replace(params=((*done, (size, jnp.asarray(theta)[:, None])), top))


def follow_algebra(stages, events, **settings):
    """Run the algebra through ``events``, stage by stage.

    Yields each part of the events, what was predicted in it, and the carry after it.
    """
    old = None
    for s, theta in enumerate(draw(stages)):
        one, key = learner(stages[: s + 1], **settings), jax.random.key(s)
        carry = grow(old, carry, one, key) if old else one.init(key, first_of(events))
        until = (s + 1) * STEPS if s + 1 < len(stages) else len(events.x)
        now = jax.tree.map(lambda leaf, at=s * STEPS, until=until: leaf[at:until], events)
        carry, outcome = run(one, with_weights(carry, theta), now)
        old = one
        yield now, outcome.prediction[:, 0], carry


def follow(network, events):
    """Run the reference through ``events``, a reset wherever one is the first of an episode."""
    predictions = []
    for x, cumulant, discount, first in zip(*events[:4], strict=True):
        if first:
            network.reset()
        predictions.append(network.step(x, cumulant[0], discount))
    return np.array(predictions)


def same_learned(network, carry):
    """Every parameter, every trace and every statistic."""
    begun = network.stages[: len(carry.params[0])]
    traces, state, top = carry.stream.traces.traces, *carry.stream.state
    for (_, columns), (inputs, _), stage in zip(carry.params[0], state, begun, strict=True):
        np.testing.assert_allclose(columns[:, 0], stage.columns.theta, **CLOSE)
        np.testing.assert_allclose(inputs.mean, stage.inputs.mean, **CLOSE)
        np.testing.assert_allclose(inputs.variance, stage.inputs.variance, **CLOSE)
    np.testing.assert_allclose(traces["cell"][0][-1][1][0, :, 0], begun[-1].columns.E, **CLOSE)
    for algebra, mine in (
        (carry.readout.w[0], [stage.w.theta for stage in begun]),
        (traces["readout"].w[0, 0], [stage.w.E for stage in begun]),
        (top.mean, [stage.features.mean for stage in begun]),
        (top.variance, [stage.features.variance for stage in begun]),
    ):
        np.testing.assert_allclose(algebra, np.concatenate(mine), **CLOSE)
    np.testing.assert_allclose(carry.readout.b[0], network.b.theta, **CLOSE)
    np.testing.assert_allclose(traces["readout"].b[0, 0], network.b.E, **CLOSE)


def same_second_moments(network, carry):
    """What RMSProp keeps goes through stage changes too."""
    begun = network.stages[: len(carry.params[0])]
    cell, readout = (
        optax.tree.get(carry.optimizer.inner_states[name], "nu")[name] for name in ("cell", "readout")
    )
    np.testing.assert_allclose(cell[0][-1][1][:, 0], begun[-1].columns.v, **CLOSE)
    np.testing.assert_allclose(readout.w[0], np.concatenate([stage.w.v for stage in begun]), **CLOSE)
    np.testing.assert_allclose(readout.b[0], network.b.v, **CLOSE)


def same_throughout(network, algebra):
    """Compare every prediction, and all else at every stage's end and wherever the algebra stopped."""
    for events, predictions, carry in algebra:
        np.testing.assert_allclose(follow(network, events), predictions, **CLOSE)
        same_learned(network, carry)


@pytest.mark.parametrize("optimizer", ["rmsprop", "sgd"])
@pytest.mark.parametrize("stages", [(2, 2, 1), (1, 1, 1, 1), (4,)])
def test_the_reference_is_the_algebra(stages, optimizer):
    events, network = stream(len(stages) * STEPS - 1), reference(stages, optimizer)
    same_throughout(network, follow_algebra(stages, events, optimizer=optimizer))
    for stage, weights in zip(network.stages, draw(stages), strict=True):
        assert np.abs(stage.columns.theta - weights).max() > 1e-3
        assert np.abs(stage.w.theta).max() > 1e-3


def test_what_rmsprop_keeps_goes_through_stage_changes():
    events, network = stream(3 * STEPS - 1), reference((2, 2, 1))
    for now, _, carry in follow_algebra((2, 2, 1), events):
        follow(network, now)
        same_second_moments(network, carry)


def test_the_discount_is_the_networks_own_where_an_event_has_none():
    events = stream(2 * STEPS)
    bare, told = reference((2, 2)), reference((2, 2))
    own = [bare.step(x, c[0]) for x, c in zip(events.x, events.target, strict=True)]
    np.testing.assert_array_equal(own, [told.step(x, c[0], 0.9) for x, c in zip(*events[:2], strict=True)])


BEGINS = [0, 11, STEPS - 1, STEPS, 47, 2 * STEPS + 1]


def test_a_reset_is_an_episodes_first_event():
    """Statistics outlive it."""
    events = stream(2 * STEPS + 20, first=BEGINS)
    same_throughout(reference((2, 2, 1)), follow_algebra((2, 2, 1), events))


def test_float32_stays_float32_and_near():
    events = stream(3 * STEPS)
    single = CCN(
        INPUTS, (2, 2, 1), STEPS, 0.9, 0.8, ALPHA, **STATISTICS, weights=draw((2, 2, 1)), dtype=np.float32
    )
    predictions = follow(single, events)
    assert predictions.dtype == np.float32
    for stage in single.stages:
        for numbers in (stage.h, stage.H, stage.columns.theta, stage.columns.v, stage.w.E, stage.phi):
            assert numbers.dtype == np.float32
    np.testing.assert_allclose(predictions, follow(reference((2, 2, 1)), events), rtol=1e-3, atol=1e-3)
