"""Columns with lateral links: the paper's equations, how many links there are, and what they cost."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from colonnade import BadInput, Lateral, independent, rtrl
from oracles import lateral as oracle

RECURRENCES = ("additive", "memoryless", "gru", "lstm")


@pytest.fixture(autouse=True)
def in_double_precision():
    with jax.enable_x64(True):
        yield


def moved(network, params, xs):
    def step(state, x):
        state = network.step(params, state, x)
        return state, network.read(state)

    return jax.lax.scan(step, network.start(params), jnp.asarray(xs))[1]


@pytest.mark.parametrize("recurrence", RECURRENCES)
@pytest.mark.parametrize("lateral", [0.0, 0.5, 3.0])
def test_it_moves_as_the_papers_equations_with_masks_do(recurrence, lateral):
    network = Lateral(4, (6, 5), lateral, recurrence, links_seed=3)
    params = network.init(jax.random.key(0), inputs=3)
    params = jax.tree.map(lambda a: a + 0.1 * jax.random.normal(jax.random.key(1), a.shape), params)
    xs = np.random.default_rng(0).normal(size=(12, 3))
    expected = oracle.states(recurrence, jax.tree.map(np.asarray, params), network.links, xs)
    np.testing.assert_allclose(moved(network, params, xs), expected, rtol=1e-12, atol=1e-14)
    assert np.abs(expected).min(axis=0).max() > 1e-3


@pytest.mark.parametrize(("lateral", "count"), [(0.0, 0), (0.1, 5), (1.0, 50), (19.0, 950)])
def test_a_column_sees_as_many_features_of_others_as_it_is_told(lateral, count):
    links = Lateral(20, (50, 50), lateral).links
    assert links.features.shape == (20, count)
    for column, (seen, sources, real) in enumerate(zip(*links, strict=True)):
        whose = seen // 50
        assert len(set(seen)) == count and column not in whose
        assert set(sources[real > 0]) == set(whose)


def test_links_are_drawn_once_and_others_for_another_seed():
    one, same, other = (Lateral(6, (8,), 1.0, links_seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.links.features, same.links.features)
    assert (one.links.features != other.links.features).any()


def test_without_links_columns_share_nothing_that_they_have_yet_to_compute():
    assert Lateral(3, (4,)).delayed and not Lateral(3, (4,), 0.5).delayed


@pytest.mark.parametrize("lateral", [0.0, 0.5])
def test_what_master_user_keeps_grows_with_the_parameters_alone(lateral):
    sizes = []
    for columns in (4, 16, 64):
        network = Lateral(columns, (8, 8), lateral)
        params = network.init(jax.random.key(0), inputs=5)
        memory = independent(rtrl()).start(network, params, network.start(params), jnp.zeros(5))
        sizes.append([sum(leaf.size for leaf in jax.tree.leaves(tree)) for tree in (memory, params)])
    assert [kept / weights for kept, weights in sizes] == pytest.approx([1.0] * 3, rel=0.2)


BAD = {
    "columns: expected": {"columns": 0},
    "widths: expected a tuple of at least one width": {"widths": ()},
    "widths: expected a whole number": {"widths": (4, 0)},
    "lateral: expected a number from 0.0 to 2.0": {"lateral": 2.5},
    "recurrence: expected one of additive, memoryless, gru, lstm": {"recurrence": "rnn"},
    "links_seed: expected": {"links_seed": -1},
}


@pytest.mark.parametrize("complaint", BAD)
def test_bad_settings_are_refused(complaint):
    with pytest.raises(BadInput, match=complaint):
        Lateral(**{"columns": 3, "widths": (4,), **BAD[complaint]})


def test_an_observation_of_another_size_is_refused():
    network = Lateral(3, (4,))
    params = network.init(jax.random.key(0), inputs=3)
    with pytest.raises(BadInput, match="x: expected"):
        network.step(params, network.start(params), jnp.zeros(4))
