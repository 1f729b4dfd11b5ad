"""A learner of the compiled engine on a world's stream: the experiment that most sweeps are made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from colonnade.checks import flag
from colonnade.errors import BadInput
from colonnade.runs.experiment import Files, Place, Reading
from colonnade.runs.measures import Judge, Tally, of_classes, of_numbers
from colonnade.runs.rehearsal import check_steps, first_event
from colonnade.runs.vitals import metrics_of, plan_of, vitals
from colonnade.streaming import Classifier, Learner, Network, TDPredictor
from colonnade.streaming.checkpoint import pack, spec_of
from colonnade.streaming.restore import restore
from colonnade.worlds.protocol import Chunk, Stream, World

EVENTS_A_CHUNK = 8192  # observations and predictions of a chunk stay in the cache


@dataclass(frozen=True)
class Recipe:
    """How a learner is made, all but its inputs and its seed: they follow from world and run.

    >>> from colonnade.streaming import TDPredictor, columnar
    >>> recipe = Recipe(TDPredictor, columnar(7), {"step_size": 1e-3})
    >>> recipe.make(inputs=12, seed=0).settings["step_size"]
    0.001
    """

    learner: type[Learner]
    network: Network
    settings: Mapping[str, Any] = field(default_factory=dict)

    def make(self, inputs: int, seed: int) -> Learner:
        """Make the learner."""
        return self.learner(self.network, inputs, **self.settings, seed=seed)  # type: ignore[call-arg]

    def for_world(self, world: World) -> "Recipe":
        """Return the same recipe with every setting in it, also those left out; refuse what can't be."""
        learner = self.make(world.inputs, seed=0)
        rehearse(learner, world)
        settings = {name: told for name, told in learner.settings.items() if name != "seed"}
        return Recipe(self.learner, self.network, settings)


@dataclass(frozen=True)
class Streamed:
    """A learner on a world for ``steps`` events, read every ``every`` events.

    World and learner draw from generators of the run's seed. With ``vitals``, of columns, it is also read how
    the network fares.

    >>> from colonnade import TDPredictor, TracePatterning, columnar
    >>> experiment = Streamed(Recipe(TDPredictor, columnar(2)), TracePatterning(), steps=2000, every=1000)
    >>> experiment.begin((0,)).advance().step
    1000
    """

    learner: Recipe
    world: World
    steps: int
    every: int
    vitals: bool = False
    place: ClassVar[Place] = "thread"
    lanes: ClassVar[int] = 1

    def __post_init__(self) -> None:
        check_steps(self.steps, self.every)
        flag("vitals", self.vitals)
        object.__setattr__(self, "learner", self.learner.for_world(self.world))
        if self.vitals:
            plan_of(self.learner.network)

    @property
    def metrics(self) -> tuple[str, ...]:
        """What is read of it."""
        own = Tally(self.judge, self.world).metrics
        return own + metrics_of(plan_of(self.learner.network)) if self.vitals else own

    @property
    def judge(self) -> Judge:
        """What says of each event how well it was predicted."""
        return of_classes if issubclass(self.learner.learner, Classifier) else of_numbers

    def begin(self, seeds: tuple[int, ...]) -> "StreamedCourse":
        """Make the learner and start the world."""
        (seed,) = seeds
        return StreamedCourse(self, self.learner.make(self.world.inputs, seed), self.world.stream(seed))

    def resume(self, seeds: tuple[int, ...], saved: bytes) -> "StreamedCourse":
        """Go on with a saved learner; the world is started again, and what was seen of it passed over."""
        (seed,) = seeds
        learner, stream = restore(saved, "a checkpoint"), self.world.stream(seed)
        for start in range(0, learner.events, EVENTS_A_CHUNK):
            stream.take(min(EVENTS_A_CHUNK, learner.events - start))
        return StreamedCourse(self, learner, stream)


class StreamedCourse:
    """A learner and the stream that it learns from."""

    def __init__(self, experiment: Streamed, learner: Learner, stream: Stream) -> None:
        self.experiment, self.learner, self.stream = experiment, learner, stream
        self._tally = Tally(experiment.judge, experiment.world)

    @property
    def step(self) -> int:
        """How many events there were."""
        return self.learner.events

    @property
    def done(self) -> bool:
        """Whether all events were seen."""
        return self.step >= self.experiment.steps

    def advance(self) -> Reading:
        """Learn from as many events as a reading is made of, or as are left."""
        events = min(self.experiment.every, self.experiment.steps - self.step)
        for start in range(0, events, EVENTS_A_CHUNK):
            chunk = self.stream.take(min(EVENTS_A_CHUNK, events - start))
            self._tally.add(learn(self.learner, chunk), chunk)
        values = dict(self._tally.read())
        if self.experiment.vitals:
            values |= vitals(self.learner)
        return Reading(self.step, (values,))

    def save(self) -> bytes | None:
        """Say all that the learner is; the stream follows from the seed and the number of events.

        One that has diverged can't be saved.
        """
        state = self.learner.state()
        finite = all(np.isfinite(array).all() for array in state.values())
        return pack(spec_of(self.learner), state) if finite else None

    def files(self) -> Sequence[Files]:
        """None."""
        return ({},)


def rehearse(learner: Learner, world: World) -> None:
    """Refuse a learner that can't learn from a world, by its first event."""
    first = first_event(world)
    kind = type(world).__name__
    if first.given is not None and isinstance(learner, TDPredictor):
        expected = f"one that can do without targets, as {kind} asks"
        raise BadInput("learner", expected=expected, got=type(learner).__name__)
    for name in ("outputs", "predictions"):
        asked = learner.settings.get(name, world.outputs)
        if asked != world.outputs:
            raise BadInput(name, expected=f"{world.outputs}, as many as {kind} asks for", got=asked)
    try:
        learn(learner, first)
    except BadInput as bad:
        raise BadInput("learner", expected=f"one for what {kind} tells", got=f"{bad}") from None


def learn(learner: Any, chunk: Chunk) -> NDArray[np.float32]:
    """Let a learner learn from a chunk, episode by episode; return its predictions."""
    if chunk.first is None:
        return _run(learner, chunk, slice(None))
    edges = sorted({0, *np.flatnonzero(chunk.first).tolist(), len(chunk.x)})
    parts = []
    for start, end in pairwise(edges):
        if chunk.first[start]:
            learner.reset()
        parts.append(_run(learner, chunk, slice(start, end)))
    return np.concatenate(parts)


def _run(learner: Any, chunk: Chunk, part: slice) -> NDArray[np.float32]:
    target = chunk.target.astype(np.int64) if isinstance(learner, Classifier) else chunk.target
    if target.shape[1:] == (1,):  # learners of one number are told it alone
        target = target[:, 0]
    if chunk.given is None:
        return learner.run(chunk.x[part], target[part])  # type: ignore[no-any-return]
    return learner.run(chunk.x[part], target[part], known=chunk.given[part])  # type: ignore[no-any-return]
