"""Sweeps as Python functions: found by file or module, and what is wrong with one is said in a line."""

import sys
from textwrap import dedent

import pytest

from colonnade import BadInput
from colonnade.runs.specs import sweep_from

STUDY = """
from dataclasses import dataclass
from colonnade.runs.experiment import Computed
from colonnade.runs.sweep import Sweep, Goal, grid

@dataclass(frozen=True)
class Squares(Computed):
    factor: float = 1.0
    steps: int = 3

    def readings(self, seed):
        for step in range(1, self.steps + 1):
            yield step, {"square": self.factor * step**2 + seed}

def squares():
    return Sweep("squares", grid(Squares(), {"factor": [1.0, 2.0]}), (0, 1), goal=Goal("square"))

def nothing():
    pass

def broken():
    return 1 / 0

def impossible():
    return Sweep("squares", grid(Squares(), {"facto": [1.0]}), (0,))

def of_size(size):
    return squares()

def _hidden():
    return squares()
"""


@pytest.fixture(autouse=True)
def path_as_it_was(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.fixture
def study(tmp_path):
    (tmp_path / "my_study.py").write_text(STUDY)
    return str(tmp_path / "my_study.py")


def test_a_function_of_a_file(study):
    sweep = sweep_from(f"{study}:squares")
    assert len(sweep.runs()) == 4
    assert '"kind":"my_study:Squares"' in sweep.runs()[0].spec


def test_a_function_of_a_module(tmp_path, monkeypatch):
    (tmp_path / "studies").mkdir()
    (tmp_path / "studies" / "first.py").write_text(STUDY)
    monkeypatch.chdir(tmp_path)
    assert sweep_from("studies.first:squares").name == "squares"
    assert sys.path[0] == str(tmp_path)


WRONG = {
    "": "{study}: expected one of {study}:squares, {study}:nothing, {study}:broken, {study}:impossible,"
    " got no function",
    ":square": "{study}:square: expected one of {study}:squares, {study}:nothing, {study}:broken,"
    " {study}:impossible, got no function 'square'",
    ":nothing": "{study}:nothing: expected a function that returns a Sweep, got NoneType",
    ":broken": "{study}:broken: expected a function that returns a Sweep, got ZeroDivisionError: division by"
    " zero (my_study.py, line 22)",
    ":impossible": "{study}:impossible: facto: expected one of factor, steps, got 'facto'",
}


@pytest.mark.parametrize("function", WRONG)
def test_what_is_wrong_with_a_function_is_said(study, function):
    with pytest.raises(BadInput) as caught:
        sweep_from(study + function)
    assert str(caught.value) == WRONG[function].format(study=study)


def test_a_function_with_arguments_is_refused(study):
    with pytest.raises(BadInput, match=r"TypeError: of_size\(\) missing 1 required positional argument"):
        sweep_from(f"{study}:of_size")


def refused(spec):
    with pytest.raises(BadInput) as caught:
        sweep_from(spec)
    return str(caught.value)


def test_files_and_modules_that_cannot_be_imported(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "faulty.py").write_text("import nowhere_to_be_found\n")
    (tmp_path / "unfinished.py").write_text("a = 1\ndef f(:\n")
    (tmp_path / "my-study.py").write_text("")
    (tmp_path / "types.py").write_text(STUDY)
    lines = dedent("""
        spec: expected FILE.toml, FILE.py:FUNCTION or MODULE:FUNCTION, got sizes.yaml
        spec: expected FILE.toml, FILE.py:FUNCTION or MODULE:FUNCTION, got :sizes
        spec: expected a file that is there, got none.py
        spec: expected a file whose name Python can import, got my-study.py
        spec: expected a file with a name of its own, got types.py: there is another module 'types' already
    """)
    specs = ("sizes.yaml", ":sizes", "none.py:f", "my-study.py:f", "types.py:squares")
    assert [refused(spec) for spec in specs] == lines.split("\n")[1:-1]
    assert refused("faulty.py:f").endswith("No module named 'nowhere_to_be_found' (faulty.py, line 1)")
    assert "SyntaxError" in (said := refused("unfinished.py:f")) and said.endswith("(unfinished.py, line 2)")
    assert refused("no.such.module:f").startswith("no.such.module: expected a module that can be imported")
