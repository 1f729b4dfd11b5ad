"""The columnar network (Javed, Shah, Sutton & White 2023): n small cells side by side that never meet.

    s_i(t) = step(θ_i, s_i(t−1), x(t))        i = 1 … n

No column's parameter touches another's state, so exact RTRL of the network is that of n small cells.
"""

from dataclasses import dataclass
from typing import ClassVar

import jax
from jaxtyping import Array, Float, Int, Key

from colonnade.cells.protocol import Cell, Features, Params, State, start_again
from colonnade.checks import part, whole


@dataclass(frozen=True)
class Columnar:
    """``columns`` copies of ``cell``: parameters and state gain a leading axis.

    >>> from colonnade.cells import LSTM
    >>> network = Columnar(LSTM(1), 7)
    >>> params = network.init(jax.random.key(0), inputs=12)
    >>> network.read(network.start(params)).shape
    (7,)
    """

    cell: Cell
    columns: int
    delayed: ClassVar[bool] = True

    def __post_init__(self) -> None:
        part("cell", self.cell, Cell, "a cell, such as LSTM(1)")
        whole("columns", self.columns)

    def init(self, key: Key[Array, ""], inputs: int) -> Params:
        return jax.vmap(lambda key: self.cell.init(key, inputs))(jax.random.split(key, self.columns))

    def start(self, params: Params) -> State:
        return jax.vmap(self.cell.start)(params)

    def again(self, params: Params, state: State) -> State:
        return jax.vmap(lambda p, s: start_again(self.cell, p, s))(params, state)

    def step(self, params: Params, state: State, x: Float[Array, " inputs"]) -> State:
        return jax.vmap(self.cell.step, in_axes=(0, 0, None))(params, state, x)

    def read(self, state: State) -> Features:
        return jax.vmap(self.cell.read)(state).reshape(-1)

    def share(self, params: Params, state: State, x: Float[Array, " inputs"]) -> tuple[()]:
        return ()

    def module(
        self,
        index: Int[Array, ""],
        params: Params,
        state: State,
        x: Float[Array, " inputs"],
        messages: tuple[()],
    ) -> State:
        return self.cell.step(params, state, x)
