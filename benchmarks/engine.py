"""How fast the compiled engine is, beside the JAX algebra on the same network, in rounds that take turns.

Both have normalised inputs and features, exact RTRL, TD(λ) and RMSProp. Times are minima over rounds.

    python benchmarks/engine.py
"""

import time
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from colonnade import (
    LSTM,
    TD,
    Columnar,
    Event,
    Normalise,
    Online,
    Stacked,
    TDPredictor,
    apart,
    columnar,
    frozen,
    independent,
    layered,
    rmsprop,
    rtrl,
)

ROUNDS = 7
SHAPES = ((12, 7, 20_000), (12, 20, 20_000), (275, 5, 5_000), (275, 100, 1_000))


def events(inputs: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Observations, and a cumulant that is rarely one."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(count, inputs)).astype(np.float32), (rng.random(count) < 0.01).astype(np.float32)


def engine(inputs: int, columns: int, count: int) -> Callable[[], object]:
    """A chunk through the engine."""
    x, cumulant = events(inputs, count)
    learner = TDPredictor(columnar(columns), inputs, step_size=1e-3)
    return lambda: learner.run(x, cumulant)


def algebra(inputs: int, columns: int, count: int) -> Callable[[], object]:
    """The same through the algebra, in ``scan``."""
    x, cumulant = events(inputs, count)
    learner = Online(
        Stacked((Normalise(), Columnar(LSTM(1, scale=0.01), columns), Normalise())),
        layered((frozen(), independent(rtrl()), frozen())),
        TD(0.9, 0.9),
        apart(cell=rmsprop(1e-3), readout=rmsprop(1e-3 / columns)),
    )
    carry = learner.init(jax.random.key(0), Event(x[0], cumulant[:1]))
    chunk = Event(jnp.asarray(x), jnp.asarray(cumulant[:, None]))
    run = jax.jit(lambda carry, chunk: jax.lax.scan(learner.step, carry, chunk))
    return lambda: jax.block_until_ready(run(carry, chunk))


def main() -> None:
    """Measure and print."""
    print(f"{'inputs, columns':<20}{'engine, ns':>12}{'algebra, ns':>14}{'times faster':>14}")
    for inputs, columns, count in SHAPES:
        rivals = [engine(inputs, columns, count), algebra(inputs, columns, count)]
        best = [float("inf")] * 2
        for _ in range(ROUNDS):
            for i, rival in enumerate(rivals):
                begin = time.perf_counter()
                rival()
                best[i] = min(best[i], (time.perf_counter() - begin) / count * 1e9)
        print(f"{f'{inputs}, {columns}':<20}{best[0]:>12.0f}{best[1]:>14.0f}{best[1] / best[0]:>14.1f}")


if __name__ == "__main__":
    main()
