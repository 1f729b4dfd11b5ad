"""`colonnade bench engine`: what it measures is the same everywhere, and what it cannot measure it says.

No time is ever asserted: machines are busy.
"""

import io
import json
import platform
import re
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path

import numpy as np
import pytest

from colonnade.cli import main
from colonnade.cli.bench import (
    algebra,
    command,
    compiled,
    deep_river,
    engine,
    limits,
    measures,
    plain,
    table,
    task,
)
from colonnade.cli.bench.contestants import Columns, DeepRiverCalls, PlainColumns, needs_jax
from colonnade.cli.bench.measures import Above, Faster, Row, Slope, judge
from colonnade.cli.bench.measuring import GOES, NotMeasured, Times, begin, take_turns

COMMAND = Path(sysconfig.get_path("scripts"), "colonnade")
LINE = r"[^:]+: \S+, required \S+, reached: (yes|no) \(ours [\d,]+ ns, theirs [\d,]+ ns\)"


@dataclass(frozen=True)
class Runner:
    """A contestant whose times are known; None cannot be measured, 0 interrupts."""

    name: str
    times: tuple[float | None, ...]

    def __str__(self):
        return self.name

    def prepare(self, until_done):
        if self.times[0] is None:
            raise NotMeasured(f"{self.name} is not installed: pip install {self.name}")
        goes = chain.from_iterable(repeat(time, GOES) for time in self.times)

        def once():
            if not (time := next(goes)):
                raise KeyboardInterrupt
            return time

        return once


FAST, SLOW = Runner("hare", (12.0, 10.0, 11.0)), Runner("tortoise", (60.0, 50.0, 70.0))
ABSENT = Runner("snail", (None,))


def bench(capsys, monkeypatch, *arguments, having=()):
    """Run the command with these measures; its exit code, and what it printed."""
    monkeypatch.setattr(measures, "engine_measures", lambda may_install: tuple(having))
    with pytest.raises(SystemExit) as leaving:
        main(["bench", "engine", *arguments])
    return leaving.value.code, *capsys.readouterr()


def test_the_least_of_all_rounds_counts():
    times = Times()
    ready = {one: begin(one, times, None) for one in (FAST, SLOW)}
    for _ in range(3):
        take_turns(ready, times)
    assert (times[FAST], times[SLOW], times.rounds) == (10.0, 50.0, 3)
    row = judge(Faster("race", FAST, SLOW, 4.9), times)
    assert row == Row("race", "4.9x", 10.0, 50.0, 5.0, "5.00x", True)
    assert judge(Faster("race", FAST, SLOW, 5.1), times).reached is False
    assert judge(Above("lead", SLOW, FAST, 40.0), times) == Row(
        "lead", "<= 40 ns", 50.0, 10.0, 40.0, "40 ns", True
    )


def test_a_peer_that_is_missing_makes_a_row_that_says_how_to_get_it(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(limits, "TRAFFIC", 1)
    race, alone = Faster("race", FAST, SLOW, 2), Faster("walk", FAST, ABSENT, 2)
    file = tmp_path / "numbers.json"
    code, out, _ = bench(capsys, monkeypatch, "--rounds", "1", "--json", str(file), having=(race, alone))
    assert code == 0
    assert out.splitlines()[:2] == [
        "race: 5.00x, required 2x, reached: yes (ours 12 ns, theirs 60 ns)",
        "walk: required 2x, not measured: snail is not installed: pip install snail",
    ]
    written = json.loads(file.read_text())
    assert written["rounds"] == 1
    assert written["measures"] == [
        Row("race", "2x", 12.0, 60.0, 5.0, "5.00x", True)._asdict(),
        Row("walk", "2x", missing="snail is not installed: pip install snail")._asdict(),
    ]
    assert written["machine"].keys() == {"flops", "root_and_division", "traffic"}
    assert written["machine"]["traffic"].keys() == limits.LEVELS.keys()
    assert all(one["share"] > 0 for one in written["standings"])
    assert written["on"]["python"] == platform.python_version()
    assert {"version", "commit", "processor", "instruction_set", "cc", "jax"} < written["on"].keys()


def test_only_what_was_asked_for_is_measured(capsys, monkeypatch):
    race, alone = Faster("the race", FAST, SLOW, 2), Faster("the walk", FAST, ABSENT, 2)
    code, out, _ = bench(capsys, monkeypatch, "--only", "THE rac", "--rounds", "2", having=(race, alone))
    assert (code, len(out.splitlines())) == (0, 1)
    assert out.startswith("the race: ")


def test_an_interruption_shows_what_there_is(capsys, monkeypatch):
    stopped = Runner("sprinter", (20.0, 0))
    code, out, err = bench(capsys, monkeypatch, "--only", "race", having=[Faster("race", FAST, stopped, 1)])
    assert code == 130
    assert out == "race: 2.00x, required 1x, reached: yes (ours 10 ns, theirs 20 ns)\n"
    assert "Interrupted." in err
    code, out, err = bench(
        capsys, monkeypatch, "--only", "race", having=[Faster("race", Runner("", (0,)), SLOW, 1)]
    )
    assert (code, out) == (130, "")
    assert "Nothing was measured yet." in err


@pytest.mark.parametrize(
    "arguments",
    [
        ("--rounds", "0"),
        ("--rounds", "1.5"),
        ("--only", "nonsense"),
        ("--json", "/no/such/folder/x"),
        ("--nonsense",),
    ],
)
def test_options_that_cannot_be_used_exit_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as leaving:
        main(["bench", "engine", *arguments])
    assert leaving.value.code == 2
    assert capsys.readouterr().out == ""


def test_redirected_output_is_plain_lines_and_progress_goes_elsewhere(tmp_path):
    file = tmp_path / "numbers.json"
    shown = subprocess.run(
        [COMMAND, "bench", "engine", "--only", "12 plain", "--rounds", "1", "--json", file],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert shown.returncode == 0, shown.stderr
    assert all(re.fullmatch(LINE, line) for line in shown.stdout.splitlines())
    assert "\x1b" not in shown.stdout + shown.stderr
    assert "getting ready" in shown.stderr
    [row] = json.loads(file.read_text())["measures"]
    assert row["ours"] > 0 and row["theirs"] > 0


def test_on_a_terminal_the_table_says_the_same():
    from rich.console import Console

    rows = [Row("race", "2x", 10.0, 50.0, 5.0, "5.00x", True), Row("walk", "2x", missing="no snail")]
    size = Columns(12, 7, 100)
    found = table.Findings(rows, 3, None, {size: limits.standing(392, 200.0, 0.01, 0.2, 0.001)})
    console = Console(width=100, force_terminal=True, record=True, file=io.StringIO())
    console.print(table.drawn(found))
    said = console.export_text()
    assert all(word in said for word in ("race", "5.00x", "yes", "not measured", "no snail", "392", "39%"))


def test_every_word_of_the_measures_fits_a_terminal():
    having = measures.engine_measures(False)
    assert len({measure.name for measure in having}) == len(having) == 8
    assert max(len(measure.name) for measure in having) <= 46


@pytest.mark.parametrize(("inputs", "columns"), [(1, 1), (12, 7), (275, 5)])
def test_plain_c_is_the_same_learner_as_the_engine(inputs, columns):
    ours, (x, cumulants) = engine.columns(inputs, columns), task.events(inputs, 1000)
    theirs = plain.PlainColumns(ours.state()["stage.0.W"])
    came = np.concatenate([theirs.run(x[:300], cumulants[:300]), theirs.run(x[300:], cumulants[300:])])
    task.check_same(came, ours.run(x, cumulants))
    assert np.abs(came).max() > 0.001


def test_the_algebra_is_the_same_learner_as_the_engine():
    ours, (x, cumulants) = engine.columns(12, 7), task.events(12, 1000)
    run = algebra.columns(ours.state()["stage.0.W"], x, cumulants)
    task.check_same(run(), ours.run(x, cumulants))
    task.check_same(run(), run())


def test_the_algebra_with_truncation_is_the_same_learner_as_the_engine():
    ours, (x, cumulants) = engine.dense(12, 4, 15), task.events(12, 400)
    run = algebra.dense(15, ours.state()["lstm.W"], x, cumulants)
    task.check_same(run(), ours.run(x, cumulants))


def test_learners_that_differ_are_not_compared():
    ours = np.ones(5, np.float32)
    with pytest.raises(NotMeasured, match="isn't the same learner"):
        task.check_same(ours * 1.01, ours)
    with pytest.raises(NotMeasured, match="isn't the same learner"):
        task.check_same(ours * np.nan, ours)
    with pytest.raises(NotMeasured, match="isn't the same learner"):
        task.check_same(ours * 0, ours * 0)


def test_without_a_compiler_or_a_checkout_it_says_so(monkeypatch, tmp_path):
    compiled.build.cache_clear()
    plain.library.cache_clear()
    times, contestant = Times(), PlainColumns(12, 7, 10)
    monkeypatch.setattr(compiled.shutil, "which", lambda name: None)
    assert begin(contestant, times, None) is None
    assert times.missing[contestant] == "there is no C compiler called cc: install gcc or clang"
    monkeypatch.setattr(compiled, "folder", lambda: tmp_path)
    assert begin(contestant, times, None) is None
    assert "only in a checkout" in times.missing[contestant]
    with pytest.raises(NotMeasured, match="only in a checkout"):
        times[contestant]


def test_a_source_that_does_not_compile_is_named(monkeypatch, tmp_path):
    (tmp_path / "broken.c").write_text("nonsense")
    monkeypatch.setattr(compiled, "folder", lambda: tmp_path)
    with pytest.raises(NotMeasured, match=r"cannot compile benchmarks/broken\.c: .+"):
        compiled.build("broken.c")


def test_without_jax_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr("colonnade.cli.bench.contestants.find_spec", lambda package: None)
    with pytest.raises(NotMeasured, match=r"JAX is not installed: pip install '\.\[lab\]'"):
        needs_jax()


def test_deep_river_is_not_installed_unasked(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    times, contestant = Times(), DeepRiverCalls(12, 7, 10, 5, may_install=False)
    assert begin(contestant, times, None) is None
    assert "colonnade bench engine --deep-river" in times.missing[contestant]
    assert not list(tmp_path.iterdir())


def test_deep_river_is_asked_in_a_process_of_its_own(monkeypatch, tmp_path):
    """With stand-ins for what would be in its environment."""
    from contextlib import ExitStack

    zoo = tmp_path / "deep_river" / "regression" / "zoo.py"
    zoo.parent.mkdir(parents=True)
    (tmp_path / "torch.py").write_text("__version__ = '0'\ndef set_num_threads(n): pass\n")
    zoo.write_text(
        "class LSTMRegressor:\n"
        "    def __init__(self, n_features, hidden_size, window_size):\n"
        "        assert (n_features, hidden_size, window_size) == (12, 7, 10)\n"
        "    def predict_one(self, x): assert len(x) == 12\n"
        "    def learn_one(self, x, y): assert y in (0.0, 1.0)\n"
    )
    monkeypatch.setattr(deep_river, "python", lambda: sys.executable)
    monkeypatch.setattr(deep_river, "ready", lambda: True)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with ExitStack() as until_done:
        once = deep_river.calls(12, 7, 10, 5, until_done)
        assert once() > 0
        assert once() > 0
    with ExitStack() as until_done, pytest.raises(NotMeasured, match="process failed: AssertionError"):
        deep_river.calls(12, 8, 10, 5, until_done)


def test_pytorch_goes_back_through_the_window_and_keeps_the_state_before_it():
    torch = pytest.importorskip("torch")
    from colonnade.cli.bench.pytorch import Truncated

    torch.manual_seed(0)
    learner, truncation = Truncated(3, 2, 4), 4
    learner.optimizer = torch.optim.SGD(learner.lstm.parameters(), lr=0.0)
    x, targets = torch.randn(9, 3), torch.randn(9, 1)
    came = [learner.step(one[None], target) for one, target in zip(x, targets, strict=True)]
    h, _ = learner.lstm(x)
    np.testing.assert_allclose(came, learner.readout(h)[:, 0].detach(), rtol=1e-5, atol=1e-6)
    with torch.no_grad():
        _, before = learner.lstm(x[:-truncation])
    again, _ = learner.lstm(x[-truncation:], before)
    loss = (learner.readout(again[-1]) - targets[-1]).square().sum()
    wanted = torch.autograd.grad(loss, list(learner.lstm.parameters()))
    for parameter, gradient in zip(learner.lstm.parameters(), wanted, strict=True):
        np.testing.assert_allclose(parameter.grad, gradient, rtol=1e-4, atol=1e-6)


def test_the_slope_is_that_of_the_logarithms():
    sizes = tuple(Columns(23, columns, 1) for columns in (10, 100, 1000))
    times = Times(best=dict(zip(sizes, (20.0, 200.0, 2000.0), strict=True)))
    row = judge(Slope("growth", sizes, 1.0, 0.1), times)
    assert (row.result, row.shown, row.reached) == (1.0, "1.000", True)
    assert [size.parameters for size in measures.SIZES[::2]] == [1_000, 10_000, 100_000, 1_000_000]


def test_the_extra_brings_what_the_table_needs():
    import tomllib

    root = Path(__file__).parents[2]
    extras = tomllib.loads((root / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert deep_river.TESTED in extras["bench"]
    assert deep_river.TESTED in (root / "constraints.txt").read_text().split()
    assert command.has_words("limits of one core", "limits")
