"""A rule applied to each module of a network by itself.

    J_i(t) = ∂s_i(t)/∂θ_i + ∂s_i(t)/∂s_i(t−1) J_i(t−1)        with ``rtrl()``, i = 1 … n

Where modules are independent this is the whole truth: ``independent(rtrl())`` of a columnar network is exact
and costs a constant times its parameters. Where modules send messages these count as data, and what flows
through them is left out: Master-User on lateral columns, SnAp-1 on a dense cell.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from colonnade.cells.protocol import Input, Messages, Modular, Params, State
from colonnade.checks import part
from colonnade.credit.protocol import Credit, Mask, Memory
from colonnade.errors import BadInput


class Seen(NamedTuple):
    """What a module sees at a step: which one it is, the observation and the others' messages."""

    which: Int[Array, ""]
    x: Input
    messages: Messages


_AXES = Seen(which=0, x=None, messages=None)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Module:
    """One module of a modular cell, as a thing that moves by itself."""

    cell: Modular

    def step(self, params: Params, state: State, x: Seen) -> State:
        return self.cell.module(x.which, params, state, x.x, x.messages)


def independent(rule: Credit) -> "Independent":
    """Return ``rule`` vmapped over the modules of a network.

    >>> from colonnade.cells import LSTM
    >>> from colonnade.credit import rtrl
    >>> from colonnade.networks import Columnar
    >>> network = Columnar(LSTM(1), 7)
    >>> params = network.init(jax.random.key(0), inputs=12)
    >>> independent(rtrl()).start(network, params, network.start(params), jnp.zeros(12)).shape
    (7, 2, 1, 4, 14)
    """
    return Independent(rule)


@dataclass(frozen=True)
class Independent:
    """Memory: the inner rule's, with a leading axis of modules."""

    rule: Credit

    def __post_init__(self) -> None:
        part("rule", self.rule, Credit, "a credit rule, such as rtrl()")

    @property
    def every(self) -> int:
        return self.rule.every

    def start(self, cell: Modular, params: Params, state: State, x: Input) -> Memory:
        seen = _seen(cell, params, state, x)
        return jax.vmap(lambda p, s, v: self.rule.start(Module(cell), p, s, v), in_axes=(0, 0, _AXES))(
            params, state, seen
        )

    def advance(
        self, cell: Modular, params: Params, state: State, memory: Memory, x: Input, key: Key[Array, ""]
    ) -> tuple[State, Memory]:
        seen = _seen(cell, params, state, x)

        def advance(p: Params, s: State, m: Memory, v: Seen) -> tuple[State, Memory]:
            return self.rule.advance(Module(cell), p, s, m, v, jax.random.fold_in(key, v.which))

        moved: tuple[State, Memory] = jax.vmap(advance, in_axes=(0, 0, 0, _AXES))(params, state, memory, seen)
        return moved

    def assign(self, cell: Modular, params: Params, memory: Memory, dstate: State) -> tuple[Params, Memory]:
        def assign(p: Params, m: Memory, d: State) -> tuple[Params, Memory]:
            return self.rule.assign(Module(cell), p, m, d)

        given: tuple[Params, Memory] = jax.vmap(assign)(params, memory, dstate)
        return given

    def learns(self, cell: Modular, params: Params) -> Mask:
        return self.rule.learns(Module(cell), params)


def _seen(cell: Any, params: Params, state: State, x: Input) -> Seen:
    """Collect what the modules see; refuse cells that have none."""
    if not isinstance(cell, Modular):
        raise BadInput(
            "cell",
            expected="a cell made of modules for independent(...), such as Columnar(cell, n), LRU or ELSTM "
            "(a cell of your own declares them with `share` and `module`; any cell takes rtrl())",
            got=type(cell).__name__,
        )
    counts = {jnp.shape(leaf)[:1] for leaf in jax.tree.leaves((params, state))}
    if len(counts) != 1 or counts == {()}:
        shapes = " ".join(str(jnp.shape(leaf)) for leaf in jax.tree.leaves((params, state)))
        wanted = "parameters and state with modules along axis 0"
        raise BadInput("cell", expected=wanted, got=f"shapes {shapes}")
    ((modules,),) = counts
    return Seen(jnp.arange(modules), x, jax.lax.stop_gradient(cell.share(params, state, x)))
