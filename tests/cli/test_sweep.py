"""What `colonnade sweep` shows and says, without running anything: sweeps that stand in known ways go in."""

import io
import re
import time
from collections import Counter, deque
from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.console import Console

from colonnade import RMSProp
from colonnade.cli.numbers import duration
from colonnade.cli.sweep import outcome, plan, screen
from colonnade.cli.sweep.command import code_of, command
from colonnade.cli.sweep.pace import Pace
from colonnade.cli.terminal import say
from colonnade.cli.where import Where
from colonnade.runs.driver import State, drive
from colonnade.runs.experiment import Computed
from colonnade.runs.local import Local
from colonnade.runs.store import Store
from colonnade.runs.sweep import Goal, Sweep, grid


@dataclass(frozen=True)
class Waves(Computed):
    """Something that is measured at once, and fails below 0."""

    pitch: float = 1.0
    steps: int = 1000

    place = "thread"

    def readings(self, seed):
        if self.pitch < 0:
            raise ValueError(f"no such pitch: {self.pitch}")
        yield self.steps, {"height": self.pitch + seed}


def waves(pitches=(1.0, 2.0), seeds=range(10), name="waves"):
    points = grid(Waves(), {"pitch": list(pitches)})
    return Sweep(name, points, tuple(seeds), about="How high?", goal=Goal("height", "most"))


def state(**counts):
    """Half of 20 runs are done, a minute after it began, unless it is said otherwise."""
    sweep = waves()
    runs = sweep.runs()
    counts = Counter({"finished": 10, "running": 2, "waiting": 8} | counts)
    began = time.monotonic() - 60
    return State(sweep, 20, counts, 10_000, 10_000, 20_000, began, best=(2.5, runs[-1], 9))


def pace():
    made = Pace(began=0.0)
    made.add(50.0, 10_000)
    return made


def drawn(state, width, height):
    written = io.StringIO()
    console = Console(file=written, width=width, height=height, force_terminal=True, color_system=None)
    console.print(screen.Screen(state, pace()))
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", written.getvalue())


SIZES = [(120, 40), (80, 24), (80, 20), (79, 40), (50, 20), (30, 12)]


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_screen_fits_and_says_how_it_stands(width, height):
    shown = drawn(state(failed=1, elsewhere=3), width, height)
    lines = shown.splitlines()
    assert all(len(line.rstrip()) <= width for line in lines) and len(lines) <= height
    for said in ("waves", "50 %", "failed", "elsewhere", "200", "50 s", "height 2.5", "pitch 2", "Ctrl-C"):
        assert said in shown
    assert ("How high?" in shown) == (width >= 80)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_failures_and_stopping_are_in_sight(width, height):
    failing = state()
    failing.failures = deque([(failing.sweep.runs()[0], "ValueError: no such pitch")])
    failing.stopping = True
    shown = " ".join(drawn(failing, width, height).split())
    for said in (
        "ValueError: no such",
        "Stopping: 2 runs are saving where they are.",
        "again stops at once.",
    ):
        assert said in shown


def test_what_is_not_known_yet_is_not_shown():
    new = State(waves(), 20, steps_left=20_000, steps_total=20_000)
    written = io.StringIO()
    Console(file=written, width=80, height=24).print(screen.Screen(new, Pace(0.0)))
    assert "0 %" in written.getvalue() and "best" not in written.getvalue()
    assert screen.line(new, Pace(0.0)) == "0 of 20 done"


def test_a_plain_line():
    said = "10 of 20 done, 2 running, 8 waiting; 200 steps/s, 50 s left; best height 2.5 (9 seeds)"
    assert screen.line(state(), pace()) == said
    stopping = state(running=1)
    stopping.stopping = True
    assert screen.line(stopping, pace()).endswith("; stopping: 1 run is saving where it is")


def test_plain_lines_come_less_and_less_often_and_at_once_when_it_stops(capsys, monkeypatch):
    now = 0.0
    monkeypatch.setattr(screen.time, "monotonic", lambda: now)
    running, lines, said = state(), screen.Lines(), []
    running.began = 0.0
    for second in range(20_000):
        now = float(second)
        lines(running, pace())
        said += [second] * capsys.readouterr().out.count("\n")
    assert said[:4] == [0, 5, 10, 15] and 100 < len(said) < 200
    assert said[-1] - said[-2] == 300
    running.stopping = True
    lines(running, pace())
    assert "stopping" in capsys.readouterr().out


def test_the_pace_is_that_of_the_last_minute():
    made = Pace(began=0.0)
    assert (made.speed, made.left(5)) == (0.0, None)
    for second in range(1, 101):
        made.add(float(second), 10 * second)
    for second in range(101, 201):
        made.add(float(second), 1000 + 20 * (second - 100))
    assert (made.speed, made.left(100)) == (20.0, 5.0)
    made.add(290.0, 3000)  # nothing since: it seems slower, and not to have ended
    assert 0.0 < made.speed < 20.0


def test_only_all_is_all():
    nearly = state()
    nearly.steps_left = 1
    assert screen.percent(nearly) == " 99 %"
    nearly.steps_left = 0
    assert screen.percent(nearly) == "100 %"


# ---- what is said at the end ----


def run(tmp_path, sweep, **options):
    with Store(tmp_path / "runs.db") as store:
        done = drive(sweep, store, Local(2), **options)
        return done, list(outcome.outcome(done, store, "colonnade sweep x.toml"))


def test_all_is_done(tmp_path):
    done, said = run(tmp_path, waves())
    assert said == ["waves: all 20 runs are done.", "Best: height 6.5, the mean of 10 seeds: pitch 2"]
    assert code_of(done) == 0


def test_some_failed(tmp_path):
    done, said = run(tmp_path, waves([1.0, -1.0, -2.0], seeds=[5, 6]))
    assert said == [
        "waves: 2 of 6 runs are done.",
        "Best: height 6.5, the mean of 2 seeds: pitch 1",
        "2 failed: ValueError: no such pitch: -1.0 (pitch -1, seed 5)",
        "2 failed: ValueError: no such pitch: -2.0 (pitch -2, seed 5)",
        "To try those that failed again: colonnade sweep x.toml --again",
    ]
    assert code_of(done) == 1
    assert len(run(tmp_path, waves([-float(n) for n in range(1, 10)]))[1]) == 8


def test_it_was_stopped(tmp_path):
    done, said = run(tmp_path, waves(), stop=lambda: True)
    assert said == [
        "waves: stopped with 0 of 20 runs done; nothing is lost.",
        "To go on: colonnade sweep x.toml",
    ]
    assert code_of(done) == 130
    assert list(outcome.at_once(None, "colonnade sweep x.toml")) == ["To go on: colonnade sweep x.toml"]
    at_once = next(outcome.at_once(done, "it"))
    assert at_once == "waves: stopped at once with 0 of 20 runs done."


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("x.toml", Path("runs.db"), Where(), False), "colonnade sweep x.toml"),
        (("a b.py:f", Path("my runs.db"), Where(3, "auto"), True),
         "colonnade sweep 'a b.py:f' --store 'my runs.db' --jobs 3 --ray auto --again"),
    ],
)  # fmt: skip
def test_the_command_that_goes_on(options, said):
    assert command(*options) == said


# ---- the dry run ----


def test_the_dry_run_shows_what_there_is_to_do_and_makes_nothing(tmp_path, capsys):
    plan.show(waves(), tmp_path / "runs.db")
    assert capsys.readouterr().out.splitlines() == [
        "waves: How high?",
        "pitch: 1, 2",
        "2 settings x 10 seeds = 20 runs, 20,000 steps in all",
        f"{tmp_path}/runs.db: not there yet",
        "pitch 1: 10 waiting",
        "pitch 2: 10 waiting",
    ]
    assert not list(tmp_path.iterdir())


def test_the_dry_run_shows_what_is_there(tmp_path, capsys):
    run(tmp_path, waves([1.0, -1.0], seeds=[0, 1, 2]))
    plan.show(waves([1.0, -1.0, 2.0], seeds=[1, 2, 3]), tmp_path / "runs.db")
    assert capsys.readouterr().out.splitlines()[-4:] == [
        f"{tmp_path}/runs.db: 2 finished, 2 failed, 5 waiting",
        "pitch 1: 2 finished, 1 waiting",
        "pitch -1: 2 failed, 1 waiting",
        "pitch 2: 3 waiting",
    ]


@pytest.mark.parametrize("axes", [["pitch"], ["a", "b", "c", "d", "e"], []])
@pytest.mark.parametrize("width", [40, 120])
def test_the_table_of_the_dry_run(axes, width):
    label = {axis: RMSProp(decay=0.5) if axis == "b" else 0.25 for axis in axes}
    written = io.StringIO()
    settings = [plan.Setting(label, Counter(finished=1000, waiting=1))]
    Console(file=written, width=width).print(plan.table(settings, axes))
    shown = written.getvalue()
    for said in ("1,000", "finished", "waiting", *(["0.25"] if axes else ["the only setting"])):
        assert said in shown
    assert ("setting" in shown) == (axes != ["pitch"])


def test_places_in_words():
    assert plan.places_in_words(list("abcdefgh")) == "a, b, c, d, e, f and 2 more"
    assert plan.places_in_words(list(range(1, 9))) == "8 values from 1 to 8"


# ---- words ----


@pytest.mark.parametrize(
    ("seconds", "said"), [(0, "0 s"), (119.6, "2 min"), (3599, "59 min 59 s"), (86_399, "23 h 59 min")]
)
def test_durations(seconds, said):
    assert duration(seconds) == said


def test_what_cannot_be_encoded_is_said_all_the_same(monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written, encoding="ascii"))
    say("größer – besser")
    assert written.getvalue() == b"gr??er ? besser\n"
