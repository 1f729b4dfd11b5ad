"""Every Python block of the README and the documentation runs, as a reader would run it."""

import sys
from types import ModuleType

import pytest

from docs.pages import PAGES, blocks, name

WITH_CODE = [page for page in PAGES if any(block.language == "python" for block in blocks(page))]


@pytest.mark.parametrize("page", WITH_CODE, ids=name)
def test_the_page_runs(page, tmp_path, monkeypatch):
    """The blocks of a page share their names and run in order, in a folder of their own."""
    module = ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", module)
    monkeypatch.chdir(tmp_path)
    for block in blocks(page):
        if block.language == "python" and block.reason is None:
            source = "\n" * (block.line - 1) + block.code  # so that an error names the line of the page
            exec(compile(source, str(page), "exec"), module.__dict__)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_what_is_not_run_says_why(page):
    assert all(block.reason for block in blocks(page) if block.reason is not None)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_block_says_its_language(page):
    assert [block.line for block in blocks(page) if not block.language] == []
