"""The learners of the demo, and what a step of each costs.

The cost is counted from the sizes (`colonnade.streaming.operations`); of the columns it is that of their
dearest stage. The dense network is the published T-BPTT setting whose cost is nearest to that,
and no less.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from colonnade.cli.demo.record import Contender
from colonnade.streaming import Network, Plan, TDPredictor, dense_lstm
from colonnade.streaming.operations import operations_by_stage
from colonnade.worlds import TracePatterning

COLUMNS, STAGE_STEPS = (6, 5, 4, 4, 3), 2_000_000  # of each stage
DISCOUNT, TRACE_DECAY = 0.9, 0.99

STAGED = {"step_size": 1e-3, "normalise_floor": 0.1}
DENSE = {"step_size": 1e-4, "normalise_floor": 0.1, "normalise_features": False}
"""Each learner's best of as many settings: `benchmarks/demo_settings.py`."""

PUBLISHED = {2: 13, 3: 10, 5: 8, 8: 5, 10: 5, 15: 4, 20: 3, 30: 2}
"""The units of the dense network that go with each truncation in the published comparison."""


class Prepared(NamedTuple):
    """A learner for each world, and how they are shown."""

    contender: Contender
    learners: tuple[TDPredictor, ...]


def prepare(seeds: Sequence[int], truncation: int | None) -> tuple[Prepared, Prepared]:
    """Make both kinds of learner; without a truncation, the one that costs the same is found."""
    ours = staged(seeds)
    if truncation is None:
        costs = {k: dense(k, seeds[:1]).contender.operations for k in PUBLISHED}
        truncation = nearest(ours.contender.operations, costs)
    return ours, dense(truncation, seeds)


def staged(
    seeds: Sequence[int], stage_steps: int = STAGE_STEPS, settings: Mapping[str, Any] = STAGED
) -> Prepared:
    """Columns in stages, which learn by exact RTRL."""
    network = Plan(COLUMNS, stage_steps)
    kind = f"{len(COLUMNS)} stages of {min(COLUMNS)} to {max(COLUMNS)} columns, exact RTRL"
    written = f"Plan(columns={COLUMNS}, stage_steps={stage_steps:_})"
    return _prepared("CCN", kind, network, written, seeds, settings)


def dense(truncation: int, seeds: Sequence[int], settings: Mapping[str, Any] = DENSE) -> Prepared:
    """A dense LSTM, which learns by truncated backpropagation at every event."""
    units = PUBLISHED[truncation]
    kind = f"{units} dense units, truncation {truncation}"
    written = f"dense_lstm(units={units}, truncation={truncation})"
    return _prepared("T-BPTT", kind, dense_lstm(units, truncation), written, seeds, settings)


def _prepared(
    name: str, kind: str, network: Network, written: str, seeds: Sequence[int], settings: Mapping[str, Any]
) -> Prepared:
    learners = tuple(TDPredictor(network, **told(seed, settings)) for seed in seeds)
    lines = (written, *(f"{setting}={value!r}" for setting, value in told(seeds[0], settings).items()))
    code = "TDPredictor(\n" + "".join(f"    {line},\n" for line in lines) + ")"
    return Prepared(Contender(name, kind, code, operations_by_stage(learners[0])), learners)


def told(seed: int, settings: Mapping[str, Any]) -> dict[str, Any]:
    """What a learner is told beside its network: what both have in common, and its own settings."""
    common = {"inputs": TracePatterning().inputs, "discount": DISCOUNT, "trace_decay": TRACE_DECAY}
    return {**common, **settings, "seed": seed}


def nearest(cost: int, costs: Mapping[int, int]) -> int:
    """Return the truncation whose cost is nearest to ``cost`` and no less.

    >>> nearest(13_469, {5: 18_934, 8: 12_844, 15: 14_506})
    15
    """
    return min((counted, truncation) for truncation, counted in costs.items() if counted >= cost)[1]
