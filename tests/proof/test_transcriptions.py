"""Cells and rules against independent NumPy transcriptions of their equations, ten steps.

Automatic differentiation must not be its own judge: these judges were differentiated by hand.
"""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from colonnade.cells import ELSTM, GRU, LRU, LSTM, RNN, Additive, LeakyRNN, LinearRNN, Normalise
from colonnade.cells.dense import Dense
from colonnade.credit import independent, layered, rtrl, snap, spatial, tbptt
from colonnade.networks import Columnar, Stacked
from oracles import columns, normalise, online_lru, torch_cells
from oracles import rtrl as dense
from oracles import snap as sparse
from oracles import tbptt as truncated
from oracles.activations import RELU, SIGMOID, TANH
from proof import layout
from proof.check import EXACT, rule_gradients, step_errors

STEPS, D, N = 10, 3, 4


def sequence(features, seed=1):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(STEPS, D)), rng.normal(size=(STEPS, features))


def agree(rule, cell, params, pack, judge, features):
    """Hold a rule's gradients at each step to the judge's."""
    xs, es = sequence(features)
    came = rule_gradients(rule, cell, pack(params), jnp.asarray(xs), jnp.asarray(es))
    errors = step_errors(came, layout.stack(judge(params, xs, es), pack))
    assert errors.max() < EXACT, f"off by {errors.max():.1e}"


LEAKY = LeakyRNN(N)
DENSE_RTRL = {
    "RNN tanh": (RNN(N), "rnn", layout.sums, dense.rnn(TANH)),
    "RNN sigmoid": (RNN(N, jax.nn.sigmoid), "rnn", layout.sums, dense.rnn(SIGMOID)),
    "RNN ReLU": (RNN(N, jax.nn.relu), "rnn", layout.sums, dense.rnn(RELU)),
    "LeakyRNN": (LEAKY, "rnn", layout.sums, dense.leaky(LEAKY.rates())),
    "LinearRNN": (LinearRNN(N), "rnn", layout.sums, dense.linear()),
    "Additive": (Additive(N), "additive", layout.additive, dense.additive()),
    "LSTM": (LSTM(N), "lstm", layout.lstm, dense.lstm()),
    "GRU": (GRU(N), "gru", layout.gru, dense.gru()),
    "ELSTM": (ELSTM(N), "elstm", layout.elstm, dense.elstm()),
}


@pytest.mark.parametrize("name", DENSE_RTRL)
def test_rtrl(name):
    cell, shapes, pack, judge = DENSE_RTRL[name]
    params = layout.draw(layout.SHAPES[shapes](N, D))
    agree(rtrl(), cell, params, pack, lambda p, xs, es: dense.gradients(judge, p, xs, es), N)


def test_independent_columns():
    params = layout.draw(layout.SHAPES["columns"](5, D))
    agree(independent(rtrl()), Columnar(LSTM(1), 5), params, layout.lstm, columns.gradients, 5)


def test_online_lru():
    params = layout.draw(layout.SHAPES["lru"](N, D))
    agree(independent(rtrl()), LRU(N), params, layout.lru, online_lru.gradients, 2 * N)


def test_layered_lru():
    first = layout.draw(layout.SHAPES["lru"](2, D))
    second = layout.draw(layout.SHAPES["lru"](N, 4), seed=1)
    xs, es = sequence(2 * N)
    rule = layered((independent(rtrl()), independent(rtrl())))
    cell = Stacked((LRU(2), LRU(N)))
    came = rule_gradients(
        rule, cell, (layout.lru(first), layout.lru(second)), jnp.asarray(xs), jnp.asarray(es)
    )
    judged = online_lru.layered_gradients(first, second, xs, es)
    for layer in range(2):
        expected = layout.stack([both[layer] for both in judged], layout.lru)
        assert step_errors(came[layer], expected).max() < EXACT


def test_snap_1_rnn():
    params = layout.draw(layout.SHAPES["rnn"](N, D))
    agree(snap(1), RNN(N), params, layout.sums, sparse.rnn_snap1, N)


def test_snap_1_lstm():
    params = layout.draw(layout.SHAPES["lstm"](N, D))
    agree(snap(1), LSTM(N), params, layout.lstm, sparse.lstm_snap1, N)


WIRINGS = {
    "ring": np.eye(N) + np.roll(np.eye(N), 1, axis=0),  # each unit feeds itself and the next
    "chain": np.eye(N) + np.eye(N, k=1),  # the first feeds none: lists of what is reached differ in length
}


@dataclass(frozen=True)
class Wired(Dense):
    """An RNN wired in some way that declares nothing: the mask is a constant of its program."""

    wiring: str
    delayed = False

    def start(self, params):
        return jnp.zeros(N)

    def move(self, params, own, h, x):
        return jnp.tanh(
            params[..., :D] @ x + (params[..., D:-1] * WIRINGS[self.wiring]) @ h + params[..., -1]
        )


@pytest.mark.parametrize("wiring", WIRINGS)
@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_snap_k_follows_a_mask(k, wiring):
    params = layout.draw(layout.SHAPES["rnn"](N, D))

    def judge(p, xs, es):
        return sparse.gradients(dense.rnn(TANH), p, xs, es, k, WIRINGS[wiring])

    agree(snap(k), Wired(wiring), params, layout.sums, judge, N)


TRUNCATED = {
    "RNN": (RNN(N), "rnn", layout.sums, truncated.Rnn()),
    "LSTM": (LSTM(N), "lstm", layout.lstm, truncated.Lstm()),
}


@pytest.mark.parametrize("name", TRUNCATED)
@pytest.mark.parametrize("k", [1, 3, STEPS])
def test_tbptt(name, k):
    cell, shapes, pack, judge = TRUNCATED[name]
    params = layout.draw(layout.SHAPES[shapes](N, D))
    agree(tbptt(k), cell, params, pack, lambda p, xs, es: truncated.window(judge, p, xs, es, k), N)


@pytest.mark.parametrize("name", TRUNCATED)
def test_spatial(name):
    cell, shapes, pack, judge = TRUNCATED[name]
    params = layout.draw(layout.SHAPES[shapes](N, D))
    agree(spatial(), cell, params, pack, lambda p, xs, es: truncated.window(judge, p, xs, es, 1), N)


@pytest.mark.parametrize("name", TRUNCATED)
@pytest.mark.parametrize("k", [2, 3, 5])
def test_tbptt_by_chunks(name, k):
    cell, shapes, pack, judge = TRUNCATED[name]
    params = layout.draw(layout.SHAPES[shapes](N, D))
    agree(tbptt(k, k), cell, params, pack, lambda p, xs, es: truncated.chunked(judge, p, xs, es, k), N)


@pytest.mark.parametrize(
    ("cell", "shapes", "pack", "judge"),
    [
        (LSTM(N), "lstm", layout.lstm, torch_cells.lstm_gradients),
        (GRU(N), "gru", layout.gru, torch_cells.gru_gradients),
    ],
    ids=["LSTM", "GRU"],
)
def test_rtrl_is_pytorch_backpropagation(cell, shapes, pack, judge):
    params = layout.draw(layout.SHAPES[shapes](N, D))
    agree(rtrl(), cell, params, pack, judge, N)


@pytest.mark.parametrize("adapt", [True, False])
def test_normalise(adapt):
    xs, _ = sequence(1)
    cell = Normalise(rate=0.9, floor=1.0, adapt=adapt)
    params = cell.init(jax.random.key(0), D)
    _, came = jax.lax.scan(lambda s, x: (cell.step(params, s, x),) * 2, cell.start(params), jnp.asarray(xs))
    outputs, means, variances = normalise.normalise(xs, 0.9 if adapt else 1.0, 1.0)
    np.testing.assert_allclose(came.value, outputs, rtol=1e-12)
    np.testing.assert_allclose(came.mean, means, rtol=1e-12)
    np.testing.assert_allclose(came.variance, variances, rtol=1e-12)
