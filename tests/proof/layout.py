"""The same parameters in two layouts: the library's arrays, and the transcriptions' nested dicts.

A gradient has the layout of its parameters, so the same functions translate gradients.
"""

import jax
import jax.numpy as jnp
import numpy as np

from colonnade.cells.additive import AdditiveParams
from colonnade.cells.elstm import ELSTMParams
from colonnade.cells.gru import GRUParams
from colonnade.cells.lru import LRUParams


def sums(d):
    """[W, R, b] along the last axis, in one array."""
    return jnp.concatenate([d["W"], d["R"], np.expand_dims(d["b"], -1)], axis=-1)


def gated(gates):
    """The same with a gate axis before the last."""

    def pack(d):
        return jnp.stack([sums(d[gate]) for gate in gates], axis=-2)

    return pack


def additive(d):
    return AdditiveParams(U=jnp.asarray(d["U"]), R=jnp.asarray(d["R"]))


def gru(d):
    gates = [d[gate] for gate in "rzn"]
    return GRUParams(
        W=jnp.stack([np.concatenate([g["W"], np.expand_dims(g["b"], -1)], axis=-1) for g in gates], axis=-2),
        R=jnp.stack([g["R"] for g in gates], axis=-2),
    )


def elstm(d):
    gates = [d[gate] for gate in "fzo"]
    return ELSTMParams(
        W=jnp.stack([np.concatenate([g["W"], np.expand_dims(g["b"], -1)], axis=-1) for g in gates], axis=-2),
        w=jnp.stack([g["w"] for g in gates], axis=-1),
    )


def lru(d):
    return LRUParams(**{name: jnp.asarray(leaf) for name, leaf in d.items()})


lstm = gated("ifog")


def draw(shapes, seed=0):
    """Draw a nested dict of parameters of these shapes."""
    rng = np.random.default_rng(seed)

    def leaf(shape):
        if isinstance(shape, dict):
            return {name: leaf(inner) for name, inner in shape.items()}
        return rng.normal(size=shape) * 0.5

    return leaf(shapes)


def plain(n, d):
    return {"W": (n, d), "R": (n, n), "b": (n,)}


SHAPES = {
    "rnn": plain,
    "additive": lambda n, d: {"U": (n, d), "R": (n, n)},
    "lstm": lambda n, d: {gate: plain(n, d) for gate in "ifog"},
    "gru": lambda n, d: {gate: plain(n, d) for gate in "rzn"},
    "elstm": lambda n, d: {gate: {"W": (n, d), "w": (n,), "b": (n,)} for gate in "fzo"},
    "columns": lambda k, d: {gate: {"W": (k, 1, d), "R": (k, 1, 1), "b": (k, 1)} for gate in "ifog"},
    "lru": lambda n, d: {"nu": (n,), "theta": (n,), "gamma": (n,), "B_re": (n, d), "B_im": (n, d)},
}


def stack(gradients, pack):
    """Translate a list of gradients, one a step, into one tree with a leading axis of steps."""
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *[pack(g) for g in gradients])
