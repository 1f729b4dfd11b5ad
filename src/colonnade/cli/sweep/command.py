"""The command itself: the sweep read and checked, run in sight, and how to go on if it was stopped."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from colonnade.cli.where import JobsOption, RayOption, Where

if TYPE_CHECKING:
    from colonnade.runs.driver import State
    from colonnade.runs.executor import Executor
    from colonnade.runs.store import Store
    from colonnade.runs.sweep import Sweep

STORE = Path("runs.db")
FAILED, INTERRUPTED = 1, 130


def sweep(
    spec: Annotated[str, typer.Argument(help="FILE.toml, FILE.py:FUNCTION or MODULE:FUNCTION.")],
    store: Annotated[Path, typer.Option(help="The file that runs are recorded in.")] = STORE,
    jobs: JobsOption = None,
    ray: RayOption = None,
    again: Annotated[bool, typer.Option("--again", help="Try failed runs again.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what there is to do; do nothing.")] = False,
) -> None:
    """Run the settings and seeds of a sweep that aren't in the store yet; stopped, it goes on from there."""
    where = Where(jobs, ray)
    from colonnade.runs.specs import sweep_from

    wanted = sweep_from(spec)
    if dry_run:
        from colonnade.cli.sweep.plan import show

        show(wanted, store)
        return
    _run(wanted, store, where.executor, again, command(spec, store, where, again))


def command(spec: str, store: Path, where: Where, again: bool) -> str:
    """Return what to type to go on.

    >>> command("my sizes.toml", Path("runs.db"), Where(jobs=2), again=False)
    "colonnade sweep 'my sizes.toml' --jobs 2"
    """
    words = ["colonnade", "sweep", spec]
    words += ["--store", str(store)] if store != STORE else []
    words += where.words
    return shlex.join([*words, "--again"] if again else words)


def _run(wanted: "Sweep", path: Path, executor: "Callable[[], Executor]", again: bool, resume: str) -> None:
    """Run it, and leave with the code for what came of it."""
    from colonnade.cli.sweep.outcome import outcome
    from colonnade.cli.terminal import say
    from colonnade.runs.store import Store

    with Store(path) as store:
        state, code = run_in_sight(wanted, store, executor(), again, resume)
        if state and not code:
            for line in outcome(state, store, resume):
                say(line)
    if code:
        raise typer.Exit(code)


def run_in_sight(
    wanted: "Sweep", store: "Store", executor: "Executor", again: bool, resume: str
) -> "tuple[State | None, int]":
    """Run a sweep and show it; if it isn't all there in the end, say why and how to go on."""
    from colonnade.cli.sweep.interruption import Interruption
    from colonnade.cli.sweep.outcome import at_once, outcome
    from colonnade.cli.sweep.screen import Shown
    from colonnade.cli.terminal import say
    from colonnade.runs.driver import drive

    shown = Shown()
    with Interruption() as interruption:
        try:
            with shown:
                state = drive(wanted, store, executor, shown, lambda: interruption.asked, again)
        except KeyboardInterrupt:
            for line in at_once(shown.state, resume):
                say(line)
            return shown.state, INTERRUPTED
        if code := code_of(state):
            for line in outcome(state, store, resume):
                say(line)
        return state, code


def code_of(state: "State") -> int:
    """Return 0 if all are finished, 1 if some failed, 130 if it was stopped before all were done."""
    if state.counts["finished"] + state.counts["failed"] < state.total:
        return INTERRUPTED
    return FAILED if state.counts["failed"] else 0
