"""Specifications with something wrong, each of which the engine must differ from."""

import numpy as np
import pytest

from oracles.engine import bound, columns, dense, learner, linear, lstm, optimizers, returns, statistics
from streaming.specified import difference, follow, lead, specification_of
from streaming.test_parity import MOST, made, told

EVENTS = 3300


def without_the_past(stage, inputs):
    """dz of columns without R H⁻."""
    return np.eye(4)[:, None, :, None] * inputs[:, None, :]


def without_forget_gate(gates, c_before, c):
    return lstm_slopes(gates, c_before, c)._replace(by_f=np.zeros_like(c))


def transposed(network, dz):
    """dh ← R dz of an LSTM."""
    n = len(network.W)
    return np.einsum("pkg,jgk->pj", dz, network.W[:, :, -1 - n : -1])


def conjugated(network, dh):
    """An LRU whose imaginary features count the wrong way round."""
    re, im = np.split(dh[0], 2, axis=1)
    return linear_slopes(network, [np.concatenate([re, -im], axis=1)])


def about_the_old_mean(seen, v):
    """A variance of v - μ⁻."""
    seen.variance = seen.rate * seen.variance + (1 - seen.rate) * (v - seen.mean) ** 2
    seen.mean = seen.rate * seen.mean + (1 - seen.rate) * v


def an_event_early(network, *given):
    staged(network, *given)
    network.events = 1


def undivided(learner):
    """The readout's step size isn't shared out."""
    return learner.step_size, learner.step_size


def by_the_last_discount(objective, prediction, cumulant, discount):
    """Traces decay by the discount of the event before."""
    before = getattr(objective, "before", discount)
    judge(objective, prediction, cumulant, discount)
    objective.decay, objective.before = before * objective.trace_decay, discount


def uncorrected(rule, g, kept):
    """Adam with m and v as they are."""
    m = rule.decay * kept.m + (1 - rule.decay) * g
    v = rule.square_decay * kept.v + (1 - rule.square_decay) * g**2
    return m / (np.sqrt(v) + rule.eps), optimizers.Moments(m, v, 1)


def from_nothing(rule, like):
    """RMSProp whose v is 0 at first."""
    return optimizers.Square(np.zeros_like(like))


def by_all_errors(steps, error, kappa):
    """The sum of the errors, not the largest, is what steps are measured by."""
    return share(steps, np.array([np.abs(error).sum()]), kappa)


def with_old_influences(stage):
    """A stage that learns again still blames what it saw when it last did."""
    if not hasattr(stage, "H"):
        begin(stage)


def with_old_traces(objective, name):
    """The same of its traces."""


lstm_slopes, linear_slopes, staged = lstm.slopes, linear.Linear.slopes, columns.Staged.__init__
judge, share, begin = returns.Returns.judge, bound.share, columns.Stage.begin

MUTANTS = {
    without_the_past: (columns.Stage, "drive", "ccn", "three numbers", "SGD"),
    without_forget_gate: (lstm, "slopes", "columnar", "one number", "Adam"),
    transposed: (dense.Dense, "before", "dense_lstm", "three classes", "RMSProp"),
    conjugated: (linear.Linear, "slopes", "online_lru", "three returns", "SGD"),
    about_the_old_mean: (statistics.Statistics, "move", "constructive", "one return", "SGD"),
    an_event_early: (columns.Staged, "__init__", "ccn", "one return", "Adam"),
    undivided: (learner.Learner, "step_sizes", "columnar", "three classes", "SGD"),
    by_the_last_discount: (returns.Returns, "judge", "dense_lstm", "one return", "Adam"),
    uncorrected: (optimizers.Adam, "step", "online_lru", "one number", "Adam"),
    from_nothing: (optimizers.RMSProp, "start", "constructive", "three numbers", "RMSProp"),
    with_old_influences: (columns.Stage, "begin", "ccn, turns", "three numbers", "SGD"),
    with_old_traces: (returns.Returns, "begin", "ccn, turns", "three returns", "SGD"),
    by_all_errors: (learner, "share", "ccn", "three numbers", "SGD"),
}


@pytest.mark.parametrize("wrong", MUTANTS, ids=lambda wrong: wrong.__name__)
def test_it_is_told_from_the_engine(wrong, monkeypatch):
    place, name, network, objective, optimizer = MUTANTS[wrong]
    compiled = made(network, objective, optimizer, bound=20.0 if wrong is by_all_errors else None)
    specification, events = specification_of(compiled), told(objective, EVENTS)
    monkeypatch.setattr(place, name, wrong)
    mutant = specification_of(compiled)
    wrongly = follow(mutant, events)
    monkeypatch.undo()
    came = lead(compiled, events)
    assert difference(came, follow(specification, events)) < MOST
    assert difference(came, wrongly) > 3 * MOST
