"""Real-time recurrent learning (Williams & Zipser 1989): the whole influence, exactly.

    J(t) = ∂s(t)/∂θ + ∂s(t)/∂s(t−1) J(t−1)        J = ds/dθ
    dL/dθ = dL/ds(t) · J(t)

Of the network as a whole it costs |s|² |θ|; of independent modules, through ``independent``, only |θ|.
"""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Key

from colonnade.cells.protocol import Input, Moves, Params, State
from colonnade.credit.jacobian import step_with_jacobians, weigh
from colonnade.credit.protocol import Mask
from colonnade.credit.real import as_real, cotangent_as_real


def rtrl() -> "RTRL":
    """Return the rule that carries the whole influence of the parameters on the state.

    >>> from colonnade.cells import RNN
    >>> cell = RNN(2)
    >>> params = cell.init(jax.random.key(0), inputs=1)
    >>> memory = rtrl().start(cell, params, cell.start(params), jnp.zeros(1))
    >>> memory.shape  # two numbers of the state, each with its influence from 2 × 4 weights
    (2, 2, 4)
    """
    return RTRL()


@dataclass(frozen=True)
class RTRL:
    """Memory: J, a tree as the parameters', with a leading axis of the state's numbers."""

    every: ClassVar[int] = 1

    def start(self, cell: Moves, params: Params, state: State, x: Input) -> Params:
        n = sum(part.size for part in as_real(state))
        return jax.tree.map(lambda p: jnp.zeros((n, *p.shape), p.dtype), params)

    def advance(
        self, cell: Moves, params: Params, state: State, memory: Params, x: Input, key: Key[Array, ""]
    ) -> tuple[State, Params]:
        moved, jacobians = step_with_jacobians(cell, params, state, x)
        carried = weigh(jacobians.through, memory)
        return moved, jax.tree.map(jnp.add, jacobians.immediate, carried)

    def assign(self, cell: Moves, params: Params, memory: Params, dstate: State) -> tuple[Params, Params]:
        error = jnp.concatenate([part.reshape(-1) for part in cotangent_as_real(dstate)])
        return weigh(error, memory), memory

    def learns(self, cell: Moves, params: Params) -> Mask:
        return jax.tree.map(lambda _: True, params)
