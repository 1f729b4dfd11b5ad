"""A rule for each layer, and spatial errors between them (Zucchet et al. 2023, section 3.2).

    within layer l:   its own rule, with the error δ_l = dL/ds_l(t)
    between layers:   δ_l by backpropagation through this step's upper layers alone

The last layer's gradient is its rule's own. The layers below miss what they do to the future through the
states of the layers above. A constructive stage over frozen ones misses nothing.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from colonnade.cells.protocol import Features, Input, Params, State
from colonnade.checks import parts
from colonnade.credit.protocol import Credit, Mask, Memory
from colonnade.errors import BadInput
from colonnade.networks.protocol import Layered as LayeredCell


class LayeredMemory(NamedTuple):
    """The state before this step, what was seen at it, and each layer's own memory."""

    state: tuple[State, ...]
    x: Input
    layers: tuple[Memory, ...]


def layered(rules: tuple[Credit, ...]) -> "Layered":
    """Return the rule that gives each layer of a stacked or staged network its own.

    >>> from colonnade.credit import frozen, independent, rtrl
    >>> constructive = layered((frozen(), independent(rtrl())))
    """
    return Layered(rules)


@dataclass(frozen=True)
class Layered:
    """One rule a layer."""

    rules: tuple[Credit, ...]

    def __post_init__(self) -> None:
        wanted = "a tuple of credit rules, one a layer"
        parts("rules", self.rules, Credit, wanted, "a credit rule, such as rtrl()")

    @property
    def every(self) -> int:
        return math.lcm(*(rule.every for rule in self.rules))

    def start(
        self, cell: LayeredCell, params: tuple[Params, ...], state: tuple[State, ...], x: Input
    ) -> LayeredMemory:
        _check(cell, self.rules)
        memories: tuple[Memory, ...] = ()
        below: tuple[Features, ...] = ()
        for layer, rule, p, s in zip(cell.layers, self.rules, params, state, strict=True):
            memories += (rule.start(layer, p, s, cell.feed(x, below)),)
            below += (layer.read(s),)
        return LayeredMemory(state, x, memories)

    def advance(
        self,
        cell: LayeredCell,
        params: tuple[Params, ...],
        state: tuple[State, ...],
        memory: LayeredMemory,
        x: Float[Array, " inputs"],
        key: Key[Array, ""],
    ) -> tuple[tuple[State, ...], LayeredMemory]:
        moved: tuple[State, ...] = ()
        memories: tuple[Memory, ...] = ()
        below: tuple[Features, ...] = ()
        for index, (layer, rule) in enumerate(zip(cell.layers, self.rules, strict=True)):
            s, m = rule.advance(
                layer,
                params[index],
                state[index],
                memory.layers[index],
                cell.feed(x, below),
                jax.random.fold_in(key, index),
            )
            moved, memories, below = (*moved, s), (*memories, m), (*below, layer.read(s))
        return moved, LayeredMemory(state, x, memories)

    def assign(
        self,
        cell: LayeredCell,
        params: tuple[Params, ...],
        memory: LayeredMemory,
        dstate: tuple[State, ...],
    ) -> tuple[tuple[Params, ...], LayeredMemory]:
        errors = _spatial_errors(cell, params, memory, dstate)
        assigned = [
            rule.assign(layer, p, m, error)
            for layer, rule, p, m, error in zip(
                cell.layers, self.rules, params, memory.layers, errors, strict=True
            )
        ]
        gradients, memories = zip(*assigned, strict=True)
        return gradients, memory._replace(layers=memories)

    def learns(self, cell: LayeredCell, params: tuple[Params, ...]) -> Mask:
        return tuple(
            rule.learns(layer, p) for layer, rule, p in zip(cell.layers, self.rules, params, strict=True)
        )


def _spatial_errors(
    cell: LayeredCell, params: tuple[Params, ...], memory: LayeredMemory, dstate: tuple[State, ...]
) -> tuple[State, ...]:
    """Return each layer's dL/ds(t): a zero is added to each new state to differentiate along."""

    def move(taps: tuple[State, ...]) -> tuple[State, ...]:
        moved: tuple[State, ...] = ()
        below: tuple[Features, ...] = ()
        for layer, p, s, tap in zip(cell.layers, params, memory.state, taps, strict=True):
            moved += (jax.tree.map(jnp.add, layer.step(p, s, cell.feed(memory.x, below)), tap),)
            below += (layer.read(moved[-1]),)
        return moved

    _, pull = jax.vjp(move, jax.tree.map(jnp.zeros_like, dstate))
    errors: tuple[State, ...] = pull(dstate)[0]
    return errors


def _check(cell: object, rules: tuple[Credit, ...]) -> None:
    if not isinstance(cell, LayeredCell):
        raise BadInput(
            "cell", expected="Stacked(...) or Staged(...) for layered(...)", got=type(cell).__name__
        )
    if len(cell.layers) != len(rules):
        raise BadInput("rules", expected=f"{len(cell.layers)} rules, one a layer", got=len(rules))
