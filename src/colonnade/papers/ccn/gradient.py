"""Whether the gradients are the ones: engine and algebra against PyTorch's backpropagation, on the copy task.

Columns with large random weights see an episode, whose last recall alone is told. The gradient of its squared
error, through the whole episode, is what PyTorch gets by unrolling it in double precision; engine and algebra
get it forwards. Backpropagation that is cut after a few events shows how much lies further back.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from colonnade.papers.claims import Claim, at_most
from colonnade.papers.item import Data, Item, Reduction, Scale, Study
from colonnade.runs.experiment import Computed, Place, Values
from colonnade.runs.missing import Missing
from colonnade.runs.sweep import Goal, Point, Sweep
from colonnade.streaming import SGD, Regressor, columnar
from colonnade.worlds import CopyTask
from colonnade.worlds.protocol import Chunk

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LENGTHS = (1, 2, 5, 10, 20, 40)  # patterns; an episode has twice as many events
FEW_LENGTHS = (1, 10)
COLUMNS, BITS = 8, 7
CUTS = (5, 10)  # events that truncated backpropagation goes back
LARGEST_WEIGHT = 1.0
STEP_SIZE = 2.0**20  # so long a step that the weights' own digits are lost in it, not the gradient's

Gradients: TypeAlias = Mapping[str, NDArray[Any]]
W, READOUT, BIAS = "stage.0.W", "readout.w", "readout.b"


@dataclass(frozen=True)
class Compared(Computed):
    """How far gradients are from PyTorch's, of the largest there is, after each length of episode."""

    columns: int = COLUMNS
    bits: int = BITS
    lengths: tuple[int, ...] = LENGTHS
    cuts: tuple[int, ...] = CUTS
    place: ClassVar[Place] = "process"

    @property
    def steps(self) -> int:
        """Events of the longest episode."""
        return 2 * self.lengths[-1]

    def readings(self, seed: int) -> Iterator[tuple[int, Values]]:
        """Yield the differences of everybody, an episode at a time."""
        weights = self._weights(seed)
        for length in self.lengths:
            chunk = CopyTask(length, self.bits).stream(seed).take(2 * length)
            true = by_pytorch(weights, chunk)
            found = {"engine": by_engine(weights, chunk), "algebra": by_algebra(weights, chunk)}
            found |= {f"truncated {cut}": by_pytorch(weights, chunk, cut) for cut in self.cuts}
            yield 2 * length, {name: difference(gradient, true) for name, gradient in found.items()}

    def _weights(self, seed: int) -> Gradients:
        """Draw weights that single precision holds without rounding."""
        rng = np.random.default_rng(seed)
        shapes = {
            W: (self.columns, 4, self.bits + 3),
            READOUT: (self.bits, self.columns),
            BIAS: (self.bits,),
        }
        drawn = {name: rng.uniform(-LARGEST_WEIGHT, LARGEST_WEIGHT, size) for name, size in shapes.items()}
        return {name: array.astype(np.float32).astype(np.float64) for name, array in drawn.items()}


def difference(came: Gradients, true: Gradients) -> float:
    """Return the largest difference, of the largest slope, over the weights of columns and readout.

    >>> difference({"w": np.array([1.0, 2.5])}, {"w": np.array([1.0, 2.0])})
    0.25
    """
    return max(float(np.abs(came[name] - true[name]).max() / np.abs(true[name]).max()) for name in true)


def by_engine(weights: Gradients, chunk: Chunk) -> Gradients:
    """Return how far one step of SGD, at the last event, moves the engine's weights, divided by its size."""
    learner = Regressor(
        columnar(len(weights[W])),
        chunk.x.shape[1],
        outputs=chunk.target.shape[1],
        optimizer=SGD(),
        step_size=STEP_SIZE,
        normalise_inputs=False,
        normalise_features=False,
    )
    learner.set_parameters(weights)
    learner.run(chunk.x, chunk.target, _last(chunk))
    moved = {name: learner.parameters()[name] - weights[name] for name in weights}
    share = len(weights[W])  # the readout's step size is shared out among features
    return {name: -move / STEP_SIZE * (1 if name == W else share) for name, move in moved.items()}


def by_algebra(weights: Gradients, chunk: Chunk) -> Gradients:
    """Return the same of the algebra's real-time recurrent learning, in double precision."""
    import jax
    import optax

    import colonnade as c

    with jax.enable_x64(True):
        columns = c.Columnar(c.LSTM(1), len(weights[W]))
        objective = c.SquaredError(chunk.target.shape[1])
        learner = c.Online(columns, c.independent(c.rtrl()), objective, optax.sgd(1.0))
        events = c.Event(chunk.x.astype(float), chunk.target.astype(float), given=_last(chunk))
        carry = learner.init(jax.random.key(0), c.first_of(events))
        carry, _ = c.run(learner, c.with_parameters(learner, carry, weights), events)
        moved = c.parameters_of(learner, carry)
    return {name: weights[name] - moved[name] for name in weights}


def by_pytorch(weights: Gradients, chunk: Chunk, cut: int | None = None) -> Gradients:
    """Return what PyTorch's own LSTM, one unit a column, gets by backpropagation; perhaps cut short."""
    try:
        import torch
    except ImportError:
        raise Missing("this comparison of gradients", ("torch",), "bench") from None
    inputs = chunk.x.shape[1]
    x = torch.tensor(chunk.x, dtype=torch.float64)
    before = 0 if cut is None else max(0, len(x) - cut)
    cells = [_cell(torch, own, inputs) for own in weights[W]]
    readout = torch.nn.Linear(len(cells), chunk.target.shape[1], dtype=torch.float64)
    with torch.no_grad():
        readout.weight.copy_(torch.tensor(weights[READOUT]))
        readout.bias.copy_(torch.tensor(weights[BIAS]))
    features = []
    for cell in cells:
        with torch.no_grad():
            state = cell(x[:before])[1] if before else None
        features.append(cell(x[before:], state)[0][-1])
    error = readout(torch.cat(features)) - torch.tensor(chunk.target[-1], dtype=torch.float64)
    (0.5 * error.square().sum()).backward()
    return {
        W: np.stack([_slopes(cell) for cell in cells]),
        READOUT: _slope(readout.weight),
        BIAS: _slope(readout.bias),
    }


TO_PYTORCH = [0, 1, 3, 2]  # its gates are i, f, g, o


def _cell(torch: Any, own: NDArray[np.float64], inputs: int) -> Any:
    cell = torch.nn.LSTM(inputs, 1, dtype=torch.float64)
    theirs = torch.tensor(own[TO_PYTORCH])
    with torch.no_grad():
        cell.weight_ih_l0.copy_(theirs[:, :inputs])
        cell.weight_hh_l0.copy_(theirs[:, inputs : inputs + 1])
        cell.bias_ih_l0.copy_(theirs[:, inputs + 1])
        cell.bias_hh_l0.zero_()
    return cell


def _slopes(cell: Any) -> NDArray[np.float64]:
    parts = (_slope(cell.weight_ih_l0), _slope(cell.weight_hh_l0), _slope(cell.bias_ih_l0)[:, None])
    return np.concatenate(parts, axis=1)[TO_PYTORCH]  # the exchange of g and o is its own inverse


def _slope(parameter: Any) -> NDArray[np.float64]:
    return np.asarray(parameter.grad)


def _last(chunk: Chunk) -> NDArray[np.bool_]:
    last = np.zeros(len(chunk.x), np.bool_)
    last[-1] = True
    return last


# ---- the item ----


def study(scale: Scale) -> Study:
    """Compare on some seeds."""
    seeds = scale.many(2, 10, 30)
    point = Point(Compared(lengths=LENGTHS if scale.name != "quick" else FEW_LENGTHS), {})
    found = yield Sweep(
        f"ccn gradient, {scale.name}", (point,), tuple(range(seeds)), ASKS, Goal("engine", share=1.0)
    )
    names = ("engine", "algebra", *(f"truncated {cut}" for cut in CUTS))
    series = {name: found.series(point, name) for name in names}
    events, _ = series["engine"]
    return {
        "seeds": seeds,
        "events": events.tolist(),
        "differences": {name: values.T.tolist() for name, (_, values) in series.items()},
    }


def claims(data: Data) -> tuple[Claim, ...]:
    """Judge the largest difference of every seed."""
    engine, algebra = (np.max(data["differences"][name], axis=0) for name in ("engine", "algebra"))
    return (
        at_most(
            "the engine's gradient differs from PyTorch's by single precision's roundings, through any past",
            "the paper's",
            engine,
            1e-5,
        ),
        at_most("the algebra's by double precision's", "the paper's", algebra, 1e-12),
    )


def figures(data: Data) -> "dict[str, Figure]":
    """Draw the differences over the events that the gradient goes through."""
    from colonnade.papers.drawing import against

    return {
        "differences": against(
            "Gradients against PyTorch's full backpropagation",
            f"largest difference, of the largest slope; {data['seeds']} seeds, 95 % intervals",
            data["events"],
            data["differences"],
            along="events of the episode",
            up="difference",
            logarithmic="xy",
        )
    }


def reductions(scale: Scale) -> tuple[Reduction, ...]:
    """Nothing was published to do less than."""
    return ()


ASKS = "Are the gradients those of full backpropagation through time?"
GRADIENT = Item("gradient", ASKS, study, claims, figures, reductions, {"quick": 0.2, "laptop": 1, "paper": 3})
