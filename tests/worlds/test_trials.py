"""Trace patterning and trace conditioning: the events, the returns, and what is known of the errors."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from colonnade.errors import BadInput
from colonnade.worlds import Chunk, TraceConditioning, TracePatterning
from colonnade.worlds.trials import onsets

ODD = TracePatterning(cues=4, active=2, valid=2, interval=(1, 9), pause=(0, 4), distractors=1, discount=0.7)
PUBLISHED = TracePatterning()
WORLDS = [PUBLISHED, ODD, TraceConditioning(), TraceConditioning((3, 40), (2, 2), 0, 0.99)]
each_world = pytest.mark.parametrize("world", WORLDS, ids=repr)

World = TracePatterning | TraceConditioning


def bits(world: World) -> int:
    return world.inputs - 1 - world.distractors


def cue_events(world: World, chunk: Chunk) -> NDArray[np.int64]:
    return np.flatnonzero(chunk.x[:, : bits(world)].any(axis=1))


def is_valid(world: World, seed: int, cues: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which of these cues (n, bits) the US follows."""
    if isinstance(world, TraceConditioning):
        return np.ones(len(cues), np.bool_)
    valid = {pattern.tobytes() for pattern in world.valid_patterns(seed)}
    return np.array([cue.tobytes() in valid for cue in cues])


@each_world
def test_the_target_is_the_us_bit(world: World) -> None:
    chunk = world.stream(seed=1).take(60_000)
    assert chunk.target.sum() > 100
    assert_array_equal(chunk.target, chunk.x[:, bits(world)])
    assert set(np.unique(chunk.x)) <= {0.0, 1.0}
    assert chunk.first is None and chunk.given is None


@each_world
def test_the_answer_is_the_discounted_sum_of_the_cumulants_of_the_trial(world: World) -> None:
    chunk = world.stream(seed=2).take(40_000)
    begins = np.asarray(chunk.x[:, : bits(world)].any(axis=1))
    until = int(np.flatnonzero(begins)[-1])  # the last trial may be cut short
    expected = np.zeros(until)
    following = 0.0
    for t in range(until - 1, -1, -1):
        pays = float(chunk.target[t + 1]) + world.discount * following
        following = expected[t] = 0.0 if begins[t + 1] else pays
    assert_allclose(chunk.answer[:until], expected, rtol=1e-6)


@each_world
def test_trials_have_the_timing_they_say(world: World) -> None:
    chunk = world.stream(seed=3).take(400_000)
    cue = cue_events(world, chunk)
    assert cue[0] == 0
    cue, following = cue[:-1], cue[1:]
    valid = is_valid(world, 3, chunk.x[cue, : bits(world)])
    us = np.flatnonzero(chunk.target[: following[-1]])
    assert len(us) == valid.sum()
    interval, pause = us - cue[valid], following[valid] - us - 1
    for drawn, (shortest, longest) in ((interval, world.interval), (pause, world.pause)):
        count = np.bincount(drawn - shortest, minlength=longest - shortest + 1)
        assert len(count) == longest - shortest + 1  # nothing longer, and bincount refuses what is shorter
        expected = len(drawn) / len(count)
        chi_squared = np.sum((count - expected) ** 2 / expected)
        freedom = len(count) - 1
        assert chi_squared <= freedom + 5 * np.sqrt(2 * freedom)
    lengths = following - cue
    mean = (sum(world.interval) + sum(world.pause)) / 2 + 1
    assert lengths[~valid].size == 0 or lengths[~valid].min() >= world.interval[0] + 1 + world.pause[0]
    assert lengths.max() <= world.interval[1] + 1 + world.pause[1]
    assert abs(lengths.mean() - mean) < 5 * lengths.std() / np.sqrt(len(lengths))


@pytest.mark.parametrize("world", [PUBLISHED, ODD], ids=repr)
def test_every_pattern_comes_equally_often_and_only_the_valid_ones_are_followed(
    world: TracePatterning,
) -> None:
    chunk = world.stream(seed=4).take(400_000)
    cue = cue_events(world, chunk)[:-1]
    shown = [tuple(np.flatnonzero(pattern).tolist()) for pattern in chunk.x[cue, : world.cues]]
    count = np.array([shown.count(on) for on in combinations(range(world.cues), world.active)])
    assert count.sum() == len(cue)
    expected = len(cue) / len(count)
    freedom = len(count) - 1
    assert np.sum((count - expected) ** 2 / expected) <= freedom + 5 * np.sqrt(2 * freedom)

    followed = {on for on, start in zip(shown, cue, strict=True) if chunk.answer[start] > 0}
    valid = {tuple(np.flatnonzero(pattern).tolist()) for pattern in world.valid_patterns(seed=4)}
    assert followed == valid
    assert len(valid) == world.valid


def test_the_valid_patterns_are_drawn_anew_for_each_seed() -> None:
    first = sum([1, 1, 1, 0, 0, 0] in PUBLISHED.valid_patterns(seed).tolist() for seed in range(400))
    assert abs(first - 200) < 50  # five standard deviations of a fair coin


def test_valid_patterns_are_redrawn_from_the_first_trial_that_begins_then_or_later() -> None:
    stream = TracePatterning(redrawn=150_000).stream(seed=4)
    before, after = stream.take(150_000), stream.take(150_000)
    followed = []
    for chunk in (before, after):
        cue = cue_events(PUBLISHED, chunk)
        of_each: dict[bytes, set[bool]] = {}
        for start in cue:
            of_each.setdefault(chunk.x[start, :6].tobytes(), set()).add(bool(chunk.answer[start] > 0))
        assert len(of_each) == 20 and all(len(both) == 1 for both in of_each.values())
        followed.append({pattern for pattern, (follows,) in of_each.items() if follows})
    assert followed[0] == {pattern.tobytes() for pattern in PUBLISHED.valid_patterns(seed=4)}
    assert len(followed[1]) == 10 and followed[1] != followed[0]


def test_distractors_are_on_as_often_as_they_say_whatever_else_happens() -> None:
    n = 1_000_000
    chunk = PUBLISHED.stream(seed=5).take(n)
    distractors = chunk.x[:, 7:].astype(np.float64)
    rate = 1 / (10 * np.arange(1, 6))
    spread = np.sqrt(rate * (1 - rate))
    assert np.all(np.abs(distractors.mean(axis=0) - rate) < 4.5 * spread / np.sqrt(n))

    scaled = (distractors - rate) / spread
    together = scaled.T @ scaled / n
    later = scaled[:-1].T @ scaled[1:] / n
    with_the_return = scaled.T @ (chunk.answer / chunk.answer.std()) / n
    off_diagonal = together[~np.eye(5, dtype=bool)]
    for correlation in (off_diagonal, later, with_the_return):
        assert np.abs(correlation).max() < 5 / np.sqrt(n)


@settings(max_examples=50, deadline=None)
@given(rate=st.floats(0.01, 1), n=st.integers(1, 200), seed=st.integers(0, 2**32))
def test_onsets_are_distinct_ascending_and_within_the_block(rate: float, n: int, seed: int) -> None:
    at = onsets(np.random.default_rng(seed), rate, n)
    assert np.all(np.diff(at) > 0)
    assert np.all((at >= 0) & (at < n))


def test_onsets_are_as_frequent_at_every_place() -> None:
    rng, n, rate, draws = np.random.default_rng(0), 40, 0.3, 20_000
    at = np.concatenate([onsets(rng, rate, n) for _ in range(draws)])
    for places in (1, 10):  # one by one, and ten neighbours together
        on = np.bincount(at // places) / (draws * places)
        assert len(on) == n // places
        assert np.abs(on - rate).max() < 4.5 * np.sqrt(rate * (1 - rate) / (draws * places))


def test_the_errors_are_the_published_ones() -> None:
    assert f"{PUBLISHED.zero_error():.4f}" == "0.0200"
    assert f"{PUBLISHED.best_error():.5f}" == "0.00168"


def enumerated_errors(world: World, chance: float) -> tuple[float, float]:
    """(zero, best), by going through every interval and every elapsed time of the definitions."""
    intervals = range(world.interval[0], world.interval[1] + 1)
    length = np.mean(intervals) + 1 + sum(world.pause) / 2
    zero = np.mean([sum(world.discount ** (2 * (i - t - 1)) for t in range(i)) for i in intervals])
    best = 0.0
    for elapsed in range(world.interval[1]):
        returns = [world.discount ** (i - elapsed - 1) for i in intervals if i > elapsed]
        best += len(returns) / len(intervals) * float(np.var(returns))
    return float(chance * zero / length), float(chance * best / length)


ranges = st.tuples(st.integers(1, 30), st.integers(0, 30)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@settings(max_examples=60, deadline=None)
@given(
    active=st.integers(1, 5),
    valid=st.integers(1, 5),
    interval=ranges,
    pause=ranges,
    discount=st.sampled_from([0.0, 0.3, 0.9, 0.999, 1.0]),
)
def test_the_errors_are_those_of_the_definition(
    active: int, valid: int, interval: tuple[int, int], pause: tuple[int, int], discount: float
) -> None:
    patterning = TracePatterning(5, active, min(valid, comb(5, active)), interval, pause, 0, discount)
    conditioning = TraceConditioning(interval, pause, 3, discount)
    for world, chance in ((patterning, patterning.valid / comb(5, active)), (conditioning, 1.0)):
        zero, best = enumerated_errors(world, chance)
        assert_allclose(world.zero_error(), zero, rtol=1e-12)
        assert_allclose(world.best_error(), best, rtol=1e-9, atol=1e-15)


def observer(world: World, seed: int, chunk: Chunk) -> NDArray[np.float64]:
    """The mean of the return given the time since the cue and whether the cue is valid."""
    shortest, longest = world.interval
    mean = np.zeros(longest + 1)  # [elapsed], while the US has not come
    for elapsed in range(longest):
        mean[elapsed] = np.mean(
            [world.discount ** (i - elapsed - 1) for i in range(max(shortest, elapsed + 1), longest + 1)]
        )
    cue, t = cue_events(world, chunk), np.arange(len(chunk.x))
    trial = np.searchsorted(cue, t, side="right") - 1
    valid = is_valid(world, seed, chunk.x[cue, : bits(world)])[trial]
    us_seen = np.cumsum(chunk.target)
    us_before_cue = (us_seen - chunk.target)[cue][trial]
    pending = valid & (us_seen == us_before_cue)
    return np.where(pending, mean[np.minimum(t - cue[trial], longest)], 0.0)


@each_world
def test_the_errors_are_those_of_an_observer_in_a_long_stream(world: World) -> None:
    n = 1_500_000
    chunk = world.stream(seed=6).take(n)
    cue = cue_events(world, chunk)
    for prediction, expected in (
        (observer(world, 6, chunk), world.best_error()),
        (np.zeros(n), world.zero_error()),
    ):
        whole_trials = np.add.reduceat((prediction - chunk.answer) ** 2, cue)[:-1]
        lengths = np.diff(cue)
        error = whole_trials.sum() / lengths.sum()
        standard_error = np.std(whole_trials - error * lengths) / lengths.mean() / np.sqrt(len(lengths))
        assert standard_error < 0.02 * expected
        assert abs(error - expected) < 4 * standard_error


@pytest.mark.parametrize("world_class", [TracePatterning, TraceConditioning])
@pytest.mark.parametrize(
    ("argument", "value", "expected", "got"),
    [
        ("interval", (0, 5), "a whole number of at least 1", 0),
        ("interval", (1.0, 6), "a whole number of at least 1", 1.0),
        ("interval", (7, 6), "the shortest first, then the longest", (7, 6)),
        ("interval", (5,), "a tuple (shortest, longest)", (5,)),
        ("interval", 5, "a tuple (shortest, longest)", 5),
        ("pause", (-1, 5), "a whole number of at least 0", -1),
        ("pause", (0, None), "a whole number of at least 0", None),
        ("pause", (True, 5), "a whole number of at least 0", True),
        ("pause", [0, 5], "a tuple (shortest, longest)", [0, 5]),
        ("distractors", -1, "a whole number of at least 0", -1),
        ("distractors", 1.0, "a whole number of at least 0", 1.0),
        ("discount", -0.1, "a number from 0 to 1", -0.1),
        ("discount", 1.01, "a number from 0 to 1", 1.01),
        ("discount", float("nan"), "a number from 0 to 1", float("nan")),
        ("discount", "0.9", "a number from 0 to 1", "0.9"),
        ("discount", True, "a number from 0 to 1", True),
    ],
)
def test_bad_timing_is_refused(
    world_class: type[World], argument: str, value: object, expected: str, got: object
) -> None:
    with pytest.raises(BadInput) as caught:
        world_class(**{argument: value})  # type: ignore[arg-type]
    assert caught.value.argument == argument
    assert (caught.value.expected, caught.value.got) == (expected, repr(got))


@pytest.mark.parametrize(
    ("settings", "argument"),
    [
        ({"cues": 0}, "cues"),
        ({"cues": 6.0}, "cues"),
        ({"cues": 40, "active": 20}, "cues"),
        ({"active": 0}, "active"),
        ({"active": 7}, "active"),
        ({"valid": 0}, "valid"),
        ({"valid": 21}, "valid"),
        ({"valid": None}, "valid"),
        ({"redrawn": 0}, "redrawn"),
        ({"redrawn": 1e6}, "redrawn"),
    ],
)
def test_bad_patterns_are_refused(settings: dict[str, int], argument: str) -> None:
    with pytest.raises(BadInput) as caught:
        TracePatterning(**settings)  # type: ignore[arg-type]
    assert caught.value.argument == argument
