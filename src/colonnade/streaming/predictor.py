"""Prediction of a discounted sum, online: TD(λ) with exact gradients through time, on the compiled engine.

δ(t) = c(t) + γ ŷ(t) − ŷ(t−1)        ŷ = Σ w_j (h_j − μ_j)/σ_j + b
θ(t+1) = θ(t) + step(δ(t) E(t−1))    E(t) = γλ E(t−1) + dŷ(t)/dθ
"""

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from colonnade._engine import Returns
from colonnade.checks import number
from colonnade.errors import BadInput
from colonnade.streaming.learner import Learner, Settings, outputs_of
from colonnade.streaming.network import Network
from colonnade.streaming.numbers import array_of, events_of, numbers_of, refuse


class TDPredictor(Learner, Returns):
    """Predicts returns at every event, is told the cumulant, and learns, in constant memory.

    ``step(x, cumulant)`` takes an event in and returns the prediction; ``learn`` does the same without an
    answer, and ``predict(x)`` only looks. With several ``predictions``, cumulants are as many numbers, and
    so may ``discount`` and ``trace_decay`` be. Further settings: ``Settings``.

    >>> from colonnade.streaming import columnar
    >>> learner = TDPredictor(columnar(7), inputs=12, discount=0.9, trace_decay=0.99, step_size=1e-4, seed=0)
    >>> learner.step(np.zeros(12), cumulant=0.0)
    0.0
    """

    def __init__(
        self,
        network: Network,
        inputs: int | Sequence[str],
        *,
        predictions: int = 1,
        discount: float | Sequence[float] = 0.9,
        trace_decay: float | Sequence[float] = 0.9,
        **settings: Unpack[Settings],
    ) -> None:
        outputs = outputs_of("predictions", predictions)
        discounts = _shares("discount", discount, outputs)
        decays = _shares("trace_decay", trace_decay, outputs)
        own = {"predictions": outputs, "discount": discounts, "trace_decay": decays}
        super().__init__(
            network,
            inputs,
            outputs=outputs,
            own=own,
            common=settings,
            returns={"discount": discounts, "trace_decay": decays},
        )

    def run(
        self, x: ArrayLike, cumulant: ArrayLike, discount: ArrayLike | None = None
    ) -> NDArray[np.float32]:
        """Take a chunk of events in, ``x`` (events, inputs), and return the prediction made at each.

        The same bits come out however a stream is cut. A chunk with a bad event changes nothing.
        ``discount``, one an event or one an event and prediction, stands in place of the learner's own.
        """
        chunk = events_of(x, self._width)
        shape = self._shape(len(chunk))
        told = numbers_of("cumulant", cumulant, shape)
        discounts = None if discount is None else _discounts(discount, shape)
        predictions = np.empty(shape, np.float32)
        self._run(chunk, told, discounts, None, predictions)
        return predictions


def _discounts(discount: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return a discount for every event and prediction."""
    given = array_of("discount", discount)
    if given.ndim == 1 and len(shape) == 2:
        given = np.broadcast_to(given[:, None], (len(given), shape[1]))
    told = numbers_of("discount", given, shape)
    refuse("discount", told, (told < 0) | (told > 1), "a number from 0 to 1")
    return told


def _shares(name: str, value: Any, outputs: int) -> tuple[float, ...]:
    """Return a number from 0 to 1 for every prediction."""
    given = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(given, (list, tuple)):
        number(name, given, low=0.0, high=1.0)
        return (float(given),) * outputs
    if len(given) != outputs:
        raise BadInput(name, expected=f"a number, or {outputs} of them", got=f"{len(given)} numbers")
    for i, share in enumerate(given):
        number(f"{name}[{i}]", share, low=0.0, high=1.0)
    return tuple(float(share) for share in given)
