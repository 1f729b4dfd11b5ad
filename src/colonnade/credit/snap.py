"""Sparse n-step approximation (Menick et al. 2021): the influence on what a parameter can reach in k steps.

    J(t) = mask_k ⊙ (∂s(t)/∂θ + ∂s(t)/∂s(t−1) J(t−1))

mask_k keeps (number, parameter) where the parameter reaches the number's *unit* within k steps. All numbers
of a unit are kept or none: an LSTM unit's c and h, a complex number's parts, a column's whole state.

The kept entries are stored as lists, r to a parameter. For k = 1 on a cell that declares its modules this is
RTRL of each module with the others as data: then the cost follows the declared structure.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key

from colonnade.cells.protocol import Input, Modular, Moves, Params, State
from colonnade.checks import whole
from colonnade.credit.independent import independent
from colonnade.credit.jacobian import step_with_jacobians
from colonnade.credit.protocol import Credit, Mask, Memory
from colonnade.credit.reach import Reach, reach
from colonnade.credit.real import cotangent_as_real
from colonnade.credit.rtrl import rtrl
from colonnade.credit.units import Labels, units


def snap(k: int) -> "SnAp":
    """Return the rule that keeps the influence within ``k`` steps' reach.

    >>> from colonnade.cells import RNN
    >>> cell = RNN(3)
    >>> params = cell.init(jax.random.key(0), inputs=2)
    >>> memory = snap(1).start(cell, params, cell.start(params), jnp.zeros(2))
    >>> memory.shape  # one number a weight instead of three
    (3, 1, 6)
    """
    return SnAp(k)


@dataclass(frozen=True)
class SnAp:
    """By module where the cell declares modules and one step is kept, by lists of entries elsewhere."""

    k: int
    every: ClassVar[int] = 1

    def __post_init__(self) -> None:
        whole("k", self.k)

    def start(self, cell: Moves, params: Params, state: State, x: Input) -> Memory:
        return self._rule(cell).start(cell, params, state, x)

    def advance(
        self, cell: Moves, params: Params, state: State, memory: Memory, x: Input, key: Key[Array, ""]
    ) -> tuple[State, Memory]:
        return self._rule(cell).advance(cell, params, state, memory, x, key)

    def assign(self, cell: Moves, params: Params, memory: Memory, dstate: State) -> tuple[Params, Memory]:
        return self._rule(cell).assign(cell, params, memory, dstate)

    def learns(self, cell: Moves, params: Params) -> Mask:
        return jax.tree.map(lambda _: True, params)

    def _rule(self, cell: Moves) -> Credit:
        if self.k == 1 and isinstance(cell, Modular) and cell.delayed:
            return independent(rtrl())
        return SparseRTRL(self.k)


class Kept(NamedTuple):
    """For each leaf of the parameters, flattened: which numbers of the state are kept, and their influence.

    A list shorter than the longest is filled up with an index past the end.
    """

    numbers: list[Int[Array, "r size"]]
    influence: list[Float[Array, "r size"]]


@dataclass(frozen=True)
class SparseRTRL:
    """RTRL on the kept entries."""

    k: int
    every: ClassVar[int] = 1

    def start(self, cell: Moves, params: Params, state: State, x: Input) -> Kept:
        numbers = _kept_numbers(self.k, units(cell, state), *reach(cell, params, state, x))
        leaves = jax.tree.leaves(params)
        return Kept(
            [jnp.asarray(kept) for kept in numbers],
            [jnp.zeros(kept.shape, leaf.dtype) for kept, leaf in zip(numbers, leaves, strict=True)],
        )

    def advance(
        self, cell: Moves, params: Params, state: State, memory: Kept, x: Input, key: Key[Array, ""]
    ) -> tuple[State, Kept]:
        moved, (immediate, through) = step_with_jacobians(cell, params, state, x)
        influence = [
            _kept_influence(own.reshape(own.shape[0], -1), through, kept, old)
            for own, kept, old in zip(jax.tree.leaves(immediate), *memory, strict=True)
        ]
        return moved, memory._replace(influence=influence)

    def assign(self, cell: Moves, params: Params, memory: Kept, dstate: State) -> tuple[Params, Kept]:
        error = jnp.concatenate([part.reshape(-1) for part in cotangent_as_real(dstate)])
        leaves, structure = jax.tree.flatten(params)
        gradients = [
            (error.at[kept].get(mode="fill", fill_value=0) * influence).sum(0).reshape(leaf.shape)
            for kept, influence, leaf in zip(*memory, leaves, strict=True)
        ]
        return jax.tree.unflatten(structure, gradients), memory

    def learns(self, cell: Moves, params: Params) -> Mask:
        return jax.tree.map(lambda _: True, params)


def _kept_influence(
    immediate: Float[Array, "numbers size"],
    through: Float[Array, "numbers numbers"],
    kept: Int[Array, "r size"],
    old: Float[Array, "r size"],
) -> Float[Array, "r size"]:
    """Return the new kept entries: each is reached directly and from the old kept entries."""
    own = immediate.at[kept, jnp.arange(kept.shape[1])].get(mode="fill", fill_value=0)
    between = through.at[kept[:, None], kept[None]].get(mode="fill", fill_value=0)
    return own + jnp.einsum("abp,bp->ap", between, old)


def _kept_numbers(
    k: int, labels: Labels, through: Reach, immediate: tuple[Reach, ...]
) -> list[Int[np.ndarray, "r size"]]:
    """List, for each parameter, the numbers of the state whose unit it reaches within k steps."""
    member = labels[:, None] == np.unique(labels)  # numbers × units
    step = member.T @ through @ member  # units × units
    lists = []
    for leaf in immediate:
        reached = member.T @ leaf
        for _ in range(k - 1):
            wider = reached | (step @ reached)
            if (wider == reached).all():
                break
            reached = wider
        lists.append(_lists(member @ reached))
    return lists


def _lists(mask: Bool[np.ndarray, "numbers size"]) -> Int[np.ndarray, "r size"]:
    """Turn a mask into the row numbers of each column, filled up with an index past the end."""
    numbers, size = mask.shape
    longest = int(mask.sum(0).max()) if size else 0
    first = np.argsort(~mask, axis=0, kind="stable")[:longest]
    return np.where(np.take_along_axis(mask, first, axis=0), first, numbers)
