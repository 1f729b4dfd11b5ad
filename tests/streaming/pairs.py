"""The same learner twice, in float64: in the algebra, and as the engine's specification says it."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import numpy as np
import optax

import colonnade as c
from colonnade.cells.normalise import NormaliseState
from oracles.engine import optimizers
from oracles.engine.columns import Staged
from oracles.engine.dense import Dense
from oracles.engine.learner import Learner
from oracles.engine.linear import Linear
from oracles.engine.readout import Readout
from oracles.engine.returns import Returns
from oracles.engine.statistics import Statistics
from oracles.engine.supervised import Classes, Numbers

INPUTS, STEPS, ALPHA = 3, 30, 0.1
STATISTICS = {"rate": 0.9, "floor": 0.3}


class Network(NamedTuple):
    cells: tuple[Any, ...]  # of the algebra, one a stage
    features: tuple[int, ...]
    rule: Any  # of the stage that learns
    shapes: dict[str, tuple[int, ...]]  # of the weights
    specified: Callable[..., Any]  # out of weights by name, and what makes statistics


def columns(*stages):
    seen = [INPUTS + sum(stages[:s]) for s in range(len(stages))]
    return Network(
        tuple(c.Columnar(c.LSTM(1), k) for k in stages),
        stages,
        c.independent(c.rtrl()),
        {f"stage.{s}.W": (k, 4, d + 2) for s, (k, d) in enumerate(zip(stages, seen, strict=True))},
        lambda weights, statistics: Staged(list(weights.values()), STEPS, statistics),
    )


def dense(truncation):
    return Network(
        (c.LSTM(4),),
        (4,),
        c.tbptt(truncation),
        {"lstm.W": (4, 4, INPUTS + 4 + 1)},
        lambda weights, statistics: Dense(weights["lstm.W"], truncation, statistics),
    )


def linear():
    own = {f"lru.{name}": (3,) for name in ("nu", "theta", "gamma")}
    return Network(
        (c.LRU(3),),
        (6,),
        c.independent(c.rtrl()),
        {**own, "lru.B_re": (3, INPUTS), "lru.B_im": (3, INPUTS)},
        lambda weights, statistics: Linear(
            {name.removeprefix("lru."): array for name, array in weights.items()}, statistics
        ),
    )


def returns(outputs):
    return c.TD(0.9, 0.8, outputs), lambda: Returns(np.full(outputs, 0.9), np.full(outputs, 0.8)), outputs


OBJECTIVES = {
    "one return": returns(1),
    "three returns": returns(3),
    "one number": (c.SquaredError(), Numbers, 1),
    "three numbers": (c.SquaredError(3), Numbers, 3),
    "three classes": (c.CrossEntropy(3), Classes, 3),
}
OPTIMIZERS = {
    "SGD": (optax.sgd, optimizers.SGD()),
    "RMSProp": (c.rmsprop, optimizers.RMSProp()),
    "Adam": (optax.adam, optimizers.Adam()),
}


class Pair(NamedTuple):
    """What both are made of; the readout's first weights are within ±`readout`."""

    network: Network
    objective: str
    optimizer: str
    alpha: float = ALPHA
    readout: float = 0.0

    def weights(self):
        """The first ones, by the engine's names."""
        rng, outputs = np.random.default_rng(1), OBJECTIVES[self.objective][2]
        drawn = {name: rng.uniform(-1, 1, shape) for name, shape in self.network.shapes.items()}
        w = self.readout * rng.uniform(-1, 1, (outputs, sum(self.network.features)))
        return {**drawn, "readout.w": w, "readout.b": np.zeros(outputs)}

    def specification(self):
        weights, statistics = self.weights(), partial(Statistics, dtype=float, **STATISTICS)
        readout = Readout(weights.pop("readout.w"), weights.pop("readout.b"), statistics)
        network = self.network.specified(weights, statistics)
        objective, optimizer = OBJECTIVES[self.objective][1](), OPTIMIZERS[self.optimizer][1]
        return Learner(network, readout, objective, optimizer, self.alpha)

    def algebra(self, begun):
        """The learner while the last of `begun` stages is active."""
        *frozen, active = self.network.cells[:begun]
        held = [c.Stacked((c.Normalise(**STATISTICS, adapt=False), cell)) for cell in frozen]
        learns = c.Stacked((c.Normalise(**STATISTICS), active))
        rules = (*[c.frozen()] * len(held), c.layered((c.frozen(), self.network.rule)))
        step = OPTIMIZERS[self.optimizer][0]
        return c.Online(
            c.Stacked((c.Staged((*held, learns)), c.Normalise(**STATISTICS))),
            c.layered((c.layered(rules), c.frozen())),
            OBJECTIVES[self.objective][0],
            c.apart(cell=step(self.alpha), readout=step(self.alpha / sum(self.network.features[:begun]))),
        )


# ---- through the same events ----


def stream(events, objective, first=()):
    """Inputs with means and sizes of their own; discounts that change, or targets that may be missing."""
    rng, outputs = np.random.default_rng(0), OBJECTIVES[objective][2]
    x = rng.normal([0, 2, -1], [1, 0.1, 3], size=(events, INPUTS))
    begins = np.isin(np.arange(events), first)
    if "return" in objective:
        discount = rng.choice([0.0, 0.5, 0.9], p=[0.1, 0.3, 0.6], size=events)
        return c.Event(x, rng.normal(size=(events, outputs)), discount, begins)
    y = rng.integers(outputs, size=events) if "classes" in objective else rng.normal(size=(events, outputs))
    return c.Event(x, y, first=begins, given=rng.random(events) < 0.8)


def follow(specification, events):
    """What the specification predicts, a reset wherever an event is the first of an episode."""
    predictions = []
    for t, x in enumerate(events.x):
        if events.first[t]:
            specification.reset()
        known = events.given is None or events.given[t]
        discount = () if events.discount is None else (events.discount[t],)
        predictions.append(specification.step(x, events.target[t] if known else None, *discount))
    return np.array(predictions)


def lead(pair, events):
    """Of each stage: its events, what the algebra predicts, the learner, and its carry at the end."""
    stages, old = len(pair.network.cells), None
    for begun in range(1, stages + 1):
        learner, key = pair.algebra(begun), jax.random.key(begun)
        carry = c.grow(*old, learner, key) if old else learner.init(key, c.first_of(events))
        named = c.parameters_of(learner, carry)
        new = [f"stage.{begun - 1}.W"] if old else [name for name in named if stages == 1 or "stage" in name]
        carry = c.with_parameters(learner, carry, named | {name: pair.weights()[name] for name in new})
        end = begun * STEPS if begun < stages else len(events.x)
        now = jax.tree.map(lambda leaf, at=(begun - 1) * STEPS, end=end: leaf[at:end], events)
        carry, outcome = c.run(learner, carry, now)
        old = learner, carry
        shown = jax.nn.softmax if "classes" in pair.objective else np.asarray
        yield now, shown(outcome.prediction), learner, carry


# ---- the algebra's numbers under the engine's names ----


def state_of(learner, carry):
    """All that the algebra's learner has learned and keeps; gradients as the engine has them, uphill."""
    weights = c.parameters_of(learner, carry)
    named = weights | _statistics(weights, carry)
    for kept, tree in _kept(learner, carry).items():
        leaves = zip(_learned(weights), jax.tree.leaves(tree["cell"]), strict=True)
        named |= {f"{name}.{kept}": leaf for name, leaf in leaves}
        own = (
            np.asarray if kept != "E" else partial(np.einsum, "pp...->p...")
        )  # each prediction's of its own weights
        named |= {f"readout.w.{kept}": own(tree["readout"].w), f"readout.b.{kept}": own(tree["readout"].b)}
    return named


def _statistics(weights, carry):
    leaves = jax.tree.leaves(carry.stream.state, is_leaf=lambda one: isinstance(one, NormaliseState))
    found = [leaf for leaf in leaves if isinstance(leaf, NormaliseState)]
    parts = dict.fromkeys(name.rpartition(".")[0] for name in weights if not name.startswith("readout."))
    named = {}
    for part, one in zip((*parts, "features"), found, strict=True):
        named |= {f"{part}.mean": one.mean, f"{part}.variance": one.variance}
    return named


def _learned(named):
    """The names of the network's weights that learn: of stages, the last."""
    names = [name for name in named if not name.startswith("readout.")]
    return names[-1:] if names[0].startswith("stage.") else names


def _kept(learner, carry):
    """What there is a number a weight of, apart for cell and readout: traces, and the optimizer's moments."""
    trees = {"E": carry.stream.traces.traces} if isinstance(learner.objective, c.TD) else {}
    for name, moment, sign in (("m", "mu", -1), ("v", "nu", 1)):
        up = partial(jax.tree.map, partial(np.multiply, sign))
        parts = {part: _moment(state, moment) for part, state in carry.optimizer.inner_states.items()}
        if parts["cell"]:
            trees[name] = {part: up(tree[part]) for part, tree in parts.items()}
    return trees


def _moment(state, name):
    """The optimizer's tree of this name, if it has one; a network may have weights of the same name."""
    found = (tree for _, tree in optax.tree.get_all_with_path(state, name))
    return next((tree for tree in found if isinstance(tree, dict)), None)
