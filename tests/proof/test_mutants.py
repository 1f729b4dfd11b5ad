"""Wrong rules and wrong cells must fail: each mutant is caught by the check that guards its original."""

from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from colonnade.cells import ELSTM, GRU, LRU, LSTM, RNN
from colonnade.cells.elstm import ELSTMState
from colonnade.cells.gru import GRUParams
from colonnade.cells.lstm import LSTMState
from colonnade.cells.normalise import Normalise, NormaliseState
from colonnade.cells.sums import drive, gates_of
from colonnade.credit import frozen, independent, layered, rtrl, spatial, tbptt
from colonnade.credit.frozen import Frozen
from colonnade.credit.independent import Independent, Module, Seen
from colonnade.credit.jacobian import step_with_jacobians, weigh
from colonnade.credit.layered import Layered
from colonnade.credit.rtrl import RTRL
from colonnade.credit.snap import SparseRTRL
from colonnade.credit.spatial import Spatial, Step
from colonnade.credit.tbptt import TBPTT, ChunkedTBPTT
from colonnade.networks import Columnar
from oracles import columns, online_lru
from oracles import rtrl as dense
from proof import layout
from proof.cases import STEPS, Case
from proof.check import check
from proof.test_transcriptions import DENSE_RTRL, N, agree, test_normalise


class Forgetful(RTRL):
    """J = ∂s/∂θ: the past is dropped."""

    def advance(self, cell, params, state, memory, x, key):
        moved, jacobians = step_with_jacobians(cell, params, state, x)
        return moved, jacobians.immediate


class WrongSign(RTRL):
    """J = ∂s/∂θ − ∂s/∂s⁻ J⁻."""

    def advance(self, cell, params, state, memory, x, key):
        moved, (immediate, through) = step_with_jacobians(cell, params, state, x)
        return moved, jax.tree.map(jnp.subtract, immediate, weigh(through, memory))


class Transposed(RTRL):
    """J = ∂s/∂θ + (∂s/∂s⁻)ᵀ J⁻."""

    def advance(self, cell, params, state, memory, x, key):
        moved, (immediate, through) = step_with_jacobians(cell, params, state, x)
        return moved, jax.tree.map(jnp.add, immediate, weigh(through.T, memory))


class Late(RTRL):
    """The influence of the step before is assigned."""

    def start(self, cell, params, state, x):
        return (super().start(cell, params, state, x),) * 2

    def advance(self, cell, params, state, memory, x, key):
        moved, new = super().advance(cell, params, state, memory[1], x, key)
        return moved, (memory[1], new)

    def assign(self, cell, params, memory, dstate):
        return weigh(jnp.concatenate([jnp.ravel(d) for d in jax.tree.leaves(dstate)]), memory[0]), memory


class Conjugated(RTRL):
    """The cotangent of a complex number is conjugated once more."""

    def assign(self, cell, params, memory, dstate):
        return super().assign(cell, params, memory, jax.tree.map(jnp.conj, dstate))


class HalfDecay(RTRL):
    """The past counts half."""

    def advance(self, cell, params, state, memory, x, key):
        return super().advance(cell, params, state, jax.tree.map(lambda j: j / 2, memory), x, key)


class ShiftedModules(Independent):
    """Each module gets its neighbour's error."""

    def assign(self, cell, params, memory, dstate):
        return super().assign(cell, params, memory, jax.tree.map(lambda d: jnp.roll(d, 1, axis=0), dstate))


class Deaf(Module):
    """A module whose own past carries no credit."""

    def step(self, params, state, x):
        return super().step(params, jax.lax.stop_gradient(state), x)


class DeafModules(Independent):
    def advance(self, cell, params, state, memory, x, key):
        seen = Seen(jnp.arange(jax.tree.leaves(params)[0].shape[0]), x, cell.share(params, state, x))
        axes = (0, 0, 0, Seen(0, None, None))
        return jax.vmap(lambda p, s, m, v: self.rule.advance(Deaf(cell), p, s, m, v, key), in_axes=axes)(
            params, state, memory, seen
        )


class OneTooMany(TBPTT):
    """A window of k + 1 steps."""

    def start(self, cell, params, state, x):
        return TBPTT(self.k + 1).start(cell, params, state, x)


class OneTooFew(TBPTT):
    """A window of k − 1 steps."""

    def start(self, cell, params, state, x):
        return TBPTT(self.k - 1).start(cell, params, state, x)


class Backwards(TBPTT):
    """The window is replayed from its oldest step."""

    def assign(self, cell, params, memory, dstate):
        gradient, _ = super().assign(cell, params, jax.tree.map(lambda m: m[::-1], memory), dstate)
        return gradient, memory


class NotLived(TBPTT):
    """Steps from before the start count as lived."""

    def start(self, cell, params, state, x):
        past = super().start(cell, params, state, x)
        return past._replace(lived=jnp.ones_like(past.lived))


class LastErrorOnly(ChunkedTBPTT):
    """Only the last error of a chunk goes back."""

    def assign(self, cell, params, memory, dstate):
        forgotten = memory._replace(errors=jax.tree.map(jnp.zeros_like, memory.errors))
        return super().assign(cell, params, forgotten, dstate)


class AfterTheStep(Spatial):
    """The step is differentiated from the state after it."""

    def advance(self, cell, params, state, memory, x, key):
        moved = cell.step(params, state, x)
        return moved, Step(moved, x)


class Leaking(Frozen):
    """A frozen part that learns all the same."""

    def learns(self, cell, params):
        return jax.tree.map(lambda _: True, params)


class NoErrorBelow(Layered):
    """No error reaches the layers below."""

    def assign(self, cell, params, memory, dstate):
        last = jax.tree.map(jnp.zeros_like, dstate[:-1])
        gradients, memory = super().assign(cell, params, memory, dstate)
        given = [
            rule.assign(layer, p, m, d)[0]
            for layer, rule, p, m, d in zip(
                cell.layers, self.rules, params, memory.layers, last, strict=False
            )
        ]
        return (*given, gradients[-1]), memory


class FromTheNewState(Layered):
    """Errors are pulled back from the state after the step."""

    def advance(self, cell, params, state, memory, x, key):
        moved, memory = super().advance(cell, params, state, memory, x, key)
        return moved, memory._replace(state=moved)


WRONG_RULES = {
    "the past is dropped": Case("rtrl", "LSTM", Forgetful(), "exact"),
    "a wrong sign": Case("rtrl", "RNN tanh", WrongSign(), "exact"),
    "a transposed Jacobian": Case("rtrl", "GRU", Transposed(), "exact"),
    "one step late": Case("rtrl", "RNN tanh", Late(), "exact"),
    "a second conjugate": Case("rtrl", "LRU", Conjugated(), "exact"),
    "the past counts half": Case("rtrl", "a user's own", HalfDecay(), "exact"),
    "errors of the neighbour": Case("independent(rtrl)", "Columnar LSTM", ShiftedModules(rtrl()), "exact"),
    "modules without their own past": Case("independent(rtrl)", "ELSTM", DeafModules(rtrl()), "exact"),
    "exact where bias is claimed": Case("independent(rtrl)", "LSTM", rtrl(), "biased"),
    "a window too long": Case("tbptt(3)", "LSTM", OneTooMany(3), "truncated(3)"),
    "a window too short": Case("tbptt(3)", "LSTM", OneTooFew(3), "truncated(3)"),
    "the window backwards": Case("tbptt(3)", "RNN tanh", Backwards(3), "truncated(3)"),
    "steps that were not lived": Case("tbptt(7)", "LSTM", NotLived(STEPS), "exact"),
    "one error a chunk": Case("tbptt(3, every=3)", "LRU", LastErrorOnly(3), "chunked(3)"),
    "the state after the step": Case("spatial", "RNN tanh", AfterTheStep(), "truncated(1)"),
    "frozen parts that learn": Case("frozen", "LSTM", Leaking(), "nothing"),
    "no error below": Case("layered", "Stacked LRU, LSTM", NoErrorBelow((rtrl(), rtrl())), "layered"),
    "errors from the new state": Case(
        "layered", "Stacked LRU, LSTM", FromTheNewState((rtrl(), rtrl())), "layered"
    ),
    "a last stage without its past": Case(
        "layered(frozen …)", "Staged columns", layered((frozen(), spatial())), "above"
    ),
    "stages below that learn": Case(
        "layered(frozen …)", "Staged columns", layered((spatial(), independent(rtrl()))), "above"
    ),
    "layers in full where space is claimed": Case("layered", "Stacked LRU, LSTM", rtrl(), "layered"),
    "a window where all is claimed": Case("tbptt(7)", "Additive", tbptt(STEPS - 1), "exact"),
}


@pytest.mark.parametrize("name", WRONG_RULES)
def test_a_wrong_rule_is_caught(name, record_property):
    record_property("mutant", f"{WRONG_RULES[name]}: {name}")
    with pytest.raises(AssertionError):
        check(WRONG_RULES[name])


@pytest.mark.parametrize("cell_name", ["Columnar GRU, 2 units", "Columnar LSTM"])
def test_reach_by_number_instead_of_unit_is_caught(cell_name, monkeypatch, record_property):
    record_property("mutant", f"snap(1) on {cell_name}: reach by number instead of unit")
    case = Case("snap(1)", cell_name, SparseRTRL(1), "exact")
    check(case)
    monkeypatch.setitem(SparseRTRL.start.__globals__, "units", _numbered)
    with pytest.raises(AssertionError):
        check(case)


def _numbered(cell, state):
    """Each number is a unit of its own."""
    return np.arange(sum(leaf.size * (2 if jnp.iscomplexobj(leaf) else 1) for leaf in jax.tree.leaves(state)))


@dataclass(frozen=True)
class SwappedGates(LSTM):
    """Input and forget gate change places."""

    def step(self, params, state, x):
        return super().step(params[:, jnp.array([1, 0, 2, 3])], state, x)


@dataclass(frozen=True)
class OpenLSTM(LSTM):
    """h = o c: the last tanh is missing."""

    def step(self, params, state, x):
        i, f, o, g = gates_of(drive(params, x, state.h))
        c = jax.nn.sigmoid(f) * state.c + jax.nn.sigmoid(i) * jnp.tanh(g)
        return LSTMState(c, jax.nn.sigmoid(o) * c)


@dataclass(frozen=True)
class SwappedUpdate(GRU):
    """h = z n + (1 − z) h⁻."""

    def move(self, params, own, h, x):
        turned = jnp.array([1.0, -1.0, 1.0])[:, None]  # σ(−s) = 1 − σ(s)
        return super().move(GRUParams(params.W * turned, params.R * turned), own, h, x)


@dataclass(frozen=True)
class PeepsBefore(ELSTM):
    """The output gate looks at the memory before the step."""

    def step(self, params, state, x):
        right = super().step(params, state, x)
        seen = params.W @ jnp.append(x, 1.0)
        return ELSTMState(right.c, jax.nn.sigmoid(seen[..., 2] + params.w[..., 2] * state.c) * right.c)


@dataclass(frozen=True)
class Unnormalised(LRU):
    """γ is forgotten."""

    def step(self, params, state, x):
        return super().step(params._replace(gamma=jnp.zeros_like(params.gamma)), state, x)


@dataclass(frozen=True)
class Turning(LRU):
    """λ turns the other way."""

    def step(self, params, state, x):
        return jnp.conj(super().step(params._replace(B_im=-params.B_im), jnp.conj(state), x))


WRONG_CELLS = {
    "LSTM, gates swapped": (rtrl(), SwappedGates(N), "LSTM"),
    "LSTM, a tanh dropped": (rtrl(), OpenLSTM(N), "LSTM"),
    "GRU, update gate swapped": (rtrl(), SwappedUpdate(N), "GRU"),
    "ELSTM, output gate too early": (rtrl(), PeepsBefore(N), "ELSTM"),
    "RNN, sigmoid for tanh": (rtrl(), RNN(N, jax.nn.sigmoid), "RNN tanh"),
}


@pytest.mark.parametrize("name", WRONG_CELLS)
def test_a_wrong_cell_is_caught(name, record_property):
    record_property("mutant", name)
    rule, cell, like = WRONG_CELLS[name]
    _, shapes, pack, judge = DENSE_RTRL[like]
    params = layout.draw(layout.SHAPES[shapes](N, 3))
    with pytest.raises(AssertionError):
        agree(rule, cell, params, pack, lambda p, xs, es: dense.gradients(judge, p, xs, es), N)


WRONG_LRUS = {"LRU, γ forgotten": Unnormalised(N), "LRU, λ turned the other way": Turning(N)}


@pytest.mark.parametrize("name", WRONG_LRUS)
def test_a_wrong_lru_is_caught(name, record_property):
    record_property("mutant", name)
    params = layout.draw(layout.SHAPES["lru"](N, 3))
    with pytest.raises(AssertionError):
        agree(independent(rtrl()), WRONG_LRUS[name], params, layout.lru, online_lru.gradients, 2 * N)


@dataclass(frozen=True)
class Meeting(Columnar):
    """Each column sees its neighbour's last output in place of its own."""

    def step(self, params, state, x):
        return super().step(params, state._replace(h=jnp.roll(state.h, 1, axis=0)), x)

    def share(self, params, state, x):
        return jnp.roll(state.h, 1, axis=0)

    def module(self, index, params, state, x, messages):
        return self.cell.step(params, state._replace(h=messages[index]), x)


@pytest.mark.parametrize("rule", [rtrl(), independent(rtrl())], ids=["rtrl", "independent"])
def test_columns_that_see_each_other_are_caught(rule, record_property):
    record_property("mutant", f"{type(rule).__name__} on Columnar LSTM: columns see each other")
    params = layout.draw(layout.SHAPES["columns"](5, 3))
    agree(rule, Columnar(LSTM(1), 5), params, layout.lstm, columns.gradients, 5)
    with pytest.raises(AssertionError):
        agree(rule, Meeting(LSTM(1), 5), params, layout.lstm, columns.gradients, 5)


def test_statistics_that_carry_gradient_are_caught(monkeypatch, record_property):
    """Without the stop, an input's own influence on μ and σ would be blamed."""
    record_property("mutant", "Normalise, statistics carry gradient")

    def step(self, params, state, x):
        mean, variance = self._statistics(state, x)
        return NormaliseState(mean, variance, (x - mean) / jnp.sqrt(jnp.maximum(variance, self.floor)))

    case = Case("layered", "Stacked normalised columns", layered((rtrl(), rtrl(), rtrl())), "layered")
    check(case)
    right = _gradient_through_normalise()
    monkeypatch.setattr(Normalise, "step", step)
    wrong = _gradient_through_normalise()
    assert not jnp.allclose(right, wrong)
    assert jnp.allclose(right, 1 / jnp.sqrt(0.9 + 0.1 * (0.9 * 2.0) ** 2))


def _gradient_through_normalise():
    cell = Normalise(rate=0.9, floor=0.0)
    params = cell.init(jax.random.key(0), 1)
    return jax.grad(lambda v: cell.read(cell.step(params, cell.start(params), v))[0])(jnp.array([2.0]))[0]


def test_a_floor_that_is_not_kept_is_caught(monkeypatch, record_property):
    record_property("mutant", "Normalise, floor not kept")
    test_normalise(True)
    unfloored = Normalise.step
    monkeypatch.setattr(Normalise, "step", lambda s, p, st, x: unfloored(replace(s, floor=0.0), p, st, x))
    with pytest.raises(AssertionError):
        test_normalise(True)
