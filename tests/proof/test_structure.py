"""What a cell declares must be true, and what a rule makes of it must be the same."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from colonnade.cells import LSTM, RNN, Modular, with_own
from colonnade.cells.rnn import RNN as Vanilla
from colonnade.credit import frozen, independent, layered, rtrl, snap
from colonnade.credit.reach import reach
from colonnade.credit.units import units
from colonnade.networks import Columnar, Stacked, Staged
from oracles import bptt
from proof.cases import CELLS, DENSE_BY_MODULE, INPUTS, LINKED, Decay
from proof.check import EXACT, problem, rule_gradients, step_errors

MODULAR = [name for name, cell in CELLS.items() if isinstance(cell, Modular)]


@pytest.mark.parametrize("name", MODULAR)
def test_modules_move_as_the_whole(name):
    cell = CELLS[name]
    params, xs, _ = problem(cell)
    state = cell.step(params, cell.start(params), xs[0])
    together = cell.step(params, state, xs[1])
    messages = cell.share(params, state, xs[1])
    count = jax.tree.leaves(params)[0].shape[0]
    alone = jax.vmap(cell.module, in_axes=(0, 0, 0, None, None))(
        jnp.arange(count), params, state, xs[1], messages
    )
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-12), together, alone)


@pytest.mark.parametrize("name", MODULAR)
def test_messages_said_to_be_delayed_depend_on_no_parameter(name):
    cell = CELLS[name]
    params, xs, _ = problem(cell)
    state = cell.start(params)
    shared = jax.make_jaxpr(lambda p: cell.share(p, state, xs[0]))(params)
    used = {atom for equation in shared.eqns for atom in equation.invars} | set(shared.jaxpr.outvars)
    assert cell.delayed == (name not in LINKED)
    assert cell.delayed != bool(used & set(shared.jaxpr.invars))


@pytest.mark.parametrize("name", DENSE_BY_MODULE)
def test_by_module_is_exact_without_lateral_links(name):
    cell = CELLS[name]
    params, xs, es = problem(cell)
    params = _without_lateral_links(cell, params)
    exact = bptt.gradients(cell, params, xs, es)
    came = rule_gradients(independent(rtrl()), cell, params, xs, es)
    own = _own_links(cell, params)
    assert step_errors(_only(came, own), _only(exact, own)).max() < EXACT


def _own_links(cell, params):
    """Say of each weight whether it is not a lateral link."""
    lateral = ~np.eye(cell.units, dtype=bool)

    def own(leaf):
        keep = np.ones(leaf.shape, bool)
        if leaf.shape[-1] == cell.units:  # a separate R
            keep &= ~_beside(lateral, leaf)
        elif leaf.shape[-1] == INPUTS + cell.units + 1:  # [x, h, 1]
            keep[..., INPUTS:-1] &= ~_beside(lateral, leaf[..., INPUTS:-1])
        return keep

    return jax.tree.map(own, params)


def _beside(lateral, leaf):
    """Shape units × units like units × gates × units."""
    return np.broadcast_to(lateral[:, None] if leaf.ndim == 3 else lateral, leaf.shape)


def _without_lateral_links(cell, params):
    return jax.tree.map(lambda leaf, own: jnp.where(own, leaf, 0), params, _own_links(cell, params))


def _only(gradients, keep):
    return jax.tree.map(lambda g, k: jnp.where(k, g, 0), gradients, keep)


def test_frozen_stages_leave_the_last_one_exact():
    cell = Staged((Columnar(LSTM(1), 2), Columnar(LSTM(1), 2)))
    params, xs, es = problem(cell)
    came = rule_gradients(layered((frozen(), independent(rtrl()))), cell, params, xs, es)
    exact = bptt.gradients(cell, params, xs, es)
    assert jax.tree.leaves(came[0]) == []
    assert step_errors(came[1], exact[1]).max() < EXACT


def test_the_last_layer_is_exact_and_the_ones_below_are_not():
    cell = CELLS["Stacked LRU, LSTM"]
    params, xs, es = problem(cell)
    came = rule_gradients(layered((independent(rtrl()), rtrl())), cell, params, xs, es)
    exact = bptt.gradients(cell, params, xs, es)
    assert step_errors(came[1], exact[1]).max() < EXACT
    assert step_errors(came[0], exact[0]).max() > 1e-3


@dataclass(frozen=True)
class Gated(Vanilla):
    """A unit behind a ReLU that happens to be off: its links are there all the same."""

    def move(self, params, own, h, x):
        return jax.nn.relu(jnp.where(own > 1e9, own, params @ jnp.concatenate([x, h, jnp.ones(1)]) - 1e3))


def test_reach_sees_links_through_a_relu_that_is_off():
    cell = Gated(4)
    params, xs, _ = problem(cell)
    through, (immediate,) = reach(cell, params, cell.start(params), xs[0])
    assert through.all()
    assert (immediate.reshape(4, 4, -1).any(axis=2) == np.eye(4, dtype=bool)).all()


def test_reach_of_an_unknown_operation_is_everything():
    @dataclass(frozen=True)
    class Sorting(Vanilla):
        def move(self, params, own, h, x):
            return jnp.sort(params @ jnp.concatenate([x, h, jnp.ones(1)]))

    cell = Sorting(3)
    params, xs, _ = problem(cell)
    through, (immediate,) = reach(cell, params, cell.start(params), xs[0])
    assert through.all() and immediate.all()


@pytest.mark.parametrize("name", ["LSTM", "LRU", "Columnar GRU, 2 units", "Staged columns"])
def test_units_keep_together_what_moves_together(name):
    expected = {
        "LSTM": [0, 1, 2, 0, 1, 2],
        "LRU": [0, 1, 2, 0, 1, 2],
        "Columnar GRU, 2 units": [0, 0, 1, 1],
        "Staged columns": [0, 1, 0, 1, 2, 3, 2, 3],
    }
    cell = CELLS[name]
    params, _, _ = problem(cell)
    assert units(cell, cell.start(params)).tolist() == expected[name]


def test_snap_grows_exact_with_its_reach():
    """A chain of three layers: a parameter of the first reaches the last unit's state within one step."""
    cell = Stacked((RNN(2), RNN(2)))
    params, xs, es = problem(cell)
    exact = bptt.gradients(cell, params, xs, es)
    off = [step_errors(rule_gradients(snap(k), cell, params, xs, es), exact).max() for k in (1, 2)]
    assert off[0] > 1e-3 and off[1] < EXACT


def test_an_undeclared_cell_gets_the_same_numbers_by_lists_as_a_declared_one_by_modules():
    @dataclass(frozen=True)
    class Undeclared(Vanilla):
        delayed = False

    params, xs, es = problem(RNN(4))
    by_lists = rule_gradients(snap(1), Undeclared(4), params, xs, es)
    by_modules = rule_gradients(snap(1), RNN(4), params, xs, es)
    assert step_errors(by_lists, by_modules).max() < EXACT


@dataclass(frozen=True)
class Prompt(Vanilla):
    """A unit shows the others what it has just seen: a parameter reaches all of them within one step."""

    delayed = False

    def step(self, params, state, x):
        return jnp.tanh(params[:, INPUTS:-1] @ self.share(params, state, x) + params[:, -1] * state)

    def share(self, params, state, x):
        return jnp.tanh(params[:, :INPUTS] @ x)

    def module(self, index, params, state, x, messages):
        seen = with_own(index, jnp.tanh(params[:INPUTS] @ x), messages)
        return jnp.tanh(params[INPUTS:-1] @ seen + params[-1] * state)


def test_messages_of_this_step_carry_influence_that_snap_1_keeps():
    cell = Prompt(3)
    params, xs, es = problem(cell)
    exact = bptt.gradients(cell, params, xs, es)
    assert step_errors(rule_gradients(independent(rtrl()), cell, params, xs, es), exact)[0] > 1e-3
    assert step_errors(rule_gradients(snap(1), cell, params, xs, es), exact)[0] < EXACT


def test_sparse_memory_is_as_small_as_what_is_kept():
    cell = Decay(6)
    params, xs, _ = problem(cell)
    memory = snap(1).start(cell, params, cell.start(params), xs[0])
    assert [kept.shape[0] for kept in memory.numbers] == [1, 1]


@dataclass(frozen=True)
class Deep(Vanilla):
    """So many small steps in one that the number of paths overflows; two groups of units never meet."""

    def step(self, params, state, x):
        groups = np.kron(np.eye(2), np.ones((2, 2)))
        for _ in range(200):
            state = jnp.tanh((params[:, INPUTS:-1] * groups) @ state + params[:, -1])
        return state


def test_reach_survives_any_number_of_paths():
    cell = Deep(4)
    params, xs, _ = problem(cell)
    through, _ = reach(cell, params, cell.start(params), xs[0])
    assert through[:2, :2].all() and through[2:, 2:].all()


@dataclass(frozen=True)
class Called(Vanilla):
    """Calls of functions with derivatives of their own, of constants and within a checkpoint."""

    def move(self, params, own, h, x):
        constant = jax.nn.relu(jnp.arange(4.0) - 1)
        seen = jax.checkpoint(jnp.tanh)(params @ jnp.concatenate([x, h, jnp.ones(1)]))
        return constant * seen


def test_reach_follows_calls():
    cell = Called(4)
    params, xs, _ = problem(cell)
    through, (immediate,) = reach(cell, params, cell.start(params), xs[0])
    alive = np.array([False, False, True, True])  # where the constant isn't zero
    assert (through == alive[:, None]).all()
    assert (immediate.reshape(4, 4, -1).any(axis=2) == np.diag(alive)).all()
