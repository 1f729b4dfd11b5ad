"""Settings in their order, beside one another, within a world and across several."""

import numpy as np
import pytest

from colonnade import BadInput
from colonnade.runs.bounds import best_possible
from colonnade.runs.comparing import compared, contenders, difference, improvement, wanted, worlds_of
from colonnade.runs.reading import Records
from colonnade.runs.sensitivity import scale_of, sensitivity
from colonnade.runs.store import Store
from colonnade.runs.summary import summarised
from colonnade.runs.sweep import Goal, Point, Sweep
from runs.stores import BEST_POSSIBLE, Made, errors, made_store, sweep
from runs.walks import Walk


@pytest.fixture
def summary(tmp_path):
    def read(*sweeps, name=None, metric=None, **how):
        with Records(made_store(tmp_path / "runs.db", *sweeps, **how)) as records:
            return summarised(records, name, metric)

    return read


def score(label, seed, share=0.1, **settings):
    """What a made-up run came to."""
    step, error = errors(Made(**{**label, **settings}), seed)
    return error[step >= (1 - share) * 10_000 + 0.5].mean()


def test_settings_come_with_the_mean_of_their_seeds_the_best_first(summary):
    found = summary()
    assert [one.score.value for one in found.settings] == sorted(one.score.value for one in found.settings)
    assert len(found.settings) == 6 and found.best is found.settings[0]
    for setting in found.settings:
        assert setting.scores == pytest.approx({seed: score(setting.label, seed) for seed in range(5)})
        assert setting.score.scores == 5
        assert setting.name == f"step_size {setting.label['step_size']:.4g}, units {setting.label['units']}"


def test_the_most_is_best_if_the_goal_says_so_and_another_metric_can_judge(summary):
    found = summary(sweep(goal=Goal("excess", "most", 0.5)))
    assert found.settings[0].score.value == max(one.score.value for one in found.settings)
    label = found.settings[0].label
    assert found.settings[0].scores[0] == pytest.approx(score(label, 0, 0.5) - BEST_POSSIBLE)
    assert summary(sweep(goal=Goal("excess")), metric="error").goal.metric == "error"
    with pytest.raises(BadInput, match="metric: expected one that was read: 'error', 'excess', got 'nats'"):
        summary(metric="nats")


def test_settings_of_which_seeds_are_lost_come_after_those_of_which_none_are(summary):
    lucky = {"step_size": 1e-3, "units": 16}  # the best by far, were it not for its other seeds

    def leave(run):
        if run.point.label != lucky or run.seed == 0:
            return "finished"
        return "failed" if run.seed == 1 else "diverged" if run.seed == 2 else "waiting"

    found = summary(leave=leave)
    last = found.settings[-1]
    assert last.label == lucky and not last.whole
    assert (list(last.scores), last.diverged, last.statuses["failed"], last.score.scores) == ([0], 1, 1, 1)
    assert last.score.value == min(one.score.value for one in found.settings)
    assert found.best.label != lucky


def test_while_a_sweep_runs_the_best_is_one_of_those_with_most_seeds(summary):
    early = {"step_size": 1e-3, "units": 16}
    found = summary(leave=lambda run: "waiting" if run.point.label == early and run.seed else "finished")
    assert found.settings[-1].label == early and found.settings[-1].whole
    assert contenders(found)[-1].label == early


def test_nothing_finished_is_no_best(summary):
    found = summary(leave=lambda run: "waiting")
    assert found.best is None and all(np.isnan(one.score.value) for one in found.settings)
    some = contenders(found)
    assert np.isnan(compared(some, some[0], 1.0)[1].improvement.value)


def test_settings_that_are_called_alike_are_told_apart(summary):
    """In four digits, these step sizes are the same."""
    found = summary(sweep(axes={"step_size": [0.00100001, 0.00100002, 0.01]}))
    names = [one.name for one in contenders(found)]
    assert len(set(names)) == 3 and "step_size 0.01" in names
    assert all(name.startswith("step_size 0.001 (") for name in names if name != "step_size 0.01")


def test_a_difference_is_taken_seed_by_seed(summary):
    found = summary()
    one, other = contenders(found)[2], contenders(found)[0]
    apart = [score(one.label, seed) - score(other.label, seed) for seed in range(5)]
    assert difference(one, other).value == pytest.approx(np.mean(apart))
    assert difference(one, other).scores == 5
    assert difference(other, other).value == 0.0
    wins = [score(one.label, a) < score(other.label, b) for a in range(5) for b in range(5)]
    assert improvement(one, other, 1.0).value == pytest.approx(np.mean(wins))
    assert improvement(one, other, -1.0).value == pytest.approx(1 - np.mean(wins))


WORLDS = {"step_size": [1e-4, 1e-3], "world": ["easy", "hard"]}


def test_across_worlds_all_but_the_world_competes(summary):
    found = summary(sweep(axes=WORLDS))
    assert worlds_of(found) == ["world"]
    some = contenders(found)
    assert [one.name for one in some] == ["step_size 0.001", "step_size 0.0001"]
    for one in some:
        scores = [score(one.label, seed, world=world) for world in ("easy", "hard") for seed in range(5)]
        assert one.score.value == pytest.approx(np.mean(np.sort(scores)[2:-2]))
        assert one.seeds == [5, 5] and one.score.scores == 10
    apart = [
        score(some[1].label, seed, world=world) - score(some[0].label, seed, world=world)
        for world in ("easy", "hard")
        for seed in range(5)
    ]
    assert difference(some[1], some[0]).value == pytest.approx(np.mean(apart))


def test_other_axes_can_be_worlds(summary):
    found = summary()
    some = contenders(found, ["units"])
    assert len(some) == 3 and all(len(one.worlds) == 2 for one in some)
    with pytest.raises(BadInput, match="across: expected an axis of the sweep: step_size, units, got 'x'"):
        contenders(found, ["x"])


def test_a_contender_that_was_not_in_every_world_comes_last(summary):
    def leave(run):
        label = run.point.label
        return "waiting" if label["step_size"] == 1e-3 and label["world"] == "hard" else "finished"

    some = contenders(summary(sweep(axes=WORLDS), leave=leave))
    assert [one.name for one in some] == ["step_size 0.0001", "step_size 0.001"]
    assert np.isnan(some[1].score.value)


def test_one_is_wanted_by_its_name_or_digest(summary):
    some = contenders(summary())
    digest = some[3].worlds[""].digest
    assert wanted(some, some[3].name) is some[3] and wanted(some, digest[:12]) is some[3]
    with pytest.raises(BadInput, match="to: expected one setting's name"):
        wanted(some, "nonsense")


def test_the_best_possible_is_what_error_has_more_than_excess(tmp_path):
    with Records(made_store(tmp_path / "runs.db")) as records:
        found = summarised(records)
        assert set(best_possible(records, found, "error").values()) == {BEST_POSSIBLE}
        assert set(best_possible(records, found, "excess").values()) == {0.0}
        assert best_possible(records, found, "nats") == {}


# ---- what each axis does ----


def test_at_each_place_the_best_that_the_other_axes_allow(summary):
    found = summary()
    (line,) = sensitivity(found, "step_size")
    assert line.places == (0, 1, 2) and line.world == ""
    for place, best in zip(line.places, line.settings, strict=True):
        there = [s for s in found.settings if s.label["step_size"] == [1e-4, 1e-3, 1e-2][place]]
        assert best.score.value == min(setting.score.value for setting in there)


def test_each_world_has_a_line_of_its_own(summary):
    found = summary(sweep(axes={**WORLDS, "units": [4, 8]}))
    assert [line.world for line in sensitivity(found, "step_size")] == ["world easy", "world hard"]
    assert [line.world for line in sensitivity(found, "world")] == [""]


def test_axes_drawn_at_random_have_no_line(summary):
    assert (
        sensitivity(
            summary(sweep(axes={"step_size": np.linspace(1e-4, 1e-2, 40).tolist()}, seeds=1)), "step_size"
        )
        == []
    )


@pytest.mark.parametrize(
    ("places", "log"),
    [
        ([1e-4, 1e-3, 1e-2], True),
        ([1, 2, 4, 8, 16], True),
        ([1e-4, 3e-4, 1e-3, 3e-3], True),
        ([10, 20, 30, 40, 50, 60, 70, 80, 90, 100], False),
        ([0.0, 0.001, 0.1, 10], False),
        ([1, 1000], False),
        ([[4], [8], [64]], True),
        (np.exp(np.random.default_rng(0).uniform(-9, 0, 50)).tolist(), True),
        (np.random.default_rng(0).uniform(0.01, 1, 50).tolist(), False),
    ],
)
def test_an_axis_is_a_logarithms_if_its_places_are_spread_so(places, log):
    assert scale_of(places).log is log


def test_places_that_are_no_numbers_have_turns():
    scale = scale_of([True, "relu", [1, 2], {"kind": "Adam", "decay": 0.9}, None])
    assert scale.at == (0, 1, 2, 3, 4) and not scale.numbers
    assert scale.labels == ("true", "relu", "(1, 2)", "Adam(decay 0.9)", "none")


def test_what_only_some_settings_say_tells_them_apart(tmp_path):
    labels = ({"units": 2}, {"units": 2, "depth": 1}, {"units": 3})
    points = tuple(Point(Walk(start=0.2 + i / 10), label) for i, label in enumerate(labels))
    with Store(tmp_path / "runs.db") as store:
        store.register(some := Sweep("some", points, (0,), goal=Goal("error")), some.runs())
    with Records(tmp_path / "runs.db") as records:
        names = {setting.name for setting in summarised(records).settings}
    assert names == {"units 2", "units 2, depth 1", "units 3"}
