"""Where the demo's settings come from: eight of each learner's, in worlds that the demo doesn't show.

T-BPTT with two step sizes, with and without running normalisation of its features, and with both of the
published settings whose cost is nearest to CCN's and no less. CCN with two step sizes and four lengths of a
stage. Prints each one's mean squared error over the second half of twelve million events, then each world's
over the last million. Takes a quarter of an hour of one core.

    python benchmarks/demo_settings.py
"""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from colonnade import TDPredictor, TracePatterning
from colonnade.cli.demo.contenders import DENSE, STAGED, Prepared, dense, staged

SEEDS = (11, 12, 13, 14, 15, 16)
EVENTS, BLOCK = 12_000_000, 50_000
TRUNCATIONS, DENSE_STEPS = (15, 10), (1e-4, 3e-4)
STAGE_STEPS, STAGED_STEPS = (1_000_000, 1_500_000, 2_000_000, 3_000_000), (5e-4, 1e-3)


def candidates() -> Iterator[tuple[str, Prepared]]:
    """Everything that is tried, with its name."""
    for truncation in TRUNCATIONS:
        for normalised in (False, True):
            for size in DENSE_STEPS:
                features = "features normalised" if normalised else "features as they are"
                name = f"T-BPTT({truncation}), {features}, step size {size:g}"
                settings = {**DENSE, "step_size": size, "normalise_features": normalised}
                yield name, dense(truncation, SEEDS, settings)
    for stage_steps in STAGE_STEPS:
        for size in STAGED_STEPS:
            name = f"CCN, {stage_steps:,} events a stage, step size {size:g}"
            yield name, staged(SEEDS, stage_steps, {**STAGED, "step_size": size})


def errors(learner: TDPredictor, seed: int) -> list[float]:
    """Mean squared error to the true return, block by block."""
    stream, found = TracePatterning().stream(seed), []
    for _ in range(EVENTS // BLOCK):
        chunk = stream.take(BLOCK)
        found.append(float(np.mean((learner.run(chunk.x, chunk.target) - chunk.answer) ** 2)))
    return found


def main() -> None:
    """Try them all, the worlds side by side."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, prepared in candidates():
            found = np.array(list(pool.map(errors, prepared.learners, SEEDS)))
            half, last = found[:, found.shape[1] // 2 :].mean(), found[:, -1_000_000 // BLOCK :].mean(axis=1)
            print(f"{name:<56}{half:.4f}   ", " ".join(f"{error:.4f}" for error in last), flush=True)


if __name__ == "__main__":
    main()
