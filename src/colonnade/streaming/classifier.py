"""Classes predicted online from all that came before: cross-entropy, exact gradients through time.

L = −log p_y        p = softmax(ŷ)        ŷ = Σ w_j (h_j − μ_j)/σ_j + b        θ ← θ + step(−dL/dθ)
"""

from collections.abc import Sequence
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from colonnade._engine import Classes
from colonnade.streaming.learner import Learner, Settings, outputs_of
from colonnade.streaming.network import Network
from colonnade.streaming.numbers import array_of, events_of, known_of, numbers_of, refuse


class Classifier(Learner, Classes):
    """Predicts a class at every event, is told, and learns, in constant memory.

    ``step(x, y)`` takes an event in and returns the probability of each class before y was told; ``learn``
    does the same without an answer, and ``predict(x)`` only looks. y is an integer from 0 on; where it is
    None nothing is learned, but the state moves. Further settings: ``Settings``.

    >>> from colonnade.streaming import columnar
    >>> learner = Classifier(columnar(4), inputs=3, classes=2)
    >>> learner.step([0.0, 1.0, 0.0], y=1)
    array([0.5, 0.5], dtype=float32)
    """

    def __init__(
        self, network: Network, inputs: int | Sequence[str], *, classes: int, **settings: Unpack[Settings]
    ) -> None:
        classes = outputs_of("classes", classes, least=2)
        super().__init__(network, inputs, outputs=classes, own={"classes": classes}, common=settings)

    def run(self, x: ArrayLike, y: ArrayLike, known: ArrayLike | None = None) -> NDArray[np.float32]:
        """Take a chunk of events in, ``x`` (events, inputs), and return the probabilities at each.

        The same bits come out however a stream is cut. A chunk with a bad event changes nothing. Where
        ``known`` is false, y says nothing, whatever class stands there.
        """
        chunk = events_of(x, self._width)
        told = self._labels(y, len(chunk))
        predictions = np.empty(self._shape(len(chunk)), np.float32)
        self._run(chunk, told, None, known_of(known, len(chunk)), predictions)
        return predictions

    def _labels(self, y: ArrayLike, events: int) -> NDArray[np.float32]:
        """Return a class for every event."""
        labels = array_of("y", y, kinds="iu", expected="classes, integers")
        told = numbers_of("y", labels, (events,))
        allowed = f"a class, an integer from 0 to {self._outputs - 1}"
        refuse("y", labels, (told < 0) | (told >= self._outputs), allowed)
        return told
