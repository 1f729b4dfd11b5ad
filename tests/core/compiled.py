"""The engine without Python: compiled by any compiler, and told what a learner in Python is told."""

import functools
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
CORE = HERE.parents[1] / "core"
FLAGS = ("-std=c++20", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", f"-I{CORE}")
ENGINE_FLAGS = ("-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra", "-Werror")
INSTRUCTION_SETS = {
    "portable": (),
    "avx2": ("-mavx2",),
    "avx512": ("-mavx512f", "-mavx512vl", "-mavx512bw", "-mavx512dq", "-mprefer-vector-width=512"),
}
WIRINGS = {"columns": 0, "dense": 1, "linear": 2}
TASKS = {"TDPredictor": 0, "Regressor": 1, "Classifier": 2}
RULES = {"sgd": 0, "rmsprop": 1, "adam": 2}
MOST_STAGES = 64
KIND = ("NETWORK", "TRACES", "OPTIMIZER")


def needed(compiler):
    """Return a compiler's path, or skip the test with a reason."""
    path = shutil.which(compiler)
    if path is None:
        pytest.skip(f"there is no {compiler} on this machine")
    return path


def compiles(*command, **more):
    """Run a compiler, and show what it says if it fails."""
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=3000, **more
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@functools.cache
def folder():
    """A folder for what is compiled, which goes with the process."""
    kept = tempfile.TemporaryDirectory(prefix="colonnade-compiled-")
    folder.kept = kept
    return Path(kept.name)


@functools.cache
def program(compiler, flags, only=None):
    """Compile a program that can be any learner; or one kind only, (network, traces, optimizer)."""
    name = "-".join([Path(compiler).name, *flags, *(only or ())])
    kind = [f"-D{part}={value}" for part, value in zip(KIND, only or (), strict=False)]
    source = HERE / "one.cpp" if only else CORE / "engine.cpp"
    engine, driver = folder() / f"{name}.o", folder() / name
    compiles(compiler, *flags, *FLAGS, *ENGINE_FLAGS, *kind, "-c", source, "-o", engine)
    compiles(compiler, *flags, *FLAGS, "-static", HERE / "stream.cpp", engine, "-o", driver)
    return driver


def tell(learner, chunk):
    """Say everything of a learner that has seen nothing yet, and of a chunk, in the order of stream.cpp."""
    told, optimizer = learner.settings, learner.settings["optimizer"].engine()
    network = {"columns": (), "stage_steps": 1, "turns": False, "units": 0, "truncation": 0}
    network |= learner.network.engine()
    outputs = told.get("predictions") or told.get("outputs") or told["classes"]
    columns = (*network["columns"], *(0,) * MOST_STAGES)[:MOST_STAGES]
    whole = [
        chunk["x"].shape[1],
        told["normalise_inputs"],
        told["normalise_features"],
        WIRINGS[network["wiring"]],
    ]
    whole += [len(network["columns"]), *columns, network["turns"], network["units"], network["truncation"]]
    whole += [TASKS[type(learner).__name__], outputs, RULES[optimizer["rule"]]]
    numbers = [told["normalise_rate"], told["normalise_floor"], told["step_size"], optimizer["keep_first"]]
    numbers += [optimizer["keep_second"], optimizer["eps"], told["bound"] or 0.0]
    shares = [*told.get("discount", (0,) * outputs), *told.get("trace_decay", (0,) * outputs)]
    state = [array.ravel() for name, array in learner.state().items() if not name.startswith("progress")]
    parts = [np.int32(whole), np.int64(network["stage_steps"]), np.float32(numbers), np.float32(shares)]
    parts += [*state, np.int32(len(chunk["x"])), np.float32(chunk["x"])]
    parts += [np.float32(chunk["cumulant"]), np.float32(chunk["discount"])] if "cumulant" in chunk else []
    parts += [np.float32(chunk["y"]), chunk["known"]] if "y" in chunk else []
    return b"".join(np.ascontiguousarray(part).tobytes() for part in parts)


def heard(program, learner, chunk, emulator=()):
    """Let a program be this learner and take in a chunk; return, as bytes, what it predicts and is then."""
    done = subprocess.run([*emulator, program], input=tell(learner, chunk), capture_output=True, timeout=3000)
    assert done.returncode == 0, done.stderr
    return done.stdout


def mine(learner, chunk):
    """Return the same of the learner itself."""
    predictions, state = learner.run(**chunk), learner.state()
    assert all(np.isfinite(array).all() for array in (predictions, *state.values()))
    arrays = [array.tobytes() for name, array in state.items() if not name.startswith("progress")]
    return predictions.tobytes() + b"".join(arrays)
