"""The online learner: an update at every event, or at every n events with their summed gradients.

s(t) = step(θ, s(t−1), x(t))        ŷ(t) = predict(W, read(s(t)))
dL/ds(t) from the objective         dL/dθ from the credit rule         (θ, W) ← optimizer

Everything it is goes from event to event in one carry.
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Bool, Float, Int, Key, UInt32

from colonnade.cells.given import check_key
from colonnade.cells.protocol import Cell, Params, State, start_again
from colonnade.credit.protocol import Credit
from colonnade.errors import BadInput
from colonnade.learners.carried import accepted
from colonnade.learners.events import example_of
from colonnade.learners.likeness import check_like, followed
from colonnade.learners.partition import join, keep
from colonnade.learners.parts import (
    check_mask,
    check_parts,
    count_features,
    first_optimizer,
    first_parameters,
)
from colonnade.learners.protocol import Event, Outcome
from colonnade.objectives.protocol import Learned, Objective, Readout, Values


class Stream(NamedTuple):
    """What belongs to one stream: the cell's state, the rule's memory and the objective's."""

    state: State
    memory: Any
    traces: Any


class Carry(NamedTuple):
    """All that a learner is, from one event to the next."""

    params: Params
    readout: Readout
    stream: Stream
    optimizer: optax.OptState
    pending: Learned  # the summed gradient since the last update; None where every event updates
    given: Bool[Array, ""]  # whether any target came since the last update
    waited: Int[Array, ""]  # events since the last update was due
    steps: UInt32[Array, ""]  # so far; it begins again at 0 after 2³², which only randomness may notice
    key: Key[Array, ""]
    example: Event  # an event of zeros: what events must look like


@dataclass(frozen=True)
class Online:
    """One stream, one learner.

    >>> import optax
    >>> from colonnade import LSTM, TD, Columnar, Event, independent, rtrl
    >>> learner = Online(Columnar(LSTM(1), 7), independent(rtrl()), TD(), optax.sgd(1e-3))
    >>> event = Event(x=jnp.ones(12), target=jnp.zeros(1))
    >>> carry = learner.init(jax.random.key(0), event)
    >>> carry, outcome = learner.step(carry, event)
    >>> outcome.prediction.shape
    (1,)
    """

    cell: Cell
    credit: Credit
    objective: Objective
    optimizer: optax.GradientTransformation
    every: int = 1

    def __post_init__(self) -> None:
        check_parts(self)

    def init(self, key: Key[Array, ""], event: Event) -> Carry:
        example = example_of(self.objective, event)
        if example.x.ndim != 1:
            raise BadInput("x", expected="one event, shape (inputs,)", got=f"shape {example.x.shape}")
        check_key(key)
        key_cell, key_readout, key_stream = jax.random.split(key, 3)
        params = first_parameters(self.cell, key_cell, example.x.shape[-1])
        readout = self.objective.init(key_readout, count_features(self.cell, params, example.x.shape[0]))
        stream = self.begin(params, readout, self.cell.start(params), example.x)
        return self.carry(params, readout, stream, example, key_stream)

    def carry(
        self, params: Params, readout: Readout, stream: Stream, example: Event, key: Key[Array, ""]
    ) -> Carry:
        """Make a carry of these parameters, before the first event."""
        learned = self.learned(params, readout)
        waits = self.every > 1
        return Carry(
            params=params,
            readout=readout,
            stream=stream,
            optimizer=first_optimizer(self.optimizer, learned),
            pending=jax.tree.map(jnp.zeros_like, learned) if waits else {"cell": None, "readout": None},
            given=jnp.array(example.given is None),
            waited=jnp.zeros((), jnp.int32),
            steps=jnp.zeros((), jnp.uint32),
            key=key,
            example=example,
        )

    def learned(self, params: Params, readout: Readout) -> Learned:
        """Return what the optimizer may move: no frozen parameters."""
        mask = self.credit.learns(self.cell, params)
        check_mask(mask, params)
        return {"cell": keep(params, mask), "readout": readout}

    def begin(self, params: Params, readout: Readout, state: State, x: Float[Values, " inputs"]) -> Stream:
        """Return a stream before the first event of an episode that begins in ``state``."""
        with self._crediting():
            memory = self.credit.start(self.cell, params, state, x)
        return Stream(state, memory, self.objective.start(self.learned(params, readout)))

    def flow(
        self, params: Params, readout: Readout, stream: Stream, event: Event, key: Key[Array, ""]
    ) -> tuple[Learned, Stream, Outcome]:
        """Take one event in: return the direction to descend, the stream moved on, and the outcome."""
        learned = self.learned(params, readout)
        stream = self._begin_again(params, readout, stream, event)
        state, memory = self._move(params, stream, event.x, key)

        def judged(readout: Readout, state: State) -> tuple[Array, Array]:
            prediction = self.objective.predict(readout, self.cell.read(state))
            return self.objective.scalar(prediction, event), prediction

        scalar, pull, prediction = jax.vjp(judged, readout, state, has_aux=True)

        def assign(one: Array) -> tuple[Learned, Any]:
            dreadout, dstate = pull(one)
            with self._crediting():
                dparams, remembered = self.credit.assign(self.cell, params, memory, dstate)
            check_like("credit", "a gradient", dparams, learned["cell"])
            check_like("credit", "a memory", remembered, memory)
            return {"cell": dparams, "readout": dreadout}, remembered

        gradient, memory = _along_outputs(assign, scalar)
        direction, traces = self.objective.combine(stream.traces, gradient, prediction, event)
        check_like("objective", "a direction", direction, learned)
        check_like("objective", "a memory", traces, stream.traces)
        outcome = Outcome(prediction, self.objective.loss(stream.traces, prediction, event))
        return direction, Stream(state, memory, traces), outcome

    def _move(
        self, params: Params, stream: Stream, x: Float[Values, " inputs"], key: Key[Array, ""]
    ) -> tuple[State, Any]:
        """Move the cell, and with it what is known of its past."""
        with self._crediting():
            state, memory = self.credit.advance(self.cell, params, stream.state, stream.memory, x, key)
        check_like("cell", "a step to a state", state, stream.state)
        check_like("credit", "a memory", memory, stream.memory)
        return state, memory

    def _crediting(self) -> AbstractContextManager[None]:
        """Blame on the cell what goes wrong while the credit rule differentiates it."""
        return followed("cell", f"one that {self.credit} can follow")

    def _begin_again(self, params: Params, readout: Readout, stream: Stream, event: Event) -> Stream:
        """Return a fresh stream where a new episode begins."""
        first = event.first
        if first is None:
            return stream
        fresh = self.begin(params, readout, start_again(self.cell, params, stream.state), event.x)
        again: Stream = jax.tree.map(lambda new, old: jnp.where(first, new, old), fresh, stream)
        return again

    def gradient(self, carry: Carry, event: Event) -> tuple[Learned, Carry, Outcome]:
        event = accepted(self, carry, event)
        key = jax.random.fold_in(carry.key, carry.steps)
        direction, stream, outcome = self.flow(
            carry.params, carry.readout, carry.stream, without_gaps(event), key
        )
        waited = self.wait(carry.waited, event.first)
        return direction, carry._replace(stream=stream, steps=carry.steps + 1, waited=waited), outcome

    def wait(self, waited: Int[Array, ""], first: Bool[Values, ""] | None) -> Int[Array, ""]:
        """Count this event. A chunk of the credit rule's that an episode's end cut short doesn't count."""
        if self.every == 1:
            return waited
        return 1 + (
            waited if first is None else jnp.where(first, waited - waited % self.credit.every, waited)
        )

    def update(self, carry: Carry, direction: Learned, given: Bool[Values, ""] | None) -> Carry:
        """Descend, if it is time to: every n events, and only if any of them had a target."""
        if self.every == 1:
            return self._descend_if(given, carry, direction)
        direction = jax.tree.map(jnp.add, carry.pending, direction)
        due = carry.waited == self.every
        some = carry.given if given is None else given | carry.given
        moved = self._descend_if(due & some, carry, direction)
        pending = jax.tree.map(lambda leaf: jnp.where(due, 0, leaf), direction)
        return moved._replace(
            pending=pending,
            waited=jnp.where(due, 0, carry.waited),
            given=carry.given if given is None else jnp.asarray(some & ~due),
        )

    def step(self, carry: Carry, event: Event) -> tuple[Carry, Outcome]:
        direction, carry, outcome = self.gradient(carry, event)
        return self.update(carry, direction, event.given), outcome

    def _descend_if(self, now: Bool[Values, ""] | None, carry: Carry, direction: Learned) -> Carry:
        if now is None:
            return self._descend(carry, direction)
        moved: Carry = jax.lax.cond(now, self._descend, lambda carry, _: carry, carry, direction)
        return moved

    def _descend(self, carry: Carry, direction: Learned) -> Carry:
        learned = self.learned(carry.params, carry.readout)
        change, optimizer = self.optimizer.update(direction, carry.optimizer, learned)
        moved: Any = optax.apply_updates(learned, change)
        return carry._replace(
            params=join(moved["cell"], carry.params), readout=moved["readout"], optimizer=optimizer
        )


def without_gaps(event: Event) -> Event:
    """Put a zero where there is no target, so that whatever stood there can't spread."""
    if event.given is None:
        return event
    given = event.given.reshape(event.given.shape + (1,) * (event.target.ndim - event.given.ndim))
    return event._replace(target=jnp.where(given, event.target, 0))


def _along_outputs(assign: Any, scalar: Array) -> tuple[Learned, Any]:
    """Differentiate a scalar once, or several of them one by one with a leading axis of outputs."""
    if scalar.ndim == 0:
        gradient: tuple[Learned, Any] = assign(jnp.ones_like(scalar))
        return gradient
    basis = jnp.eye(scalar.shape[0], dtype=scalar.dtype)
    if scalar.shape[0] == 1:
        gradient, memory = assign(basis[0])
        return jax.tree.map(lambda leaf: leaf[None], gradient), memory
    rows: tuple[Learned, Any] = jax.vmap(assign, out_axes=(0, None))(basis)
    return rows
