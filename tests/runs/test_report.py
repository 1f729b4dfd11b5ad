"""The report: what is written in it, what is packed into it, and that strangers' names stay names."""

import base64
import csv
import gzip
import hashlib
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from colonnade import BadInput
from colonnade.runs import missing
from colonnade.runs.comparing import contenders
from colonnade.runs.reading import Records
from colonnade.runs.report import figures, library
from colonnade.runs.report.origin import failures, origins
from colonnade.runs.report.page import page
from colonnade.runs.report.payload import payload
from colonnade.runs.store import Store
from colonnade.runs.summary import summarised
from runs.stores import made_store, sweep

HOSTILE = """</script><script>alert(1)</script><img src=x onerror="alert(2)">&'"""


def written(path, **how):
    with Records(path) as records:
        return page(records, summarised(records, **how), "colonnade report runs.db")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    def leave(run):
        return {(4, 0): "failed", (4, 1): "diverged", (4, 2): "waiting"}.get(
            (run.point.label["units"], run.seed), "finished"
        )

    return made_store(tmp_path_factory.mktemp("store") / "runs.db", leave=leave)


def unpacked(text, id):
    packed = re.search(rf'<script type="application/gzip" id="{id}">([^<]*)</script>', text)[1]
    return gzip.decompress(base64.b64decode(packed)).decode()


class Page(HTMLParser):
    """What a browser would make of a page: its tags, and the text that is seen."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.seen, self._inside = [], "", []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self._inside.append(tag)

    def handle_endtag(self, tag):
        self.seen += " "
        while self._inside and self._inside.pop() != tag:
            pass

    def handle_data(self, data):
        if not {"script", "style"} & set(self._inside):
            self.seen += data


def test_the_page_says_what_was_asked_what_came_out_and_where_it_comes_from(path):
    seen = " ".join(Page(written(path)).seen.split())
    for told in (
        "sizes",
        "which step size is best?",
        "runs finished 24 of 30",
        "seeds a setting 5",
        "failed, diverged 3, 3",
        "Of 6 settings, by error over the last 10 % of a run's steps; less is better.",
        "step_size 0.001, units 16",
        "ValueError: <b>too large</b> & seed 0",
        "step_size 0.001, units 4: 1 of 5 seeds",
        "colonnade report runs.db",
        "numpy " + np.__version__,
    ):
        assert told in seen, told


def test_the_page_asks_nothing_of_the_network_and_runs_nothing_else(path):
    text = written(path)
    for tag, attributes in Page(text).tags:
        assert tag not in ("link", "img", "iframe", "object", "embed", "form", "base")
        assert not {"src", "href", "style"} & set(attributes)
        assert not [name for name in attributes if name.startswith("on")]
    policy = re.search('Content-Security-Policy" content="([^"]*)"', text)[1]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    inline = re.findall("<script>(.*?)</script>", text, re.DOTALL)
    for script in [*inline, unpacked(text, "library")]:
        assert f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" in policy
    assert "unsafe" not in policy


def test_names_of_strangers_stay_names(tmp_path):
    """In the sweep's name and question, on axes and in what failed: nothing becomes a tag."""
    plain, strange = tmp_path / "plain.db", tmp_path / "strange.db"
    made_store(plain, sweep("a", {"world": ["b", "c"]}), leave=lambda run: "failed")
    axes = {"world": [HOSTILE, HOSTILE + "2"]}
    made_store(strange, sweep(HOSTILE, axes, about=HOSTILE), leave=lambda run: "failed")
    with Store(plain) as store, store.writing():
        store.db.execute("UPDATE runs SET failure = 'lost'")
        store.db.execute("UPDATE sessions SET code = 'abc'")
    with Store(strange) as store, store.writing():
        store.db.execute("UPDATE runs SET failure = ?", (HOSTILE,))
        versions = json.dumps({HOSTILE: HOSTILE})
        store.db.execute("UPDATE sessions SET host = ?, code = ?, versions = ?", (HOSTILE, HOSTILE, versions))
        store.db.execute("UPDATE metrics SET name = ? WHERE name = 'excess'", (HOSTILE,))
    found, expected = Page(written(strange)), Page(written(plain))
    assert [tag for tag, _ in found.tags] == [tag for tag, _ in expected.tags]
    assert found.seen.count(HOSTILE) >= 7
    data = json.loads(unpacked(written(strange), "data"))
    assert data["metrics"][1]["name"] == HOSTILE


def data_of(path, **how):
    return json.loads(unpacked(written(path, **how), "data"))


def test_what_is_drawn_is_what_was_read(path):
    data = data_of(path)
    assert [axis["short"] for axis in data["axes"]] == ["step_size", "units"]
    assert data["axes"][0]["log"] and data["axes"][0]["at"] == [1e-4, 1e-3, 1e-2]
    assert [metric["name"] for metric in data["metrics"]] == ["error", "excess"]
    best = data["settings"][0]
    assert (best["at"], best["seeds"], best["runs"]) == ([1, 1], 5, 5)
    curve, seeds = data["metrics"][0]["curves"][0], data["metrics"][0]["seeds"][0]
    assert data["grids"][curve["grid"]] == list(range(500, 10_001, 500)) and curve["runs"] == 5
    assert curve["mean"] == pytest.approx(np.mean(seeds["lines"], axis=0), rel=2e-3)
    assert all(
        low <= mean <= high
        for low, mean, high in zip(curve["low"], curve["mean"], curve["high"], strict=True)
    )
    assert data["metrics"][0]["best"]["0"] == 0.01 and data["metrics"][1]["best"]["0"] == 0.0


def test_gaps_and_missing_runs_are_none(path):
    data = data_of(path)
    place = next(i for i, one in enumerate(data["settings"]) if one["at"] == [0, 0])
    one, curve = data["settings"][place], data["metrics"][0]["curves"][place]
    assert (one["seeds"], one["runs"], one["failed"], one["diverged"]) == (2, 5, 1, 1)
    assert curve["mean"][0] is not None and curve["mean"][-1] is None  # one has diverged by then
    assert curve["runs"] == [4] * 10 + [3] * 10  # one waits, and one failed half-way


def test_many_settings_have_fewer_points_each(path, tmp_path):
    many = made_store(
        tmp_path / "runs.db", sweep(axes={"step_size": np.geomspace(1e-5, 1, 60).tolist()}, seeds=2, every=20)
    )
    with Records(many) as records:
        found = summarised(records)
        module = payload.__globals__
        before = module["NUMBERS_OF_CURVES"]
        try:
            module["NUMBERS_OF_CURVES"] = 3 * 120 * 25
            data = payload(records, found, contenders(found))
        finally:
            module["NUMBERS_OF_CURVES"] = before
    assert {len(curve["mean"]) for curve in data["metrics"][0]["curves"]} == {25}
    assert data["grids"][data["metrics"][0]["curves"][0]["grid"]][-1] == 10_000
    assert data["axes"][0]["lines"] == []


def test_a_sweep_of_which_nothing_is_there_yet_has_a_page(tmp_path):
    text = written(made_store(tmp_path / "runs.db", leave=lambda run: "waiting"))
    assert "No run is finished yet" in text and "None: no run failed" in text
    assert json.loads(unpacked(text, "data"))["settings"][0]["score"] == [None, None, None]


def test_a_sweep_without_axes_has_a_page(tmp_path):
    text = written(made_store(tmp_path / "runs.db", sweep(axes={"units": [8]})))
    assert json.loads(unpacked(text, "data"))["axes"] == []
    assert "What each axis does" not in text


def test_several_worlds_are_told_apart(tmp_path):
    axes = {"step_size": [1e-4, 1e-3], "world": ["easy", "hard"]}
    seen = " ".join(Page(written(made_store(tmp_path / "runs.db", sweep(axes=axes)))).seen.split())
    assert "interquartile mean of error" in seen and "best in its world" in seen


def test_code_that_cannot_be_had_again_is_warned_of(path):
    with Store(path) as store, store.writing():
        store.db.execute("UPDATE sessions SET code = 'abc-dirty'")
    store = Store(path)
    other = store.begin_session()
    with store.writing():
        store.db.execute("UPDATE sessions SET code = 'def' WHERE id = ?", (other,))
        store.db.execute("UPDATE runs SET session = ? WHERE id = 1", (other,))
    store.end_session(other)
    store.close()
    with Records(path) as records:
        found = origins(records, summarised(records))
        assert [(one.code, one.changed) for one in found] == [("abc-dirty", True), ("def", False)]
        assert sum(one.runs for one in found) == 27  # three wait
    seen = Page(written(path)).seen
    assert "more than one state of the code" in seen and "can't be had again" in seen


def test_failures_are_gathered_by_their_last_words(path):
    with Records(path) as records:
        (found,) = failures(summarised(records).runs)
    assert found.reason == "ValueError: <b>too large</b> & seed 0"
    assert found.whole.startswith("Traceback") and len(found.runs) == 3


def test_what_draws_is_named_if_it_is_missing(path, monkeypatch):
    monkeypatch.setattr(library, "PACKAGE", "no-such-package")
    with pytest.raises(missing.Missing, match=r"a report needs no-such-package: pip install '\.\[reports\]'"):
        written(path)
    monkeypatch.setattr(library, "PACKAGE", "numpy")
    with pytest.raises(missing.Missing, match=r"a report needs numpy with its Chart\.bundle\.js"):
        written(path)


# ---- figures ----


def drawn(path, folder):
    with Records(path) as records:
        return [file.name for file in figures.draw(records, summarised(records), folder)]


def test_figures_come_with_what_they_show(path, tmp_path):
    names = drawn(path, tmp_path / "figures")
    for name in ("curves", "axis-step_size", "axis-units"):
        assert {f"{name}.png", f"{name}.svg", f"{name}.csv"} <= set(names)
        assert (tmp_path / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in (tmp_path / "figures" / f"{name}.svg").read_text()
    with open(tmp_path / "figures" / "axis-step_size.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["step_size"], row["seeds"]) for row in rows] == [
        ("0.0001", "5"),
        ("0.001", "5"),
        ("0.01", "5"),
    ]
    with open(tmp_path / "figures" / "curves.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6 * 20 and list(rows[0]) == [
        "setting",
        "digest",
        "step",
        "mean",
        "low",
        "high",
        "runs",
    ]


def test_figures_take_any_name(tmp_path):
    path = made_store(tmp_path / "runs.db", sweep("$x_$ \\frac", {"world": ["$a^$", "b_{"], "units": [4, 8]}))
    assert "axis-units.svg" in drawn(path, tmp_path / "figures")


def test_figures_need_something_to_show_and_something_to_draw_with(path, tmp_path, monkeypatch):
    empty = made_store(tmp_path / "runs.db", leave=lambda run: "waiting")
    with pytest.raises(BadInput, match="figures: expected a sweep with finished runs"):
        drawn(empty, tmp_path / "figures")
    monkeypatch.setattr(figures, "find_spec", lambda name: None)
    with pytest.raises(missing.Missing, match=r"figures needs matplotlib: pip install '\.\[lab\]'"):
        drawn(path, tmp_path / "figures")
