"""The counted cost of a step: against the equations carried out on numbers that count, and against XLA."""

import pytest

from colonnade import (
    SGD,
    Adam,
    BadInput,
    Plan,
    Regressor,
    RMSProp,
    TDPredictor,
    ccn,
    columnar,
    dense_lstm,
    online_lru,
)
from colonnade.streaming.operations import operations_by_stage, operations_of


class Number:
    """A number that stands for any other: what is done with it is only counted."""

    def __init__(self, tally):
        self.tally = tally

    def count(self, *_):
        self.tally[0] += 1
        return self

    __add__ = __sub__ = __mul__ = __truediv__ = count
    sigmoid = tanh = root = greatest = count


def sgd(n):
    return n * n


def rmsprop(n):
    v = n * n + n * (n * n)
    return n * n / (v.root() + n)


def adam(n):
    m, v = n * n + n * n, n * n + n * (n * n)
    return n * (m * n) / ((v * n).root() + n)


OPTIMIZERS = {SGD(): sgd, RMSProp(): rmsprop, Adam(): adam}


def weigh(n, inputs):
    """z = 0 + Σ w a of four gates."""
    for _ in range(4 * inputs):
        n + n * n


def unit(n):
    """Gates, c and h."""
    n.sigmoid(), n.sigmoid(), n.sigmoid(), n.tanh()
    c = n * n + n * n
    n * c.tanh()


def slopes(n):
    n * n * (n - n), n * n * (n - n), n * (n - n * n), n * n * (n - n), n * (n - n * n)


def learn(n, optimizer):
    """θ + step(δ E), and E ← γλ E + dŷ/dθ."""
    n * n, optimizer(n), n + n, n * n + n


def normalise(n, count, moves):
    for _ in range(count):
        if moves:
            m = n * n + n * n
            d = n - m
            n * n + n * (d * d)
        scale = n / n.greatest(n).root()
        (n - n) * scale


def readout(n, features, optimizer, normalises):
    if normalises:
        normalise(n, features, moves=True)
        for _ in range(features):
            n * n  # w/σ
    for _ in range(features + 1):
        n + n * n
        learn(n, optimizer)
    n + n * n - n, n * n  # δ and γλ


def column(n, inputs, optimizer):
    """A column that learns, its RTRL as `core/columns.hpp` has it."""
    weigh(n, inputs + 2)
    unit(n), slopes(n)
    n * n + n * n + n * n, n * n  # A and B
    for gate in "ifog":
        for _ in range(inputs + 2):
            c = n * n + n * n  # f C⁻ + A H⁻
            h = n * c + n * n  # ∂h/∂c C + B H⁻
            (h if gate == "o" else c) + n * n
            n * n  # dŷ/dh H
            learn(n, optimizer)


def dense(n, inputs, network, optimizer):
    """A dense LSTM that learns, going back as `core/dense.hpp` does."""
    units, height = network.units, inputs + network.units + 1
    for _ in range(units):
        weigh(n, height)
        unit(n), slopes(n)
    for back in range(network.truncation):
        if back > 0:
            for _ in range(units * 4 * units):
                n + n * n  # Uᵀ dz
        for _ in range(units):
            down = n + n * n
            down * n, down * n, down * n, n * n, down * n  # dz and dc
        for _ in range(units * 4 * height):
            n + n * n  # dŷ/dW
    for _ in range(units * 4 * height):
        learn(n, optimizer)


def counted(network, inputs, optimizer, normalises=(True, True)):
    """What a step costs once every stage has begun."""
    tally = [0]
    n, rule = Number(tally), OPTIMIZERS[optimizer]
    if isinstance(network, Plan):
        seen = inputs
        for stage, columns in enumerate(network.columns):
            learns = stage == len(network.columns) - 1
            if normalises[0]:
                normalise(n, seen, moves=learns)
            for _ in range(columns):
                if learns:
                    column(n, seen, rule)
                else:
                    weigh(n, seen + 2), unit(n)
            seen += columns
    else:
        if normalises[0]:
            normalise(n, inputs, moves=True)
        dense(n, inputs, network, rule)
    readout(n, network.features, rule, normalises[1])
    return tally[0]


@pytest.mark.parametrize("optimizer", OPTIMIZERS, ids=lambda optimizer: type(optimizer).__name__)
@pytest.mark.parametrize("network", [columnar(3), ccn(2, 3, 10), dense_lstm(3, 4), dense_lstm(2, 1)])
def test_the_formula_counts_what_the_equations_do(network, optimizer):
    learner = TDPredictor(network, inputs=5, optimizer=optimizer)
    assert operations_of(learner) == counted(network, 5, optimizer)


@pytest.mark.parametrize("normalises", [(True, False), (False, True), (False, False)])
@pytest.mark.parametrize("network", [ccn(2, 2, 10), dense_lstm(3, 4)])
def test_what_is_not_normalised_costs_nothing(network, normalises):
    learner = TDPredictor(
        network, inputs=["a", "b"], normalise_inputs=normalises[0], normalise_features=normalises[1]
    )
    assert operations_of(learner) == counted(network, 2, RMSProp(), normalises)


def test_by_hand():
    """One column, one input: 12 weights of 23, a unit of 30, an input of 13; readout 14 + 2 · 14 + 4."""
    assert operations_of(TDPredictor(columnar(1), inputs=1)) == 12 * 23 + 30 + 13 + 14 + 2 * 14 + 4


def test_stages_cost_more_and_more_and_the_dearest_counts():
    learner = TDPredictor(ccn(4, 5, 10), inputs=12)
    by_stage = operations_by_stage(learner)
    assert by_stage[0] == operations_of(TDPredictor(columnar(4), inputs=12))
    assert list(by_stage) == sorted(by_stage)
    assert operations_of(learner) == by_stage[-1]
    assert operations_of(TDPredictor(Plan((9, 1), 10), inputs=12)) == operations_of(
        TDPredictor(columnar(9), inputs=12)
    )


@pytest.mark.parametrize(
    "learner",
    [
        TDPredictor(online_lru(2), inputs=3),
        TDPredictor(columnar(2), inputs=3, predictions=2),
        TDPredictor(columnar(2), inputs=3, bound=2.0),
        Regressor(columnar(2), inputs=3),
    ],
)
def test_what_the_table_does_not_say_is_refused(learner):
    with pytest.raises(BadInput, match=r"^learner: expected a TDPredictor on columns or on a dense LSTM"):
        operations_of(learner)


def algebra(cell, rule, features):
    """The same learner in JAX, normalised in the same way."""
    import colonnade as c

    normalise, frozen = c.Normalise(0.99999, 0.1), c.frozen()
    optimizer = c.apart(cell=c.rmsprop(1e-3), readout=c.rmsprop(1e-3 / features))
    cells, rules = c.Stacked((normalise, cell, normalise)), c.layered((frozen, rule, frozen))
    return c.Online(cells, rules, c.TD(0.9, 0.99), optimizer)


def counted_by_xla(learner):
    """Floating-point operations of one step as it is written, before it is optimised."""
    import jax
    import jax.numpy as jnp

    from colonnade import Event

    event = Event(x=jnp.zeros(12), target=jnp.zeros(1))
    carry = jax.eval_shape(learner.init, jax.random.key(0), event)
    return jax.jit(learner.step).lower(carry, event).cost_analysis()["flops"]


def test_xla_counts_as_much_for_columns_within_a_factor_of_two():
    pytest.importorskip("jax")
    from colonnade import LSTM, Columnar, Staged, frozen, independent, layered, rtrl

    stage = Columnar(LSTM(1), 4)
    staged = algebra(Staged((stage, stage, stage)), layered((frozen(), frozen(), independent(rtrl()))), 12)
    for learner, network in (
        (algebra(Columnar(LSTM(1), 10), independent(rtrl()), 10), columnar(10)),
        (staged, ccn(4, 3, 10)),
    ):
        assert 1 < counted_by_xla(learner) / operations_of(TDPredictor(network, inputs=12)) < 2


def test_xla_counts_more_for_truncated_backpropagation_which_it_moves_forwards_again():
    """The formula is kind to it: compared by XLA's counts, it would get fewer units for the same cost."""
    pytest.importorskip("jax")
    from colonnade import LSTM, tbptt

    for truncation, units in ((2, 13), (10, 5)):
        formula = operations_of(TDPredictor(dense_lstm(units, truncation), inputs=12))
        assert 1.5 < counted_by_xla(algebra(LSTM(units), tbptt(truncation), units)) / formula < 3
