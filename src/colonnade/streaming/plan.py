"""Columns in stages: columnar, constructive and columnar-constructive networks.

A stage sees the observation and the features of all earlier stages; after `stage_steps` events it freezes and
the next begins. The last one learns for ever; or stages take turns: after the last the first learns again, as
long as before. A stage learns by what it says itself, not by what later stages make of it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from colonnade.checks import flag, whole
from colonnade.errors import BadInput, shown
from colonnade.streaming.network import MOST, Arrays, Shapes

MOST_STAGES = 64
FOR_EVER = 2**62
FIRST_WEIGHTS = 0.01  # uniform within plus and minus this


@dataclass(frozen=True)
class Plan:
    """The columns of each stage, how many events a stage learns for, and whether they take turns.

    >>> ccn(columns=4, stages=5, stage_steps=10_000_000).features
    20
    """

    columns: tuple[int, ...]
    stage_steps: int = FOR_EVER
    turns: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.columns, tuple) or not 1 <= len(self.columns) <= MOST_STAGES:
            raise BadInput("columns", expected=f"1 to {MOST_STAGES} stages, a tuple", got=shown(self.columns))
        for columns in self.columns:
            whole("columns", columns, most=MOST)
        if self.features > MOST:
            raise BadInput("columns", expected=f"at most {MOST} in all", got=self.features)
        whole("stage_steps", self.stage_steps, most=FOR_EVER)
        flag("turns", self.turns)

    @property
    def features(self) -> int:
        """How many features there are once every stage has begun."""
        return sum(self.columns)

    def learning(self, event: int) -> int:
        """Return which stage learns at an event; the first of both is 0.

        >>> plan = ccn(columns=4, stages=3, stage_steps=10)
        >>> [plan.learning(event) for event in (0, 10, 29, 30)]
        [0, 1, 2, 2]
        """
        turn, stages = event // self.stage_steps, len(self.columns)
        return turn % stages if self.turns else min(turn, stages - 1)

    def engine(self) -> dict[str, Any]:
        """Say it as the engine's settings."""
        return {
            "wiring": "columns",
            "columns": list(self.columns),
            "stage_steps": self.stage_steps,
            "turns": bool(self.turns),
        }

    def shapes(self, inputs: int) -> Shapes:
        """Return the shapes of the weights: of each column gates i, f, o, g, of inputs, h and 1."""
        seen = [inputs + sum(self.columns[:stage]) for stage in range(len(self.columns))]
        return {
            f"stage.{s}.W": (k, 4, d + 2) for s, (k, d) in enumerate(zip(self.columns, seen, strict=True))
        }

    def draw(self, rng: np.random.Generator, inputs: int) -> Arrays:
        """Draw first weights."""
        return {
            name: rng.uniform(-FIRST_WEIGHTS, FIRST_WEIGHTS, shape)
            for name, shape in self.shapes(inputs).items()
        }


def columnar(columns: int) -> Plan:
    """Return the plan of a columnar network: all columns learn for ever.

    >>> columnar(7)
    Plan(columns=(7,), stage_steps=4611686018427387904, turns=False)
    """
    return Plan((columns,))


def constructive(columns: int, stage_steps: int, turns: bool = False) -> Plan:
    """Return the plan of a constructive network: one column at a time, each on top of all before it.

    >>> constructive(3, stage_steps=5_000_000).columns
    (1, 1, 1)
    """
    whole("columns", columns, most=MOST_STAGES)
    return Plan((1,) * columns, stage_steps, turns)


def ccn(columns: int, stages: int, stage_steps: int, turns: bool = False) -> Plan:
    """Return the plan of a columnar-constructive network: ``stages`` stages of ``columns`` columns.

    >>> ccn(columns=4, stages=2, stage_steps=1000).columns
    (4, 4)
    """
    whole("stages", stages, most=MOST_STAGES)
    return Plan((columns,) * stages, stage_steps, turns)
