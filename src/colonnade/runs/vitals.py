"""How a network in stages fares, beside how well it predicts: failures show here before the error tells.

    slope       root mean square of dh/dθ over the weights of the stage that learns, at the moment of reading
    moved       root mean square of how far its weights are from their first ones
    use 1 …     each stage's share of the readout, Σ |w| over its features of Σ |w|; features are of like size

What each failure looks like is told in the documentation's page of failures.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from colonnade.errors import BadInput, shown
from colonnade.streaming import Learner, Network, Plan


def vitals(learner: Learner) -> Mapping[str, float]:
    """Return the numbers as they are now.

    >>> from colonnade import Regressor, ccn
    >>> learner = Regressor(ccn(columns=2, stages=2, stage_steps=10), inputs=1)
    >>> _ = learner.run(np.ones((5, 1)), np.ones(5))
    >>> list(vitals(learner))
    ['slope', 'moved', 'use 1', 'use 2']
    """
    plan, state = plan_of(learner.network), learner.state()
    name = f"stage.{plan.learning(max(learner.events - 1, 0))}.W"
    inputs = state["stage.0.W"].shape[-1] - 2  # all but those for h and for 1
    first = plan.draw(np.random.default_rng(learner.settings["seed"]), inputs)[name].astype(np.float32)
    uses = _uses(plan, state["readout.w"])
    with np.errstate(over="ignore", invalid="ignore"):
        numbers = {"slope": _size(state[f"{name}.H"]), "moved": _size(state[name] - first)}
    return numbers | {f"use {stage}": use for stage, use in enumerate(uses, start=1)}


def metrics_of(plan: Plan) -> tuple[str, ...]:
    """Return the names of what is read."""
    return ("slope", "moved", *(f"use {stage}" for stage in range(1, len(plan.columns) + 1)))


def plan_of(network: Network) -> Plan:
    """Return the network, which is one of columns; others have no such vitals."""
    if not isinstance(network, Plan):
        raise BadInput("vitals", expected="false: only columns have them", got=shown(network))
    return network


def _uses(plan: Plan, w: NDArray[np.float32]) -> list[float]:
    strengths = np.abs(w).sum(axis=0, dtype=np.float64)
    of_stages = [part.sum() for part in np.split(strengths, np.cumsum(plan.columns)[:-1])]
    return [float(part / (sum(of_stages) or 1.0)) for part in of_stages]


def _size(array: NDArray[np.float32]) -> float:
    return float(np.sqrt(np.square(array, dtype=np.float64).mean()))
