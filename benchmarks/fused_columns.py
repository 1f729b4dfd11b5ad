"""The yardstick: columnar LSTM, exact RTRL and TD(λ), written by hand as one fused JAX step.

The equations are those of ``colonnade.cells.lstm`` for units that see only themselves, with the influences
C = dc/dθ and H = dh/dθ worked out on paper. All parameters of a column are one array (gates, inputs + 2).

    dz_k = [θ belongs to gate k] · input + u_k H⁻          input = x_j, h⁻ or 1
    C = f C⁻ + c⁻ f(1−f) dz_f + g i(1−i) dz_i + i(1−g²) dz_g
    H = o (1−tanh²c) C + tanh(c) o(1−o) dz_o
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key


class Columns(NamedTuple):
    """Everything a column has; gates in the order i, f, o, g; inputs are x, the column's h, and 1."""

    theta: Float[Array, "4 columns inputs+2"]
    trace: Float[Array, "4 columns inputs+2"]
    C: Float[Array, "4 columns inputs+2"]
    H: Float[Array, "4 columns inputs+2"]
    c: Float[Array, " columns"]
    h: Float[Array, " columns"]


class Head(NamedTuple):
    """The readout, its traces and the last prediction."""

    w: Float[Array, " columns"]
    b: Float[Array, ""]
    trace_w: Float[Array, " columns"]
    trace_b: Float[Array, ""]
    prediction: Float[Array, ""]


def start(key: Key[Array, ""], columns: int, inputs: int) -> tuple[Columns, Head]:
    theta = jax.random.uniform(key, (4, columns, inputs + 2), minval=-1.0, maxval=1.0)
    blank, none = jnp.zeros_like(theta), jnp.zeros(columns)
    zero = jnp.zeros(())
    return Columns(theta, blank, blank, blank, none, none), Head(none, zero, none, zero, zero)


def step(
    columns: Columns,
    head: Head,
    x: Float[Array, " inputs"],
    cumulant: Float[Array, ""],
    discount: float = 0.9,
    trace_decay: float = 0.9,
    step_size: float = 1e-3,
) -> tuple[Columns, Head, Float[Array, ""]]:
    theta, trace, C, H, c, h = columns
    n = h.shape[0]
    seen = jnp.concatenate([jnp.broadcast_to(x, (n, x.shape[0])), h[:, None], jnp.ones((n, 1))], axis=1)
    z = (theta * seen).sum(-1)
    i, f, o = jax.nn.sigmoid(z[0]), jax.nn.sigmoid(z[1]), jax.nn.sigmoid(z[2])
    g = jnp.tanh(z[3])
    c_new = f * c + i * g
    squashed = jnp.tanh(c_new)
    slope = jnp.stack([g * i * (1 - i), c * f * (1 - f), squashed * o * (1 - o), i * (1 - g * g)])
    u = theta[:, :, -2]
    into_c = slope * jnp.array([1.0, 1.0, 0.0, 1.0])[:, None]
    C_new = f[:, None] * C + (into_c * u).sum(0)[:, None] * H + into_c[..., None] * seen
    H_new = (o * (1 - squashed**2))[:, None] * C_new + (slope[2] * u[2])[:, None] * H
    H_new = H_new.at[2].add(slope[2][:, None] * seen)
    h_new = o * squashed

    prediction = head.w @ h_new + head.b
    error = cumulant + discount * prediction - head.prediction
    decay = discount * trace_decay
    new_columns = Columns(
        theta + step_size * error * trace,
        decay * trace + head.w[:, None] * H_new,
        C_new,
        H_new,
        c_new,
        h_new,
    )
    new_head = Head(
        head.w + step_size * error * head.trace_w,
        head.b + step_size * error * head.trace_b,
        decay * head.trace_w + h_new,
        decay * head.trace_b + 1,
        prediction,
    )
    return new_columns, new_head, prediction
