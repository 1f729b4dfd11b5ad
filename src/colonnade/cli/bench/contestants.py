"""Everybody who is timed. What a contestant needs is looked for, and imported, when it gets ready."""

from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec

from colonnade.cli.bench.measuring import Go, NotMeasured, timed


def needs(package: str, name: str, extra: str) -> None:
    """Say how to get a package that isn't there.

    >>> needs("no_such_package", "Such", "bench")
    Traceback (most recent call last):
    ...
    colonnade.cli.bench.measuring.NotMeasured: Such is not installed: pip install '.[bench]' in a checkout
    """
    if find_spec(package) is None:
        raise NotMeasured(f"{name} is not installed: pip install '.[{extra}]' in a checkout")


def needs_jax() -> None:
    """Say how to get what the algebra stands on."""
    for package in ("jax", "optax", "jaxtyping"):
        needs(package, {"jax": "JAX"}.get(package, package), "lab")


@dataclass(frozen=True)
class Columns:
    """Columns in the engine, a chunk of events at a time."""

    inputs: int
    columns: int
    events: int

    def __str__(self) -> str:
        return f"engine, {self.columns} columns, run"

    @property
    def parameters(self) -> int:
        """How many weights the columns have."""
        return 4 * (self.inputs + 2) * self.columns

    def prepare(self, until_done: ExitStack) -> Go:
        """Run a chunk."""
        from colonnade.cli.bench import engine, task

        learner = engine.columns(self.inputs, self.columns)
        return timed(engine.chunk(learner, *task.events(self.inputs, self.events)), self.events)


@dataclass(frozen=True)
class Calls:
    """Columns in the engine, a call an event."""

    inputs: int
    columns: int
    events: int

    def __str__(self) -> str:
        return f"engine, {self.columns} columns, step"

    def prepare(self, until_done: ExitStack) -> Go:
        """Call for each event."""
        from colonnade.cli.bench import engine, task

        learner = engine.columns(self.inputs, self.columns)
        return timed(engine.calls(learner, *task.events(self.inputs, self.events)), self.events)


@dataclass(frozen=True)
class AlgebraColumns:
    """The same columns in JAX, in ``scan``."""

    inputs: int
    columns: int
    events: int

    def __str__(self) -> str:
        return f"JAX, {self.columns} columns, scan"

    def prepare(self, until_done: ExitStack) -> Go:
        """Compile, and see that it is the same learner."""
        needs_jax()
        from colonnade.cli.bench import algebra, engine, task

        ours, (x, cumulants) = (
            engine.columns(self.inputs, self.columns),
            task.events(self.inputs, self.events),
        )
        run = algebra.columns(ours.state()["stage.0.W"], x, cumulants)
        task.check_same(run(), ours.run(x, cumulants))
        return timed(run, self.events)


@dataclass(frozen=True)
class PlainColumns:
    """The same columns in plain C."""

    inputs: int
    columns: int
    events: int

    def __str__(self) -> str:
        return f"plain C, {self.columns} columns"

    def prepare(self, until_done: ExitStack) -> Go:
        """Compile, and see that it is the same learner."""
        from colonnade.cli.bench import engine, plain, task

        ours, (x, cumulants) = (
            engine.columns(self.inputs, self.columns),
            task.events(self.inputs, self.events),
        )
        run = plain.chunk(ours.state()["stage.0.W"], x, cumulants)
        task.check_same(run(), ours.run(x, cumulants))
        return timed(run, self.events)


@dataclass(frozen=True)
class Dense:
    """A dense LSTM with T-BPTT in the engine, a chunk of events at a time."""

    inputs: int
    units: int
    truncation: int
    events: int

    def __str__(self) -> str:
        return f"engine, T-BPTT({self.truncation}), run"

    def prepare(self, until_done: ExitStack) -> Go:
        """Run a chunk."""
        from colonnade.cli.bench import engine, task

        learner = engine.dense(self.inputs, self.units, self.truncation)
        return timed(engine.chunk(learner, *task.events(self.inputs, self.events)), self.events)


@dataclass(frozen=True)
class AlgebraDense:
    """The same dense LSTM in JAX, in ``scan``."""

    inputs: int
    units: int
    truncation: int
    events: int

    def __str__(self) -> str:
        return f"JAX, T-BPTT({self.truncation}), scan"

    def prepare(self, until_done: ExitStack) -> Go:
        """Compile, and see that it is the same learner."""
        needs_jax()
        from colonnade.cli.bench import algebra, engine, task

        ours = engine.dense(self.inputs, self.units, self.truncation)
        x, cumulants = task.events(self.inputs, self.events)
        run = algebra.dense(self.truncation, ours.state()["lstm.W"], x, cumulants)
        task.check_same(run(), ours.run(x, cumulants))
        return timed(run, self.events)


@dataclass(frozen=True)
class TorchCalls:
    """A dense LSTM with T-BPTT in PyTorch, a call an event."""

    inputs: int
    units: int
    truncation: int
    events: int

    def __str__(self) -> str:
        return f"PyTorch, T-BPTT({self.truncation})"

    def prepare(self, until_done: ExitStack) -> Go:
        """Fill the window."""
        needs("torch", "PyTorch", "bench")
        from colonnade.cli.bench import pytorch, task

        events = task.events(self.inputs, self.events)
        every = pytorch.calls(self.inputs, self.units, self.truncation, *events)
        every()
        return timed(every, self.events)


@dataclass(frozen=True)
class DeepRiverCalls:
    """deep-river's LSTM over a rolling window, a call an event, in a process of its own."""

    inputs: int
    units: int
    window: int
    events: int
    may_install: bool

    def __str__(self) -> str:
        return f"deep-river, window {self.window}"

    def prepare(self, until_done: ExitStack) -> Go:
        """Start the process; make its environment first, if that is wanted and hasn't been done."""
        from colonnade.cli.bench import deep_river

        if self.may_install and not deep_river.ready():
            deep_river.make()
        return deep_river.calls(self.inputs, self.units, self.window, self.events, until_done)


@dataclass(frozen=True)
class MultiplyAdds:
    """The machine's multiply-adds."""

    def __str__(self) -> str:
        return "the machine's multiply-adds"

    def prepare(self, until_done: ExitStack) -> Go:
        """Compile."""
        from colonnade.cli.bench import limits

        return limits.multiply_add()


@dataclass(frozen=True)
class Roots:
    """The machine's square roots, with a division each."""

    def __str__(self) -> str:
        return "the machine's square roots and divisions"

    def prepare(self, until_done: ExitStack) -> Go:
        """Compile."""
        from colonnade.cli.bench import limits

        return limits.root_and_divide()


@dataclass(frozen=True)
class Traffic:
    """The machine's traffic, of so many bytes read and written in place."""

    size: int

    def __str__(self) -> str:
        return f"the machine's traffic, {self.size:,} bytes"

    def prepare(self, until_done: ExitStack) -> Go:
        """Compile."""
        from colonnade.cli.bench import limits

        return limits.in_place(self.size)
