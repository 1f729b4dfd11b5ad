"""Do the parts of a learner fit together? What is said of those that don't."""

from typing import Any, Protocol

import jax
import jax.numpy as jnp
import optax
from jax.extend import core

from colonnade.cells.protocol import Cell, Params, State
from colonnade.checks import whole
from colonnade.credit.protocol import Credit
from colonnade.errors import BadInput
from colonnade.objectives.protocol import Objective


class Parts(Protocol):
    """A cell, a credit rule, an objective and an optimizer, updated every so many events."""

    @property
    def cell(self) -> Cell: ...
    @property
    def credit(self) -> Credit: ...
    @property
    def objective(self) -> Objective: ...
    @property
    def optimizer(self) -> optax.GradientTransformation: ...
    @property
    def every(self) -> int: ...


def count_features(cell: Cell, params: Params, inputs: int) -> int:
    """Count what a cell shows its readout; refuse a cell that no learner can use."""
    start = jax.eval_shape(cell.start, params)
    for leaf in jax.tree.leaves(start):
        if not jnp.issubdtype(leaf.dtype, jnp.inexact):
            raise BadInput("cell", expected="a state of real or complex numbers", got=str(leaf.dtype))
    if _depends(jax.make_jaxpr(cell.start)(params).jaxpr):
        wanted = "a first state that depends on the parameters' shapes and dtypes only"
        raise BadInput("cell", expected=wanted, got="one that depends on their values")
    moved = jax.eval_shape(lambda: cell.step(params, cell.start(params), jnp.zeros(inputs)))
    if _form(moved) != _form(start):
        raise BadInput("cell", expected=f"a step to a state like the first, {_form(start)}", got=_form(moved))
    features = jax.eval_shape(cell.read, start)
    if features.ndim != 1 or not jnp.issubdtype(features.dtype, jnp.floating):
        found = f"{features.dtype} of shape {features.shape}"
        raise BadInput("cell", expected="features (what it reads) that are real, along one axis", got=found)
    return int(features.shape[0])


def _form(state: State) -> str:
    """Describe a state's shapes and dtypes on one line."""
    return " ".join(f"{leaf.dtype}{list(leaf.shape)}" for leaf in jax.tree.leaves(state))


def _depends(program: Any) -> bool:
    """Say whether anything that a program gives depends on the values it is given."""
    known = set(program.invars)
    for equation in program.eqns:
        if any(not isinstance(atom, core.Literal) and atom in known for atom in equation.invars):
            known.update(equation.outvars)
    return any(not isinstance(atom, core.Literal) and atom in known for atom in program.outvars)


def check_parts(learner: Parts) -> None:
    """Refuse parts that don't fit together."""
    kinds = {"cell": (Cell, "a cell, such as LSTM(8)"), "credit": (Credit, "a credit rule, such as rtrl()")}
    kinds |= {"objective": (Objective, "an objective, such as SquaredError()")}
    for name, (kind, expected) in kinds.items():
        part = getattr(learner, name)
        if isinstance(part, type) or not isinstance(part, kind):
            raise BadInput(name, expected=expected, got=repr(part))
        _check_hashable(name, part)
    if not isinstance(learner.optimizer, optax.GradientTransformation):
        raise BadInput(
            "optimizer", expected="one of optax's, such as optax.adam(1e-3)", got=repr(learner.optimizer)
        )
    whole("every", learner.every)
    if learner.every % learner.credit.every:
        raise BadInput(
            "every",
            expected=f"a multiple of {learner.credit.every}, as the credit rule gives a gradient that often",
            got=learner.every,
        )
    if learner.objective.traces and learner.credit.every > 1:
        raise BadInput(
            "credit",
            expected="a rule that gives each step its gradient, since the objective's traces need it",
            got=repr(learner.credit),
        )


def _check_hashable(name: str, part: object) -> None:
    """Refuse a part that compiled code can't take as a constant."""
    try:
        hash(part)
    except TypeError:
        wanted = "a frozen dataclass whose fields are numbers, tuples or functions"
        raise BadInput(name, expected=wanted, got=f"{type(part).__name__}, which can't be hashed") from None


def check_key(key: object) -> None:
    """Refuse what isn't a key of JAX's random numbers."""
    if not isinstance(key, jax.Array) or not (
        jnp.issubdtype(key.dtype, jax.dtypes.prng_key) or key.shape == (2,)
    ):
        raise BadInput("key", expected="a key, such as jax.random.key(0)", got=repr(key))
