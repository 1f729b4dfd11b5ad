"""The linear recurrent unit (Orvieto et al. 2023; Zucchet et al. 2023, eqs. 8–11).

    h(t) = λ ⊙ h(t−1) + γ ⊙ (B x(t))        complex, a number a unit
    λ = exp(−exp(ν) + i exp(θ))             |λ| < 1 whatever ν and θ are
    γ = exp(gamma), at first √(1 − |λ|²)    so that every unit has about the same magnitude

Features are the real parts of h, then the imaginary parts: a real readout of them is Re(C h).
"""

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Complex, Float, Key

from colonnade.cells.given import check_draw, check_sum
from colonnade.cells.separate import Separate
from colonnade.checks import number, span, whole

MOST_RADIUS = 1 - 1e-6  # |λ| = 1 has no logarithm of its logarithm


class LRUParams(NamedTuple):
    """Real leaves: ν, θ and log γ, and B by its real and imaginary parts."""

    nu: Float[Array, "*units"]
    theta: Float[Array, "*units"]
    gamma: Float[Array, "*units"]
    B_re: Float[Array, "*units inputs"]
    B_im: Float[Array, "*units inputs"]


@dataclass(frozen=True)
class LRU(Separate):
    """``units`` independent complex units, with |λ| drawn from ``radius`` and the phase up to ``phase``.

    >>> import jax
    >>> cell = LRU(units=3)
    >>> params = cell.init(jax.random.key(0), inputs=2)
    >>> cell.read(cell.step(params, cell.start(params), jax.numpy.ones(2))).shape
    (6,)
    """

    units: int
    radius: tuple[float, float] = (0.0, 0.999)
    phase: float = 6.283185307179586

    def __post_init__(self) -> None:
        whole("units", self.units)
        span("radius", self.radius, low=0.0, high=MOST_RADIUS, words="smallest and largest |λ|")
        number("phase", self.phase, low=0.0)

    def init(self, key: Key[Array, ""], inputs: int) -> LRUParams:
        """Draw λ uniformly on the ring, by area, and B from a complex normal of variance 1/inputs."""
        check_draw(key, inputs)
        keys = jax.random.split(key, 4)
        low, high = self.radius
        smallest = float(np.finfo(np.float32).tiny)
        squared = jax.random.uniform(keys[0], (self.units,), minval=low**2, maxval=high**2)
        angle = jax.random.uniform(keys[1], (self.units,), maxval=self.phase)
        squared, angle = jnp.maximum(squared, smallest), jnp.maximum(angle, smallest)
        spread = (2 * inputs) ** -0.5
        return LRUParams(
            nu=jnp.log(-0.5 * jnp.log(squared)),
            theta=jnp.log(angle),
            gamma=0.5 * jnp.log1p(-squared),
            B_re=spread * jax.random.normal(keys[2], (self.units, inputs)),
            B_im=spread * jax.random.normal(keys[3], (self.units, inputs)),
        )

    def start(self, params: LRUParams) -> Complex[Array, " units"]:
        return jax.lax.complex(jnp.zeros_like(params.nu), jnp.zeros_like(params.nu))

    def step(
        self, params: LRUParams, state: Complex[Array, "*units"], x: Float[Array, " inputs"]
    ) -> Complex[Array, "*units"]:
        check_sum(params.B_re.shape[-1], x)
        magnitude, angle = jnp.exp(-jnp.exp(params.nu)), jnp.exp(params.theta)
        eigenvalue = jax.lax.complex(magnitude * jnp.cos(angle), magnitude * jnp.sin(angle))
        gamma = jnp.exp(params.gamma)
        driven = jax.lax.complex(gamma * (params.B_re @ x), gamma * (params.B_im @ x))
        return eigenvalue * state + driven

    def read(self, state: Complex[Array, " units"]) -> Float[Array, " features"]:
        return jnp.concatenate([state.real, state.imag])
