"""Cells on their own, without a learner: what they are given is looked at all the same."""

import jax
import jax.numpy as jnp
import pytest

from colonnade import (
    ELSTM,
    GRU,
    LRU,
    LSTM,
    RNN,
    Additive,
    BadInput,
    Columnar,
    LeakyRNN,
    LinearRNN,
    Normalise,
    Stacked,
)
from colonnade.cells.dense import Dense

WEIGHTY = [RNN(2), LeakyRNN(2), LSTM(2), GRU(2), LinearRNN(2), Additive(2), ELSTM(2), LRU(2)]
CELLS = [*WEIGHTY, Normalise(), Columnar(LSTM(1), 2), Stacked((LSTM(2), RNN(2)))]


def name(value):
    return type(value).__name__


@pytest.mark.parametrize("cell", CELLS, ids=name)
@pytest.mark.parametrize("inputs", [0, -1, 2.5, "3", None])
def test_parameters_for_no_number_of_inputs(cell, inputs):
    if isinstance(cell, Stacked):
        cell = cell.layers[0]  # an array of observations is made first
    with pytest.raises(BadInput, match=r"^inputs: expected a whole number of at least 1, got "):
        cell.init(jax.random.key(0), inputs)


@pytest.mark.parametrize("cell", [*WEIGHTY, Normalise()], ids=name)
@pytest.mark.parametrize(
    "key",
    [0, None, jnp.ones(2), jax.random.split(jax.random.key(0))],
    ids=["0", "None", "floats", "two keys"],
)
def test_parameters_from_no_key(cell, key):
    with pytest.raises(BadInput, match=r"^key: expected a key, such as jax.random.key\(0\), got "):
        cell.init(key, 3)


def test_a_key_of_the_old_kind_will_do():
    assert RNN(2).init(jax.random.PRNGKey(0), 3).shape == (2, 6)


@pytest.mark.parametrize("cell", [*WEIGHTY, Columnar(LSTM(1), 2)], ids=name)
@pytest.mark.parametrize("shape", [(4,), (1,), (), (1, 3)], ids=str)
def test_an_observation_that_the_weights_are_not_for(cell, shape):
    params = cell.init(jax.random.key(0), 3)
    with pytest.raises(BadInput, match=r"^x: expected shape \(3,\).*, got shape \("):
        cell.step(params, cell.start(params), jnp.ones(shape))


def test_statistics_that_adapt_perhaps():
    with pytest.raises(BadInput, match=r"^adapt: expected True or False, got 'no'$"):
        Normalise(adapt="no")


def test_a_dense_cell_without_its_move_cannot_be_made():
    class Still(Dense):
        """Says nothing of how it moves."""

    with pytest.raises(TypeError, match="abstract"):
        Still()
