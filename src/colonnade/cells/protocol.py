"""What a cell is: how one recurrent unit, or a network of them, moves from state to state.

    s(t) = step(θ, s(t−1), x(t))        features(t) = read(s(t))

A cell is a frozen dataclass of hyperparameters with pure functions over explicit parameters and state.
"""

from typing import Any, Protocol, TypeAlias, runtime_checkable

from jaxtyping import Array, Float, Int, Key, PyTree

Params: TypeAlias = PyTree[Float[Array, "..."]]  # real leaves
State: TypeAlias = PyTree[Array]  # real or complex leaves
Input: TypeAlias = Any  # an observation, Float[Array, " inputs"]; inside a rule also what comes with it
Features: TypeAlias = Float[Array, " features"]
Messages: TypeAlias = PyTree[Array]


class Moves(Protocol):
    """What a credit rule needs of a cell: that it moves. Everything that has parameters happens here."""

    def step(self, params: Params, state: State, x: Input) -> State: ...


@runtime_checkable
class Cell(Moves, Protocol):
    """One recurrent unit or a network of them."""

    def init(self, key: Key[Array, ""], inputs: int) -> Params:
        """Draw parameters for observations of ``inputs`` numbers. All leaves are real."""
        ...

    def start(self, params: Params) -> State:
        """Return the state before the first event; its dtype follows the parameters'."""
        ...

    def read(self, state: State) -> Features:
        """Return what the readout sees: real, and without parameters of its own."""
        ...


@runtime_checkable
class Modular(Cell, Protocol):
    """A cell made of modules: axis 0 of every leaf of parameters and state counts them.

    A module moves by itself; what it sees of the others arrives in ``messages``, as data that carries no
    gradient. ``step`` does for all modules at once what ``module`` does for one.

    A cell whose messages hold only what the state held before this step says ``delayed = True``: no
    parameter can then reach another module within one step.
    """

    @property
    def delayed(self) -> bool: ...

    def share(self, params: Params, state: State, x: Input) -> Messages:
        """Return what the modules show each other at this step."""
        ...

    def module(
        self, index: Int[Array, ""], params: Params, state: State, x: Input, messages: Messages
    ) -> State:
        """Move module ``index``: ``params`` and ``state`` are its own, without the module axis."""
        ...


@runtime_checkable
class Lasting(Cell, Protocol):
    """A cell of whose state a part outlives episodes, such as running statistics."""

    def again(self, params: Params, state: State) -> State:
        """Return the state before the first event of another episode, after one that ended in ``state``."""
        ...


def start_again(cell: Cell, params: Params, state: State) -> State:
    """Return the state before another episode: what lasts is kept, the rest is as at the very start."""
    return cell.again(params, state) if isinstance(cell, Lasting) else cell.start(params)
