"""The engine's headers need no library at all, so the same learner can go onto a microcontroller."""

import re

import pytest

from core.compiled import CORE, HERE, KIND, compiles, needed

FREESTANDING = ("-std=c++20", "-ffreestanding", "-fno-exceptions", "-fno-rtti", "-nostdlib", "-nostdinc")
SAME_BITS = ("-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math")
WARNINGS = ("-Wall", "-Wextra", "-Werror")
CORTEX_M4F = ("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16")
COMPILERS = {"c++": (), "arm-none-eabi-g++": CORTEX_M4F}
ALONE = [("Stages", "ONE", "RmsProp"), ("Dense", "NONE", "Adam"), ("Linear", "MANY", "Sgd")]
# What compilers may ask for wherever they are: to move memory, and to divide what the processor can't.
ALLOWED = {"memcpy", "memset", "memmove", "__aeabi_ldivmod", "_GLOBAL_OFFSET_TABLE_"}


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("header", sorted(path.name for path in CORE.glob("*.hpp")))
def test_header_compiles_freestanding(header, compiler):
    """The header alone, warnings being errors; with -nostdinc there is nothing else to include."""
    flags = (*FREESTANDING, *COMPILERS[compiler], *WARNINGS, "-fsyntax-only", "-x", "c++", "-")
    compiles(needed(compiler), *flags, input=f'#include "{header}"\n', cwd=CORE)


def compiled(compiler, level, source, only, folder):
    """Compile without a library; return the object's path."""
    kind = [f"-D{part}={value}" for part, value in zip(KIND, only, strict=False)]
    flags = (*FREESTANDING, *SAME_BITS, *WARNINGS, *COMPILERS[compiler], f"-I{CORE}", level)
    compiles(needed(compiler), *flags, *kind, "-c", source, "-o", folder / "engine.o")
    return folder / "engine.o"


def asked_for(nm, built):
    """Return the names that an object leaves to others."""
    return set(re.findall(r" U (\S+)", compiles(needed(nm), "-u", built)))


@pytest.mark.parametrize("only", ALONE, ids=" ".join)
def test_a_learner_asks_for_no_library(only, tmp_path):
    assert asked_for("nm", compiled("c++", "-O1", HERE / "one.cpp", only, tmp_path)) <= ALLOWED


@pytest.mark.soak
def test_all_learners_ask_for_no_library(tmp_path):
    assert asked_for("nm", compiled("c++", "-O3", CORE / "engine.cpp", (), tmp_path)) <= ALLOWED


@pytest.mark.parametrize("only", ALONE, ids=" ".join)
def test_a_learner_for_a_microcontroller(only, tmp_path, record_property):
    built = compiled("arm-none-eabi-g++", "-Os", HERE / "one.cpp", only, tmp_path)
    assert asked_for("arm-none-eabi-nm", built) <= ALLOWED
    text, data, bss = compiles(needed("arm-none-eabi-size"), built).split("\n")[1].split()[:3]
    assert (int(data), int(bss)) == (0, 0)
    # Numbers below float's normal range are 0 there, too.
    assert "vmsr\tfpscr" in compiles(needed("arm-none-eabi-objdump"), "-d", built)
    record_property("size", f"{' '.join(only)}: {int(text):,} bytes of code")
