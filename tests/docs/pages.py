"""The pages that a newcomer reads, and what is found in them."""

import re
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
DOCS = ROOT / "docs"
PAGES = [README, CONTRIBUTING, *sorted(DOCS.rglob("*.md"))]

_FENCE = re.compile(
    r"(?:<!-- not run: *(?P<reason>[^\n]*?) *-->\n\s*)?"
    r"(?:<!-- needs: *(?P<needs>[^\n]*?) *-->\n\s*)?"
    r"^(?P<ticks> *```+)(?P<language>\w*)[^\n]*\n(?P<code>.*?)^(?P=ticks)$",
    re.MULTILINE | re.DOTALL,
)
_LINK = re.compile(r"!?\[[^\]]*\]\((?P<target>[^)\s]+)(?:\s+\"[^\"]*\")?\)")


class Block(NamedTuple):
    """A fenced block: its language, its code, the line it starts at, and why it isn't run, if it isn't.

    What needs a package that isn't installed isn't run.
    """

    language: str
    code: str
    line: int
    reason: str | None


def name(page: Path) -> str:
    """The page's path in the checkout."""
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[Block]:
    """Every fenced block of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            found["language"],
            dedent(found["code"]),
            text.count("\n", 0, found.start("code")) + 1,
            found["reason"] or _missing(found["needs"] or ""),
        )
        for found in _FENCE.finditer(text)
    ]


def _missing(needs: str) -> str | None:
    """Say which of these packages aren't installed."""
    missing = [package for package in re.findall(r"\w+", needs) if find_spec(package) is None]
    return f"needs {', '.join(missing)}" if missing else None


def prose(page: Path) -> str:
    """A page without its fenced blocks."""
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


def links(page: Path) -> list[str]:
    """What a page links to and the pictures it shows, but for other sites."""
    found = [match["target"] for match in _LINK.finditer(prose(page))]
    return [target for target in found if not re.match(r"[a-z]+:", target)]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings."""
    titles = re.findall(r"^#+ +(.+?) *$", prose(page), re.MULTILINE)
    return {re.sub(r"[ -]+", "-", re.sub(r"[^\w\s-]", "", title.lower()).strip()) for title in titles}
