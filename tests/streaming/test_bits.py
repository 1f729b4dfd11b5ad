"""The same seed and events give the same bits: on every instruction set, and however a stream is cut."""

import hashlib
import random

import numpy as np
import pytest

from streaming.made import INPUTS, KINDS, NETWORKS, OPTIMIZERS, bits, made, same_bits, stream
from streaming.processes import in_a_process

EVENTS = 260  # past the last change of stages
VARIANTS = {
    "": {},
    "bound": {"bound": 0.5},
    "as they are": {"normalise_inputs": False, "normalise_features": False},
}
ALL = [(network, kind, optimizer) for network in NETWORKS for kind in KINDS for optimizer in OPTIMIZERS]


def told(kind, events, seed=0):
    """Everything that `run` can be told of a chunk; so long is it quiet that traces fade below all floats."""
    x, target = stream(kind, events, seed)
    x[events // 4 : events * 3 // 4] = 0.0
    rng = np.random.default_rng(seed + 1)
    if KINDS[kind].target == "y":
        return {"x": x, "y": target, "known": rng.random(events) < 0.8}
    return {"x": x, "cumulant": target, "discount": rng.choice(np.float32([0.0, 0.5, 0.9]), np.shape(target))}


def some(chunk, start, end):
    return {name: values[start:end] for name, values in chunk.items()}


def digest_of(learner, *predictions):
    """Hash what was predicted and everything that the learner is, and say whether all of it is finite."""
    state = learner.state()
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(p).tobytes() for p in predictions))
    for name, array in state.items():
        digest.update(name.encode() + array.tobytes())
    finite = all(np.isfinite(array).all() for array in (*predictions, *state.values()))
    return f"{digest.hexdigest()} {'finite' if finite else 'not finite'}"


def digests(events):
    """Let every sort of learner learn, in two episodes; return a line for each."""
    lines = []
    for network, kind, optimizer in ALL:
        for words, settings in VARIANTS.items():
            learner, chunk = made(network, kind, optimizer, **settings), told(kind, events)
            first = learner.run(**some(chunk, 0, events // 3))
            learner.reset()
            rest = learner.run(**some(chunk, events // 3, events))
            lines.append(f"{network}, {kind}, {optimizer}, {words}: {digest_of(learner, first, rest)}")
    return lines


def digests_on(instruction_set, events):
    """The same in a process that uses this instruction set; skip where the processor hasn't got it."""
    script = f"""
import os
from colonnade import BadInput
from colonnade._engine import instruction_set
try:
    print(instruction_set())
except BadInput as line:
    print("none:", line)
else:
    from streaming.test_bits import digests
    print(*digests({events}), sep="\\n")
"""
    used, *lines = in_a_process(script, COLONNADE_ISA=instruction_set, timeout=3000).splitlines()
    if used.startswith("none"):
        pytest.skip(f"this processor has no {instruction_set}")
    assert used == instruction_set
    return lines


def same_lines(lines, others):
    assert len(lines) == len(ALL) * len(VARIANTS)
    assert [line for line in lines if not line.endswith(" finite")] == []
    assert [line for line, other in zip(lines, others, strict=True) if line != other] == []


@pytest.fixture(scope="module")
def mine():
    """What comes out on the instruction set that is used here."""
    return digests(EVENTS)


@pytest.mark.parametrize("instruction_set", ["portable", "avx2", "avx512"])
def test_the_same_bits_on_every_instruction_set(instruction_set, mine, record_property):
    same_lines(digests_on(instruction_set, EVENTS), mine)
    record_property("bits", f"{instruction_set}: {len(mine)} sorts of learner, {EVENTS} events each")


@pytest.mark.soak
def test_the_same_bits_on_every_instruction_set_for_long(record_property):
    events, there = 20_000, []
    for instruction_set in ("avx512", "avx2"):
        try:
            there.append(digests_on(instruction_set, events))
        except pytest.skip.Exception:
            continue
    for lines in there:
        same_lines(digests_on("portable", events), lines)
    record_property(
        "bits", f"{len(there) + 1} instruction sets: {len(ALL)} sorts of learner, {events} events each"
    )


def one_by_one(learner, chunk, start, end):
    """Take events in singly, as a user would who has them one at a time."""
    predictions = []
    for t in range(start, end):
        event = {name: values[t] for name, values in chunk.items()}
        if not event.pop("known", True):
            event["y"] = None
        predictions.append(learner.step(**event))
    return np.array(predictions, np.float32)


@pytest.mark.parametrize(("network", "kind", "optimizer"), ALL)
def test_however_a_stream_is_cut_and_looked_at(network, kind, optimizer):
    settings = VARIANTS["bound"] if optimizer == "SGD" else {}
    whole, cut = (made(network, kind, optimizer, **settings) for _ in range(2))
    chunk, draw = told(kind, EVENTS), random.Random(f"{network} {kind}")
    predictions, start = [], 0
    while start < EVENTS:
        end = min(EVENTS, start + draw.choice([0, 1, 1, 2, 7, 40]))
        take = draw.choice(
            [lambda a, b: cut.run(**some(chunk, a, b)), lambda a, b: one_by_one(cut, chunk, a, b)]
        )
        predictions.append(take(start, end))
        draw.choice([cut.state, lambda: cut.predict([0.5] * INPUTS), cut.parameters, lambda: None])()
        start = end
    together = whole.run(**chunk)
    assert np.concatenate([p.reshape(-1) for p in predictions]).tobytes() == together.tobytes()
    same_bits(whole, cut)


@pytest.mark.parametrize(("network", "kind", "optimizer"), ALL)
def test_what_has_gone_on_can_go_back(network, kind, optimizer):
    """A state set in a learner that has been further: nothing of the further one is left."""
    learner, chunk = made(network, kind, optimizer, bound=0.5), told(kind, 2 * EVENTS)
    learner.run(**some(chunk, 0, 40))
    before, lives = learner.state(), []
    for _ in range(2):
        learner.set_state(before)
        soon = digest_of(learner, learner.run(**some(chunk, 40, 50)))
        lives.append((soon, digest_of(learner, learner.run(**some(chunk, 50, 2 * EVENTS)))))
    assert lives[0] == lives[1]


@pytest.mark.parametrize("network", NETWORKS)
def test_seeds_make_the_difference(network):
    one, same, other = (made(network, "a number", seed=seed) for seed in (1, 1, 2))
    same_bits(one, same)
    assert one.predict([0.5] * INPUTS) == 0.0
    assert any(bits(one)[name] != bits(other)[name] for name in one.parameters())
