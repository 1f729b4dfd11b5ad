"""The command itself: the sweep read and checked, run in sight, and how to go on if it was stopped."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from colonnade.checks import whole

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
    jobs: Annotated[
        int | None, typer.Option(help="How many runs at a time.", show_default="as many as there are cores")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Try failed runs again.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what there is to do; do nothing.")] = False,
) -> None:
    """Run the settings and seeds of a sweep that aren't in the store yet; stopped, it goes on from there."""
    if jobs is not None:
        whole("jobs", jobs)
    from colonnade.runs.specs import sweep_from

    wanted = sweep_from(spec)
    if dry_run:
        from colonnade.cli.sweep.plan import show

        show(wanted, store)
        return
    from colonnade.runs.local import Local

    _run(wanted, store, lambda: Local(jobs), again, command(spec, store, jobs, again))


def command(spec: str, store: Path, jobs: int | None, again: bool) -> str:
    """Return what to type to go on.

    >>> command("my sizes.toml", Path("runs.db"), jobs=2, again=False)
    "colonnade sweep 'my sizes.toml' --jobs 2"
    """
    words = ["colonnade", "sweep", spec]
    words += ["--store", str(store)] if store != STORE else []
    words += ["--jobs", str(jobs)] if jobs is not None else []
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
