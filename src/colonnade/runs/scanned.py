"""A learner of the algebra on a world's stream, seeds side by side: `scan` over events, `vmap` over seeds.

A program that is compiled for more seeds may round otherwise. So there are always as many lanes as the
experiment says, and seed s is always in lane s modulo that, whoever else is there: the same seed comes to the
same numbers in any company. Lanes that nobody asked for do what the first one does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load, save

from colonnade.checks import whole
from colonnade.errors import BadInput
from colonnade.runs.experiment import Files, Place, Reading
from colonnade.runs.measures import Judge, Tally, of_log_odds, of_numbers
from colonnade.runs.rehearsal import check_steps, first_event
from colonnade.worlds.protocol import Chunk, Stream, World

if TYPE_CHECKING:
    from colonnade.cells import Cell
    from colonnade.credit import Credit
    from colonnade.learners import Online
    from colonnade.objectives import Objective

EVENTS_A_CHUNK = 4096
STEP, STEPS_TYPE = "step", np.int64


@dataclass(frozen=True)
class Optax:
    """One of optax's optimizers by its name there; ``rmsprop`` is that of the columnar papers.

    >>> Optax("sgd", {"learning_rate": 0.1}).make().init({})
    (EmptyState(), EmptyState())
    """

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    def make(self) -> Any:
        """Make the transformation."""
        import optax

        from colonnade.optimizers import rmsprop

        maker = rmsprop if self.name == "rmsprop" else getattr(optax, self.name, None)
        try:
            made = maker(**self.settings) if callable(maker) else None
        except TypeError as wrong:
            raise BadInput("optimizer", expected=f"settings of optax.{self.name}", got=str(wrong)) from None
        if not isinstance(made, optax.GradientTransformation):
            raise BadInput("optimizer", expected="the name of one of optax's optimizers", got=repr(self.name))
        return made


@dataclass(frozen=True)
class Apart:
    """One optimizer for the cell and another for the readout."""

    cell: Optax
    readout: Optax

    def make(self) -> Any:
        """Make the transformation."""
        from colonnade.optimizers import apart

        return apart(self.cell.make(), self.readout.make())


@dataclass(frozen=True)
class Scanned:
    """A learner of the algebra on a world for ``steps`` events, read every ``every`` events.

    >>> from colonnade import LSTM, Columnar, SquaredError, RandomTeacher, independent, rtrl
    >>> experiment = Scanned(
    ...     Columnar(LSTM(1), 2), independent(rtrl()), SquaredError(), Optax("adam", {"learning_rate": 1e-2}),
    ...     RandomTeacher(3, 4), steps=200, every=100, lanes=2)
    >>> reading = experiment.begin((0, 1)).advance()
    >>> reading.step, len(reading.values)
    (100, 2)
    """

    cell: "Cell"
    credit: "Credit"
    objective: "Objective"
    optimizer: Optax | Apart
    world: World
    steps: int
    every: int
    update_every: int = 1
    lanes: int = 8
    place: ClassVar[Place] = "process"

    def __post_init__(self) -> None:
        check_steps(self.steps, self.every)
        whole("lanes", self.lanes)
        self.rehearse()

    def learner(self) -> "Online":
        """Make the learner."""
        from colonnade.learners import Online

        return Online(self.cell, self.credit, self.objective, self.optimizer.make(), self.update_every)

    def rehearse(self) -> None:
        """Refuse parts that don't go together, or not with the world, by its first event."""
        import jax

        learner, event = self.learner(), _event(first_event(self.world), one=True)
        try:
            jax.eval_shape(learner.init, jax.random.key(0), event)
        except BadInput as bad:
            if bad.argument not in event._fields:
                raise
            kind = type(self.world).__name__
            raise BadInput("objective", expected=f"one for what {kind} tells", got=f"{bad}") from None

    @property
    def metrics(self) -> tuple[str, ...]:
        """What is read of it."""
        return Tally(self.judge, self.world).metrics

    @property
    def judge(self) -> Judge:
        """What says of each event how well it was predicted."""
        from colonnade.objectives import CrossEntropy

        return of_log_odds if isinstance(self.objective, CrossEntropy) else of_numbers

    def begin(self, seeds: tuple[int, ...]) -> "ScannedCourse":
        """Make a learner a lane and start its world."""
        return ScannedCourse(self, seeds)

    def resume(self, seeds: tuple[int, ...], saved: bytes) -> "ScannedCourse":
        """Go on with saved learners; the worlds are started again, and what was seen passed over."""
        course = ScannedCourse(self, seeds)
        course.restore(load(saved))
        return course


class ScannedCourse:
    """Learners side by side, and the streams that they learn from."""

    def __init__(self, experiment: Scanned, seeds: tuple[int, ...]) -> None:
        import jax

        self.experiment, self.step = experiment, 0
        self._lanes = [seed % experiment.lanes for seed in seeds]
        if len(set(self._lanes)) < len(seeds):
            raise BadInput("seeds", expected="each in a lane of its own", got=repr(seeds))
        self._streams: list[Stream] = [experiment.world.stream(seed) for seed in seeds]
        self._tallies = [Tally(experiment.judge, experiment.world) for _ in seeds]
        self._learner = learner = experiment.learner()
        example = _event(experiment.world.stream(0).take(1), one=True)
        keys = jax.vmap(jax.random.key)(np.asarray(self._of_lanes(list(seeds)), np.uint32))
        self._carry = jax.jit(jax.vmap(lambda key: learner.init(key, example)))(keys)
        self._scan = jax.jit(jax.vmap(lambda carry, events: jax.lax.scan(learner.step, carry, events)))

    @property
    def done(self) -> bool:
        """Whether all events were seen."""
        return self.step >= self.experiment.steps

    def advance(self) -> Reading:
        """Learn from as many events as a reading is made of, or as are left."""
        events = min(self.experiment.every, self.experiment.steps - self.step)
        for start in range(0, events, EVENTS_A_CHUNK):
            self._learn(min(EVENTS_A_CHUNK, events - start))
        self.step += events
        return Reading(self.step, tuple(tally.read() for tally in self._tallies))

    def save(self) -> bytes:
        """Say all that the learners are, array by array."""
        import jax

        arrays = {str(i): _plain(leaf) for i, leaf in enumerate(jax.tree.leaves(self._carry))}
        return save({STEP: np.asarray([self.step], STEPS_TYPE), **arrays})

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Become what was saved."""
        import jax

        leaves, structure = jax.tree.flatten(self._carry)
        self._carry = jax.tree.unflatten(
            structure, [_as(leaf, arrays[str(i)]) for i, leaf in enumerate(leaves)]
        )
        self.step = int(arrays[STEP][0])
        for stream in self._streams:
            for start in range(0, self.step, EVENTS_A_CHUNK):
                stream.take(min(EVENTS_A_CHUNK, self.step - start))

    def files(self) -> Sequence[Files]:
        """None."""
        return tuple({} for _ in self._streams)

    def _learn(self, events: int) -> None:
        import jax

        chunks = [stream.take(events) for stream in self._streams]
        side_by_side = self._of_lanes([_event(chunk) for chunk in chunks])
        stacked = jax.tree.map(lambda *leaves: np.stack(leaves), *side_by_side)
        self._carry, outcome = self._scan(self._carry, stacked)
        predictions = np.asarray(outcome.prediction)
        for lane, tally, chunk in zip(self._lanes, self._tallies, chunks, strict=True):
            tally.add(predictions[lane], chunk)

    def _of_lanes(self, of_seeds: list[Any]) -> list[Any]:
        """Return what belongs to each lane; where there is no seed, what belongs to the first."""
        mine = dict(zip(self._lanes, of_seeds, strict=True))
        return [mine.get(lane, of_seeds[0]) for lane in range(self.experiment.lanes)]


def _event(chunk: Chunk, one: bool = False) -> Any:
    """Return a world's chunk as the learner's events, or its first event."""
    import jax

    from colonnade.learners import events_of, first_of

    events = events_of(chunk)
    if events.target.ndim == 1 and events.target.dtype.kind == "f":
        events = events._replace(target=events.target[:, None])
    return first_of(events) if one else jax.tree.map(np.asarray, events)


def _plain(leaf: Any) -> NDArray[Any]:
    """Return an array that safetensors can hold: keys as numbers, complex numbers as pairs."""
    import jax

    if jax.numpy.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    array = np.ascontiguousarray(leaf)
    return array.view(array.real.dtype) if array.dtype.kind == "c" else array


def _as(like: Any, array: NDArray[Any]) -> Any:
    """The reverse of it."""
    import jax

    if jax.numpy.issubdtype(like.dtype, jax.dtypes.prng_key):
        return jax.random.wrap_key_data(jax.numpy.asarray(array))
    return jax.numpy.asarray(array.view(like.dtype) if like.dtype.kind == "c" else array).reshape(like.shape)
