"""What can reach what within one step of a cell, found from the structure of its program.

Sparsity of a Jacobian can't be found by trying numbers: a ReLU that happens to be off hides a dependence.
So the step is run as a *surrogate*: additions in place of every nonlinearity and product, ones in place of
every weight, constants of the program kept as they are. The surrogate is linear with weights ≥ 0, so no two
paths cancel, and its Jacobian is nonzero exactly where there is a path. (So many paths that their number
overflows make it infinite or NaN, which isn't zero, either.) Where an operation isn't known, it
counts as mixing everything: reach may be found too wide, never too narrow.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core
from jaxtyping import Bool

from colonnade.cells.protocol import Input, Moves, Params, State
from colonnade.credit.real import as_real, from_real

Reach: TypeAlias = Bool[np.ndarray, "numbers sources"]

LINEAR = frozenset({"add", "add_any", "sub", "neg", "copy", "convert_element_type", "stop_gradient"})
"""Operations by number that make zero of zeros."""

CURVED = frozenset(
    name
    for line in (
        "abs acos acosh and asin asinh atan atan2 atanh cbrt ceil clamp complex conj cos cosh digamma div",
        "eq erf erf_inv erfc exp exp2 expm1 floor ge gt imag integer_pow is_finite le lgamma log log1p",
        "logistic lt max min ne nextafter not or pow real rem round rsqrt select_n sign sin sinh sqrt square",
        "tan tanh xor",
    )
    for name in line.split()
)
"""Other operations by number."""

REARRANGING = frozenset(
    name
    for line in (
        "broadcast_in_dim concatenate dynamic_slice expand_dims gather pad reshape rev slice split squeeze",
        "transpose",
    )
    for name in line.split()
)
SUMMING = frozenset({"reduce_sum", "reduce_max", "reduce_min", "reduce_prod", "reduce_and", "reduce_or"})
CALLS = frozenset(
    {"jit", "pjit", "closed_call", "custom_jvp_call", "custom_vjp_call", "remat2", "checkpoint"}
)


def reach(cell: Moves, params: Params, state: State, x: Input) -> tuple[Reach, tuple[Reach, ...]]:
    """Say which numbers of the new state depend on which numbers of the old state and of each parameter.

    Returns (numbers × numbers) for the state, and (numbers × leaf size) for each leaf of the parameters.
    Only shapes and dtypes of the arguments matter.
    """
    shapes = jax.eval_shape(lambda: (params, as_real(state), x))

    def move(params: Params, parts: tuple[Any, ...], x: Input) -> tuple[Any, ...]:
        return as_real(cell.step(params, from_real(parts, state), x))

    closed = jax.make_jaxpr(move)(*shapes)
    with jax.ensure_compile_time_eval():
        blank = jax.tree.map(lambda shape: jnp.zeros(shape.shape), shapes)
        seen = jax.tree.leaves(blank[2])

        def surrogate(params: list[Any], parts: tuple[Any, ...]) -> Any:
            outputs = _run(closed.jaxpr, closed.consts, [_path(p) for p in (*params, *parts, *seen)])
            return jnp.concatenate([_weight(out).reshape(-1) for out in outputs])

        by_params, by_state = jax.jit(jax.jacrev(surrogate, argnums=(0, 1)))(
            jax.tree.leaves(blank[0]), blank[1]
        )
    numbers = sum(part.size for part in blank[1])
    through = np.concatenate([np.asarray(j).reshape(numbers, -1) for j in by_state], axis=1)
    immediate = tuple(np.asarray(j).reshape(numbers, -1) != 0 for j in by_params)
    return through != 0, immediate


class _Path(NamedTuple):
    """A value that depends on what is traced.

    ``weight`` is what the surrogate makes of it, and
    ``support`` is 0 where it is always zero, as is a masked weight.
    """

    weight: jax.Array
    support: jax.Array


def _path(weight: jax.Array) -> _Path:
    return _Path(weight, jnp.ones_like(weight))


def _weight(value: Any) -> jax.Array:
    return value.weight if isinstance(value, _Path) else jnp.zeros(jnp.shape(value))


def _support(value: Any) -> jax.Array:
    return value.support if isinstance(value, _Path) else (jnp.asarray(value) != 0).astype(float)


def _run(jaxpr: Any, consts: Sequence[Any], arguments: Sequence[Any]) -> list[Any]:
    """Run a program on surrogates. What depends on constants only is computed for what it is."""
    values: dict[Any, Any] = dict(zip(jaxpr.constvars, consts, strict=True))
    values.update(zip(jaxpr.invars, arguments, strict=True))

    def look(atom: Any) -> Any:
        return atom.val if isinstance(atom, core.Literal) else values[atom]

    for equation in jaxpr.eqns:
        inputs = [look(atom) for atom in equation.invars]
        if equation.primitive.name in CALLS or any(isinstance(value, _Path) for value in inputs):
            outputs = _follow(equation, inputs)
        else:
            bound = equation.primitive.bind(*inputs, **equation.params)
            outputs = bound if equation.primitive.multiple_results else [bound]
        values.update(zip(equation.outvars, outputs, strict=True))
    return [look(atom) for atom in jaxpr.outvars]


def _follow(equation: Any, inputs: list[Any]) -> list[Any]:
    """Return the surrogates of what one operation gives."""
    name, params = equation.primitive.name, equation.params
    if name in CALLS:
        inner = params["jaxpr"] if "jaxpr" in params else params["call_jaxpr"]
        return _run(getattr(inner, "jaxpr", inner), getattr(inner, "consts", ()), inputs)
    if name == "mul":
        return [_product(inputs, jnp.multiply)]
    if name == "dot_general":
        dimensions = params["dimension_numbers"]
        return [_product(inputs, partial(jax.lax.dot_general, dimension_numbers=dimensions))]
    if name in LINEAR:
        return [_Path(_total(_weight, equation, inputs), _total(_support, equation, inputs))]
    if name in CURVED:
        return [_path(_total(_weight, equation, inputs))]
    if name in SUMMING:
        return [_path(jnp.sum(_weight(inputs[0]), axis=params["axes"]))]
    if name in REARRANGING and not any(isinstance(v, _Path) for v in _places(name, inputs)):
        weights, supports = _rearrange(_weight, equation, inputs), _rearrange(_support, equation, inputs)
        return [_Path(*both) for both in zip(weights, supports, strict=True)]
    mixed = sum((_weight(v).sum() for v in inputs), jnp.zeros(()))
    return [_path(jnp.broadcast_to(mixed, out.aval.shape)) for out in equation.outvars]


def _product(inputs: list[Any], product: Callable[[Any, Any], jax.Array]) -> _Path:
    """A product depends on both factors, but not where the other factor is always zero."""
    left, right = inputs
    weight = product(_weight(left), _support(right)) + product(_support(left), _weight(right))
    return _Path(weight, product(_support(left), _support(right)))


def _total(part: Callable[[Any], jax.Array], equation: Any, inputs: list[Any]) -> jax.Array:
    """Add up weights, or supports, of an operation by number."""
    return sum((part(value) for value in inputs), jnp.zeros(equation.outvars[0].aval.shape))


def _places(name: str, inputs: list[Any]) -> list[Any]:
    """Return the inputs of a rearranging operation that say where, not what."""
    return inputs[1:] if name in ("gather", "dynamic_slice") else []


def _rearrange(part: Callable[[Any], jax.Array], equation: Any, inputs: list[Any]) -> list[Any]:
    """Move weights, or supports, about just as the values would be."""
    places = _places(equation.primitive.name, inputs)
    moved = [part(value) for value in inputs[: len(inputs) - len(places)]]
    bound = equation.primitive.bind(*moved, *places, **equation.params)
    return bound if equation.primitive.multiple_results else [bound]
