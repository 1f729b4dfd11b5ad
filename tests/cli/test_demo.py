"""What the demo draws and writes, without learning anything: records of known errors go in."""

import io
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from rich.console import Console

import colonnade
from colonnade import BadInput
from colonnade.cli.demo import contenders, screen, textplot
from colonnade.cli.demo.axes import decades, spread, ticks
from colonnade.cli.demo.command import FOLDER, TRUNCATIONS, check, check_folder
from colonnade.cli.demo.learning import learn
from colonnade.cli.demo.page import page
from colonnade.cli.demo.record import BLOCK, WINDOW, Contender, Course, Point, Record, thin
from colonnade.cli.demo.svg import drawing


def course(name: str, last: float, blocks: int = 200) -> Course:
    """A learner whose error falls from 0.019 to ``last``."""
    made = Course(Contender(name, "a kind of <learner>", "TDPredictor(...)", (10_000, 30_000)), worlds=2)
    for i in range(blocks):
        error = 0.019 + (last - 0.019) * i / max(1, blocks - 1)
        made.add(errors=[1.5 * error, 0.5 * error], seconds=0.06)
    return made


def record(blocks: int = 200) -> Record:
    return Record(
        best=0.00168,
        zero=0.02,
        seeds=(3, 4),
        most=BLOCK * 2 * blocks,
        seconds=51.0,
        courses=(course("CCN", 0.003, blocks), course("T-BPTT", 0.009, blocks)),
        stage="learning",
        elapsed=21.0,
        learning_since=1.0,
    )


def test_an_error_is_the_mean_over_the_window() -> None:
    made = course("CCN", 0.0)
    last = [0.019 * (1 - i / 199) for i in range(200)][-WINDOW // BLOCK :]
    assert made.error == pytest.approx(sum(last) / len(last))
    assert made.points[-1].events == 200 * BLOCK
    assert made.extremes == pytest.approx((0.5 * made.error, 1.5 * made.error))


def test_events_are_those_that_every_learner_has_seen() -> None:
    uneven = record()
    uneven.courses[0].add([0.01, 0.01], 0.1)
    assert uneven.events == 200 * BLOCK
    assert Record(0.1, 0.2, (0,), 9, 1.0).events == 0


def test_it_is_over_when_there_were_enough_events_or_the_time_is_up() -> None:
    seen = record()
    assert (seen.over, seen.left, seen.done) == (False, 20.0, 0.5)
    seen.seconds = 31.0
    assert (seen.over, seen.left, seen.expected_events) == (False, 10.0, seen.events * 1.5)
    seen.seconds = 21.0
    assert (seen.over, seen.left, seen.done) == (True, 0.0, 1.0)
    seen.seconds, seen.most = 51.0, 200 * BLOCK
    assert (seen.over, seen.left, seen.done) == (True, 0.0, 1.0)


def test_a_record_that_is_looked_at_between_block_and_clock_says_something_sensible() -> None:
    seen = record(blocks=1)
    seen.elapsed = 0.0
    assert (seen.expected_events, seen.left) == (seen.most, 51.0)


def test_thinning_keeps_both_ends() -> None:
    points = [Point(n, 0.0) for n in range(7_919)]
    thinned = thin(points, 100)
    assert (len(thinned), thinned[0], thinned[-1]) == (100, points[0], points[-1])


@pytest.mark.parametrize("high", [1, 3, 0.024, 1_320_000, 2e7, 9.99])
@pytest.mark.parametrize("most", [2, 5, 9])
def test_ticks_are_few_and_within(high: float, most: int) -> None:
    marks = ticks(high, most)
    assert 2 <= len(marks) <= most
    assert marks[0] == 0 and marks[-1] <= high * (1 + 1e-9)


def test_marks_of_a_logarithmic_axis_are_round_and_within() -> None:
    assert decades(0.0013, 0.024) == [0.002, 0.005, 0.01, 0.02]
    assert decades(1, 10) == [1, 2, 5, 10]


def test_labels_keep_their_distance() -> None:
    placed = sorted(spread([3.0, 3.1, 9.9, 10.0], gap=1.0, low=0.0, high=10.0))
    assert all(b - a >= 1 for a, b in pairwise(placed))
    assert placed[-1] <= 10


GOLDEN = [
    " error",
    "0.020 ┤⢄⡀",
    "      │ ⠈⠒⢄⡀",
    "0.010 ┤    ⠈⠒⢄⡀",
    "      │       ⠈⠒⢄⡀",
    "0.005 ┤          ⠈⠒⠤⣀⣀",
    "      │               ⠉⠉⠒⠒⠤⠤⣀⣀",
    "      │                       ⠉ ours",
    "0.002 ┤╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ best",
    "      └┬──────────────────────┬",
    "       0                     100  events",
]


def test_the_drawing() -> None:
    curves = [textplot.Curve("ours", "blue", [Point(0, 0.02), Point(50, 0.005), Point(100, 0.003)])]
    levels = [textplot.Level("best", "green", 0.002)]
    lines = textplot.draw(curves, levels, (36, 11), events=100, errors=(0.0016, 0.024))
    assert ["".join(text for text, _ in line).rstrip() for line in lines] == GOLDEN
    assert {style for line in lines for text, style in line if text.strip(" ╌") == ""} <= {"", "green"}


def test_curves_that_share_a_character_keep_all_their_dots() -> None:
    low, high = [Point(0, 0.1), Point(100, 0.1)], [Point(0, 0.14), Point(100, 0.14)]
    pair = [textplot.Curve("a", "red", low), textplot.Curve("b", "blue", high)]
    lines = textplot.draw(pair, [], (20, 5), events=100, errors=(0.07, 1))
    assert lines[2][1] == ("⠶" * 11, "blue")


def terminal(width: int, height: int = 35) -> str:
    """The live screen as plain characters."""
    written = io.StringIO()
    console = Console(file=written, width=width, height=height, force_terminal=True, color_system=None)
    console.print(screen.Screen(record()))
    return re.sub(r"\x1b\[[0-9;]*m", "", written.getvalue())


@pytest.mark.parametrize("width", [60, 80, 100, 200])
def test_the_screen_fits_and_says_everything(width: int) -> None:
    shown = terminal(width)
    assert all(len(line.rstrip()) <= min(width, 120) for line in shown.splitlines())
    for said in (
        "CCN",
        "T-BPTT",
        "30,000",
        "600 ns",
        "predicting 0",
        "best possible",
        "0.0017",
        "500 k/s",
        "20 s left",
    ):
        assert said in shown
    assert ("a kind of <learner>" in shown) == (width >= 100)
    assert ("0.0017–0.0050" in shown) == (width >= 70)


@pytest.mark.parametrize("height", [20, 24, 35, 70])
def test_the_screen_is_no_higher_than_the_terminal(height: int) -> None:
    assert len(terminal(100, height).splitlines()) < height


def test_the_screen_stands_before_anything_is_known() -> None:
    written = io.StringIO()
    Console(file=written, width=80, height=30).print(screen.Screen(Record(0.1, 0.2, (0,), 9, 9.0)))
    assert "starting" in written.getvalue()


def test_lines_come_every_few_seconds_and_at_each_stage() -> None:
    now, said = 0.0, []
    seen = Record(0.00168, 0.02, (0, 1), 400 * BLOCK, 51.0)
    lines = screen.Lines(seen, lambda: now, said.append)
    lines()
    seen.stage = "learning"
    lines()
    seen.courses, seen.elapsed = record().courses, 5.0
    for tenth in range(100):
        now = tenth / 10
        lines()
    assert said[:2] == ["starting ...", "learning ..."]
    assert len(said) == 4
    assert said[2].isascii()
    assert said[2].startswith(
        "  5 s: 10 M events, 2 M/s; error: CCN 0.0034 (600 ns a step), T-BPTT 0.0092 (600 ns a step), "
    )


class Reader(HTMLParser):
    """Notes every address that a page names, and checks that tags are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.named: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.named += [value or "" for name, value in attributes if name in {"src", "href", "xlink:href"}]
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("interrupted", [False, True])
def test_the_page_is_whole_and_asks_for_nothing(interrupted: bool) -> None:
    written = page(record(), interrupted)
    reader = Reader()
    reader.feed(written)
    reader.close()
    assert (reader.open, reader.named) == ([], [])
    assert not re.search(r"https?:|url\(|@import|<script|<link", written)
    assert "prefers-color-scheme: dark" in written and "viewport" in written
    assert ("Interrupted" in written) == interrupted
    for said in (
        "10,000",
        "30,000",
        "10,000,000",
        "0.0034",
        "0.0092",
        "0.0017",
        "0.0200",
        "&lt;learner&gt;",
        "600 ns",
    ):
        assert said in written


def test_the_page_stays_small_however_long_it_ran() -> None:
    assert len(page(record(blocks=20_000), False)) < 60_000


def test_a_drawing_of_a_single_block_is_within_its_sheet() -> None:
    numbers = re.findall(r' y="([\d.-]+)"', drawing(record(blocks=1), (370, 330), "small"))
    assert numbers and all(0 <= float(number) <= 330 for number in numbers)


def test_the_picture_is_a_png(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from colonnade.cli.demo.figure import save

    save(record(), tmp_path / "demo.png")
    assert (tmp_path / "demo.png").read_bytes().startswith(b"\x89PNG")


GOOD = {"seconds": 55.0, "events": 30_000_000, "seed": 0, "worlds": 4, "truncation": None}


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("seconds", 0.0),
        ("seconds", float("nan")),
        ("seconds", 1e9),
        ("events", 0),
        ("seed", -1),
        ("seed", 2**32),
        ("worlds", 0),
        ("worlds", 101),
        ("truncation", 4),
    ],
)
def test_options_that_cannot_be_used_are_named(option: str, value: float) -> None:
    with pytest.raises(BadInput, match=f"^{option}: expected "):
        check(**{**GOOD, option: value})


def test_the_folder_is_made_or_refused(tmp_path: Path) -> None:
    check_folder(tmp_path / "new" / FOLDER)
    assert (tmp_path / "new" / FOLDER).is_dir()
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match=r"^out: expected a folder that can be written, got .*file"):
        check_folder(tmp_path / "file")
    with pytest.raises(BadInput, match=r"^out: "):
        check_folder(tmp_path / "file" / "below")


def test_the_dense_network_costs_as_much_as_the_columns_and_no_less() -> None:
    assert tuple(contenders.PUBLISHED) == TRUNCATIONS
    ours, theirs = contenders.prepare(seeds=[0, 1], truncation=None)
    assert 1 <= theirs.contender.operations / ours.contender.operations < 1.1
    for truncation in TRUNCATIONS:
        counted = contenders.dense(truncation, seeds=[0]).contender.operations
        assert not ours.contender.operations <= counted < theirs.contender.operations
    assert contenders.prepare([0], truncation=30)[1].contender.kind == "2 dense units, truncation 30"


def test_the_code_that_is_shown_makes_the_learner_that_ran() -> None:
    for prepared in contenders.prepare(seeds=[7, 8], truncation=None):
        names = {name: getattr(colonnade, name) for name in colonnade.__all__}
        assert repr(eval(prepared.contender.code, names)) == repr(prepared.learners[0])


def test_every_world_is_learned_by_both_and_scored_by_itself() -> None:
    seeds, stage_steps = (5, 6), BLOCK // 8
    record = Record(0.0, 1.0, seeds, BLOCK, 60.0)
    prepared = (contenders.staged(seeds, stage_steps), contenders.dense(8, seeds))
    learn(prepared, record, lambda: 1.0, lambda: None)
    assert (record.events, record.stage) == (BLOCK, "done")
    chunk = colonnade.TracePatterning().stream(6).take(BLOCK)
    for course, alone in zip(
        record.courses, (contenders.staged([6], stage_steps), contenders.dense(8, [6])), strict=True
    ):
        errors = (alone.learners[0].run(chunk.x, chunk.target) - chunk.answer) ** 2
        assert course.each[1] == [Point(BLOCK, pytest.approx(float(errors.mean()), rel=1e-5))]
        assert course.points[0].error == (course.each[0][0].error + course.each[1][0].error) / 2
