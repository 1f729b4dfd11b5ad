"""Pruning what is of little use and growing new columns instead, so that a network never ceases to learn.

A column is of use to the readout, and to the columns of later stages that see it, as far as these are of use:

    use_j = Σ_p |w_pj| + Σ_k use_k s_kj          s_kj = Σ_gates |W_kj| / Σ_i Σ_gates |W_ki|

with s_kj its share of what column k sees, i over all that k sees; what is seen is of like size, and so are
features. Stages that saw a pruned column go on without it; they saw it normalised, so that on average they
miss nothing.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from colonnade.checks import whole
from colonnade.errors import BadInput, shown
from colonnade.streaming.learner import Learner
from colonnade.streaming.network import Arrays
from colonnade.streaming.plan import Plan


def regrown(learner: Learner, columns: int, seed: int = 0) -> Learner:
    """Return a learner that goes on as this one, its ``columns`` least useful columns replaced by new ones.

    The new ones are a stage of their own, which sees all that are left; their first weights follow from
    ``seed``. Every stage must have had its time. The learner that is given stays as it is.

    >>> from colonnade.streaming import Regressor, ccn
    >>> learner = Regressor(ccn(columns=3, stages=2, stage_steps=10), inputs=1)
    >>> _ = learner.run(np.ones((20, 1)), np.ones(20))
    >>> regrown(learner, columns=2).network.columns
    (2, 2, 2)
    """
    plan = _checked(learner, columns)
    state = learner.state()
    kept = np.sort(np.argsort(uses(learner), kind="stable")[columns:])
    survivors = _Survivors.of(plan, kept, learner._width)
    network = replace(plan, columns=(*survivors.sizes, columns))
    grown = type(learner)(network, learner.inputs, **{**learner.settings, "seed": seed})
    grown.set_state({**grown.state(), **survivors.arrays(state, grown.state())})
    return grown


def uses(learner: Learner) -> NDArray[np.float64]:
    """Return how useful each column is.

    >>> from colonnade.streaming import Regressor, ccn
    >>> learner = Regressor(ccn(columns=2, stages=2, stage_steps=10), inputs=1)
    >>> weights = learner.parameters()
    >>> weights["stage.1.W"][:] = 1.0  # a column there sees the input and two columns, all as well
    >>> weights["readout.w"][:] = [[0.0, 0.0, 3.0, 6.0]]
    >>> learner.set_parameters(weights)
    >>> uses(learner)
    array([3., 3., 3., 6.])
    """
    weights, plan = learner.parameters(), learner.network
    assert isinstance(plan, Plan)
    use: NDArray[np.float64] = np.abs(weights["readout.w"]).sum(axis=0, dtype=np.float64)
    first = plan.features
    for stage in reversed(range(len(plan.columns))):
        end, first = first, first - plan.columns[stage]
        drive = np.abs(weights[f"stage.{stage}.W"][:, :, :-2]).sum(axis=1, dtype=np.float64)
        share = drive / np.maximum(drive.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        use[:first] += use[first:end] @ share[:, share.shape[1] - first :]
    return use


def _checked(learner: Learner, columns: int) -> Plan:
    """Return the plan of a learner that can be regrown by so many columns."""
    plan = learner.network
    if not isinstance(plan, Plan) or plan.turns:
        raise BadInput("learner", expected="one on columns that don't take turns", got=shown(learner))
    whole("columns", columns, most=plan.features - 1)
    if learner.events < len(plan.columns) * plan.stage_steps:
        expected = f"one whose {len(plan.columns)} stages have each learned for {plan.stage_steps} events"
        raise BadInput("learner", expected=expected, got=f"one after {learner.events} events")
    return plan


@dataclass(frozen=True)
class _Survivors:
    """What is left of each stage that isn't left empty: its number then, its columns, and what it sees."""

    stages: tuple[int, ...]
    columns: tuple[NDArray[np.intp], ...]
    seen: tuple[NDArray[np.intp], ...]
    features: NDArray[np.intp]

    @classmethod
    def of(cls, plan: Plan, kept: NDArray[np.intp], inputs: int) -> "_Survivors":
        ends = np.cumsum(plan.columns)
        starts = ends - np.array(plan.columns)
        spans = [kept[(kept >= start) & (kept < end)] for start, end in zip(starts, ends, strict=True)]
        left = tuple(stage for stage, span in enumerate(spans) if len(span))
        observed = np.arange(inputs)
        return cls(
            left,
            tuple(spans[stage] - starts[stage] for stage in left),
            tuple(np.concatenate([observed, inputs + kept[kept < starts[stage]]]) for stage in left),
            kept,
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(columns) for columns in self.columns)

    def arrays(self, state: Arrays, fresh: Arrays) -> Arrays:
        """Return all that is carried over, by its new name; ``fresh`` is the new learner's own state."""
        carried = {}
        for now, (before, columns, seen) in enumerate(zip(self.stages, self.columns, self.seen, strict=True)):
            old, new = f"stage.{before}.", f"stage.{now}."
            for name, array in state.items():
                if name.startswith(old):
                    part = name.removeprefix(old)
                    carried[new + part] = _part(part, array, columns, seen)
        for name, array in state.items():
            if name.startswith("features.") or name.split(".")[:2] == ["readout", "w"]:
                own = fresh[name].copy()
                own[..., : len(self.features)] = array[..., self.features]
                carried[name] = own
            elif not name.startswith("stage."):
                carried[name] = array
        return carried


def _part(
    name: str, array: NDArray[np.float32], columns: NDArray[np.intp], seen: NDArray[np.intp]
) -> NDArray[np.float32]:
    """Return what is left of one of a stage's arrays."""
    if name in ("h", "c"):
        return array[columns]
    if name in ("mean", "variance"):
        return array[seen]
    if name.endswith("_age"):
        return array
    weights = [*seen, array.shape[-1] - 2, array.shape[-1] - 1]  # those of h⁻ and of 1 are the last
    return array[..., columns, :, :][..., weights]
