"""The two Jacobians of one step, by reverse differentiation, a pull-back per number of the state.

    ∂s(t)/∂θ      immediate: at fixed s(t−1)
    ∂s(t)/∂s(t−1) through:   at fixed θ

The numbers of the state stand in a row, in the order of ``as_real``. Parameters keep their tree.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from colonnade.cells.protocol import Input, Moves, Params, State
from colonnade.credit.real import Real, as_real, from_real

FUSED = 4  # sums of so few rows are faster written out, where XLA fuses them, than as matrix products


class Jacobians(NamedTuple):
    """Both Jacobians of a step that makes ``n`` numbers."""

    immediate: Params  # leaves: n × the parameter's shape
    through: Float[Array, "n n"]


def step_with_jacobians(cell: Moves, params: Params, state: State, x: Input) -> tuple[State, Jacobians]:
    """Move the cell one step and differentiate that step."""

    def move(params: Params, parts: Real) -> tuple[Real, State]:
        moved = cell.step(params, from_real(parts, state), x)
        return as_real(moved), moved

    new, pull, moved = jax.vjp(move, params, as_real(state), has_aux=True)
    zeros = tuple(jnp.zeros_like(part) for part in new)

    def rows_of(leaf: int) -> Jacobians:
        def row(one: Float[Array, "..."]) -> Jacobians:
            immediate, through = pull((*zeros[:leaf], one, *zeros[leaf + 1 :]))
            return Jacobians(immediate, jnp.concatenate([part.reshape(-1) for part in through]))

        part = new[leaf]
        return _each(row, jnp.eye(part.size, dtype=part.dtype).reshape(part.size, *part.shape))

    rows = [rows_of(leaf) for leaf in range(len(new))]
    return moved, jax.tree.map(lambda *parts: jnp.concatenate(parts), *rows)


def weigh(weights: Float[Array, "*m k"], rows: Params) -> Params:
    """Return sums of ``k`` rows with these weights, leaf by leaf."""
    return jax.tree.map(lambda leaf: _sum_rows(weights, leaf), rows)


def _sum_rows(weights: Float[Array, "*m k"], rows: Float[Array, "k *shape"]) -> Float[Array, "..."]:
    k = rows.shape[0]
    if k > FUSED:
        return jnp.tensordot(weights, rows, axes=1)
    column = weights.shape[:-1] + (1,) * (rows.ndim - 1)
    return sum(
        (weights[..., i].reshape(column) * rows[i] for i in range(1, k)),
        weights[..., 0].reshape(column) * rows[0],
    )


def _each(function: Callable[[Float[Array, "..."]], Jacobians], basis: Float[Array, "size ..."]) -> Jacobians:
    """Map over axis 0; one row alone needs no batching."""
    if basis.shape[0] == 1:
        return jax.tree.map(lambda leaf: leaf[None], function(basis[0]))  # type: ignore[no-any-return]
    return jax.vmap(function)(basis)
