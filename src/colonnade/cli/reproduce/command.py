"""The command itself: items listed, run and written down, or what is written judged."""

import shlex
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from colonnade.checks import whole
from colonnade.cli.where import JobsOption, RayOption, Where
from colonnade.errors import BadInput

if TYPE_CHECKING:
    from colonnade.papers.item import Item, Scale
    from colonnade.runs.driver import State
    from colonnade.runs.store import Store
    from colonnade.runs.sweep import Sweep

STORE, RESULTS = Path("runs.db"), Path("results")
NOT_HELD = 1


def reproduce(
    paper: Annotated[str, typer.Argument(help="The paper; --list shows them.")] = "",
    item: Annotated[str, typer.Argument(help="One of its items.", show_default="all")] = "",
    scale: Annotated[str, typer.Option(help="How much to spend: quick, laptop or paper.")] = "quick",
    seeds: Annotated[int | None, typer.Option(help="Seeds.", show_default="the scale's")] = None,
    store: Annotated[Path, typer.Option(help="The file that runs are recorded in.")] = STORE,
    results: Annotated[Path, typer.Option(help="The folder that results are written to.")] = RESULTS,
    jobs: JobsOption = None,
    ray: RayOption = None,
    retry: Annotated[bool, typer.Option("--again", help="Try failed runs again.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Run nothing: judge what is written.")] = False,
    list_all: Annotated[bool, typer.Option("--list", help="Show every item and what it takes.")] = False,
) -> None:
    """Run a paper's experiments again, and judge whether its claims hold."""
    if list_all:
        from colonnade.cli.reproduce.listing import show

        show(paper)
        return
    chosen = _chosen(paper, item)
    if check:
        _check(paper, chosen, results)
        return
    where = Where(jobs, ray)
    if seeds is not None:
        whole("seeds", seeds)
    from colonnade.papers.item import Scale

    wanted = Scale(scale, seeds)  # type: ignore[arg-type]  # Scale refuses what it doesn't know
    _perform(paper, chosen, wanted, store, results, where, retry)


def command(paper: str, item: str, scale: "Scale", store: Path, where: Where) -> str:
    """Return what to type to get the same.

    >>> from colonnade.papers.item import Scale
    >>> command("ccn", "interval", Scale("laptop", 5), STORE, Where())
    'colonnade reproduce ccn interval --scale laptop --seeds 5'
    """
    words = ["colonnade", "reproduce", paper, item, "--scale", scale.name]
    words += ["--seeds", str(scale.seeds)] if scale.seeds is not None else []
    words += ["--store", str(store)] if store != STORE else []
    return shlex.join([*words, *where.words])


def _chosen(paper: str, name: str) -> "list[Item]":
    from colonnade.papers import PAPERS, item, items

    if not paper:
        raise BadInput("paper", expected=f"one of {', '.join(PAPERS)}, or --list", got="none")
    return [item(paper, name)] if name else list(items(paper).values())


def _check(paper: str, items: "list[Item]", results: Path) -> None:
    """Judge what is written, and leave with 1 if something didn't hold."""
    from colonnade.cli.reproduce.verdicts import show
    from colonnade.papers.check import check

    verdicts = check(paper, items, results)
    show(verdicts)
    if not all(verdict.holds for verdict in verdicts):
        raise typer.Exit(NOT_HELD)


def _perform(
    paper: str,
    items: "list[Item]",
    scale: "Scale",
    path: Path,
    results: Path,
    where: Where,
    retry: bool,
) -> None:
    """Run items one after another, and show what came of each."""
    from colonnade.cli.reproduce.verdicts import show
    from colonnade.cli.terminal import say
    from colonnade.papers.check import check
    from colonnade.papers.perform import perform, write
    from colonnade.runs.store import Store

    for item in items:
        again = command(paper, item.name, scale, path, where)
        with Store(path) as store:
            record = perform(paper, item, scale, store, partial(_drive, where, again, retry), again)
        written = write(record, item, results)
        show(check(paper, [item], results))
        say(f"Written: {', '.join(str(file) for file in written)}")
        sys.stdout.flush()


def _drive(where: Where, again: str, retry: bool, sweep: "Sweep", store: "Store") -> "State":
    """Run one of an item's sweeps in sight; leave, with word of how to go on, if it isn't all there."""
    from colonnade.cli.sweep.command import run_in_sight

    state, code = run_in_sight(sweep, store, where.executor(), again=retry, resume=again)
    if code or state is None:
        raise typer.Exit(code)
    return state
