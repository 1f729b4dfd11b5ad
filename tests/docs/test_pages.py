"""What the pages point at exists: links, pictures, commands, files, and a reference of every name."""

import re
import tomllib
from importlib import import_module

import pytest

import colonnade
from colonnade.cli.app import COMMANDS, GROUPS
from docs.pages import CONTRIBUTING, DOCS, PAGES, README, ROOT, anchors, blocks, links, name, prose

PUBLIC = sorted(set(colonnade.__all__) - {"__version__"})
FOLDERS = ("src", "tests", "docs", "benchmarks", "core", "results")


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_and_pictures_exist(page):
    for target in links(page):
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.is_file(), f"{name(page)} points at {target}"
        assert not anchor or anchor in anchors(linked), f"{name(page)} points at {target}"


@pytest.mark.parametrize("page", [page for page in PAGES if DOCS in page.parents], ids=name)
def test_a_page_links_within_the_documentation(page):
    """What MkDocs builds can show nothing from outside its folder."""
    assert all(DOCS in (page.parent / target.partition("#")[0]).resolve().parents for target in links(page))


def test_the_navigation_lists_every_page():
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    navigation = settings.partition("\nnav:\n")[2].partition("\n\n")[0]
    listed = re.findall(r": *(\S+\.md)$", navigation, re.MULTILINE)
    assert sorted(listed) == sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))


@pytest.mark.parametrize("public", PUBLIC)
def test_the_reference_has_every_public_name(public):
    """Its room has a page, and the page shows the file that defines it."""
    home = colonnade._HOMES[public]
    page = DOCS / "api" / f"{home.removeprefix('colonnade.')}.md"
    shown = set(re.findall(r"^::: (\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE))
    files = [room for room in shown if public in _defined_in(room)]
    assert files, f"{name(page)} shows no file with {public}"


def _defined_in(module):
    """The names of a module that are its own."""
    found = vars(import_module(module))
    return {
        known
        for known, value in found.items()
        if getattr(value, "__module__", module) == module or not hasattr(value, "__module__")
    }


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_targets_of_make_exist(page):
    known = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z]+)\b", _commands(page))) <= known


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_commands_exist(page):
    known = {command.__name__ for command in COMMANDS} | set(GROUPS)
    assert set(re.findall(r"^colonnade ([a-z]+)", _commands(page), re.MULTILINE)) <= known


def _commands(page):
    """Shell blocks, and what stands in backticks."""
    shell = [block.code for block in blocks(page) if block.language == "sh"]
    return "\n".join([*shell, *re.findall(r"`([^`\n]+)`", prose(page))])


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_files_that_are_named_exist(page):
    named = re.findall(rf"`((?:{'|'.join(FOLDERS)})/[\w./-]*)`", prose(page))
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_rooms_are_those_that_the_linter_holds_to():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = [re.findall(r"\w+", layer) for layer in settings["contracts"][0]["layers"]]
    there = {path.stem for path in (ROOT / "src" / "colonnade").iterdir()}
    rooms = [found for layer in layers if (found := [room for room in layer if room in there])]
    assert [line.split() for line in blocks(CONTRIBUTING)[2].code.splitlines()] == rooms


def test_the_first_screen_says_how_to_begin():
    first = "\n".join(README.read_text(encoding="utf-8").splitlines()[:20])
    for wanted in ("make demo", "make test", "docs/images/demo.png", "Python 3.11"):
        assert wanted in first


def test_the_readme_leads_on():
    linked = set(links(README))
    pages = {name(page) for page in DOCS.glob("*.md")}
    assert pages | {name(CONTRIBUTING), "CHANGELOG.md", "CITATION.cff", "LICENSE"} <= linked
