"""Do the parts of a learner fit together? What is said of those that don't."""

from collections.abc import Callable
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.extend import core
from jaxtyping import Array, Key

from colonnade.cells.protocol import Cell, Params, State
from colonnade.checks import part, whole
from colonnade.credit.protocol import Credit, Mask
from colonnade.errors import BadInput
from colonnade.learners.likeness import check_like, followed, same_tree
from colonnade.objectives.protocol import Learned, Objective


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
    _check_arrays("parameters of real numbers", params, jnp.floating)

    def started(params: Params) -> State:
        state = cell.start(params)
        _check_arrays("a state of real or complex numbers", state, jnp.inexact)
        return state

    start = _shapes("start", started, params)
    if not jax.tree.leaves(start):
        raise BadInput("cell", expected="a state of real or complex numbers", got="none")
    if _depends(jax.make_jaxpr(cell.start)(params).jaxpr):
        wanted = "a first state that depends on the parameters' shapes and dtypes only"
        raise BadInput("cell", expected=wanted, got="one that depends on their values")
    moved = _shapes("step", cell.step, params, start, jnp.zeros(inputs))
    check_like("cell", "a step to a state", moved, start)
    features = _shapes("read", cell.read, start)
    if not isinstance(features, jax.ShapeDtypeStruct):
        raise BadInput("cell", expected="features (what it reads) in one array", got=type(features).__name__)
    if features.ndim != 1 or not features.size or not jnp.issubdtype(features.dtype, jnp.floating):
        found = f"{features.dtype} of shape {features.shape}"
        raise BadInput("cell", expected="features (what it reads) that are real, along one axis", got=found)
    return int(features.shape[0])


def _shapes(name: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the shapes of what one of a cell's functions gives; refuse the cell if JAX can't follow it."""
    with followed("cell", f"a `{name}` that JAX can follow"):
        return jax.eval_shape(function, *arguments)


def _check_arrays(wanted: str, tree: Any, kind: Any) -> None:
    """Refuse a tree of anything but arrays of this kind of number."""
    for leaf in jax.tree.leaves(tree):
        if not isinstance(leaf, jax.Array | np.ndarray):
            raise BadInput("cell", expected=f"{wanted} in arrays", got=type(leaf).__name__)
        if not jnp.issubdtype(leaf.dtype, kind):
            raise BadInput("cell", expected=wanted, got=str(leaf.dtype))


def _depends(program: Any) -> bool:
    """Say whether anything that a program gives depends on the values it is given."""
    known = set(program.invars)
    for equation in program.eqns:
        if any(not isinstance(atom, core.Literal) and atom in known for atom in equation.invars):
            known.update(equation.outvars)
    return any(not isinstance(atom, core.Literal) and atom in known for atom in program.outvars)


def first_parameters(cell: Cell, key: Key[Array, ""], inputs: int) -> Params:
    """Draw a cell's parameters; refuse a cell that can't."""
    with followed("cell", "an `init(key, inputs)` that draws parameters"):
        return cell.init(key, inputs)


def check_mask(mask: Mask, params: Params) -> None:
    """Refuse a rule that doesn't say of each array of the parameters whether it is trained."""
    if not same_tree(mask, params):
        wanted = "a `learns` that is True or False for each array of the parameters"
        raise BadInput("credit", expected=wanted, got=mask)


def first_optimizer(optimizer: optax.GradientTransformation, learned: Learned) -> optax.OptState:
    """Return the optimizer's first state; refuse one that needs more than gradients and parameters."""
    with followed("optimizer", "one that needs gradients and parameters only"):
        state = optimizer.init(learned)
        change, _ = jax.eval_shape(optimizer.update, learned, state, learned)
    check_like("optimizer", "a change", change, learned)
    return state


def check_parts(learner: Parts) -> None:
    """Refuse parts that don't fit together."""
    kinds = {"cell": (Cell, "a cell, such as LSTM(8)"), "credit": (Credit, "a credit rule, such as rtrl()")}
    kinds |= {"objective": (Objective, "an objective, such as SquaredError()")}
    for name, (protocol, wanted) in kinds.items():
        part(name, getattr(learner, name), protocol, wanted)
        _check_hashable(name, getattr(learner, name))
    if not isinstance(learner.optimizer, optax.GradientTransformation):
        raise BadInput(
            "optimizer", expected="one of optax's, such as optax.adam(1e-3)", got=repr(learner.optimizer)
        )
    whole("every", learner.every)
    whole("credit.every", learner.credit.every)
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


def _check_hashable(name: str, value: object) -> None:
    """Refuse a part that compiled code can't take as a constant."""
    try:
        hash(value)
    except TypeError:
        wanted = "a frozen dataclass whose fields are numbers, tuples or functions"
        raise BadInput(name, expected=wanted, got=f"{type(value).__name__}, which can't be hashed") from None
