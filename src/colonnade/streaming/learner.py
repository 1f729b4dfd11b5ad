"""What every learner on the compiled engine can do: its making, its state, its files and its copies."""

from collections.abc import Mapping, Sequence
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, TypedDict

import numpy as np
from numpy.typing import NDArray

from colonnade.checks import flag, number, whole
from colonnade.errors import BadInput, shown
from colonnade.streaming import checkpoint
from colonnade.streaming.dense import DenseLSTM
from colonnade.streaming.file import path_of, write
from colonnade.streaming.linear import OnlineLRU
from colonnade.streaming.network import MOST, Arrays, Network
from colonnade.streaming.optimizers import SGD, Adam, Optimizer, RMSProp
from colonnade.streaming.outline import check_outline
from colonnade.streaming.plan import Plan
from colonnade.streaming.state import PROGRESS, check_meaning, fitting

if TYPE_CHECKING:
    from colonnade._engine import Learner as Compiled
else:
    Compiled = object  # a learner has one compiled base: that of its kind


class Settings(TypedDict, total=False):
    """What every learner can be told when it is made; what is left out is as it says here.

    ``step_size`` is 1e-4, and the readout's is that divided by the number of features that exist;
    ``optimizer`` is ``RMSProp()``. ``bound`` is None, or a number κ, such as 2, with which no step size
    diverges: of all steps, the sum of magnitudes is at most the error, or 1, divided by κ.
    ``normalise_inputs`` and ``normalise_features`` are true: running means are taken off and running
    deviations divided out, with ``normalise_rate`` 0.99999 and a variance of at least ``normalise_floor``,
    0.001. First weights follow from ``seed``, 0.
    """

    step_size: float
    optimizer: Optimizer
    bound: float | None
    normalise_inputs: bool
    normalise_features: bool
    normalise_rate: float
    normalise_floor: float
    seed: int


MOST_SEED = 2**128 - 1  # as much as the generator holds

DEFAULTS: dict[str, Any] = {
    "step_size": 1e-4,
    "optimizer": RMSProp(),
    "bound": None,
    "normalise_inputs": True,
    "normalise_features": True,
    "normalise_rate": 0.99999,
    "normalise_floor": 0.001,
    "seed": 0,
}


class Learner(Compiled):
    """A learner on the compiled engine. Its kinds say what it predicts.

    ``own`` are the settings that only its kind has; ``returns`` what the engine is told of predicted returns.
    """

    network: Network
    inputs: int | tuple[str, ...]
    settings: Mapping[str, Any]

    def __init__(
        self,
        network: Network,
        inputs: int | Sequence[str],
        *,
        outputs: int,
        own: dict[str, Any],
        common: Settings,
        returns: Mapping[str, Sequence[float]] = {"discount": (), "trace_decay": ()},
    ) -> None:
        told = {**own, **_checked(common)}
        wired, seen = _network(network), _inputs(inputs)
        engine = {**_engine_settings(wired, seen, outputs, told), **returns}
        numbers, shapes = self._outline(engine)
        check_outline(wired, numbers, shapes)
        super().__init__(engine)
        self.network, self.inputs, self.settings = wired, seen, MappingProxyType(told)
        self._outputs, self._shapes = outputs, shapes
        first = wired.draw(np.random.default_rng(told["seed"]), self._width)
        self._set_arrays({name: array.astype(np.float32) for name, array in first.items()})

    @property
    def events(self) -> int:
        """How many events it has seen; while another thread runs a chunk, how many before it."""
        return self._events()

    def __repr__(self) -> str:
        given = {k: v for k, v in self.settings.items() if k not in DEFAULTS or v != DEFAULTS[k]}
        told = "".join(f", {name}={value!r}" for name, value in given.items())
        return f"{type(self).__name__}({self.network!r}, {self.inputs!r}{told})"

    def state(self) -> Arrays:
        """Return all that the learner is, as named arrays."""
        arrays, events, begun = self._state()
        progress = {"progress.events": np.asarray(events, np.int64), "progress.begun": np.asarray(begun)}
        return {**arrays, **progress}

    def set_state(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Become what ``state`` says; a state that doesn't fit changes nothing."""
        checked = fitting("state", state, {**self._shapes, **PROGRESS})
        check_meaning(checked)
        events, begun = checked.pop("progress.events"), checked.pop("progress.begun")
        self._set_state(checked, int(events), bool(begun))

    def parameters(self) -> Arrays:
        """Return the weights of network and readout, as named arrays."""
        arrays, _, _ = self._state()
        return {name: arrays[name] for name in self._weights}

    def set_parameters(self, parameters: Mapping[str, NDArray[Any]]) -> None:
        """Take over weights; all else stays as it is. Weights that don't fit change nothing."""
        shapes = {name: self._shapes[name] for name in self._weights}
        self._set_arrays(fitting("parameters", parameters, shapes))

    def save(self, path: str | PathLike[str]) -> None:
        """Write everything to one file, which is then there as a whole or not at all."""
        write(path_of(path), self._packed())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a file that a learner of this kind saved, and go on with the same bits."""
        return cls._unpacked(checkpoint.read(path_of(path)), str(path))

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (type(self), self._packed())

    @property
    def _width(self) -> int:
        """How many numbers an observation has."""
        return _width(self.inputs)

    @property
    def _weights(self) -> tuple[str, ...]:
        """What the weights are called."""
        return (*self.network.shapes(self._width), "readout.w", "readout.b")

    def _shape(self, events: int) -> tuple[int, ...]:
        """Return the shape of the predictions of so many events."""
        return (events,) if self._outputs == 1 else (events, self._outputs)

    def _packed(self) -> bytes:
        if Learner not in type(self).__bases__:
            expected = "one of Colonnade's own kinds: what another class adds can't be saved"
            raise BadInput("learner", expected=expected, got=f"a {type(self).__name__}")
        state = self.state()
        for name, array in state.items():
            if not np.isfinite(array).all():
                raise BadInput("learner", expected="finite numbers", got=f"others in {name}: it diverged")
        return checkpoint.pack(checkpoint.spec_of(self), state)

    @classmethod
    def _unpacked(cls, packed: bytes, where: str) -> Self:
        from colonnade.streaming.restore import restore

        learner = restore(packed, where)
        if not isinstance(learner, cls):
            raise BadInput(where, expected=f"a {cls.__name__}", got=f"a {type(learner).__name__}")
        return learner


def _unpickled(kind: type[Learner], packed: bytes) -> Learner:
    return kind._unpacked(packed, "a pickle")


def outputs_of(name: str, value: int, least: int = 1) -> int:
    """Check how many numbers are predicted."""
    whole(name, value, least=least, most=MOST)
    return int(value)


def _engine_settings(
    network: Network, inputs: int | tuple[str, ...], outputs: int, told: Mapping[str, Any]
) -> dict[str, Any]:
    """Say everything that the three kinds have in common as the engine's settings."""
    return {
        "names": None if isinstance(inputs, int) else inputs,
        "inputs": _width(inputs),
        "outputs": outputs,
        "normalise_inputs": told["normalise_inputs"],
        "normalise_features": told["normalise_features"],
        "rate": told["normalise_rate"],
        "floor": told["normalise_floor"],
        **{"columns": [], "stage_steps": 1, "turns": False, "units": 0, "truncation": 0, **network.engine()},
        "step_size": told["step_size"],
        "bound": told["bound"] or 0.0,
        **told["optimizer"].engine(),
    }


def _width(inputs: int | tuple[str, ...]) -> int:
    return inputs if isinstance(inputs, int) else len(inputs)


def _network(network: object) -> Network:
    if type(network) not in (Plan, DenseLSTM, OnlineLRU):
        raise BadInput("network", expected="a network, such as columnar(7)", got=shown(network))
    return network  # type: ignore[return-value]  # just checked


def _inputs(inputs: int | Sequence[str]) -> int | tuple[str, ...]:
    if isinstance(inputs, (list, tuple)):
        return _names(inputs)
    whole("inputs", inputs, most=MOST)
    return int(inputs)  # type: ignore[arg-type]  # just checked


def _names(inputs: Sequence[object]) -> tuple[str, ...]:
    names = tuple(name for name in inputs if isinstance(name, str))
    if not names or len(set(names)) < len(inputs):
        raise BadInput("inputs", expected="a number, or names, no two alike", got=shown(inputs))
    return tuple(str(name) for name in names)


def _checked(common: Settings) -> dict[str, Any]:
    if unknown := sorted(set(common) - set(DEFAULTS)):
        raise BadInput(unknown[0], expected=f"one of {', '.join(DEFAULTS)}", got="no such setting")
    told = {**DEFAULTS, **common}
    number("step_size", told["step_size"], low=0.0, high=1e15)
    if type(told["optimizer"]) not in (SGD, RMSProp, Adam):
        raise BadInput("optimizer", expected="SGD(), RMSProp() or Adam()", got=shown(told["optimizer"]))
    if told["bound"] is not None:
        number("bound", told["bound"], low=1e-6, high=1e15)
    flag("normalise_inputs", told["normalise_inputs"])
    flag("normalise_features", told["normalise_features"])
    number("normalise_rate", told["normalise_rate"], low=0.0, high=1.0)
    number("normalise_floor", told["normalise_floor"], low=1e-30, high=1e15)
    whole("seed", told["seed"], least=0, most=MOST_SEED)
    return told
