"""First parameters: as each cell's file says that they are drawn, and no two parts alike."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from colonnade import ELSTM, GRU, LRU, LSTM, RNN, Additive, Columnar, LeakyRNN, LinearRNN, Stacked

KEY = jax.random.key(0)


def eigenvalues(params):
    return np.exp(-np.exp(np.asarray(params.nu, float)) + 1j * np.exp(np.asarray(params.theta, float)))


@pytest.mark.parametrize("radius", [(0.0, 0.999), (0.9, 0.99), (0.5, 0.5)])
def test_eigenvalues_are_uniform_on_the_ring_by_area(radius):
    low, high = radius
    size = np.abs(eigenvalues(LRU(4000, radius=radius).init(KEY, 1)))
    assert size.min() >= low - 1e-5 and size.max() <= high + 1e-5
    if low < high:
        share = (size**2 - low**2) / (high**2 - low**2)
        np.testing.assert_allclose(np.quantile(share, [0.25, 0.5, 0.75]), [0.25, 0.5, 0.75], atol=0.03)


@pytest.mark.parametrize("phase", [6.283185307179586, 0.3])
def test_phases_are_uniform(phase):
    angle = np.exp(np.asarray(LRU(4000, phase=phase).init(KEY, 1).theta, float))
    np.testing.assert_allclose(
        np.quantile(angle, [0, 0.25, 0.5, 0.75, 1]) / phase, np.linspace(0, 1, 5), atol=0.03
    )


def test_gamma_brings_every_unit_to_about_the_same_magnitude():
    params = LRU(500).init(KEY, 3)
    np.testing.assert_allclose(np.exp(params.gamma), np.sqrt(1 - np.abs(eigenvalues(params)) ** 2), rtol=1e-3)


def test_input_weights_have_variance_one_over_inputs():
    params = LRU(2000).init(KEY, 5)
    B = np.asarray(params.B_re) + 1j * np.asarray(params.B_im)
    assert np.mean(np.abs(B) ** 2) == pytest.approx(1 / 5, rel=0.05)
    assert abs(np.mean(B**2)) < 0.01  # real and imaginary parts: independent, and alike


@pytest.mark.parametrize("cell", [RNN, LeakyRNN, LSTM, GRU, Additive, ELSTM], ids=lambda cell: cell.__name__)
def test_weights_are_uniform_within_one_over_root_units(cell):
    for made, bound in ((cell(25), 0.2), (cell(25, scale=0.01), 0.01)):
        weights = np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(made.init(KEY, 40))])
        assert np.abs(weights).max() == pytest.approx(bound, rel=0.1)
        assert np.abs(weights).max() <= bound
        assert np.std(weights) == pytest.approx(bound / np.sqrt(3), rel=0.1)


def test_a_linear_network_begins_with_a_turn_of_its_state():
    params = LinearRNN(6, radius=0.9).init(KEY, 3)
    past = np.asarray(params[:, 3:-1], float)
    np.testing.assert_allclose(past @ past.T, 0.81 * np.eye(6), atol=1e-5)


def test_rates_are_drawn_from_their_range_and_stay():
    cell = LeakyRNN(500, leak=(0.2, 0.6))
    assert 0.2 <= cell.rates().min() < 0.22 and 0.58 < cell.rates().max() <= 0.6
    np.testing.assert_array_equal(cell.rates(), cell.rates())
    assert (cell.rates() != LeakyRNN(500, leak=(0.2, 0.6), leak_seed=1).rates()).all()


@pytest.mark.parametrize(
    "network", [Columnar(LSTM(1), 3), Stacked((RNN(3), RNN(3)))], ids=["columns", "stack"]
)
def test_no_two_parts_begin_alike(network):
    drawn = jnp.concatenate([jnp.ravel(leaf) for leaf in jax.tree.leaves(network.init(KEY, 3))])
    assert len(jnp.unique(drawn)) == drawn.size
