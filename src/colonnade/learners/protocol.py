"""What a learner is: cell, credit, objective and optimizer joined. It predicts, is told, and learns."""

from typing import Any, NamedTuple, Protocol, runtime_checkable

from jaxtyping import Array, Bool, Float, Key, Num

from colonnade.objectives.protocol import Learned, Objective, Prediction, Values

Carry = Any


class Event(NamedTuple):
    """What arrives at one step.

    ``target`` is a number, several, or a class; for TD the cumulant. ``discount`` is TD's, where it isn't
    always the same. ``first`` says that a new episode begins here; ``given``, whether there is a target at
    all. Fields left at None cost nothing. In a chunk every array has a leading axis of events.
    """

    x: Float[Values, " inputs"]
    target: Num[Values, "..."]
    discount: Float[Values, "..."] | None = None
    first: Bool[Values, ""] | None = None
    given: Bool[Values, ""] | None = None


class Outcome(NamedTuple):
    """What a learner predicted before it was told, and how wrong that was (0 where no target was given)."""

    prediction: Prediction
    loss: Float[Array, ""]


@runtime_checkable
class Learner(Protocol):
    """Pure functions over an explicit carry: it jits, scans and vmaps over seeds.

    A carry has an ``example``, an event of zeros: what events must look like.
    """

    @property
    def objective(self) -> Objective: ...

    def init(self, key: Key[Array, ""], event: Event) -> Carry:
        """Make the carry before the first event. ``event`` is an example, for shapes and fields."""
        ...

    def gradient(self, carry: Carry, event: Event) -> tuple[Learned, Carry, Outcome]:
        """Return the direction to descend, and the carry moved on but not yet updated."""
        ...

    def step(self, carry: Carry, event: Event) -> tuple[Carry, Outcome]:
        """Predict, be told, learn."""
        ...
