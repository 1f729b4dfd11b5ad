"""Columns with feature extractors of their own and sparse lateral links (Javed, White & Sutton 2021).

    f_i(t) = C_φi(x(t), h_i(t−1))                                      i = 1 … n; an MLP with ReLU, k features
    z_i(t) = U_ii f_i(t) + Σ_links U_ij f_j(t) + R_ii h_i(t−1) + Σ_j R_ij h_j(t−1)

    additive     h_i(t) = h_i(t−1) + tanh(z_i(t))                                                   (eq. 10)
    memoryless   h_i(t) = tanh(z_i(t)), without R, and C_φi doesn't see h_i                         (eq. 22)
    gru          r, u = σ(z_r), σ(z_u)        n = tanh(U_n f + r R_n h)        h_i ← (1 − u) n + u h_i
    lstm         i, f, o = σ(z)        g = tanh(z_g)        c_i ← f c_i + i g        h_i ← o tanh(c_i)

What is summed in the recurrence has no biases. Of all features of other columns, column i sees as many as
`lateral` times its own k, drawn once; and of their states those of whom it sees a feature. Links are lists of
places: what they cost follows their number.

A column is a module: what it sees of others are messages, and `independent(rtrl())` is Master-User. Without
links that is exact.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from colonnade.cells.given import check_draw, check_sum
from colonnade.checks import number, whole
from colonnade.errors import BadInput

Recurrence = Literal["additive", "memoryless", "gru", "lstm"]
GATES: dict[str, int] = {"additive": 1, "memoryless": 1, "gru": 3, "lstm": 4}


class LateralParams(NamedTuple):
    """The weights of all columns, or of one without the first axis."""

    W: tuple[Float[Array, "*columns width below"], ...]
    b: tuple[Float[Array, "*columns width"], ...]
    U: Float[Array, "*columns gates features"]
    U_links: Float[Array, "*columns gates links"]
    R: Float[Array, "*columns gates"]
    R_links: Float[Array, "*columns gates sources"]


class LateralState(NamedTuple):
    h: Float[Array, "*columns"]
    c: Float[Array, "*columns memories"]
    """The memory of LSTM; others have none."""


class LateralMessages(NamedTuple):
    """What columns show each other: this step's features, the states before it."""

    f: Float[Array, "columns features"]
    h: Float[Array, " columns"]


class Links(NamedTuple):
    """Of each column: which of all features it sees, and whose states; there are fewer where `real` is 0."""

    features: Int[np.ndarray, "columns links"]
    sources: Int[np.ndarray, "columns sources"]
    real: Float[np.ndarray, "columns sources"]


@dataclass(frozen=True)
class Lateral:
    """``columns`` columns, each with an MLP of these ``widths``; `lateral` is s, 0.1 for one link in ten.

    >>> network = Lateral(columns=5, widths=(20, 10), lateral=0.2)
    >>> params = network.init(jax.random.key(0), inputs=3)
    >>> params.U_links.shape, network.read(network.start(params)).shape
    ((5, 1, 2), (5,))
    """

    columns: int
    widths: tuple[int, ...] = (50, 50)
    lateral: float = 0.0
    recurrence: Recurrence = "additive"
    links_seed: int = 0

    def __post_init__(self) -> None:
        whole("columns", self.columns)
        if not isinstance(self.widths, tuple) or not self.widths:
            raise BadInput("widths", expected="a tuple of at least one width", got=repr(self.widths))
        for width in self.widths:
            whole("widths", width)
        number("lateral", self.lateral, low=0.0, high=float(self.columns - 1))
        if self.recurrence not in GATES:
            raise BadInput("recurrence", expected=f"one of {', '.join(GATES)}", got=repr(self.recurrence))
        whole("links_seed", self.links_seed, least=0)

    @property
    def delayed(self) -> bool:
        """Whether columns see nothing of each other's present: there are no links."""
        return self._links_a_column == 0

    @property
    def links(self) -> Links:
        """Who sees what of whom."""
        return _links(self.columns, self.widths[-1], self._links_a_column, self.links_seed)

    def init(self, key: Key[Array, ""], inputs: int) -> LateralParams:
        """Draw Xavier's weights; biases are 0."""
        check_draw(key, inputs)
        links, (drives, backs) = self.links, self._gates
        sizes = (inputs + self._looks_back, *self.widths)
        *layers, of_u, of_u_links, of_r, of_r_links = jax.random.split(key, len(self.widths) + 4)
        n, k, m = self.columns, self.widths[-1], links.features.shape[1]
        return LateralParams(
            W=tuple(
                _xavier(one, (n, above, below), below + above)
                for one, below, above in zip(layers, sizes[:-1], sizes[1:], strict=True)
            ),
            b=tuple(jnp.zeros((n, width)) for width in self.widths),
            U=_xavier(of_u, (n, drives, k), k + m + 1),
            U_links=_xavier(of_u_links, (n, drives, m), k + m + 1),
            R=_xavier(of_r, (n, backs), n + 1),
            R_links=_xavier(of_r_links, (n, backs, links.sources.shape[1]), n + 1) * links.real[:, None],
        )

    def start(self, params: LateralParams) -> LateralState:
        n, memories = self.columns, int(self.recurrence == "lstm")
        return LateralState(jnp.zeros(n, params.U.dtype), jnp.zeros((n, memories), params.U.dtype))

    def step(self, params: LateralParams, state: LateralState, x: Float[Array, " inputs"]) -> LateralState:
        messages = self.share(params, state, x)
        each = jax.vmap(self.module, in_axes=(0, 0, 0, None, None))
        moved: LateralState = each(jnp.arange(self.columns), params, state, x, messages)
        return moved

    def read(self, state: LateralState) -> Float[Array, " columns"]:
        return state.h

    def share(
        self, params: LateralParams, state: LateralState, x: Float[Array, " inputs"]
    ) -> LateralMessages:
        if self.delayed:
            return LateralMessages(state.h[:, None][:, :0], state.h)
        features = jax.vmap(self._features, in_axes=(0, 0, None))(params, state.h, x)
        return LateralMessages(features, state.h)

    def module(
        self,
        index: Int[Array, ""],
        params: LateralParams,
        state: LateralState,
        x: Float[Array, " inputs"],
        messages: LateralMessages,
    ) -> LateralState:
        links = self.links
        f = self._features(params, state.h, x)
        others = messages.f.reshape(-1)[jnp.asarray(links.features)[index]]
        states = messages.h[jnp.asarray(links.sources)[index]] * jnp.asarray(links.real)[index]
        drive = params.U @ f + params.U_links @ others
        back = params.R * state.h + params.R_links @ states
        return self._move(state, drive, back)

    @property
    def _links_a_column(self) -> int:
        return round(self.lateral * self.widths[-1])

    @property
    def _looks_back(self) -> bool:
        """Whether anything depends on the state before."""
        return self.recurrence != "memoryless"

    @property
    def _gates(self) -> tuple[int, int]:
        """How many sums of features there are, and how many of states."""
        drives = GATES[self.recurrence]
        return drives, drives if self._looks_back else 0

    def _features(
        self, params: LateralParams, h: Float[Array, ""], x: Float[Array, " inputs"]
    ) -> Float[Array, " features"]:
        """C_φ of one column."""
        f = jnp.append(x, h) if self._looks_back else x
        check_sum(params.W[0].shape[-1], f)
        for W, b in zip(params.W, params.b, strict=True):
            f = jax.nn.relu(W @ f + b)
        return f

    def _move(
        self, state: LateralState, drive: Float[Array, " gates"], back: Float[Array, " gates"]
    ) -> LateralState:
        """R of one column."""
        if self.recurrence == "memoryless":
            return LateralState(jnp.tanh(drive[0]), state.c)
        if self.recurrence == "additive":
            return LateralState(state.h + jnp.tanh(drive[0] + back[0]), state.c)
        if self.recurrence == "gru":
            reset, update = jax.nn.sigmoid(drive[:2] + back[:2])
            new = jnp.tanh(drive[2] + reset * back[2])
            return LateralState((1 - update) * new + update * state.h, state.c)
        i, f, o = jax.nn.sigmoid(drive[:3] + back[:3])
        c = f * state.c + i * jnp.tanh(drive[3] + back[3])
        return LateralState(o * jnp.tanh(c[0]), c)


def _xavier(key: Key[Array, ""], shape: tuple[int, ...], ends: int) -> Float[Array, "..."]:
    """Draw uniformly within ±√(6 / (inputs + outputs))."""
    bound = (6.0 / ends) ** 0.5
    return jax.random.uniform(key, shape, minval=-bound, maxval=bound)


@lru_cache(maxsize=64)
def _links(columns: int, features: int, links: int, seed: int) -> Links:
    """Draw so many links for each column, from the features of all others."""
    rng = np.random.default_rng(seed)
    places = np.arange(columns * features).reshape(columns, features)
    drawn = np.stack(
        [
            np.sort(rng.choice(np.delete(places, column, axis=0).reshape(-1), links, replace=False))
            for column in range(columns)
        ]
    )
    sources = [np.unique(row // features) for row in drawn]
    most = max(len(row) for row in sources)
    padded = np.stack([np.pad(row, (0, most - len(row))) for row in sources])
    real = np.stack([np.arange(most) < len(row) for row in sources]).astype(np.float64)
    return Links(drawn, padded, real)
