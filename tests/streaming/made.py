"""Small learners of every sort, and streams for them: what all promises of the engine are tested on."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from colonnade.streaming import (
    SGD,
    Adam,
    Classifier,
    Learner,
    Plan,
    Regressor,
    RMSProp,
    TDPredictor,
    ccn,
    columnar,
    constructive,
    dense_lstm,
    online_lru,
)

INPUTS = 5

NETWORKS = {
    "columnar": columnar(5),
    "one column": columnar(1),  # tiles of one column
    "constructive": constructive(3, stage_steps=70),
    "ccn": ccn(columns=3, stages=3, stage_steps=70),
    "uneven stages": Plan((9, 7, 4), stage_steps=80),  # the second ends where a row of sixteen ends
    "stages that take turns": Plan((5, 3), stage_steps=60, turns=True),
    "online LRU": online_lru(17),
    "dense LSTM": dense_lstm(6, truncation=4),
}
OPTIMIZERS = {"SGD": SGD(), "RMSProp": RMSProp(), "Adam": Adam()}


@dataclass(frozen=True)
class Kind:
    """A kind of learner; `target` is what its target is called, `outputs` how many numbers it predicts."""

    learner: type[Learner]
    target: str
    outputs: int
    own: dict[str, Any]


KINDS = {
    "a return": Kind(TDPredictor, "cumulant", 1, {"discount": 0.8}),
    "returns": Kind(
        TDPredictor,
        "cumulant",
        3,
        {"predictions": 3, "discount": [0.0, 0.5, 0.9], "trace_decay": [0.3, 0.9, 1.0]},
    ),
    "a number": Kind(Regressor, "y", 1, {}),
    "numbers": Kind(Regressor, "y", 2, {"outputs": 2}),
    "classes": Kind(Classifier, "y", 3, {"classes": 3}),
}


def made(network: str, kind: str, optimizer: str = "RMSProp", inputs: Any = INPUTS, **settings: Any) -> Any:
    """Make a learner, by names in the tables above."""
    learner, own = KINDS[kind].learner, KINDS[kind].own
    step_size = 1e-3 if optimizer == "SGD" else 1e-2
    settings = {"optimizer": OPTIMIZERS[optimizer], "step_size": step_size, **own, **settings}
    return learner(NETWORKS[network], inputs, **settings)


def stream(kind: str, events: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Draw observations, and targets that follow from earlier ones."""
    rng = np.random.default_rng(seed)
    x = rng.normal([0.0, 1.0, -2.0, 0.0, 3.0], [1.0, 0.1, 2.0, 0.5, 1.0], (events, INPUTS)).astype(np.float32)
    x *= rng.random((events, INPUTS)) < 0.7
    before = np.roll(x, 3, axis=0)
    if kind == "classes":
        return x, (before[:, 0] > 0).astype(int) + (before[:, 2] > -1)
    outputs = KINDS[kind].outputs
    return x, before[:, 0] if outputs == 1 else before[:, :outputs]


def bits(learner: Learner) -> dict[str, tuple[tuple[int, ...], bytes]]:
    """Return everything that a learner is, so that two can be compared to the bit, NaN and all."""
    return {name: (array.shape, array.tobytes()) for name, array in learner.state().items()}


def same_bits(one: Learner, other: Learner) -> None:
    """Fail where two learners differ, and say where."""
    mine, others = bits(one), bits(other)
    assert list(mine) == list(others)
    assert [name for name in mine if mine[name] != others[name]] == []
