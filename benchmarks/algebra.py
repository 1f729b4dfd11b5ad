"""How fast the generic algebra is, beside a step fused by hand, in rounds that take turns.

Times are minima over rounds of one run, and what counts are their ratios: the machine may be busy.

    python benchmarks/algebra.py [--json FILE]
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import fused_columns
import jax
import jax.numpy as jnp
import optax

from colonnade import LSTM, TD, Columnar, Event, Online, independent, rtrl, tbptt

STEPS = 2_000  # a few milliseconds go undisturbed now and then, however busy the machine
ROUNDS = 70


def stream(inputs: int) -> tuple[jax.Array, jax.Array]:
    """Observations, and a cumulant that is rarely one."""
    key_x, key_c = jax.random.split(jax.random.key(1))
    cumulants = jax.random.bernoulli(key_c, 0.01, (STEPS,)).astype(jnp.float32)
    return jax.random.normal(key_x, (STEPS, inputs)), cumulants


def fused(inputs: int, columns: int) -> Callable[[], object]:
    """The columnar learner as one hand-fused step, in ``scan``."""
    xs, cumulants = stream(inputs)

    def move(carry, event):
        moved, head, prediction = fused_columns.step(*carry, *event)
        return (moved, head), prediction

    start = fused_columns.start(jax.random.key(0), columns, inputs)
    chunk = jax.jit(lambda: jax.lax.scan(move, start, (xs, cumulants)))
    return lambda: jax.block_until_ready(chunk())


def generic(learner: Online, inputs: int) -> Callable[[], object]:
    """A learner of the algebra, in ``scan``."""
    xs, cumulants = stream(inputs)
    events = Event(xs, cumulants[:, None])
    carry = learner.init(jax.random.key(0), Event(xs[0], cumulants[:1]))
    chunk = jax.jit(lambda carry, events: jax.lax.scan(learner.step, carry, events))
    return lambda: jax.block_until_ready(chunk(carry, events))


def columnar(columns: int) -> Online:
    """The same learner as the fused one."""
    return Online(Columnar(LSTM(1), columns), independent(rtrl()), TD(), optax.sgd(1e-3))


def contenders() -> dict[str, Callable[[], object]]:
    """What is measured, by name; of each pair the fused one comes first."""
    runs: dict[str, Callable[[], object]] = {}
    for inputs, columns in ((12, 7), (275, 5), (12, 200)):
        runs[f"fused by hand ({inputs}, {columns})"] = fused(inputs, columns)
        runs[f"the algebra ({inputs}, {columns})"] = generic(columnar(columns), inputs)
    runs["T-BPTT(15), LSTM(4), 12 inputs"] = generic(Online(LSTM(4), tbptt(15), TD(), optax.sgd(1e-3)), 12)
    return runs


def measure(runs: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Nanoseconds a step of each, the least of several rounds that take turns."""
    best = dict.fromkeys(runs, float("inf"))
    for run in runs.values():
        run()
    for _ in range(ROUNDS):
        for name, run in runs.items():
            begin = time.perf_counter()
            run()
            best[name] = min(best[name], (time.perf_counter() - begin) / STEPS * 1e9)
    return best


def main() -> None:
    """Measure, print and perhaps write the numbers."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, help="write the numbers here too")
    arguments = parser.parse_args()
    best = measure(contenders())
    print(f"{'':<34}{'ns a step':>10}{'against fused':>15}")
    for name, nanoseconds in best.items():
        rival = best.get(name.replace("the algebra", "fused by hand"))
        ratio = f"{nanoseconds / rival:.2f}" if rival and name.startswith("the algebra") else ""
        print(f"{name:<34}{nanoseconds:>10.0f}{ratio:>15}")
    if arguments.json:
        arguments.json.write_text(json.dumps(best, indent=1) + "\n")


if __name__ == "__main__":
    main()
