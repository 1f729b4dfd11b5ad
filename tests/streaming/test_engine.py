"""What every learner on the engine promises: chunks, looks, states, episodes, and what it may be told."""

from itertools import pairwise

import numpy as np
import pytest

from colonnade import Adam, BadInput, RMSProp, TDPredictor, ccn, columnar, constructive
from colonnade.streaming import SGD, Classifier, Plan, Regressor, dense_lstm, online_lru
from streaming import events as world

NETWORKS = {
    "columnar": columnar(7),
    "constructive": constructive(3, stage_steps=100),
    "ccn": ccn(columns=3, stages=3, stage_steps=100),
    "uneven": Plan((5, 1, 18), stage_steps=130),
    "dense_lstm": dense_lstm(units=5, truncation=4),
    "online_lru": online_lru(units=5),
}
KINDS = {
    "one return": (TDPredictor, {"optimizer": RMSProp()}),
    "three returns": (TDPredictor, {"optimizer": SGD(), "predictions": 3, "bound": 5.0}),
    "one number": (Regressor, {"optimizer": SGD()}),
    "three numbers": (Regressor, {"optimizer": Adam(), "outputs": 3}),
    "three classes": (Classifier, {"optimizer": Adam(), "classes": 3}),
}
EVENTS, BEGINS_STAGE = 330, 200

each_network = pytest.mark.parametrize("network", NETWORKS)
each_kind = pytest.mark.parametrize("kind", KINDS)


def made(network, kind, **more):
    cls, own = KINDS[kind]
    return cls(NETWORKS[network], world.INPUTS, **{"step_size": 1e-2, "seed": 0, **own, **more})


def stream(kind):
    x = world.observations(EVENTS)
    if kind == "three classes":
        return x, world.classes(x)
    return x, world.numbers(x)[:, 1] if kind.startswith("one") else world.numbers(x)


def same(a, b):
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], err_msg=name)


# ---- chunks, events and looks ----


@each_network
@each_kind
@pytest.mark.parametrize("cut", [0, 1, BEGINS_STAGE, EVENTS - 1])
def test_chunks_of_any_length_give_the_same_bits(network, kind, cut):
    x, told = stream(kind)
    whole, parts = made(network, kind), made(network, kind)
    together = whole.run(x, told)
    apart = np.concatenate([parts.run(x[:cut], told[:cut]), parts.run(x[cut:], told[cut:])])
    np.testing.assert_array_equal(together, apart)
    same(whole.state(), parts.state())
    assert np.ptp(together, axis=0).min() > 0


@each_network
@each_kind
def test_event_by_event_gives_the_same_bits(network, kind):
    x, told = stream(kind)
    whole, single = made(network, kind), made(network, kind)
    together = whole.run(x, told)
    for t in range(EVENTS):
        if t % 3:
            np.testing.assert_array_equal(single.step(x[t], told[t]), together[t])
        else:
            assert single.learn(x[t], told[t]) is None
    same(whole.state(), single.state())
    assert single.events == EVENTS


@each_network
@each_kind
@pytest.mark.parametrize("before", [0, 1, BEGINS_STAGE - 1, BEGINS_STAGE])
def test_predicting_only_looks(network, kind, before):
    """Also at a stage's first event."""
    x, told = stream(kind)
    learner = made(network, kind)
    learner.run(x[:before], told[:before])
    state = learner.state()
    expected = learner.predict(x[before])
    np.testing.assert_array_equal(learner.predict(x[before]), expected)
    same(state, learner.state())
    np.testing.assert_array_equal(learner.step(x[before], told[before]), expected)


@each_network
@each_kind
def test_when_learning_is_done_makes_no_difference(network, kind):
    """It waits for the next event unless someone looks."""
    x, told = stream(kind)
    left, watched = made(network, kind), made(network, kind)
    looks = [watched.state, watched.parameters, lambda: watched.predict(x[0])]
    for t in range(EVENTS):
        if t % 5 < 3:
            looks[t % 5]()
        np.testing.assert_array_equal(watched.step(x[t], told[t]), left.step(x[t], told[t]))
    same(left.state(), watched.state())


# ---- states and weights ----


@each_network
@each_kind
@pytest.mark.parametrize("before", [3, BEGINS_STAGE])
def test_a_state_carries_everything(network, kind, before):
    x, told = stream(kind)
    learner, other = made(network, kind), made(network, kind, seed=9)
    learner.run(x[:before], told[:before])
    other.run(x[:50], told[:50])
    other.set_state(learner.state())
    same(other.state(), learner.state())
    np.testing.assert_array_equal(
        other.run(x[before:], told[before:]), learner.run(x[before:], told[before:])
    )
    same(other.state(), learner.state())


@each_network
def test_weights_alone(network):
    x, told = stream("one number")
    learner, other = made(network, "one number"), made(network, "one number", seed=9)
    learner.run(x, told)
    before = other.state()
    other.set_parameters(learner.parameters())
    same(other.parameters(), learner.parameters())
    for name in before.keys() - learner.parameters().keys():
        np.testing.assert_array_equal(other.state()[name], before[name])


@pytest.mark.parametrize("ring", [[5, 0], [2, 2], [2, 0], [0, 1], [-1, 0], [1.5, 0.5], [4, 4], [4, 1.5]])
def test_a_ring_of_past_steps_is_as_it_can_be(ring):
    """How many there are and where the last one is: as long as there is room, that follows."""
    learner = made("dense_lstm", "one number")
    with pytest.raises(BadInput, match=r"state\['lstm.ring'\]: expected a place among the kept steps"):
        learner.set_state(learner.state() | {"lstm.ring": np.array(ring, np.float32)})


def test_first_weights_follow_from_the_seed():
    first, again, other = (made("ccn", "one return", seed=seed) for seed in (4, 4, 5))
    same(first.state(), again.state())
    assert np.abs(first.state()["stage.2.W"] - other.state()["stage.2.W"]).max() > 1e-3


def test_a_stage_learns_in_its_time_only():
    x, told = stream("one return")
    learner = made("ccn", "one return")
    states = [learner.state()]
    for begin in (0, 100, 200):
        learner.run(x[begin : begin + 100], told[begin : begin + 100])
        states.append(learner.state())
    for period, (before, after) in enumerate(pairwise(states)):
        for stage in range(3):
            for name in (f"stage.{stage}.W", f"stage.{stage}.mean", f"stage.{stage}.variance"):
                assert np.array_equal(before[name], after[name]) == (stage != period), (name, period)


# ---- episodes ----


@each_network
@each_kind
def test_a_reset_forgets_states_and_blame_and_nothing_else(network, kind):
    x, told = stream(kind)
    learner = made(network, kind)
    learner.run(x, told)
    before = learner.state()
    learner.reset()
    after = learner.state()
    forgotten = (".h", ".c", ".h_re", ".h_im", ".H", ".C", ".J_re", ".J_im", ".E", ".last", ".ring", ".begun")
    for name, array in before.items():
        if name.endswith(forgotten):
            assert not after[name].any(), name
        elif not name.endswith((".past", ".slopes")):  # which nobody looks at
            np.testing.assert_array_equal(after[name], array, err_msg=name)


def test_a_resets_first_event_teaches_nothing():
    x, told = stream("one return")
    learner = made("columnar", "one return", optimizer=SGD())
    learner.run(x, told)
    learner.reset()
    before = learner.parameters()
    learner.step(x[0], 1000.0)
    same(before, learner.parameters())
    learner.step(x[1], 1000.0)
    assert np.abs(learner.parameters()["readout.w"] - before["readout.w"]).max() > 1e-3


# ---- what is told ----


@each_network
def test_discounts_may_change(network):
    x, cumulant = stream("three returns")
    discount = np.random.default_rng(0).choice([0.0, 0.5, 0.9], (EVENTS, 3)).astype(np.float32)
    whole, single = made(network, "three returns"), made(network, "three returns")
    together = whole.run(x, cumulant, discount)
    for t in range(EVENTS):
        np.testing.assert_array_equal(single.step(x[t], cumulant[t], discount[t]), together[t])
    assert np.abs(together - made(network, "three returns").run(x, cumulant)).max() > 1e-3


def test_one_discount_is_for_all_predictions():
    x, cumulant = stream("three returns")
    told, own, each = (made("columnar", "three returns", discount=0.7) for _ in range(3))
    expected = own.run(x, cumulant)
    np.testing.assert_array_equal(told.run(x, cumulant, np.full(EVENTS, 0.7)), expected)
    for t in range(EVENTS):
        np.testing.assert_array_equal(each.step(x[t], cumulant[t], 0.7), expected[t])


@each_network
@pytest.mark.parametrize("kind", ["one number", "three numbers", "three classes"])
def test_a_missing_target_teaches_nothing(network, kind):
    x, told = stream(kind)
    known = np.random.default_rng(0).random(EVENTS) < 0.7
    whole, single, garbled = (made(network, kind) for _ in range(3))
    together = whole.run(x, told, known)
    for t in range(EVENTS):
        np.testing.assert_array_equal(single.step(x[t], told[t] if known[t] else None), together[t])
    other = np.where(known.reshape(-1, *(1,) * (told.ndim - 1)), told, 2)
    np.testing.assert_array_equal(garbled.run(x, other, known=known), together)
    same(whole.state(), single.state())
    same(whole.state(), garbled.state())

    weights, state = whole.parameters(), whole.state()
    whole.run(x, told, np.zeros(EVENTS, bool))
    same(weights, whole.parameters())
    moved = {name for name, array in whole.state().items() if not np.array_equal(array, state[name])}
    assert any(name.endswith((".h", ".h_re")) for name in moved)
    assert not any(name.endswith((".m", ".v", "_age")) for name in moved)


def test_inputs_may_have_names():
    x, told = stream("one number")
    plain = made("columnar", "one number")
    named = Regressor(NETWORKS["columnar"], ["pulse", "wave", "noise"], optimizer=SGD(), step_size=1e-2)
    for t in range(50):
        pulse, wave, noise = x[t].tolist()
        came = named.step({"noise": noise, "pulse": pulse, "wave": wave}, told[t])
        assert came == plain.step(x[t], told[t])
    assert named.predict({"pulse": 1, "wave": 0, "noise": 0}) == plain.predict([1, 0, 0])
    np.testing.assert_array_equal(named.run(x, told), plain.run(x, told))


@pytest.mark.parametrize("form", [list, tuple, np.float64, np.float16, lambda row: np.repeat(row, 2)[::2]])
def test_an_observation_may_come_in_any_form(form):
    x, told = np.float16(world.observations(50)).astype(np.float32), stream("one number")[1]
    plain, other = made("columnar", "one number"), made("columnar", "one number")
    for t in range(50):
        assert other.step(form(x[t]), told[t]) == plain.step(x[t], told[t])


# ---- what can't be used ----

BAD = {
    "x[1] of event 2: expected a finite number within ±1e15, got nan": lambda m: m.step([0.0, np.nan], 0.0),
    "x[0] of event 2: expected a finite number within ±1e15, got inf": lambda m: m.run(
        [[0, 0], [0, 0], [np.inf, 0]], [0, 0, 0]
    ),
    "state: expected an array 'stage.0.W', got none of that name": lambda m: m.set_state({}),
}


@pytest.mark.parametrize("line", BAD)
def test_bad_input_changes_nothing(line):
    learner = TDPredictor(columnar(2), inputs=2)
    learner.run([[0, 1], [1, 0]], [0.5, 0.1])
    before = learner.state()
    with pytest.raises(BadInput) as caught:
        BAD[line](learner)
    assert str(caught.value) == line
    same(before, learner.state())
