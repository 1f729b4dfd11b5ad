"""What a step of TD(λ) costs: its operations, counted from the sizes.

+, −, ×, ÷, √, a comparison, σ and tanh count as one each, and so does a product with an input that is always
1. It is what the equations ask when nothing is computed twice, the same number on every machine:

    a weight that learns       4 + s      E ← γλ E + dŷ/dθ (2), g = δ E (1), θ + Δθ (1); Δθ of g (s)
      of a column              + 11       z (2), C and H (8), dŷ/dh H (1)
      of a dense LSTM          + 2 + 2 k  z (2), and dŷ/dW + dz a in each of the k steps back (2)
      of the readout           + 2        ŷ (2)
    a frozen weight            2          z
    a unit                     9          gates, c and h
      that learns              + 15       what c and h owe to each gate and to c
      of a column              + 6        what c and h owe to h⁻ by way of the gates
      of a dense LSTM          + 7 k      dz and dc in each of the k steps back
    a pair of dense units      8 (k − 1)  Uᵀ dz from each of the k steps to the one before; n units: n² pairs
    a number normalised        5          (v − μ)/√max(σ², floor), by way of 1/σ
      its statistics moved     + 8        μ and σ²
      a feature                + 1        dŷ/dh = w/σ
    an event                   4          δ = c + γ ŷ − ŷ⁻, γλ

The optimizer's s is 1 for SGD, 8 for RMSProp and 13 for Adam. Truncated backpropagation is counted as the
engine does it: gates and states are kept as they were lived, and not computed again.
"""

from dataclasses import dataclass

from colonnade.errors import BadInput
from colonnade.streaming.dense import DenseLSTM
from colonnade.streaming.optimizers import SGD, Adam, RMSProp
from colonnade.streaming.plan import Plan
from colonnade.streaming.predictor import TDPredictor

GATES = 4
STEP = {SGD: 1, RMSProp: 8, Adam: 13}
NORMALISE, MOVE_STATISTICS = 5, 8


def operations_of(learner: TDPredictor) -> int:
    """Count the operations of a step; if there are stages, while the dearest of them learns.

    >>> from colonnade.streaming import ccn, columnar
    >>> operations_of(TDPredictor(columnar(7), inputs=12))
    9596
    >>> operations_of(TDPredictor(ccn(columns=4, stages=5, stage_steps=10_000_000), inputs=12))
    15166
    """
    return max(operations_by_stage(learner))


def operations_by_stage(learner: TDPredictor) -> tuple[int, ...]:
    """Count the operations of a step while each stage in turn learns; a dense network has one stage.

    Of stages that take turns, once they all exist.

    >>> from colonnade.streaming import ccn
    >>> operations_by_stage(TDPredictor(ccn(columns=4, stages=2, stage_steps=1000), inputs=12))
    (5558, 7738)
    """
    _check(learner)
    counted = _Counted.of(learner)
    if isinstance(learner.network, DenseLSTM):
        return (counted.dense(learner.network) + counted.readout(learner.network.units),)
    assert isinstance(learner.network, Plan)
    frozen, features, stages = 0, 0, []
    learning_dearer = []  # than being frozen
    for columns in learner.network.columns:
        seen, features = counted.inputs + features, features + columns
        learns, rests = counted.columns(columns, seen), counted.frozen(columns, seen)
        stages.append(frozen + learns + counted.readout(features))
        learning_dearer.append(learns - rests)
        frozen += rests
    if learner.network.turns:
        return tuple(frozen + dearer + counted.readout(features) for dearer in learning_dearer)
    return tuple(stages)


def _check(learner: TDPredictor) -> None:
    """Refuse what the table doesn't say."""
    countable = isinstance(learner, TDPredictor) and isinstance(learner.network, Plan | DenseLSTM)
    if not countable or learner.settings["predictions"] > 1 or learner.settings["bound"] is not None:
        expected = "a TDPredictor on columns or on a dense LSTM, of one prediction, without a bound"
        raise BadInput("learner", expected=expected, got=repr(learner))


@dataclass(frozen=True)
class _Counted:
    """The table, with a learner's settings in it."""

    inputs: int
    learning: int  # of a weight, whatever its slope costs
    input: int  # of a number that is normalised, and its statistics move
    known: int  # the same where they stand still
    feature: int

    @classmethod
    def of(cls, learner: TDPredictor) -> "_Counted":
        told = learner.settings
        return cls(
            inputs=learner.inputs if isinstance(learner.inputs, int) else len(learner.inputs),
            learning=4 + STEP[type(told["optimizer"])],
            input=(NORMALISE + MOVE_STATISTICS) * told["normalise_inputs"],
            known=NORMALISE * told["normalise_inputs"],
            feature=(NORMALISE + MOVE_STATISTICS + 1) * told["normalise_features"],
        )

    def columns(self, columns: int, seen: int) -> int:
        """The stage that learns."""
        weights = columns * GATES * (seen + 2)
        return weights * (self.learning + 11) + columns * (9 + 15 + 6) + seen * self.input

    def frozen(self, columns: int, seen: int) -> int:
        """A stage that only moves."""
        weights = columns * GATES * (seen + 2)
        return weights * 2 + columns * 9 + seen * self.known

    def dense(self, network: DenseLSTM) -> int:
        """A dense LSTM with truncated backpropagation."""
        n, k = network.units, network.truncation
        weights = n * GATES * (self.inputs + n + 1)
        moving = weights * (self.learning + 2) + n * (9 + 15) + self.inputs * self.input
        return moving + k * (2 * weights + 7 * n) + (k - 1) * 2 * GATES * n * n

    def readout(self, features: int) -> int:
        """The prediction, and what is learned from it."""
        return (features + 1) * (self.learning + 2) + features * self.feature + 4
