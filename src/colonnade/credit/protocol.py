"""What a credit rule is: how this step's error reaches the parameters through time.

A rule carries from step to step what is known of d(state)/d(parameters), and turns dL/d(state now) into
dL/d(parameters) when asked.
"""

from typing import Any, Protocol, TypeAlias, runtime_checkable

from jaxtyping import Array, Key, PyTree

from colonnade.cells.protocol import Input, Params, State

Memory: TypeAlias = Any  # what the rule keeps; a pytree of arrays
Mask: TypeAlias = PyTree[bool]  # one bool a leaf of the parameters


@runtime_checkable
class Credit(Protocol):
    """A credit rule: a frozen dataclass of hyperparameters with pure functions over explicit memory.

    What the cell must be able to do is the rule's to say; most need only that it moves.
    """

    @property
    def every(self) -> int:
        """How often ``assign`` gives its gradient: at each step, or the sum of a chunk at its end."""
        ...

    def start(self, cell: Any, params: Params, state: State, x: Input) -> Memory:
        """Return the memory before the first event. ``x`` is an example, for shapes."""
        ...

    def advance(
        self, cell: Any, params: Params, state: State, memory: Memory, x: Input, key: Key[Array, ""]
    ) -> tuple[State, Memory]:
        """Move the cell one step, and with it what is known of its past."""
        ...

    def assign(self, cell: Any, params: Params, memory: Memory, dstate: State) -> tuple[Params, Memory]:
        """Return dL/dparams, given dL/dstate now; ``None`` for parameters that this rule does not train.

        ``dstate`` is a cotangent as ``jax.vjp`` gives it.
        """
        ...

    def learns(self, cell: Any, params: Params) -> Mask:
        """Return which parameters this rule trains. It is known before any event: static."""
        ...
