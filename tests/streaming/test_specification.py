"""The engine's specification, in float64, against the algebra: every prediction, and all that is learned.

Two things the algebra says otherwise. Its Adam counts updates once for all weights, so that those of a new
stage aren't corrected as new ones: stages are compared with other optimizers. Its truncated backpropagation
recomputes old gates with the weights of now: where weights move, only a truncation of 1 is the same. Two it
can't say: returns with discounts of their own, and bounded steps.
"""

import jax
import numpy as np
import pytest

import colonnade as c
from oracles.engine.bound import share
from oracles.engine.returns import Returns
from streaming import specified
from streaming.pairs import OBJECTIVES, STEPS, Pair, columns, dense, follow, lead, linear, state_of, stream

CLOSE = {"rtol": 1e-9, "atol": 1e-12}


@pytest.fixture(autouse=True)
def float64():
    with jax.enable_x64(True):
        yield


def same(specification, learner, carry):
    named = specified.state_of(specification)
    for name, array in state_of(learner, carry).items():
        np.testing.assert_allclose(np.reshape(array, named[name].shape), named[name], **CLOSE, err_msg=name)


def same_throughout(pair, events):
    """Compare every prediction, and all else at every stage's end and at the stream's."""
    specification = pair.specification()
    for now, predictions, learner, carry in lead(pair, events):
        np.testing.assert_allclose(follow(specification, now), predictions, **CLOSE)
        same(specification, learner, carry)
    for name, weights in pair.weights().items():
        moved = specified.state_of(specification)[name] - weights
        assert pair.alpha == 0 or np.abs(moved).max() > 1e-3, f"{name} hasn't learned"


@pytest.mark.parametrize("optimizer", ["SGD", "RMSProp"])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_columns_in_stages(objective, optimizer):
    stages = {"one return": (1, 1, 1), "one number": (4,)}.get(objective, (2, 1))
    same_throughout(Pair(columns(*stages), objective, optimizer), stream(len(stages) * STEPS - 1, objective))


NETWORKS = {"columns": columns(3), "LRU": linear(), "LSTM": dense(truncation=1)}


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("network", NETWORKS)
def test_networks_with_adam(network, objective):
    same_throughout(Pair(NETWORKS[network], objective, "Adam"), stream(40, objective, first=[17]))


@pytest.mark.parametrize("optimizer", ["SGD", "RMSProp"])
@pytest.mark.parametrize("network", ["LRU", "LSTM"])
def test_networks_with_other_optimizers(network, optimizer):
    same_throughout(Pair(NETWORKS[network], "three returns", optimizer), stream(40, "three returns"))


def test_a_reset_is_an_episodes_first_event():
    """Statistics outlive it."""
    begins = [0, 11, STEPS - 1, STEPS, 47, 2 * STEPS + 1]
    events = stream(2 * STEPS + 20, "one return", first=begins)
    same_throughout(Pair(columns(2, 2, 1), "one return", "RMSProp"), events)


@pytest.mark.parametrize("truncation", [3, 50])
@pytest.mark.parametrize("objective", ["three returns", "three numbers"])
def test_truncated_backpropagation_at_fixed_weights(objective, truncation):
    """Nothing moves but traces, and the means and squares of what would have been learned."""
    pair = Pair(dense(truncation), objective, "Adam", alpha=0.0, readout=1.0)
    same_throughout(pair, stream(40, objective, first=[17]))


def test_truncated_backpropagation_while_weights_move():
    """Gradients then differ by the order of the step size."""
    events = stream(40, "one number")

    def apart(alpha):
        pair = Pair(dense(5), "one number", "SGD", alpha, readout=1.0)
        specification = pair.specification()
        follow(specification, events)
        ((_, _, learner, carry),) = lead(pair, events)
        mine = specified.state_of(specification)["lstm.W"]
        return np.abs(mine - c.parameters_of(learner, carry)["lstm.W"]).max() / alpha

    assert apart(1e-3) / apart(1e-4) == pytest.approx(10, rel=0.2)


def test_the_discount_is_the_learners_own_where_an_event_has_none():
    events, pair = stream(2 * STEPS, "one return"), Pair(columns(2, 2), "one return", "RMSProp")
    told = follow(pair.specification(), events._replace(discount=np.full(len(events.x), 0.9)))
    np.testing.assert_array_equal(follow(pair.specification(), events._replace(discount=None)), told)


def test_returns_keep_to_themselves():
    """At fixed weights each prediction's traces are those of a learner with its discount and decay alone."""
    discount, decay = np.array([0.9, 0.0, 0.5]), np.array([0.3, 1.0, 0.8])
    events = stream(2 * STEPS, "three returns")._replace(discount=None)
    together = Pair(columns(2, 2), "three returns", "SGD", alpha=0.0, readout=1.0).specification()
    together.objective = Returns(discount, decay)
    follow(together, events)
    for p in range(3):
        alone = Pair(columns(2, 2), "one return", "SGD", alpha=0.0).specification()
        alone.readout.w[:], alone.objective = together.readout.w[p], Returns(discount[[p]], decay[[p]])
        follow(alone, events._replace(target=events.target[:, [p]]))
        for name, traces in alone.objective.E.items():
            own, first = ((p, p), (0, 0)) if name.startswith("readout.") else (p, 0)
            np.testing.assert_allclose(together.objective.E[name][own], traces[first], **CLOSE)


@pytest.mark.parametrize(
    ("error", "length", "part"),
    [
        ([0.5], 0.25, 1.0),
        ([0.5], 0.26, 0.5 / 0.52),
        ([-3.0, 2.0], 0.5, 1.0),
        ([-3.0, 2.0], 2.0, 0.25),
        ([0.0], 0.0, 1.0),
    ],
)
def test_bounded_steps(error, length, part):
    """No longer than 1/κ, or than the largest error by κ; here κ is 2."""
    steps = [np.array([length / 2, -length / 4]), np.array([length / 4])]
    assert share(steps, np.array(error), 2.0) == pytest.approx(part)
