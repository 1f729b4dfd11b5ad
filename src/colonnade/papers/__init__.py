"""Published experiments: what was asked, run as sweeps, and whether it comes out as was claimed.

A paper is a module with `TITLE`, `SOURCE` and `ITEMS`; it loads when it is asked for.
"""

from importlib import import_module

from colonnade.errors import BadInput
from colonnade.papers.item import Item

PAPERS = {"ccn": "colonnade.papers.ccn"}


def items(paper: str) -> dict[str, Item]:
    """Return a paper's items by name.

    >>> "trace-patterning" in items("ccn")
    True
    """
    if paper not in PAPERS:
        raise BadInput("paper", expected=f"one of {', '.join(PAPERS)}", got=repr(paper))
    module = import_module(PAPERS[paper])
    return {item.name: item for item in module.ITEMS}


def item(paper: str, name: str) -> Item:
    """Return one item of a paper."""
    found = items(paper)
    if name not in found:
        raise BadInput("item", expected=f"one of {', '.join(found)}", got=repr(name))
    return found[name]
