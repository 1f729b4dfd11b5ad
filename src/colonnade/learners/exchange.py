"""Parameters by name, as the compiled engine has them: they move between engine and algebra both ways.

columns of LSTM(1)   stage.0.W, stage.1.W …     (columns, 4, inputs + 2)      gates i, f, o, g; inputs, h, 1
LSTM                 lstm.W                     (units, 4, inputs + units + 1)
LRU                  lru.nu, lru.theta, lru.gamma, lru.B_re, lru.B_im
the readout          readout.w, readout.b
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Shaped

from colonnade.cells import LRU, LSTM, Normalise
from colonnade.cells.lru import LRUParams
from colonnade.cells.protocol import Cell, Params
from colonnade.errors import BadInput, shown
from colonnade.learners.carried import check_carry
from colonnade.learners.online import Carry, Online
from colonnade.networks import Columnar, Layered
from colonnade.objectives import Linear

Named = dict[str, Shaped[np.ndarray, "..."]]
Swap = Callable[[str, Array], Array]


def parameters_of(learner: Online, carry: Carry) -> Named:
    """Return the weights of network and readout under the engine's names.

    >>> import jax, optax
    >>> from colonnade import TD, Event, independent, rtrl
    >>> learner = Online(Columnar(LSTM(1), 7), independent(rtrl()), TD(), optax.sgd(0.1))
    >>> carry = learner.init(jax.random.key(0), Event(x=jnp.ones(12), target=jnp.zeros(1)))
    >>> {name: array.shape for name, array in parameters_of(learner, carry).items()}
    {'stage.0.W': (7, 4, 14), 'readout.w': (1, 7), 'readout.b': (1,)}
    """
    found: Named = {}

    def keep(name: str, array: Array) -> Array:
        found[name] = np.asarray(array)
        return array

    _exchange(learner, carry, keep)
    return found


def with_parameters(
    learner: Online, carry: Carry, parameters: Mapping[str, Shaped[np.ndarray, "..."]]
) -> Carry:
    """Return the carry with these weights, by the engine's names; all else stays as it is."""
    names = parameters_of(learner, carry)
    if not hasattr(parameters, "keys"):
        raise BadInput("parameters", expected="a dict of arrays", got=shown(parameters))
    if unknown := [name for name in parameters if name not in names]:
        raise BadInput("parameters", expected=f"only {', '.join(names)}", got=unknown[0])

    def swap(name: str, array: Array) -> Array:
        if name not in parameters:
            raise BadInput("parameters", expected=f"an array {name!r}", got="none of that name")
        return _weights(f"parameters[{name!r}]", parameters[name], array)

    return _exchange(learner, carry, swap)


def _weights(name: str, came: Any, like: Array) -> Array:
    """Return weights as the learner computes with them; refuse what can't stand for them."""
    weights = np.asarray(came)
    if weights.dtype.kind not in "fiu":
        raise BadInput(name, expected="real numbers", got=f"an array of {weights.dtype}")
    if weights.shape != like.shape:
        raise BadInput(name, expected=f"shape {like.shape}", got=f"shape {weights.shape}")
    if not np.isfinite(weights).all():
        raise BadInput(name, expected="finite numbers", got="NaN or infinity among them")
    return jnp.asarray(weights, like.dtype)


def _exchange(learner: object, carry: Carry, swap: Swap) -> Carry:
    """Pass every weight through ``swap``, in the engine's shape."""
    if not isinstance(learner, Online):
        got = type(learner).__name__
        raise BadInput("learner", expected="a learner of one stream, Online(...)", got=got)
    check_carry(learner, carry)
    params = _through(learner.cell, carry.params, swap, count())
    if not isinstance(carry.readout, Linear):
        raise BadInput("learner", expected="a linear readout", got=type(carry.readout).__name__)
    readout = Linear(swap("readout.w", carry.readout.w), swap("readout.b", carry.readout.b))
    return carry._replace(params=params, readout=readout)


def _through(cell: Cell, params: Params, swap: Swap, stages: Iterator[int]) -> Params:
    """Do the same to a network, whose stages are counted."""
    match cell:
        case Layered():
            parts: Any = zip(cell.layers, params, strict=True)
            return tuple(_through(layer, p, swap, stages) for layer, p in parts)
        case Normalise():
            return params
        case Columnar(cell=LSTM(units=1)):
            return swap(f"stage.{next(stages)}.W", params[:, 0])[:, None]
        case LSTM():
            return swap("lstm.W", params)
        case LRU():
            return LRUParams(*(swap(f"lru.{name}", getattr(params, name)) for name in LRUParams._fields))
    raise BadInput(
        "learner", expected="columns of LSTM(1), an LSTM or an LRU, which the engine has", got=repr(cell)
    )
