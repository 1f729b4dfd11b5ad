"""The random teacher: its outputs are those of its weights, and of the scale that they should be."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from colonnade.errors import BadInput
from colonnade.worlds import RandomTeacher


@pytest.mark.parametrize("episode", [1, 7, 3000])
def test_the_targets_are_the_outputs_of_the_hidden_network(episode: int) -> None:
    world = RandomTeacher(inputs=2, units=5, outputs=3, episode=episode)
    chunk, (W, U, C) = world.stream(seed=11).take(4000), world.teacher(seed=11)
    assert chunk.first is not None
    assert_array_equal(np.flatnonzero(chunk.first), np.arange(0, 4000, episode))
    expected, h = [], np.zeros(5)
    for x, first in zip(chunk.x, chunk.first, strict=True):
        h = np.tanh(W @ (0 * h if first else h) + U @ x)
        expected.append(C @ h)
    assert_allclose(chunk.target, expected, rtol=1e-5, atol=1e-6)
    assert_array_equal(chunk.answer, chunk.target)


@pytest.mark.parametrize("spectral_radius", [0, 0.5, 0.95, 1.3])
def test_the_recurrent_weights_have_the_spectral_radius(spectral_radius: float) -> None:
    W = RandomTeacher(inputs=1, units=20, spectral_radius=spectral_radius).teacher(seed=0).W
    assert_allclose(np.abs(np.linalg.eigvals(W)).max(), spectral_radius, rtol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_outputs_have_a_variance_of_about_one_and_no_mean(seed: int) -> None:
    target = RandomTeacher(inputs=3, units=16, outputs=4).stream(seed).take(64_000).target
    assert np.all(np.abs(target.std(axis=0) - 1) < 0.05)
    assert np.all(np.abs(target.mean(axis=0)) < 0.1)


def test_inputs_are_independent_signs() -> None:
    n = 100_000
    x = RandomTeacher(inputs=3, units=2).stream(seed=0).take(n).x.astype(np.float64)
    assert set(np.unique(x)) == {-1.0, 1.0}
    assert np.abs(x.mean(axis=0)).max() < 4.5 / np.sqrt(n)
    assert np.abs((x.T @ x / n)[~np.eye(3, dtype=bool)]).max() < 4.5 / np.sqrt(n)
    assert np.abs(x[:-1].T @ x[1:] / n).max() < 4.5 / np.sqrt(n)


def test_seeds_give_different_teachers() -> None:
    world = RandomTeacher(inputs=1, units=4)
    assert (world.teacher(seed=0).W != world.teacher(seed=1).W).all()


@pytest.mark.parametrize(
    ("argument", "value", "expected"),
    [
        ("inputs", 0, "a whole number of at least 1"),
        ("units", 2.5, "a whole number of at least 1"),
        ("outputs", -1, "a whole number of at least 1"),
        ("episode", 0, "a whole number of at least 1"),
        ("episode", True, "a whole number of at least 1"),
        ("spectral_radius", -0.1, "a number from 0 to inf"),
        ("spectral_radius", float("inf"), "a number from 0 to inf"),
        ("spectral_radius", "1", "a number from 0 to inf"),
    ],
)
def test_bad_settings_are_refused(argument: str, value: object, expected: str) -> None:
    with pytest.raises(BadInput) as caught:
        RandomTeacher(**{"inputs": 2, "units": 2, argument: value})  # type: ignore[arg-type]
    assert (caught.value.argument, caught.value.expected) == (argument, expected)
    assert caught.value.got == repr(value)
