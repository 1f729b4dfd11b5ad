"""Colonnade learns online from a stream that never ends, in constant memory, with long memory of the past.

Public names load when they are first used, so `import colonnade` is quick and needs neither NumPy nor JAX:

>>> import colonnade
>>> raise colonnade.BadInput("rate", expected="a positive number", got=-1)
Traceback (most recent call last):
...
colonnade.errors.BadInput: rate: expected a positive number, got -1
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from colonnade.cells import ELSTM as ELSTM
    from colonnade.cells import GRU as GRU
    from colonnade.cells import LRU as LRU
    from colonnade.cells import LSTM as LSTM
    from colonnade.cells import RNN as RNN
    from colonnade.cells import Additive as Additive
    from colonnade.cells import Cell as Cell
    from colonnade.cells import LeakyRNN as LeakyRNN
    from colonnade.cells import LinearRNN as LinearRNN
    from colonnade.cells import Modular as Modular
    from colonnade.cells import Normalise as Normalise
    from colonnade.cells import with_own as with_own
    from colonnade.credit import Credit as Credit
    from colonnade.credit import frozen as frozen
    from colonnade.credit import independent as independent
    from colonnade.credit import layered as layered
    from colonnade.credit import rtrl as rtrl
    from colonnade.credit import snap as snap
    from colonnade.credit import spatial as spatial
    from colonnade.credit import tbptt as tbptt
    from colonnade.errors import BadInput as BadInput
    from colonnade.learners import Batch as Batch
    from colonnade.learners import Carry as Carry
    from colonnade.learners import Event as Event
    from colonnade.learners import Learner as Learner
    from colonnade.learners import Online as Online
    from colonnade.learners import Outcome as Outcome
    from colonnade.learners import events_of as events_of
    from colonnade.learners import first_of as first_of
    from colonnade.learners import grow as grow
    from colonnade.learners import parameters_of as parameters_of
    from colonnade.learners import run as run
    from colonnade.learners import with_parameters as with_parameters
    from colonnade.networks import Columnar as Columnar
    from colonnade.networks import Lateral as Lateral
    from colonnade.networks import Stacked as Stacked
    from colonnade.networks import Staged as Staged
    from colonnade.objectives import TD as TD
    from colonnade.objectives import CrossEntropy as CrossEntropy
    from colonnade.objectives import Linear as Linear
    from colonnade.objectives import Objective as Objective
    from colonnade.objectives import SquaredError as SquaredError
    from colonnade.optimizers import apart as apart
    from colonnade.optimizers import rmsprop as rmsprop
    from colonnade.streaming import SGD as SGD
    from colonnade.streaming import Adam as Adam
    from colonnade.streaming import Classifier as Classifier
    from colonnade.streaming import Plan as Plan
    from colonnade.streaming import Regressor as Regressor
    from colonnade.streaming import RMSProp as RMSProp
    from colonnade.streaming import TDPredictor as TDPredictor
    from colonnade.streaming import ccn as ccn
    from colonnade.streaming import columnar as columnar
    from colonnade.streaming import constructive as constructive
    from colonnade.streaming import dense_lstm as dense_lstm
    from colonnade.streaming import load as load
    from colonnade.streaming import online_lru as online_lru
    from colonnade.streaming import operations_of as operations_of
    from colonnade.streaming import regrown as regrown
    from colonnade.worlds import CopyTask as CopyTask
    from colonnade.worlds import LatchedProduct as LatchedProduct
    from colonnade.worlds import RandomTeacher as RandomTeacher
    from colonnade.worlds import TraceConditioning as TraceConditioning
    from colonnade.worlds import TracePatterning as TracePatterning

    __version__: str

_HOMES = {
    "Additive": "colonnade.cells",
    "Cell": "colonnade.cells",
    "ELSTM": "colonnade.cells",
    "GRU": "colonnade.cells",
    "LRU": "colonnade.cells",
    "LSTM": "colonnade.cells",
    "LeakyRNN": "colonnade.cells",
    "LinearRNN": "colonnade.cells",
    "Modular": "colonnade.cells",
    "Normalise": "colonnade.cells",
    "with_own": "colonnade.cells",
    "RNN": "colonnade.cells",
    "Credit": "colonnade.credit",
    "frozen": "colonnade.credit",
    "independent": "colonnade.credit",
    "layered": "colonnade.credit",
    "rtrl": "colonnade.credit",
    "snap": "colonnade.credit",
    "spatial": "colonnade.credit",
    "tbptt": "colonnade.credit",
    "BadInput": "colonnade.errors",
    "Batch": "colonnade.learners",
    "Carry": "colonnade.learners",
    "Event": "colonnade.learners",
    "Learner": "colonnade.learners",
    "Online": "colonnade.learners",
    "Outcome": "colonnade.learners",
    "events_of": "colonnade.learners",
    "first_of": "colonnade.learners",
    "grow": "colonnade.learners",
    "parameters_of": "colonnade.learners",
    "run": "colonnade.learners",
    "with_parameters": "colonnade.learners",
    "Columnar": "colonnade.networks",
    "Lateral": "colonnade.networks",
    "Stacked": "colonnade.networks",
    "Staged": "colonnade.networks",
    "CrossEntropy": "colonnade.objectives",
    "Linear": "colonnade.objectives",
    "Objective": "colonnade.objectives",
    "SquaredError": "colonnade.objectives",
    "TD": "colonnade.objectives",
    "apart": "colonnade.optimizers",
    "rmsprop": "colonnade.optimizers",
    "Adam": "colonnade.streaming",
    "Classifier": "colonnade.streaming",
    "Plan": "colonnade.streaming",
    "RMSProp": "colonnade.streaming",
    "Regressor": "colonnade.streaming",
    "SGD": "colonnade.streaming",
    "TDPredictor": "colonnade.streaming",
    "ccn": "colonnade.streaming",
    "columnar": "colonnade.streaming",
    "constructive": "colonnade.streaming",
    "dense_lstm": "colonnade.streaming",
    "load": "colonnade.streaming",
    "online_lru": "colonnade.streaming",
    "operations_of": "colonnade.streaming",
    "regrown": "colonnade.streaming",
    "CopyTask": "colonnade.worlds",
    "RandomTeacher": "colonnade.worlds",
    "LatchedProduct": "colonnade.worlds",
    "TraceConditioning": "colonnade.worlds",
    "TracePatterning": "colonnade.worlds",
}
"""Every public name, and the module it comes from; the imports above repeat it for type checkers."""

_LAB = {"jax", "jaxlib", "jaxtyping", "matplotlib", "optax"}
"""What only `colonnade[lab]` installs."""

__all__ = ["__version__", *_HOMES]


def _find(name: str) -> object:
    if name != "__version__" and name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = _installed_version() if name == "__version__" else _load(name)
    globals()[name] = value
    return value


def _installed_version() -> str:
    from importlib.metadata import version

    return version(__name__)


def _load(name: str) -> object:
    try:
        return getattr(import_module(_HOMES[name]), name)
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package not in _LAB:
            raise
        raise ImportError(
            f"colonnade.{name} needs {package}: pip install '.[lab]' in a checkout of Colonnade",
            name=missing.name,
        ) from None


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


if not TYPE_CHECKING:  # or a type checker would believe that every name exists
    __getattr__ = _find
