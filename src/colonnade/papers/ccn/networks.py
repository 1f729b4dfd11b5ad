"""The networks of the comparison, at their published sizes, chosen to cost about as much as each other.

Predictions are discounted by 0.9, traces decay by 0.99 more, steps are RMSProp's. Columns normalise their
inputs and features; truncated backpropagation normalises no features, and draws from ±1/√units.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from colonnade.runs.streamed import Recipe, Streamed
from colonnade.streaming import Network, TDPredictor, ccn, columnar, constructive, dense_lstm
from colonnade.streaming.operations import operations_of
from colonnade.worlds.protocol import World

DISCOUNT, TRACE_DECAY = 0.9, 0.99
STEP_SIZES = (3e-3, 1e-3, 3e-4, 1e-4, 3e-5)
READINGS = 200  # of a run
HORIZON = 50_000_000  # events of a published run
TRUNCATIONS = {2: 13, 3: 10, 5: 8, 8: 5, 10: 5, 15: 4, 20: 3, 30: 2}


@dataclass(frozen=True)
class Entrant:
    """One who takes part: how its network looks in a run of so many events."""

    name: str
    columns: int  # a stage; 0 for truncated backpropagation
    stages: int = 1
    truncation: int = 0
    units: int = 0

    def network(self, steps: int) -> Network:
        """Return the network whose last stage begins as late in ``steps`` as in a published run."""
        if self.truncation:
            return dense_lstm(self.units, self.truncation)
        if self.stages == 1:
            return columnar(self.columns)
        if self.columns == 1:
            return constructive(self.stages, steps // self.stages)
        return ccn(self.columns, self.stages, steps // self.stages)

    def recipe(self, steps: int, step_size: float, **settings: Any) -> Recipe:
        """Return how the learner is made."""
        own: Mapping[str, Any] = {"normalise_features": False} if self.truncation else {}
        told = {"discount": DISCOUNT, "trace_decay": TRACE_DECAY, "step_size": step_size}
        return Recipe(TDPredictor, self.network(steps), {**told, **own, **settings})

    def on(self, world: World, step_size: float, steps: int) -> Streamed:
        """Return the experiment: this entrant on a world."""
        return Streamed(self.recipe(steps, step_size), world, steps=steps, every=steps // READINGS)

    def operations(self, inputs: int) -> int:
        """Count the operations of a step, of the dearest stage."""
        learner = self.recipe(HORIZON, 1e-4).make(inputs, 0)
        assert isinstance(learner, TDPredictor)
        return operations_of(learner)


CCN = Entrant("CCN", columns=4, stages=5)
COLUMNAR = Entrant("columnar", columns=7)
CONSTRUCTIVE = Entrant("constructive", columns=1, stages=10)
T_BPTT = tuple(Entrant(f"T-BPTT {k}:{n}", columns=0, truncation=k, units=n) for k, n in TRUNCATIONS.items())
EVERYBODY = (CCN, COLUMNAR, CONSTRUCTIVE, *T_BPTT)
BY_NAME = {entrant.name: entrant for entrant in EVERYBODY}
