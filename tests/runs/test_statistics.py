"""Statistics against their definitions: every draw listed, every pair looked at, and SciPy."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from colonnade import BadInput
from colonnade.runs.statistics import (
    DRAWS,
    interquartile_mean,
    interval,
    mean,
    means,
    probability_of_improvement,
    stratified,
)

RNG = np.random.default_rng(5)


@pytest.mark.parametrize("sizes", [(1,), (2,), (3,), (4, 4), (5, 3, 7), (10, 10, 10), (1, 1, 1, 1, 1)])
def test_the_interquartile_mean_is_the_trimmed_mean_of_all_scores(sizes):
    tasks = [RNG.standard_normal(size) for size in sizes]
    assert interquartile_mean(tasks).value == pytest.approx(stats.trim_mean(np.concatenate(tasks), 0.25))


def by_pairs(mine, theirs):
    """Agarwal et al. (2021), equation (1), pair by pair."""
    tasks = []
    for x, y in zip(mine, theirs, strict=True):
        pairs = [1.0 if a < b else 0.5 if a == b else 0.0 for a in x for b in y]
        tasks.append(sum(pairs) / len(pairs))
    return sum(tasks) / len(tasks)


def test_the_probability_of_improvement_counts_every_pair():
    mine = [RNG.integers(0, 6, 9).astype(float), RNG.integers(0, 3, 4).astype(float)]
    theirs = [RNG.integers(1, 7, 5).astype(float), RNG.integers(0, 3, 8).astype(float)]
    found = probability_of_improvement(mine, theirs)
    assert found.value == pytest.approx(by_pairs(mine, theirs))
    assert found.value + probability_of_improvement(theirs, mine).value == pytest.approx(1.0)
    assert found.scores == 26
    u = stats.mannwhitneyu(theirs[0], mine[0]).statistic
    assert probability_of_improvement(mine[:1], theirs[:1]).value == pytest.approx(u / 45)


def test_an_interval_holds_the_middle_of_all_that_can_be_drawn():
    """Of four seeds there are 256 draws; the bootstrap's are a sample of them."""
    scores = np.array([1.0, 2.0, 4.0, 8.0])
    everything = np.array([np.mean(draw) for draw in product(scores, repeat=4)])
    _, low, high, _ = mean(scores)
    assert np.mean(everything < low) < 0.025 + 3 * np.sqrt(0.025 / DRAWS)
    assert np.mean(everything <= low) > 0.025 - 3 * np.sqrt(0.025 / DRAWS)
    assert np.mean(everything > high) < 0.025 + 3 * np.sqrt(0.025 / DRAWS)
    assert np.mean(everything >= high) > 0.025 - 3 * np.sqrt(0.025 / DRAWS)


def test_an_interval_is_the_one_that_scipy_finds():
    scores = RNG.standard_normal(12)
    _, low, high, _ = mean(scores)
    other = stats.bootstrap(
        (scores,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    assert np.allclose((low, high), (other.low, other.high), atol=0.06 * (high - low))


def redrawn(tasks, statistic, draws=4000):
    """The ends of an interval, each draw by itself."""
    rng = np.random.default_rng(9)
    found = [statistic([rng.choice(task, len(task)) for task in tasks]) for _ in range(draws)]
    return np.quantile(found, [0.025, 0.975])


def test_seeds_are_drawn_within_their_task():
    """One task is far above the other: a draw across them would be much more spread."""
    tasks = [RNG.standard_normal(6), 100 + RNG.standard_normal(9)]
    found = interquartile_mean(tasks)
    expected = redrawn(tasks, lambda drawn: stats.trim_mean(np.concatenate(drawn), 0.25))
    assert np.allclose((found.low, found.high), expected, atol=0.1 * (found.high - found.low))
    assert found.scores == 15


def test_the_improvement_has_the_interval_of_both_sides_drawn_again():
    mine, theirs = [RNG.standard_normal(8), RNG.standard_normal(5)], [RNG.standard_normal(7), RNG.random(6)]
    found = probability_of_improvement(mine, theirs)
    expected = redrawn([*mine, *theirs], lambda drawn: by_pairs(drawn[:2], drawn[2:]), draws=1500)
    assert np.allclose((found.low, found.high), expected, atol=0.04)


def test_columns_have_the_means_and_intervals_that_each_has_alone():
    columns = RNG.standard_normal((9, 4))
    value, low, high = means(columns)
    for i, column in enumerate(columns.T):
        alone = mean(column)
        assert value[i] == pytest.approx(alone.value)
        assert np.allclose((low[i], high[i]), alone[1:3], atol=0.06 * (alone.high - alone.low))


def test_an_interval_covers_the_truth_about_as_often_as_it_says():
    """Of ten seeds it's somewhat less than 95 %, as is known of the percentile bootstrap."""
    rng = np.random.default_rng(2)
    value, low, high = means(rng.standard_normal((10, 2000)))
    assert 0.88 < np.mean((low < 0) & (high > 0)) < 0.95
    assert abs(value.mean()) < 0.03


def test_the_same_scores_have_the_same_interval():
    scores = RNG.standard_normal(7)
    assert mean(scores) == mean(scores.copy())
    assert interquartile_mean([scores, scores]) == interquartile_mean([scores, scores])
    assert probability_of_improvement([scores], [scores + 1]) == probability_of_improvement(
        [scores], [scores + 1]
    )


def test_a_single_seed_has_no_interval_and_none_no_value():
    assert mean([3.0])[0] == 3.0 and np.isnan(mean([3.0])[1:3]).all() and mean([3.0]).scores == 1
    assert np.isnan(mean([]).value) and mean([]).scores == 0
    assert np.isnan(means(np.ones((1, 2)))[1]).all()
    assert np.isnan(probability_of_improvement([[1.0]], [[2.0]]).low)
    assert np.isnan(probability_of_improvement([[1.0]], [[]]).value)
    assert np.isnan(interquartile_mean([[1.0], []]).value)
    assert interval([3.0]) == (3.0, 3.0)


def test_both_must_have_the_same_tasks():
    with pytest.raises(BadInput, match="theirs: expected scores of the same 2 tasks, got 1"):
        probability_of_improvement([[1.0], [2.0]], [[1.0]])


def test_a_statistic_of_ones_own_is_drawn_alike():
    scores = RNG.standard_normal(6)
    found = stratified([scores], lambda drawn: drawn[0].mean(axis=-1))
    assert found == mean(scores)
