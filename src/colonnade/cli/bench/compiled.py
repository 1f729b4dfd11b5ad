"""C sources of `benchmarks/`, built when they are needed: the compiler that measures is the machine's own."""

import ctypes
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import colonnade
from colonnade.cli.bench.measuring import NotMeasured

FLAGS = ("-std=gnu11", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math")
"""The engine's own, but for the language."""

FOR_THIS_MACHINE = ("-march=native", "-fopenmp-simd", "-shared", "-fPIC")
"""What the engine does by function multiversioning and by hand."""


def folder() -> Path:
    """Where a checkout has its benchmarks; beside an installed package there are none."""
    return Path(colonnade.__file__).parents[2] / "benchmarks"


@cache
def build(name: str, *more: str) -> ctypes.CDLL:
    """Compile a source of `benchmarks/` and load it; ``more`` flags come last."""
    source = folder() / name
    if not source.is_file():
        raise NotMeasured(f"benchmarks/{name} is only in a checkout: run it there")
    compiler = shutil.which("cc")
    if compiler is None:
        raise NotMeasured("there is no C compiler called cc: install gcc or clang")
    with tempfile.TemporaryDirectory() as out:
        library = Path(out, "built.so")
        command = [compiler, *FLAGS, *FOR_THIS_MACHINE, *more, str(source), "-o", str(library), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            said = (done.stderr.strip() or f"cc left with {done.returncode}").splitlines()[0]
            raise NotMeasured(f"cc cannot compile benchmarks/{name}: {said}")
        return ctypes.CDLL(str(library))
