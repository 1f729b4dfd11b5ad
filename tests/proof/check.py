"""How a claim is checked: a rule's gradient at each step against the judges, in float64.

Comparing sums over a sequence would let wrong rules through, so every step's own loss is compared.
"""

import re
from dataclasses import dataclass
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np

from oracles import bptt
from proof.cases import CELLS, INPUTS, STEPS

EXACT = 1e-10


def problem(cell, steps=STEPS, seed=0):
    """Draw parameters, inputs, and the error of each step."""
    keys = jax.random.split(jax.random.key(seed), 4)
    params = cell.init(keys[0], INPUTS)
    leaves, structure = jax.tree.flatten(params)
    jitter = jax.random.split(keys[1], len(leaves))
    params = jax.tree.unflatten(
        structure, [p + 0.3 * jax.random.normal(k, p.shape) for p, k in zip(leaves, jitter, strict=True)]
    )
    features = cell.read(cell.start(params)).shape[0]
    xs = jax.random.normal(keys[2], (steps, INPUTS))
    return params, xs, jax.random.normal(keys[3], (steps, features))


def rule_gradients(rule, cell, params, xs, es):
    """Return what the rule assigns at each step: leaves steps × the parameter's shape."""

    def move(carry, event):
        state, memory, t = carry
        x, e = event
        state, memory = rule.advance(cell, params, state, memory, x, jax.random.fold_in(jax.random.key(0), t))
        (dstate,) = jax.vjp(cell.read, state)[1](e)
        gradient, memory = rule.assign(cell, params, memory, dstate)
        return (state, memory, t + 1), gradient

    state = cell.start(params)
    memory = rule.start(cell, params, state, xs[0])
    return jax.jit(lambda: jax.lax.scan(move, (state, memory, 0), (xs, es))[1])()


@cache
def judged(cell_name, claim):
    """Return what a claim says the gradients are."""
    cell = CELLS[cell_name]
    params, xs, es = problem(cell)
    kind, k = re.fullmatch(r"(\w+)(?:\((\d+)\))?", claim).groups()
    if kind in ("exact", "biased", "above"):
        return jax.jit(lambda: bptt.gradients(cell, params, xs, es))()
    if kind == "detached":
        return jax.jit(lambda: bptt.gradients(Detached(cell), params, xs, es))()
    if kind == "truncated":
        return jax.jit(lambda: bptt.truncated(cell, params, xs, es, int(k)))()
    if kind == "chunked":
        return _chunked(cell, params, xs, es, int(k))
    return jax.jit(lambda: bptt.spatial_between_layers(cell, params, xs, es))()


@dataclass(frozen=True)
class Detached:
    """A cell whose modules see each other as data."""

    cell: object

    def start(self, params):
        return self.cell.start(params)

    def read(self, state):
        return self.cell.read(state)

    def step(self, params, state, x):
        messages = jax.lax.stop_gradient(self.cell.share(params, state, x))
        which = jnp.arange(jax.tree.leaves(params)[0].shape[0])
        each = jax.vmap(self.cell.module, in_axes=(0, 0, 0, None, None))
        return each(which, params, state, x, messages)


def _chunked(cell, params, xs, es, k):
    """At the end of each whole chunk the gradient of its summed losses from its start; zeros elsewhere."""
    lived = bptt.states(cell, params, xs)

    def total(p, first):
        start = jax.tree.map(lambda s: s[first], lived)
        return bptt.losses(cell, p, xs[first : first + k], es[first : first + k], start).sum()

    grad = jax.grad(total)
    rows = [
        grad(params, t - k + 1) if t % k == k - 1 else jax.tree.map(jnp.zeros_like, params)
        for t in range(len(xs))
    ]
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *rows)


def step_errors(came, expected):
    """Return ‖came − expected‖ / ‖expected‖ at each step, over all parameters together."""
    came, expected = _flat(came), _flat(expected)
    assert came.shape == expected.shape
    size = np.linalg.norm(expected, axis=1)
    apart = np.linalg.norm(came - expected, axis=1)
    return np.divide(apart, size, out=np.where(apart > 0, np.inf, 0.0), where=size > 0)


def _flat(tree):
    leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(tree)]
    return np.concatenate([leaf.reshape(leaf.shape[0], -1) for leaf in leaves], axis=1)


def check(case):
    """Hold a rule to its claim; return the largest relative error over the steps."""
    cell = case.cell
    params, xs, es = problem(cell)
    came = rule_gradients(case.rule, cell, params, xs, es)
    if case.claim == "nothing":
        assert jax.tree.leaves(came) == [] and not any(jax.tree.leaves(case.rule.learns(cell, params)))
        return 0.0
    expected = judged(case.cell_name, case.claim)
    if case.claim == "above":
        assert jax.tree.leaves(came[:-1]) == [], "the layers below the last must not learn"
        came, expected = came[-1], expected[-1]
    errors = step_errors(came, expected)
    if case.claim == "biased":
        assert errors[0] < EXACT, "the first step has no past: it must be exact"
        assert 1e-3 < errors.max() < 10, f"claimed biased, but off by {errors.max():.1e}"
    else:
        assert errors.max() < EXACT, f"off by {errors.max():.1e}"
    if case.claim == "detached":
        off = step_errors(came, judged(case.cell_name, "exact")).max()
        assert off > 1e-3, f"no messages count: off by {off:.1e} only"
    return errors.max()
