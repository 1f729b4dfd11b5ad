"""From a file to the learner it was: the kinds of learner, network and optimizer there can be.

A file can say that it is a learner of any size. It is believed only if it has arrays of the same size.
"""

from os import PathLike
from typing import Any

from colonnade.streaming import checkpoint
from colonnade.streaming.classifier import Classifier
from colonnade.streaming.dense import DenseLSTM
from colonnade.streaming.file import path_of
from colonnade.streaming.learner import Learner
from colonnade.streaming.linear import OnlineLRU
from colonnade.streaming.optimizers import SGD, Adam, RMSProp
from colonnade.streaming.outline import expecting
from colonnade.streaming.plan import Plan
from colonnade.streaming.predictor import TDPredictor
from colonnade.streaming.regressor import Regressor
from colonnade.streaming.state import PROGRESS

LEARNERS: dict[str, type[Learner]] = {kind.__name__: kind for kind in (TDPredictor, Regressor, Classifier)}
NETWORKS = {kind.__name__: kind for kind in (Plan, DenseLSTM, OnlineLRU)}
OPTIMIZERS = {kind.__name__: kind for kind in (SGD, RMSProp, Adam)}


def load(path: str | PathLike[str]) -> Learner:
    """Read a file that any learner saved, and go on with the same bits."""
    return restore(checkpoint.read(path_of(path)), str(path))


def restore(packed: bytes, where: str) -> Learner:
    """Make the learner that these bytes were."""
    spec, arrays = checkpoint.unpack(packed, where)
    try:
        kind, arguments = _parts(spec)
        with expecting({name: array.shape for name, array in arrays.items() if name not in PROGRESS}):
            learner = kind(**arguments)
        learner.set_state(arrays)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, MemoryError) as failure:
        got = f"one that can't be: {checkpoint.words(failure)}"
        raise checkpoint.damaged(where, got) from None
    return learner


def _parts(spec: dict[str, Any]) -> tuple[type[Learner], dict[str, Any]]:
    """Return the kind of learner, and what it is made with."""
    settings = dict(spec["settings"])
    settings["optimizer"] = _part(OPTIMIZERS, settings["optimizer"])
    network = _part(NETWORKS, spec["network"])
    return LEARNERS[spec["learner"]], {"network": network, "inputs": spec["inputs"], **settings}


def _part(kinds: dict[str, Any], told: dict[str, Any]) -> Any:
    """Make a network or an optimizer; JSON's lists were tuples."""
    arguments = {name: tuple(v) if isinstance(v, list) else v for name, v in told.items() if name != "kind"}
    return kinds[told["kind"]](**arguments)
