"""A learner for streams on the compiled engine: it predicts the discounted sum of a cumulant to come.

    δ(t) = c(t) + γ ŷ(t) − ŷ(t−1)        ŷ = Σ w_j (h_j − μ_j)/σ_j + b
    θ(t+1) = θ(t) + step(δ(t) E(t−1))    E(t) = γλ E(t−1) + dŷ(t)/dθ

Columns are LSTMs of one unit, and dŷ/dθ is exact through all time.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from colonnade._engine import Predictor
from colonnade.checks import number, whole
from colonnade.errors import BadInput
from colonnade.streaming.plan import Plan

FIRST_WEIGHTS = 0.01  # uniform within plus and minus this


class TDPredictor:
    """Predicts at every event, is told, and learns, in constant memory.

    >>> from colonnade.streaming import columnar
    >>> learner = TDPredictor(columnar(7), inputs=12, discount=0.9, trace_decay=0.99, step_size=1e-4, seed=0)
    >>> learner.step(np.zeros(12), cumulant=0.0)
    0.0
    """

    def __init__(
        self,
        plan: Plan,
        inputs: int,
        *,
        discount: float = 0.9,
        trace_decay: float = 0.9,
        step_size: float = 1e-4,
        normalise_rate: float = 0.99999,
        normalise_floor: float = 0.001,
        seed: int = 0,
    ) -> None:
        if not isinstance(plan, Plan):
            raise BadInput("plan", expected="a plan, such as columnar(7)", got=repr(plan))
        whole("inputs", inputs)
        number("discount", discount, low=0.0, high=1.0)
        number("trace_decay", trace_decay, low=0.0, high=1.0)
        number("step_size", step_size, low=0.0)
        number("normalise_rate", normalise_rate, low=0.0, high=1.0)
        number("normalise_floor", normalise_floor, low=1e-30)
        whole("seed", seed, least=0)
        self.plan, self.inputs, self.discount = plan, int(inputs), float(discount)
        self._engine = Predictor(
            inputs=int(inputs),
            columns=list(plan.columns),
            stage_steps=plan.stage_steps,
            trace_decay=trace_decay,
            step_size=step_size,
            rms=True,
            rms_keep=0.9999,
            rms_eps=1e-8,
            rate=normalise_rate,
            floor=normalise_floor,
        )
        self._draw(np.random.default_rng(seed))

    def step(self, x: ArrayLike, cumulant: float, discount: float | None = None) -> float:
        """Take one event in: observe ``x`` (inputs,) with its cumulant, learn, and return the prediction.

        ``discount`` stands in place of the learner's own at this event; 0 ends an episode.
        """
        return float(self._run(self._one(x), [cumulant], None if discount is None else [discount])[0])

    def run(
        self, x: ArrayLike, cumulant: ArrayLike, discount: ArrayLike | None = None
    ) -> NDArray[np.float32]:
        """Take a chunk of events in, ``x`` (events, inputs), and return the prediction made at each.

        The same numbers come out however a stream is cut. A chunk with a bad event changes nothing.
        """
        events = _array("x", x)
        return self._run(_numbers("x", events, (*events.shape[:1], self.inputs)), cumulant, discount)

    def predict(self, x: ArrayLike) -> float:
        """Say what would be predicted if ``x`` came now. Nothing changes."""
        return float(self._engine.peek(self._one(x)[0]))

    def reset(self) -> None:
        """Begin a new episode: the state and all blame are forgotten, what was learned stays."""
        self._engine.reset()

    def state(self) -> dict[str, NDArray[Any]]:
        """Return all that the learner is, as named arrays."""
        numbers = {name: np.asarray(value) for name, value in self._engine.progress().items()}
        return self._engine.arrays() | {f"progress.{name}": value for name, value in numbers.items()}

    def set_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Become what ``state`` says; a state that doesn't fit changes nothing."""
        now = self.state()
        for name, array in now.items():
            if name not in state:
                raise BadInput("state", expected=f"an array {name!r}", got="none of that name")
            shape, came = array.shape, np.shape(state[name])
            if came != shape or not np.isfinite(state[name]).all():
                raise BadInput(
                    f"state[{name!r}]", expected=f"finite numbers of shape {shape}", got=f"shape {came}"
                )
        if unknown := sorted(set(state) - set(now)):
            raise BadInput("state", expected="no other arrays", got=unknown[0])
        progress = {name.removeprefix("progress."): state[name].item() for name in now if "progress." in name}
        if not 0 <= progress["active"] < len(self.plan.columns):
            raise BadInput("state['progress.active']", expected="a stage of the plan", got=progress["active"])
        arrays = {n: np.ascontiguousarray(state[n], np.float32) for n in now if not n.startswith("progress.")}
        self._engine.set_arrays(arrays)
        self._engine.set_progress(**progress)

    def _draw(self, rng: np.random.Generator) -> None:
        """Draw the first weights."""
        arrays = self._engine.arrays()
        for stage in range(len(self.plan.columns)):
            shape = arrays[f"stage.{stage}.W"].shape
            arrays[f"stage.{stage}.W"] = rng.uniform(-FIRST_WEIGHTS, FIRST_WEIGHTS, shape).astype(np.float32)
        self._engine.set_arrays(arrays)

    def _run(
        self, x: NDArray[np.float32], cumulant: ArrayLike, discount: ArrayLike | None
    ) -> NDArray[np.float32]:
        events = len(x)
        told = _numbers("cumulant", cumulant, (events,))
        faded = np.full(events, self.discount, np.float32)
        if discount is not None:
            faded = _numbers("discount", discount, (events,))
            _refuse("discount", faded, (faded < 0) | (faded > 1), "a number from 0 to 1")
        prediction = np.empty(events, np.float32)
        self._engine.run(x, told, faded, prediction)
        return prediction

    def _one(self, x: ArrayLike) -> NDArray[np.float32]:
        """Return one observation as a chunk."""
        return _numbers("x", _array("x", x)[None], (1, self.inputs))


def _array(name: str, values: ArrayLike) -> NDArray[Any]:
    """Return an array of numbers, or say that there is none to be made."""
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.asarray(None)
    if array.dtype.kind not in "fiub":
        raise BadInput(name, expected="numbers", got=f"{type(values).__name__} of {array.dtype}")
    return array


def _numbers(name: str, values: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return finite float32 numbers of this shape, or say which one isn't."""
    array = _array(name, values)
    if array.shape != shape:
        raise BadInput(name, expected=f"shape {shape}", got=f"shape {array.shape}")
    with np.errstate(over="ignore"):
        numbers = np.ascontiguousarray(array, np.float32)
    _refuse(name, numbers, ~np.isfinite(numbers), "a finite number of float32")
    return numbers


def _refuse(name: str, values: NDArray[np.float32], bad: NDArray[np.bool_], expected: str) -> None:
    """Refuse the first bad number, and say where it is."""
    if bad.any():
        event, *place = (int(i) for i in np.unravel_index(int(np.argmax(bad)), bad.shape))
        where = f"{name}[{', '.join(map(str, place))}]" if place else name
        raise BadInput(f"{where} of event {event}", expected=expected, got=values[event, *place])
