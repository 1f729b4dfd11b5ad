"""The copy task: what is shown, what is to be recalled, and when."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from colonnade.errors import BadInput
from colonnade.worlds import CopyTask


@settings(max_examples=25, deadline=None)
@given(length=st.integers(1, 40), bits=st.integers(1, 9), seed=st.integers(0, 1000))
def test_patterns_are_recalled_in_order_after_the_token(length: int, bits: int, seed: int) -> None:
    chunk = CopyTask(length, bits).stream(seed).take(5 * 2 * length)
    assert chunk.first is not None and chunk.given is not None
    x = chunk.x.reshape(5, 2, length, bits + 1)
    target = chunk.target.reshape(5, 2, length, bits)
    assert_array_equal(target[:, 1], x[:, 0, :, :bits])
    assert_array_equal(target[:, 0], 0)
    assert_array_equal(x[:, 1, :, :bits], 0)
    assert_array_equal(x[:, 0, :, bits], 0)
    assert_array_equal(x[:, 1, :, bits], 1)
    assert_array_equal(chunk.given, chunk.x[:, bits] == 1)
    assert_array_equal(np.flatnonzero(chunk.first), 2 * length * np.arange(5))
    assert_array_equal(chunk.answer, chunk.target)


def test_bits_are_fair_and_independent() -> None:
    chunk = CopyTask().stream(seed=0).take(400_000)
    assert chunk.given is not None
    signs = 2 * chunk.target[chunk.given].astype(np.float64) - 1
    n = len(signs)
    assert set(np.unique(signs)) == {-1.0, 1.0}
    assert np.abs(signs.mean(axis=0)).max() < 4.5 / np.sqrt(n)
    together = (signs.T @ signs / n)[~np.eye(7, dtype=bool)]
    for lag in (1, 20):
        later = signs[:-lag].T @ signs[lag:] / n
        assert max(np.abs(together).max(), np.abs(later).max()) < 5 / np.sqrt(n)


@pytest.mark.parametrize("argument", ["length", "bits"])
@pytest.mark.parametrize("value", [0, -3, 2.0, True, None])
def test_bad_settings_are_refused(argument: str, value: object) -> None:
    with pytest.raises(BadInput) as caught:
        CopyTask(**{argument: value})  # type: ignore[arg-type]
    assert caught.value.argument == argument
    assert caught.value.got == repr(value)
