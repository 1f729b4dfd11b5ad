"""The command itself: options checked, learning shown, what came out written down."""

import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from colonnade.checks import number, whole
from colonnade.errors import BadInput

if TYPE_CHECKING:
    from colonnade.cli.demo.record import Record

LAB = ("jax", "optax", "jaxtyping", "matplotlib")
TRUNCATIONS = (2, 3, 5, 8, 10, 15, 20, 30)  # of the published comparison
FOLDER = Path("colonnade-demo")
FILES_TAKE = 5.0  # seconds that are left for writing
INTERRUPTED = 130


def demo(
    seconds: Annotated[
        float, typer.Option(help="How long it takes in all: start, compiling, learning, writing.")
    ] = 52.0,
    seed: Annotated[int, typer.Option(help="What everything random follows from.")] = 0,
    columns: Annotated[int, typer.Option(help="Columns of the columnar learner.")] = 14,
    truncation: Annotated[
        int | None, typer.Option(help="T-BPTT's truncation.", show_default="the one that costs as much")
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder for the picture and the page.")] = FOLDER,
) -> None:
    """See it learn, for a minute: columns with exact RTRL and T-BPTT at the same cost, on the same events."""
    clock = _clock()
    check(seconds, seed, columns, truncation)
    check_lab()
    check_folder(out)
    from colonnade.cli.demo.record import Record
    from colonnade.worlds import TracePatterning

    world = TracePatterning()
    record = Record(world.best_error(), world.zero_error(), seed, max(0.0, seconds - FILES_TAKE))
    interrupted = False
    try:
        _run(record, columns, truncation, clock)
    except KeyboardInterrupt:
        interrupted = True
        print("\nInterrupted.")
    if record.events:
        _write(record, out, interrupted)
    elif interrupted:
        print("Nothing was learned yet, so nothing was written.")
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def check(seconds: float, seed: int, columns: int, truncation: int | None) -> None:
    """Refuse options that cannot be used."""
    number("seconds", seconds, low=1.0, high=86_400.0)
    whole("seed", seed, least=0)
    if seed >= 2**32:
        raise BadInput("seed", expected="a whole number below 2**32", got=seed)
    whole("columns", columns)
    if columns > 1000:
        raise BadInput("columns", expected="at most 1000", got=columns)
    if truncation is not None and truncation not in TRUNCATIONS:
        known = ", ".join(map(str, TRUNCATIONS))
        raise BadInput("truncation", expected=f"one of {known}", got=truncation)


def check_lab() -> None:
    """Leave with one line if what the demo learns and draws with isn't installed."""
    missing = [package for package in LAB if find_spec(package) is None]
    if missing:
        needs = ", ".join(missing)
        print(
            f"colonnade: demo needs {needs}: install with pip install '.[lab]' in a checkout", file=sys.stderr
        )
        raise typer.Exit(2)


def check_folder(out: Path) -> None:
    """Make the folder, and refuse it if nothing can be written there."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out):
            pass
    except OSError as failure:
        raise BadInput(
            "out", expected="a folder that can be written", got=f"{out} ({failure.strerror})"
        ) from None


def _clock() -> Callable[[], float]:
    """Start a clock: it says how many seconds have gone by."""
    began = time.monotonic()
    return lambda: time.monotonic() - began


def _run(record: "Record", columns: int, truncation: int | None, clock: Callable[[], float]) -> None:
    """Prepare and learn, in sight."""
    from colonnade.cli.demo.screen import shown

    with shown(record, clock) as report:
        report()
        from colonnade.cli.demo.contenders import prepare
        from colonnade.cli.demo.learning import learn

        record.stage = "counting operations"
        report()
        learn(prepare(columns, truncation), record, clock, report)


def _write(record: "Record", out: Path, interrupted: bool) -> None:
    """Say what came out, and write the picture and the page."""
    from colonnade.cli.demo.figure import save
    from colonnade.cli.demo.page import page, result
    from colonnade.cli.terminal import say

    say(result(record))
    picture, written = out / "demo.png", out / "demo.html"
    save(record, picture)
    written.write_text(page(record, interrupted), encoding="utf-8")
    print(f"Picture: {picture}")
    print(f"Page:    {written}")
