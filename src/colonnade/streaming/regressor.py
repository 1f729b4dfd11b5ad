"""Numbers predicted online from all that came before: squared error, exact gradients through time.

L = ½ Σ (y − ŷ)²        ŷ = Σ w_j (h_j − μ_j)/σ_j + b        θ ← θ + step(−dL/dθ)
"""

from collections.abc import Sequence
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from colonnade._engine import Numbers
from colonnade.streaming.learner import Learner, Settings, outputs_of
from colonnade.streaming.network import Network
from colonnade.streaming.numbers import events_of, known_of, numbers_of


class Regressor(Learner, Numbers):
    """Predicts one number or several at every event, is told, and learns, in constant memory.

    ``step(x, y)`` takes an event in and returns what was predicted before y was told; ``learn`` does the same
    without an answer, and ``predict(x)`` only looks. Where y is None nothing is learned, but the state moves.
    Further settings: ``Settings``.

    >>> from colonnade.streaming import columnar
    >>> learner = Regressor(columnar(4), inputs=["load", "hour"], step_size=1e-3)
    >>> learner.step({"load": 0.7, "hour": 13}, y=0.65)
    0.0
    """

    def __init__(
        self, network: Network, inputs: int | Sequence[str], *, outputs: int = 1, **settings: Unpack[Settings]
    ) -> None:
        outputs = outputs_of("outputs", outputs)
        super().__init__(network, inputs, outputs=outputs, own={"outputs": outputs}, common=settings)

    def run(self, x: ArrayLike, y: ArrayLike, known: ArrayLike | None = None) -> NDArray[np.float32]:
        """Take a chunk of events in, ``x`` (events, inputs), and return what was predicted at each.

        The same bits come out however a stream is cut. A chunk with a bad event changes nothing. Where
        ``known`` is false, y says nothing, whatever finite number stands there.
        """
        chunk = events_of(x, self._width)
        predictions = np.empty(self._shape(len(chunk)), np.float32)
        told = numbers_of("y", y, predictions.shape)
        self._run(chunk, told, None, known_of(known, len(chunk)), predictions)
        return predictions
