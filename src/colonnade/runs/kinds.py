"""What a spec file may name: every kind of experiment and of its parts. Nothing else can be made from a file.

A part is what stands at an argument: a cell, a world. `KINDS` has the kinds of every part by the names that
stand in the file. What they are is loaded when one is first made, so that a sweep of the compiled engine
needs no JAX.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from colonnade.checks import number


class Part(NamedTuple):
    """That another part stands at an argument, or a list of them."""

    of: str
    many: bool = False


@dataclass(frozen=True)
class Kind:
    """A class or a function by its home, and which of its arguments are parts."""

    home: str
    parts: Mapping[str, Part] = field(default_factory=dict)

    def maker(self) -> Callable[..., Any]:
        """Load the class or the function."""
        module, _, name = self.home.partition(":")
        return getattr(import_module(module), name)  # type: ignore[no-any-return]

    def arguments(self) -> dict[str, bool]:
        """Return its arguments, and whether each must be there."""
        return _arguments(self.maker())

    def make(self, told: dict[str, Any]) -> Any:
        """Make one."""
        return self.maker()(**told)


@dataclass(frozen=True)
class EngineLearner(Kind):
    """A learner of the compiled engine: its inputs follow from the world, its seed from the run."""

    def arguments(self) -> dict[str, bool]:
        """Return the network, the settings that only it has and those that every learner has."""
        from colonnade.streaming import Settings

        own = _arguments(self.maker()) | dict.fromkeys(Settings.__annotations__, False)
        return {name: must for name, must in own.items() if name not in ("inputs", "seed")}

    def make(self, told: dict[str, Any]) -> Any:
        """Make the recipe."""
        from colonnade.runs.streamed import Recipe

        settings = {name: value for name, value in told.items() if name != "network"}
        return Recipe(self.maker(), told["network"], settings)  # type: ignore[arg-type]


@dataclass(frozen=True)
class OptaxOptimizer(Kind):
    """One of optax's optimizers; of its settings, those that are numbers."""

    settings: tuple[str, ...] = ()

    def arguments(self) -> dict[str, bool]:
        """Return the settings."""
        found = _arguments(self.maker())
        return {name: found[name] for name in self.settings}

    def make(self, told: dict[str, Any]) -> Any:
        """Say which it is."""
        from colonnade.runs.scanned import Optax

        for name, value in told.items():
            if not isinstance(value, bool):
                number(name, value)
        return Optax(self.home.partition(":")[2], told)


@dataclass(frozen=True)
class Function(Kind):
    """A function that is an argument itself."""

    def arguments(self) -> dict[str, bool]:
        """None."""
        return {}

    def make(self, told: dict[str, Any]) -> Any:
        """Return it."""
        return self.maker()


@cache
def _arguments(maker: Callable[..., Any]) -> dict[str, bool]:
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = inspect.signature(maker).parameters.values()
    return {each.name: each.default is each.empty for each in parameters if each.kind in named}


def _public(*names: str, **parts: Part) -> dict[str, Kind]:
    """Return kinds that Colonnade has under their public names."""
    return {name: Kind(f"colonnade:{name}", parts) for name in names}


def _optax(name: str, *settings: str, home: str = "optax") -> dict[str, Kind]:
    return {name: OptaxOptimizer(f"{home}:{name}", settings=settings)}


_LEARNER_PARTS = {"network": Part("network"), "optimizer": Part("optimizer of the engine")}
_ADAM = ("learning_rate", "b1", "b2", "eps", "eps_root", "nesterov")

KINDS: dict[str, dict[str, Kind]] = {
    "experiment": {
        "Streamed": Kind(
            "colonnade.runs.streamed:Streamed", {"learner": Part("learner"), "world": Part("world")}
        ),
        "Scanned": Kind(
            "colonnade.runs.scanned:Scanned",
            {name: Part(name) for name in ("cell", "credit", "objective", "optimizer", "world")},
        ),
    },
    "world": _public("TracePatterning", "TraceConditioning", "CopyTask", "RandomTeacher", "LatchedProduct"),
    # The compiled engine.
    "learner": {
        name: EngineLearner(f"colonnade:{name}", _LEARNER_PARTS)
        for name in ("TDPredictor", "Regressor", "Classifier")
    },
    "network": _public("columnar", "constructive", "ccn", "online_lru", "dense_lstm", "Plan"),
    "optimizer of the engine": _public("SGD", "RMSProp", "Adam"),
    # The algebra.
    "cell": {
        **_public("LeakyRNN", "LSTM", "GRU", "LinearRNN", "Additive", "ELSTM", "LRU", "Normalise"),
        **_public("RNN", activation=Part("activation")),
        **_public("Columnar", cell=Part("cell")),
        **_public("Lateral"),
        **_public("Stacked", "Staged", layers=Part("cell", many=True)),
    },
    "activation": {name: Function(f"jax.nn:{name}") for name in ("tanh", "sigmoid", "relu", "elu", "gelu")},
    "credit": {
        **_public("rtrl", "snap", "tbptt", "spatial", "frozen"),
        **_public("independent", rule=Part("credit")),
        **_public("layered", rules=Part("credit", many=True)),
    },
    "objective": _public("SquaredError", "CrossEntropy", "TD"),
    "optimizer": {
        **_optax("sgd", "learning_rate", "momentum", "nesterov"),
        **_optax("adam", *_ADAM),
        **_optax("adamw", *_ADAM, "weight_decay"),
        **_optax("nadam", *_ADAM[:-1]),
        **_optax("adagrad", "learning_rate", "initial_accumulator_value", "eps"),
        **_optax("rmsprop", "step_size", "decay", "eps", home="colonnade"),
        "Apart": Kind(
            "colonnade.runs.scanned:Apart", {"cell": Part("optimizer"), "readout": Part("optimizer")}
        ),
    },
}
