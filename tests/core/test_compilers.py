"""Any compiler, optimization, instruction set and processor gives the bits that the Python module gives."""

import pytest

from colonnade._engine import instruction_set
from core.compiled import INSTRUCTION_SETS, heard, mine, needed, program
from streaming.made import KINDS, NETWORKS, OPTIMIZERS, made
from streaming.test_bits import ALL, EVENTS, VARIANTS, told

# A compiler and a level, a kind of learner as it is called in C++, and as it is called in the tables.
ALONE = [
    ("g++", "-O2", ("Stages", "ONE", "RmsProp"), ("ccn", "a return", "RMSProp")),
    ("clang++", "-O1", ("Stages", "ONE", "RmsProp"), ("uneven stages", "a return", "RMSProp")),
    ("clang++", "-O1", ("Dense", "NONE", "Adam"), ("dense LSTM", "classes", "Adam")),
    ("clang++", "-O1", ("Linear", "MANY", "Sgd"), ("online LRU", "returns", "SGD")),
]
BETTER = {"portable": 0, "avx2": 1, "avx512": 2}
ARM = {
    "aarch64-linux-gnu-g++": ("qemu-aarch64", ()),
    "arm-linux-gnueabihf-g++": ("qemu-arm", ("-mcpu=cortex-a7", "-mfpu=neon-vfpv4")),
}


def same(there, names, events, settings, emulator=()):
    """Fail unless a program does what a learner does, to the bit."""
    network, kind, optimizer = names
    learner, twin = (made(network, kind, optimizer, **settings) for _ in range(2))
    chunk = told(kind, events)
    assert heard(there, learner, chunk, emulator) == mine(twin, chunk), (names, settings)


@pytest.mark.parametrize(("compiler", "optimization", "only", "names"), ALONE)
def test_one_kind_alone_has_the_same_bits(compiler, optimization, only, names, record_property):
    there = program(needed(compiler), (optimization,), only=only)
    for settings in VARIANTS.values():
        same(there, names, EVENTS, settings)
    record_property("bits", f"{compiler} {optimization}: {', '.join(names)}, {EVENTS} events")


@pytest.mark.soak
@pytest.mark.parametrize("isa", INSTRUCTION_SETS)
@pytest.mark.parametrize("optimization", ["-O1", "-O3"])
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_every_learner_has_the_same_bits(compiler, optimization, isa, record_property):
    if BETTER[isa] > BETTER[instruction_set()]:
        pytest.skip(f"this processor has no {isa}, or COLONNADE_ISA names a lesser one")
    there = program(needed(compiler), (optimization, *INSTRUCTION_SETS[isa]))
    for names in ALL:
        for settings in VARIANTS.values():
            same(there, names, 2000, settings)
    record_property(
        "bits", f"{compiler} {optimization} {isa}: {len(ALL) * len(VARIANTS)} sorts, 2,000 events each"
    )


@pytest.mark.soak
@pytest.mark.parametrize("isa", ["portable", "avx512"])
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_long_streams_have_the_same_bits(compiler, isa, record_property):
    if BETTER[isa] > BETTER[instruction_set()]:
        pytest.skip(f"this processor has no {isa}, or COLONNADE_ISA names a lesser one")
    there = program(needed(compiler), ("-O3", *INSTRUCTION_SETS[isa]))
    for i, network in enumerate(NETWORKS):
        for j, kind in enumerate(KINDS):
            optimizer = tuple(OPTIMIZERS)[(i + j) % 3]
            same(there, (network, kind, optimizer), 600_000, {"step_size": 1e-3})  # none diverges
    sorts = len(NETWORKS) * len(KINDS)
    record_property("bits", f"{compiler} -O3 {isa}: {sorts} sorts of learner, 600,000 events each")


@pytest.mark.soak
@pytest.mark.parametrize("compiler", ARM)
def test_arm_processors_have_the_same_bits(compiler, record_property):
    emulator, flags = ARM[compiler]
    emulator, there = needed(emulator), program(needed(compiler), ("-O2", *flags))
    for names in ALL:
        for settings in VARIANTS.values():
            same(there, names, 600, settings, (emulator,))
    record_property(
        "bits", f"{compiler} -O2, emulated: {len(ALL) * len(VARIANTS)} sorts of learner, 600 events each"
    )
