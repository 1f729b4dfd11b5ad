"""Where the demo's step size comes from: each learner with four of them, on seeds that the demo doesn't use.

Prints each one's mean squared error over the second half of six million events, and each seed's over the
last million. Takes some ten minutes on two cores.

    python benchmarks/demo_settings.py
"""

from concurrent.futures import ThreadPoolExecutor

import jax
import jax.numpy as jnp
import numpy as np

from colonnade import Event, Online, TracePatterning
from colonnade.cli.demo.contenders import columnar, dense

STEP_SIZES = (1e-3, 5e-4, 3e-4, 1e-4)
SEEDS = (11, 12, 13, 14)
EVENTS, BLOCK = 6_000_000, 250_000


def errors(learner: Online) -> np.ndarray:
    """Mean squared error to the true return, (blocks, seeds); the seeds learn side by side."""
    streams = [TracePatterning().stream(seed) for seed in SEEDS]
    example = Event(jnp.zeros(12), jnp.zeros(1))
    keys = jnp.stack([jax.random.key(seed) for seed in SEEDS])
    carries = jax.vmap(lambda key: learner.init(key, example))(keys)
    learn = jax.jit(jax.vmap(lambda carry, events: jax.lax.scan(learner.step, carry, events)))
    found = []
    for _ in range(EVENTS // BLOCK):
        chunks = [stream.take(BLOCK) for stream in streams]
        x, target, answer = (np.stack([getattr(c, n) for c in chunks]) for n in ("x", "target", "answer"))
        carries, outcome = learn(carries, Event(jnp.asarray(x), jnp.asarray(target[..., None])))
        found.append(np.mean((np.asarray(outcome.prediction)[..., 0] - answer) ** 2, axis=1))
    return np.array(found)


def main() -> None:
    """Try them all, two at a time."""
    learners = {f"14 columns, step size {size:g}": columnar(14, size) for size in STEP_SIZES}
    learners |= {f"T-BPTT(8), 5 units, step size {size:g}": dense(8, 5, size) for size in STEP_SIZES}
    with ThreadPoolExecutor(2) as pool:
        for name, found in zip(learners, pool.map(errors, learners.values()), strict=True):
            half, last = found[len(found) // 2 :].mean(), found[-1_000_000 // BLOCK :].mean(axis=0)
            print(f"{name:<40}{half:.4f}   ", " ".join(f"{error:.4f}" for error in last), flush=True)


if __name__ == "__main__":
    main()
