"""What is proven: the cells, the rules, and what each rule claims of each cell."""

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp

from colonnade.cells import ELSTM, GRU, LRU, LSTM, RNN, Additive, LeakyRNN, LinearRNN, Normalise
from colonnade.credit import frozen, independent, layered, rtrl, snap, spatial, tbptt
from colonnade.networks import Columnar, Lateral, Layered, Stacked, Staged

STEPS = 7
INPUTS = 3


class DecayParams(NamedTuple):
    W: jax.Array
    rate: jax.Array


@dataclass(frozen=True)
class Decay:
    """A cell as a user would write it: nothing declared, everything found by differentiation."""

    units: int

    def init(self, key, inputs):
        return DecayParams(jax.random.normal(key, (self.units, inputs + self.units)), jnp.zeros(self.units))

    def start(self, params):
        return jnp.zeros_like(params.rate)

    def step(self, params, state, x):
        keep = jax.nn.sigmoid(params.rate)
        return keep * state + (1 - keep) * jnp.tanh(params.W @ jnp.concatenate([x, state]))

    def read(self, state):
        return state


CELLS = {
    "RNN tanh": RNN(4),
    "RNN sigmoid": RNN(4, jax.nn.sigmoid),
    "RNN ReLU": RNN(4, jax.nn.relu),
    "LeakyRNN": LeakyRNN(4),
    "LSTM": LSTM(3),
    "GRU": GRU(3),
    "LinearRNN": LinearRNN(4),
    "Additive": Additive(4),
    "ELSTM": ELSTM(3),
    "LRU": LRU(3),
    "Columnar LSTM": Columnar(LSTM(1), 3),
    "Columnar GRU, 2 units": Columnar(GRU(2), 2),
    "Columnar LRU": Columnar(LRU(1), 3),
    "Columnar Additive": Columnar(Additive(1), 3),
    "Lateral, no links": Lateral(3, (4, 3)),
    "Lateral, linked": Lateral(3, (4, 3), 1.0),
    "Lateral GRU, linked": Lateral(3, (3,), 1.0, "gru"),
    "Lateral LSTM, linked": Lateral(3, (3,), 1.0, "lstm"),
    "Stacked LRU, LSTM": Stacked((LRU(2), LSTM(2))),
    "Stacked normalised columns": Stacked((Normalise(0.9), Columnar(LSTM(1), 2), Normalise(0.8))),
    "Staged columns": Staged((Columnar(LSTM(1), 2), Columnar(LSTM(1), 2))),
    "a user's own": Decay(4),
    "Columnar of a user's own": Columnar(Decay(1), 3),
    "Stacked on a user's own": Stacked((Decay(2), Columnar(Decay(1), 3))),
}

DENSE_BY_MODULE = ("RNN tanh", "RNN sigmoid", "RNN ReLU", "LeakyRNN", "LSTM", "GRU", "LinearRNN", "Additive")
LINKED = tuple(name for name in CELLS if name.endswith("linked"))
INDEPENDENT = ("ELSTM", "LRU", *(n for n in CELLS if n.startswith("Columnar") or n.endswith("no links")))
LAYERED = tuple(name for name, cell in CELLS.items() if isinstance(cell, Layered))


class Case(NamedTuple):
    """A rule on a cell, and its claim: what its gradients equal, or that they differ from the exact ones."""

    rule_name: str
    cell_name: str
    rule: object
    claim: str  # exact, truncated(k), chunked(k), layered, above, detached, nothing, biased

    @property
    def cell(self):
        return CELLS[self.cell_name]

    def __str__(self):
        return f"{self.rule_name} on {self.cell_name}"


def all_cases():
    """Every rule on every cell that it is defined for."""
    return [
        case
        for name, cell in CELLS.items()
        for case in (*_anywhere(name), *_by_module(name), *_by_layer(name, cell))
    ]


def _anywhere(name):
    """Rules that take any cell."""
    yield Case("rtrl", name, rtrl(), "exact")
    yield Case("snap(1)", name, snap(1), "biased" if _entangled(name) else "exact")
    yield Case("snap(7)", name, snap(STEPS), "exact")
    yield Case("spatial", name, spatial(), "truncated(1)")
    yield Case("tbptt(1)", name, tbptt(1), "truncated(1)")
    yield Case("tbptt(3)", name, tbptt(3), "truncated(3)")
    yield Case("tbptt(7)", name, tbptt(STEPS), "exact")
    yield Case("tbptt(3, every=3)", name, tbptt(3, every=3), "chunked(3)")
    yield Case("frozen", name, frozen(), "nothing")


def _entangled(name):
    """Whether something beyond a unit's own loop carries influence that snap(1) must miss."""
    return name in (*DENSE_BY_MODULE, *LINKED, "a user's own", "Stacked LRU, LSTM", "Stacked on a user's own")


def _by_module(name):
    """Rules that need modules; on dense cells the modules send messages, and these carry no credit."""
    if name in INDEPENDENT:
        yield Case("independent(rtrl)", name, independent(rtrl()), "exact")
        yield Case("independent(snap(7))", name, independent(snap(STEPS)), "exact")
        yield Case("independent(tbptt(3))", name, independent(tbptt(3)), "truncated(3)")
    elif name in LINKED:
        yield Case("independent(rtrl)", name, independent(rtrl()), "detached")
    elif name in DENSE_BY_MODULE:
        yield Case("independent(rtrl)", name, independent(rtrl()), "biased")


def _by_layer(name, cell):
    """Rules that need layers."""
    if name in LAYERED:
        inner = tuple(rtrl() for _ in cell.layers)
        yield Case("layered(rtrl …)", name, layered(inner), "layered")
    if name in LAYERED and not isinstance(cell.layers[-1], Normalise):
        below = tuple(frozen() for _ in cell.layers[:-1])
        last = independent(rtrl()) if isinstance(cell.layers[-1], Columnar) else rtrl()
        yield Case("layered(frozen …)", name, layered((*below, last)), "above")
