"""Sweeps as TOML files: they mean what the same in Python means; all that is wrong with one is pointed at."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import colonnade
from colonnade import (
    LSTM,
    RNN,
    Adam,
    BadInput,
    Columnar,
    CopyTask,
    Normalise,
    RandomTeacher,
    Regressor,
    SquaredError,
    Stacked,
    TDPredictor,
    TracePatterning,
    ccn,
    columnar,
    frozen,
    independent,
    layered,
    rtrl,
    snap,
)
from colonnade.runs.entries import entries_of
from colonnade.runs.kinds import KINDS, EngineLearner, Function
from colonnade.runs.scanned import Apart, Optax, Scanned
from colonnade.runs.spec_files import sweep_in, sweep_of
from colonnade.runs.streamed import Recipe, Streamed
from colonnade.runs.sweep import Goal, Span, Sweep, drawn, grid, together

SIZES = """name = "sizes"
about = "How many?"
seeds = 2

[experiment]
steps = 1000
every = 500
world = "TracePatterning"

[experiment.learner]
kind = "TDPredictor"
network = { kind = "columnar", columns = 2 }
discount = 0.9

[grid]
"learner.step_size" = [1e-3, 1e-4]
"""


def sweep(text):
    return sweep_of(entries_of(text, "x.toml"), "x")


def changed(old, new):
    assert old in SIZES
    return SIZES.replace(old, new)


def who(sweep):
    return [run.identity for run in sweep.runs()]


# ---- what they mean ----

FIRST = Streamed(Recipe(TDPredictor, columnar(2), {"discount": 0.9}), TracePatterning(), 1000, 500)
SEEDS = (0, 1)


def test_a_grid_is_that_of_python():
    more = """
    "learner.network" = [
        { kind = "columnar", columns = 7 },
        { kind = "ccn", columns = 2, stages = 3, stage_steps = 100 },
    ]"""
    told = sweep(SIZES + more)
    networks = [columnar(7), ccn(2, 3, 100)]
    points = grid(FIRST, {"learner.step_size": [1e-3, 1e-4], "learner.network": networks})
    assert who(told) == who(Sweep("any", points, SEEDS))
    assert (told.name, told.about, told.seeds) == ("sizes", "How many?", SEEDS)
    assert told.axes["learner.network"][0] == {"kind": "columnar", "columns": 7}


def test_groups_of_settings_are_those_of_python():
    more = """
    [[list]]
    "learner.optimizer" = "Adam"
    world = { kind = "TracePatterning", interval = [4, 6] }
    [[list]]
    learner.normalise_inputs = false
    learner.bound = 2.0
    """
    places = [
        {"learner.optimizer": Adam(), "world": TracePatterning(interval=(4, 6))},
        {"learner.normalise_inputs": False, "learner.bound": 2.0},
    ]
    both = [{"learner.step_size": size, **place} for size in (1e-3, 1e-4) for place in places]
    assert who(sweep(SIZES + more)) == who(Sweep("any", together(FIRST, both), SEEDS))


def test_draws_are_those_of_python():
    text = (
        SIZES.partition("[grid]")[0]
        + """
    [random]
    draws = 5
    seed = 3
    "learner.step_size" = { low = 1e-5, high = 1e-2, scale = "log" }
    learner.trace_decay = { low = 0.5, high = 0.9 }
    world.distractors = { low = 1, high = 9, scale = "whole" }
    """
    )
    spans = {
        "learner.step_size": Span(1e-5, 1e-2, "log"),
        "learner.trace_decay": Span(0.5, 0.9),
        "world.distractors": Span(1, 9, "whole"),
    }
    assert who(sweep(text)) == who(Sweep("any", drawn(FIRST, spans, 5, seed=3), SEEDS))


def test_without_axes_there_is_one_point():
    (point,) = sweep(SIZES.partition("[grid]")[0]).points
    assert point.experiment == FIRST and point.label == {}


def test_settings_of_another_world_and_learner():
    text = """
    seeds = { first = 100, count = 2 }
    goal = { metric = "error", best = "most", share = 0.5 }
    [experiment]
    steps = 20
    every = 10
    world = { kind = "CopyTask", length = 3, bits = 2 }
    [experiment.learner]
    kind = "Regressor"
    outputs = 2
    network = { kind = "online_lru", units = 3, radius = [0.5, 0.9] }
    """
    told = sweep(text)
    recipe = Recipe(Regressor, colonnade.online_lru(3, radius=(0.5, 0.9)), {"outputs": 2})
    assert who(told) == who(Sweep("x", grid(Streamed(recipe, CopyTask(3, 2), 20, 10), {}), (100, 101)))
    assert told.name == "x" and told.goal == Goal("error", "most", 0.5)


ALGEBRA = """
seeds = [3, 1]

[experiment]
kind = "Scanned"
steps = 40
every = 20
lanes = 2
world = { kind = "RandomTeacher", inputs = 3, units = 4 }
cell = { kind = "Columnar", cell = { kind = "LSTM", units = 1 }, columns = 2 }
credit = { kind = "independent", rule = "rtrl" }
objective = "SquaredError"
optimizer = { kind = "adam", learning_rate = 1e-2 }

[[list]]
credit = { kind = "snap", k = 1 }
"cell.cell.units" = 2

[[list]]
cell = { kind = "RNN", units = 3, activation = "relu" }
credit = "rtrl"

[[list]]
cell = { kind = "Stacked", layers = ["Normalise", { kind = "LSTM", units = 2 }] }
credit = { kind = "layered", rules = ["frozen", "rtrl"] }
[list.optimizer]
kind = "Apart"
cell = { kind = "rmsprop", step_size = 1e-3 }
readout = { kind = "sgd", learning_rate = 0.1, nesterov = true, momentum = 0.9 }
"""


def test_learners_of_the_algebra():
    import jax

    adam = Optax("adam", {"learning_rate": 1e-2})
    first = Scanned(
        Columnar(LSTM(1), 2), independent(rtrl()), SquaredError(), adam, RandomTeacher(3, 4), 40, 20, lanes=2
    )
    sgd = Optax("sgd", {"learning_rate": 0.1, "nesterov": True, "momentum": 0.9})
    places = [
        {"credit": snap(1), "cell.cell.units": 2},
        {"cell": RNN(3, jax.nn.relu), "credit": rtrl()},
        {
            "cell": Stacked((Normalise(), LSTM(2))),
            "credit": layered((frozen(), rtrl())),
            "optimizer": Apart(Optax("rmsprop", {"step_size": 1e-3}), sgd),
        },
    ]
    told = sweep(ALGEBRA)
    assert who(told) == who(Sweep("any", together(first, places), (3, 1)))
    assert told.points[1].experiment.begin((3,)).advance().values[0]["error"] > 0


def test_a_file_has_its_own_name_if_it_says_none(tmp_path):
    path = tmp_path / "my sizes.toml"
    path.write_text(changed('name = "sizes"\n', ""), newline="\r\n")
    assert sweep_in(path).name == "my sizes"


# ---- what is wrong with them ----

CASES = [
    tuple(part.replace("\\n", "\n") for part in case.splitlines())
    for case in (Path(__file__).parent / "wrong_specs.txt").read_text().split("\n\n")[1:]
]


@pytest.mark.parametrize(("old", "new", "said"), CASES, ids=lambda text: text[:30])
def test_what_is_wrong_is_said_with_its_line_and_key(old, new, said):
    with pytest.raises(BadInput) as caught:
        sweep(SIZES + new if old == "+" else changed(old, "" if new == "-" else new))
    assert str(caught.value) == said


@pytest.mark.parametrize("value", ["[" * 5000, "9" * 5000])
def test_what_is_too_much_for_a_reader_is_refused(value):
    with pytest.raises(BadInput, match=r"^x.toml: expected TOML, got"):
        sweep(f"a = {value}")


def test_a_kind_without_its_goal_is_told_what_there_is():
    with pytest.raises(BadInput, match=r"^x.toml:1: goal.metric: expected one of misses, nats, got 'error'"):
        sweep(changed('"TDPredictor"', '"Classifier"\nclasses = 2').replace("discount = 0.9", ""))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(BadInput, match=r"^spec: expected a file that can be read, got .*No such file"):
        sweep_in(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes("name = 'größe'".encode("latin-1"))
    with pytest.raises(BadInput, match=r"latin.toml: expected text in UTF-8"):
        sweep_in(tmp_path / "latin.toml")


NUMBERS = ["-1", "0", "1.5", "1e400", "true", "99999999999999999999", "00:00:00"]
TEXTS = ['""', '"kind"', '"RandomTeacher"']
TABLES = ["[]", "[[1], []]", "{}", "[{}]", "{ kind = 1 }", '{ kind = "" }', '{ kind = "SGD", kind2 = {} }']


@pytest.mark.parametrize("text", [SIZES, ALGEBRA], ids=["engine", "algebra"])
def test_whatever_stands_at_a_key_is_a_sweep_or_refused_with_its_line(text):
    for line in filter(lambda line: " = " in line, text.splitlines()):
        for value in NUMBERS + TEXTS + TABLES:
            try:
                sweep(text.replace(line, f"{line.partition(' = ')[0]} = {value}", 1))
            except BadInput as bad:
                assert str(bad).startswith("x.toml:")


# ---- what can be named ----


BARE = {"rtrl", "spatial", "frozen", "SGD"}


def test_every_kind_is_there_and_has_the_parts_and_settings_that_are_said():
    for kinds in KINDS.values():
        for name, kind in kinds.items():
            parameters = inspect.signature(kind.maker()).parameters
            named = set(parameters) | ({"optimizer"} if isinstance(kind, EngineLearner) else set())
            assert set(kind.parts) <= named
            assert {part.of for part in kind.parts.values()} <= set(KINDS)
            assert set(getattr(kind, "settings", ())) <= set(parameters)
            assert kind.arguments() or isinstance(kind, Function) or name in BARE


ROOMS = {
    "colonnade.worlds": ["world"],
    "colonnade.credit": ["credit"],
    "colonnade.objectives": ["objective"],
    "colonnade.streaming": ["learner", "network", "optimizer of the engine"],
}
NO_PARTS = {
    "Cell",
    "Modular",
    "with_own",
    "Credit",
    "Linear",
    "Objective",
    "load",
    "operations_of",
    "regrown",
}


def test_everything_public_that_is_a_part_can_be_named():
    for room, parts in ROOMS.items():
        public = {name for name, home in colonnade._HOMES.items() if home == room} - NO_PARTS
        assert public == {name for part in parts for name in KINDS[part]}, room
    cells = [
        name for name, home in colonnade._HOMES.items() if home in ("colonnade.cells", "colonnade.networks")
    ]
    assert set(cells) - NO_PARTS == set(KINDS["cell"])


WITHOUT_JAX = """
import sys
sys.modules["jax"] = None
from colonnade import BadInput
from colonnade.runs.entries import entries_of
from colonnade.runs.spec_files import sweep_of
try:
    print(len(sweep_of(entries_of(sys.stdin.read(), "x.toml"), "x").runs()))
except BadInput as bad:
    print(bad)
"""
NEEDS_JAX = (
    "x.toml:10: experiment.cell: expected a kind that is installed, got colonnade.Columnar needs jax: "
)


@pytest.mark.parametrize(("text", "said"), [(SIZES, "4\n"), (ALGEBRA, NEEDS_JAX)], ids=["engine", "algebra"])
def test_only_the_algebra_needs_jax(text, said):
    command = [sys.executable, "-c", WITHOUT_JAX]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith(said) and not done.stderr


def test_paths_are_shown_as_given():
    with pytest.raises(BadInput, match=f"^{Path('a') / 'b.toml'}:1: expected 'experiment' too"):
        sweep_of(entries_of("", str(Path("a") / "b.toml")), "b")
