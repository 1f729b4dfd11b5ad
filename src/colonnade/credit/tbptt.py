"""Truncated backpropagation through time (Williams & Peng 1990): the last k steps, replayed backwards.

    δ(t) = dL(t)/ds(t)        δ(j−1) = δ(j) ∂s(j)/∂s(j−1)        j = t, t−1, … t−k+1
    dL(t)/dθ ≈ Σ_j δ(j) ∂s(j)/∂θ

States are those that were lived, Jacobians are taken at the present parameters. ``every=1`` does this at
each event. ``every=k`` waits for a chunk of k events and goes back over it once with all of its errors:

    δ(j) ← δ(j) + dL(j)/ds(j)        on the way back

which costs a kth of the time and blames a past of k/2 steps on average.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, Key

from colonnade.cells.protocol import Input, Moves, Params, State
from colonnade.checks import whole
from colonnade.credit.protocol import Mask
from colonnade.errors import BadInput

UNROLLED = 32  # windows up to this long are compiled without a loop, a third faster


class Past(NamedTuple):
    """The last k steps, oldest first: the state before each, what was seen, and whether it was lived."""

    state: State
    x: Input
    lived: Bool[Array, " k"]


class Chunk(NamedTuple):
    """The steps of a chunk with the error of each, and how many of them there are by now."""

    past: Past
    errors: State
    filled: Int[Array, ""]


def tbptt(k: int, every: int = 1) -> "TBPTT | ChunkedTBPTT":
    """Return the rule that replays the last ``k`` steps, at each event or once a chunk of ``k``.

    >>> tbptt(15).every, tbptt(15, every=15).every
    (1, 15)
    """
    whole("k", k)
    whole("every", every)
    if every == 1:
        return TBPTT(k)
    if every == k:
        return ChunkedTBPTT(k)
    raise BadInput("every", expected=f"1, or k = {k}", got=every)


@dataclass(frozen=True)
class TBPTT:
    """Memory: the last k steps."""

    k: int
    every: ClassVar[int] = 1

    def start(self, cell: Moves, params: Params, state: State, x: Input) -> Past:
        return _nothing(self.k, state, x)

    def advance(
        self, cell: Moves, params: Params, state: State, memory: Past, x: Input, key: Key[Array, ""]
    ) -> tuple[State, Past]:
        return cell.step(params, state, x), _push(memory, Past(state, x, jnp.array(True)))

    def assign(self, cell: Moves, params: Params, memory: Past, dstate: State) -> tuple[Params, Past]:
        def back(carry: tuple[State, Params], step: Past) -> tuple[tuple[State, Params], None]:
            error, total = carry
            share, earlier = _pull(cell, params, step, error)
            return (earlier, jax.tree.map(jnp.add, total, share)), None

        nothing = jax.tree.map(jnp.zeros_like, params)
        (_, gradient), _ = jax.lax.scan(
            back, (dstate, nothing), memory, reverse=True, unroll=self.k <= UNROLLED
        )
        return gradient, memory

    def learns(self, cell: Moves, params: Params) -> Mask:
        return jax.tree.map(lambda _: True, params)


@dataclass(frozen=True)
class ChunkedTBPTT:
    """Memory: the chunk so far. A chunk that an episode's end cuts short is forgotten."""

    k: int

    @property
    def every(self) -> int:
        return self.k

    def start(self, cell: Moves, params: Params, state: State, x: Input) -> Chunk:
        errors = jax.tree.map(lambda leaf: jnp.zeros((self.k, *leaf.shape), leaf.dtype), state)
        return Chunk(_nothing(self.k, state, x), errors, jnp.array(0))

    def advance(
        self, cell: Moves, params: Params, state: State, memory: Chunk, x: Input, key: Key[Array, ""]
    ) -> tuple[State, Chunk]:
        past = _push(memory.past, Past(state, x, jnp.array(True)))
        return cell.step(params, state, x), memory._replace(past=past, filled=memory.filled % self.k + 1)

    def assign(self, cell: Moves, params: Params, memory: Chunk, dstate: State) -> tuple[Params, Chunk]:
        chunk = memory._replace(errors=_push(memory.errors, dstate))
        nothing = jax.tree.map(jnp.zeros_like, params)
        gradient = jax.lax.cond(
            chunk.filled == self.k, lambda: _over_chunk(cell, params, chunk), lambda: nothing
        )
        return gradient, chunk

    def learns(self, cell: Moves, params: Params) -> Mask:
        return jax.tree.map(lambda _: True, params)


def _over_chunk(cell: Moves, params: Params, chunk: Chunk) -> Params:
    """Return the gradient of the sum of the chunk's losses, from its start."""

    def back(carry: tuple[State, Params], entry: tuple[Past, State]) -> tuple[tuple[State, Params], None]:
        later, total = carry
        step, error = entry
        share, earlier = _pull(cell, params, step, jax.tree.map(jnp.add, later, error))
        return (earlier, jax.tree.map(jnp.add, total, share)), None

    nothing = jax.tree.map(jnp.zeros_like, (jax.tree.map(lambda e: e[0], chunk.errors), params))
    (_, gradient), _ = jax.lax.scan(back, nothing, (chunk.past, chunk.errors), reverse=True)
    return gradient


def _pull(cell: Moves, params: Params, step: Past, error: State) -> tuple[Params, State]:
    """Pull an error back through one step; steps that were not lived give nothing."""
    _, pull = jax.vjp(lambda p, s: cell.step(p, s, step.x), params, step.state)
    pulled: tuple[Params, State] = jax.tree.map(lambda leaf: jnp.where(step.lived, leaf, 0), pull(error))
    return pulled


def _nothing(k: int, state: State, x: Input) -> Past:
    """Return k steps that were not lived."""
    blank: tuple[State, Input] = jax.tree.map(
        lambda leaf: jnp.zeros((k, *jnp.shape(leaf)), jnp.result_type(leaf)), (state, x)
    )
    return Past(*blank, lived=jnp.zeros(k, bool))


def _push(rows: Any, row: Any) -> Any:
    """Drop the oldest row and append a new one."""
    return jax.tree.map(
        lambda old, new: jnp.concatenate([old[1:], jnp.asarray(new, old.dtype)[None]]), rows, row
    )
