"""What the rules cost, as counted: linear means slope 1."""

import jax
import pytest

from colonnade.cells import LRU, LSTM, RNN
from colonnade.credit import independent, layered, rtrl, snap, spatial, tbptt
from colonnade.networks import Columnar, Stacked
from proof.cost import memory_bytes, operations, parameters, slope


@pytest.fixture(autouse=True)
def float32():
    with jax.enable_x64(False):
        yield


def measured(rule, cells, inputs, sizes):
    """Return the slopes of operations, of bytes accessed and of memory against these sizes."""
    counted = [operations(rule, cell, inputs) for cell in cells]
    kept = [memory_bytes(rule, cell, inputs) for cell in cells]
    flops, accessed = zip(*counted, strict=True)
    return slope(sizes, flops), slope(sizes, accessed), slope(sizes, kept)


def shown(record_property, what, slopes):
    record_property("cost", f"{what:<54}{slopes[0]:>10.3f}{slopes[1]:>10.3f}{slopes[2]:>10.3f}")


@pytest.mark.parametrize("cell", [LSTM(1), LRU(1)], ids=["LSTM", "LRU"])
def test_columns_cost_their_parameters(cell, record_property):
    """From 10³ to 10⁶ parameters."""
    each = parameters(Columnar(cell, 1), 12)
    cells = [Columnar(cell, round(total / each)) for total in (1e3, 1e4, 1e5, 1e6)]
    sizes = [parameters(c, 12) for c in cells]
    slopes = measured(independent(rtrl()), cells, 12, sizes)
    shown(record_property, f"independent(rtrl()), {type(cell).__name__} columns, in parameters", slopes)
    assert slopes[0] == pytest.approx(1, abs=0.03)
    assert slopes[1] == pytest.approx(1, abs=0.03)
    assert slopes[2] == pytest.approx(1, abs=0.01)


def test_dense_rtrl_costs_the_fourth_power(record_property):
    units = (32, 64, 128)
    slopes = measured(rtrl(), [RNN(n) for n in units], 1, units)
    shown(record_property, "rtrl(), dense RNN, in units", slopes)
    assert slopes[0] == pytest.approx(4, abs=0.3)
    assert slopes[2] == pytest.approx(3, abs=0.2)


def test_snap_1_of_a_declared_network_costs_the_square(record_property):
    units = (64, 128, 256)
    slopes = measured(snap(1), [RNN(n) for n in units], 1, units)
    shown(record_property, "snap(1), declared dense RNN, in units", slopes)
    assert slopes[0] == pytest.approx(2, abs=0.2)
    assert slopes[2] == pytest.approx(2, abs=0.2)


@pytest.mark.parametrize("rule", [spatial(), tbptt(10)], ids=["spatial", "tbptt"])
def test_rules_that_keep_the_past_cost_the_networks_own_square(rule, record_property):
    units = (32, 64, 128)
    slopes = measured(rule, [RNN(n) for n in units], 1, units)
    shown(record_property, f"{type(rule).__name__}, dense RNN, in units", slopes)
    assert 1.5 < slopes[0] < 2.2


def test_layers_of_columns_cost_their_parameters(record_property):
    counts = (32, 128, 512)
    cells = [Stacked((Columnar(LSTM(1), n), Columnar(LSTM(1), 8))) for n in counts]
    rule = layered((independent(rtrl()), independent(rtrl())))
    slopes = measured(rule, cells, 12, [parameters(c, 12) for c in cells])
    shown(record_property, "layered, two layers of columns, in parameters", slopes)
    assert slopes[0] == pytest.approx(1, abs=0.1)


def test_a_rule_that_pretends_is_caught():
    """RTRL of the whole network is exact on columns too, but not cheap."""
    cells = [Columnar(LSTM(1), n) for n in (8, 32, 128)]
    assert measured(rtrl(), cells, 12, [parameters(c, 12) for c in cells])[0] > 1.5
