"""What every world promises of its streams."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from colonnade.errors import BadInput
from colonnade.worlds import (
    Chunk,
    CopyTask,
    LatchedProduct,
    RandomTeacher,
    TraceConditioning,
    TracePatterning,
    World,
)
from colonnade.worlds.blocks import BlockStream

# At settings whose streams run through several blocks in a short test.
WORLDS: list[World] = [
    TracePatterning(),
    TracePatterning(cues=4, active=2, valid=3, interval=(1, 9), pause=(0, 4), distractors=0, discount=0.5),
    TracePatterning(redrawn=70_000),
    TraceConditioning(),
    TraceConditioning(interval=(5, 5), pause=(7, 7), distractors=2),
    CopyTask(),
    CopyTask(length=1, bits=1),
    RandomTeacher(inputs=2, units=3, outputs=2, episode=50),
    RandomTeacher(inputs=1, units=1, episode=5000),
    LatchedProduct(),
    LatchedProduct(rate=1e-4),
]
each_world = pytest.mark.parametrize("world", WORLDS, ids=repr)


def assert_same(one: Chunk, other: Chunk) -> None:
    for name, a, b in zip(Chunk._fields, one, other, strict=True):
        if a is None or b is None:
            assert a is b, name
        else:
            assert_array_equal(a, b, err_msg=name)


def cut(chunk: Chunk, start: int, stop: int) -> Chunk:
    return Chunk._make(None if part is None else part[start:stop] for part in chunk)


@each_world
def test_shapes_and_types(world: World) -> None:
    chunk = world.stream(seed=0).take(1001)
    assert chunk.x.shape == (1001, world.inputs)
    assert chunk.target.shape in ((1001, world.outputs), (1001,))
    assert chunk.target.ndim == 2 or world.outputs == 1
    assert chunk.answer.shape == chunk.target.shape
    assert chunk.x.dtype == chunk.target.dtype == chunk.answer.dtype == np.float32
    for flags in (chunk.first, chunk.given):
        assert flags is None or (flags.shape == (1001,) and flags.dtype == np.bool_)


@each_world
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**64), cuts=st.lists(st.integers(1, 149_999), max_size=6, unique=True))
def test_the_cuts_do_not_change_the_events(world: World, seed: int, cuts: list[int]) -> None:
    whole, stream = world.stream(seed).take(150_000), world.stream(seed)
    for start, stop in pairwise([0, *sorted(cuts), 150_000]):
        assert_same(stream.take(stop - start), cut(whole, start, stop))


@each_world
def test_one_event_at_a_time_gives_the_same_events(world: World) -> None:
    whole, stream = world.stream(seed=7).take(500), world.stream(seed=7)
    for i in range(500):
        assert_same(stream.take(1), cut(whole, i, i + 1))


@each_world
def test_seeds_give_different_events(world: World) -> None:
    chunks = [world.stream(seed).take(2000) for seed in (0, 1)]
    assert (chunks[0].x != chunks[1].x).any()


@each_world
def test_later_blocks_are_not_the_first_again(world: World) -> None:
    stream = world.stream(seed=0)
    early, _, late = stream.take(2000), stream.take(100_000), stream.take(2000)
    assert (early.x != late.x).any()


@each_world
def test_a_pickled_stream_goes_on_with_the_same_events(world: World) -> None:
    stream = world.stream(seed=3)
    stream.take(777)
    copy = pickle.loads(pickle.dumps(stream))
    assert_same(copy.take(100_000), stream.take(100_000))


@each_world
def test_what_was_taken_belongs_to_the_caller(world: World) -> None:
    stream, untouched = world.stream(seed=0), world.stream(seed=0)
    taken, _ = stream.take(100), untouched.take(100)
    taken.x[:], taken.target[:], taken.answer[:] = 9, 9, 9
    assert_same(stream.take(100), untouched.take(100))


@each_world
@pytest.mark.parametrize("n", [0, -1, 2.0, True, "3", None])
def test_take_refuses_what_is_not_a_number_of_events_and_loses_none(world: World, n: object) -> None:
    stream = world.stream(seed=0)
    with pytest.raises(BadInput, match="n: expected a whole number of at least 1"):
        stream.take(n)  # type: ignore[arg-type]
    assert_same(stream.take(10), world.stream(seed=0).take(10))


@each_world
@pytest.mark.parametrize("seed", [-1, 0.0, True, None, "0"])
def test_stream_refuses_what_is_not_a_seed(world: World, seed: object) -> None:
    with pytest.raises(BadInput, match="seed: expected a whole number of at least 0"):
        world.stream(seed)  # type: ignore[arg-type]


@each_world
def test_numpy_integers_are_whole_numbers(world: World) -> None:
    stream = world.stream(np.int64(5))  # type: ignore[arg-type]
    assert_same(stream.take(np.int32(10)), world.stream(5).take(10))  # type: ignore[arg-type]


@each_world
def test_worlds_are_frozen_and_compare_by_their_settings(world: World) -> None:
    copy = pickle.loads(pickle.dumps(world))
    assert copy == world
    assert hash(copy) == hash(world)
    with pytest.raises(AttributeError):
        copy.anything = 1


def test_a_stream_makes_no_block_before_it_is_needed_and_keeps_one() -> None:
    made: list[Chunk] = []

    def make() -> Chunk:
        numbers = np.arange(3, dtype=np.float32) + 3 * len(made)
        made.append(Chunk(numbers[:, None], numbers, numbers))
        return made[-1]

    stream = BlockStream(make)
    assert not made
    taken = [stream.take(n).target.tolist() for n in (2, 1, 4, 2)]
    assert taken == [[0, 1], [2], [3, 4, 5, 6], [7, 8]]
    assert len(made) == 3
