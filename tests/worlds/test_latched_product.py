"""The latched product: what is kept, and how well it can be told."""

import numpy as np
import pytest

from colonnade.errors import BadInput
from colonnade.worlds import LatchedProduct


def test_it_is_the_product_of_what_was_kept_last() -> None:
    chunk = LatchedProduct(rate=0.01).stream(seed=4).take(200_000)
    kept = [0.0, 0.0]
    for (value, *bits), target in zip(chunk.x.tolist(), chunk.target.tolist(), strict=True):
        for which in (0, 1):
            if bits[which]:
                kept[which] = value
        assert target == np.float32(kept[0]) * np.float32(kept[1])
        assert bits != [1.0, 1.0]


def test_how_often_numbers_are_kept_and_what_predicting_0_scores() -> None:
    world = LatchedProduct(rate=0.2)
    chunk = world.stream(seed=0).take(1_000_000)
    assert chunk.x[:, 1:].mean(axis=0) == pytest.approx([0.1, 0.1], rel=0.02)
    assert np.square(chunk.target.astype(float)).mean() == pytest.approx(world.zero_error(), rel=0.01)


def test_no_sum_of_functions_of_one_kept_number_each_says_anything() -> None:
    chunk = LatchedProduct(rate=1.0).stream(seed=0).take(400_000)
    one, other = (np.zeros(len(chunk.x)) for _ in range(2))
    for i in range(1, len(chunk.x)):  # as the target was before this event
        one[i] = chunk.x[i, 0] if chunk.x[i, 1] else one[i - 1]
        other[i] = chunk.x[i, 0] if chunk.x[i, 2] else other[i - 1]
    of_one = np.stack([f(v) for v in (one, other) for f in (np.sign, np.square, np.abs, lambda u: u)])
    weights, *_ = np.linalg.lstsq(of_one.T, chunk.target, rcond=None)
    left = np.square(chunk.target - weights @ of_one).mean()
    assert left > 0.98 * np.square(chunk.target).mean()


@pytest.mark.parametrize("rate", [0.0, 1.1, -1, True, None, "0.1", float("nan")])
def test_bad_rates_are_refused(rate: object) -> None:
    with pytest.raises(BadInput, match="rate: expected"):
        LatchedProduct(rate)  # type: ignore[arg-type]
