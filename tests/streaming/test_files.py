"""Learners as files, pickles and copies: they go on with the same bits, or are refused with a clear line."""

import copy
import io
import pickle
import random

import numpy as np
import pytest

import colonnade as c
from colonnade import BadInput, Regressor, TDPredictor, columnar
from colonnade.streaming.restore import restore
from streaming.forged import changed, forged, forgeries, parts, small
from streaming.made import KINDS, NETWORKS, OPTIMIZERS, bits, made, same_bits, stream

FORMAT = b"colonnade learner 1"


def saved_and_loaded(learner, folder):
    learner.save(folder / "it.learner")
    return c.load(folder / "it.learner")


WAYS = {
    "file": saved_and_loaded,
    "file of its kind": lambda learner, folder: (
        learner.save(folder / "it.learner") or type(learner).load(str(folder / "it.learner"))
    ),
    "pickle": lambda learner, _: pickle.loads(pickle.dumps(learner)),
    "old pickle": lambda learner, _: pickle.loads(pickle.dumps(learner, protocol=0)),
    "copy": lambda learner, _: copy.copy(learner),
    "deepcopy": lambda learner, _: copy.deepcopy([learner])[0],
}


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("network", NETWORKS)
def test_it_goes_on_as_if_it_had_never_stopped(network, kind, optimizer, tmp_path):
    never, stopped = (made(network, kind, optimizer) for _ in range(2))
    x, target = stream(kind, 200)
    for one in (never, stopped):
        one.run(x[:60], target[:60])
    copies = [stopped, *(way(stopped, tmp_path) for way in WAYS.values())]
    expected = never.run(x[60:], target[60:])
    for one in copies:
        assert one is stopped or (repr(one) == repr(stopped) and one.settings == stopped.settings)
        assert one.run(x[60:], target[60:]).tobytes() == expected.tobytes()
        same_bits(one, never)


def test_everything_that_can_be_said_of_a_learner_is_kept(tmp_path):
    names = ["load", "hour \N{DEGREE SIGN} \ud800", '"}\\', "0" * 64, '"digest":"' + "0" * 64]
    learner = TDPredictor(
        c.Plan((2, 3), stage_steps=50),
        names,
        predictions=2,
        discount=[0.5, 0.25],
        trace_decay=1,
        step_size=0.125,
        optimizer=c.Adam(0.5, 0.75, eps=1e-3),
        bound=2,
        normalise_inputs=False,
        normalise_rate=0.5,
        normalise_floor=0.25,
        seed=2**128 - 1,
    )
    learner.reset()
    again = saved_and_loaded(learner, tmp_path)
    assert type(again) is TDPredictor and again.inputs == tuple(names) and again.settings == learner.settings
    same_bits(learner, again)
    again.step(dict.fromkeys(names, 1.0), [0.0, 1.0])


def test_pickles_and_files_are_of_one_format(tmp_path):
    learner = small()
    learner.save(tmp_path / "it")
    content = (tmp_path / "it").read_bytes()
    unpickle, (kind, packed) = learner.__reduce__()
    assert len(packed) == len(content) and FORMAT in pickle.dumps(learner)
    same_bits(unpickle(kind, content), learner)
    (tmp_path / "it").write_bytes(packed)
    same_bits(c.load(tmp_path / "it"), learner)


def test_another_kind_is_not_loaded(tmp_path):
    small().save(tmp_path / "it")
    with pytest.raises(BadInput, match=r"it: expected a TDPredictor, got a Regressor$"):
        TDPredictor.load(tmp_path / "it")


def test_what_diverged_or_has_more_to_it_is_not_saved(tmp_path):
    class Mine(Regressor):
        pass

    diverged = Regressor(columnar(2), 1, step_size=1e15, optimizer=c.SGD(), normalise_features=False)
    diverged.run(np.ones((200, 1)), np.full(200, 1e15))
    for learner, line in (
        (diverged, "learner: expected finite numbers, got others in "),
        (Mine(columnar(2), 1), "learner: expected one of Colonnade's own kinds: "),
        (Regressor(columnar(1), ["a" * 2**22]), "inputs: expected names that fit into 4194304 bytes"),
    ):
        for way in WAYS.values():
            with pytest.raises(BadInput) as caught:
                way(learner, tmp_path)
            assert str(caught.value).startswith(line)
    assert list(tmp_path.iterdir()) == []


# ---- what is damaged ----


@pytest.fixture
def file(tmp_path):
    return tmp_path / "sensor.learner"


def refused(file, content):
    """Whether a file of this content is refused, in a line that names it."""
    file.write_bytes(content)
    return named_and_refused(file, lambda: c.load(file))


def refused_unwritten(file, content):
    """The same of the bytes of a file that isn't written: where there are very many of them."""
    return named_and_refused(file, lambda: restore(content, str(file)))


def named_and_refused(file, load):
    try:
        load()
    except BadInput as line:
        assert str(line).startswith(f"{file}: expected ") and "\n" not in str(line) and len(str(line)) < 500
        return True
    return False


def test_files_cut_short_at_any_length(file):
    content = small()._packed()
    assert not refused(file, content) and not refused_unwritten(file, content)
    assert [length for length in range(len(content)) if not refused_unwritten(file, content[:length])] == []
    assert [length for length in range(0, len(content), 29) if not refused(file, content[:length])] == []
    assert refused(file, content + b"\0")


def test_any_byte_that_has_changed(file):
    content, draw = small()._packed(), random.Random(0)
    missed = []
    for place in range(len(content)):
        for flip in (1, 0x80, draw.randrange(2, 0x80), content[place] ^ ord(" "), content[place] ^ ord("\t")):
            damaged = content[:place] + bytes([content[place] ^ flip]) + content[place + 1 :]
            if flip and not refused_unwritten(file, damaged):
                missed.append((place, flip))
    assert missed == []


def test_bytes_moved_dropped_and_put_in(file):
    content, draw = small()._packed(), random.Random(1)
    for _ in range(500):
        a, b = sorted(draw.sample(range(len(content)), 2))
        some = draw.randbytes(draw.randrange(1, 9))
        assert refused_unwritten(file, content[:a] + content[b:])
        assert refused_unwritten(file, content[:a] + some + content[a:])
        swapped = content[:a] + content[b:] + content[a:b]
        assert swapped == content or refused_unwritten(file, swapped)


FORGERIES = dict(sorted(forgeries()))  # the same order in every worker: an unpacked file has none


@pytest.mark.parametrize("name", FORGERIES)
def test_forgeries_with_the_digest_that_they_should_have(name, file):
    assert refused(file, FORGERIES[name])


def test_a_forger_who_forges_nothing_succeeds(file):
    """So that it is what was forged that is refused above; another version of the library is none of it."""
    _, spec, arrays = parts(small()._packed())
    file.write_bytes(forged(spec, arrays, version="2.0.0"))
    same_bits(c.load(file), small())
    file.write_bytes(forged(changed(spec, ("network", "columns"), [1]), arrays))
    same_bits(c.load(file), small())


def other_files():
    archive = io.BytesIO()
    np.savez(archive, **small().state())
    return {
        "nothing": b"",
        "a byte": b"\0",
        "a pickle": pickle.dumps(small()),
        "an archive of NumPy's": archive.getvalue(),
        "a text": b"import os; os.system('true')\n" * 100,
        "zeros": b"\0" * 4096,
        "ones": b"\xff" * 4096,
    }


@pytest.mark.parametrize("name", other_files())
def test_other_files(name, file):
    assert refused(file, other_files()[name])


def test_a_learner_goes_on_after_others_were_refused(file):
    learner, twin = small(), small()
    for content in list(FORGERIES.values())[::7]:
        refused(file, content)
    assert learner.step([0.5], 1.0) == twin.step([0.5], 1.0)
    assert bits(learner) == bits(twin)
