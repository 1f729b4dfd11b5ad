"""The command itself: options checked, learning shown, what came out written down."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from colonnade.checks import number, whole
from colonnade.cli import INTERRUPTED
from colonnade.errors import BadInput

if TYPE_CHECKING:
    from colonnade.cli.demo.record import Record

TRUNCATIONS = (2, 3, 5, 8, 10, 15, 20, 30)  # of the published comparison
FOLDER = Path("colonnade-demo")
MOST_WORLDS = 100
FILES_TAKE = 5.0  # seconds that are left for writing


def demo(
    seconds: Annotated[
        float, typer.Option(help="How long it takes at most in all: start, learning, writing.")
    ] = 55.0,
    events: Annotated[
        int, typer.Option(help="How many events of each world there are at most.")
    ] = 12_000_000,
    seed: Annotated[int, typer.Option(help="The first world's seed; the next ones follow.")] = 0,
    worlds: Annotated[int, typer.Option(help="How many worlds are learned at the same time.")] = 3,
    truncation: Annotated[
        int | None, typer.Option(help="T-BPTT's truncation.", show_default="the one that costs as much")
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder for the picture and the page.")] = FOLDER,
) -> None:
    """See it learn, within a minute: columns in stages (CCN) and T-BPTT at equal cost, on the same events."""
    clock = _clock()
    check(seconds, events, seed, worlds, truncation)
    check_folder(out)
    from colonnade.cli.demo.record import Record
    from colonnade.worlds import TracePatterning

    world = TracePatterning()
    seeds = range(seed, seed + worlds)
    record = Record(world.best_error(), world.zero_error(), seeds, events, max(0.0, seconds - FILES_TAKE))
    interrupted = False
    try:
        _run(record, truncation, clock)
    except KeyboardInterrupt:
        interrupted = True
        print("\nInterrupted.")
    if record.events:
        _write(record, out, interrupted)
    elif interrupted:
        print("Nothing was learned yet, so nothing was written.")
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def check(seconds: float, events: int, seed: int, worlds: int, truncation: int | None) -> None:
    """Refuse options that cannot be used."""
    number("seconds", seconds, low=1.0, high=86_400.0)
    whole("events", events)
    whole("seed", seed, least=0)
    if seed >= 2**32:
        raise BadInput("seed", expected="a whole number below 2**32", got=seed)
    whole("worlds", worlds)
    if worlds > MOST_WORLDS:
        raise BadInput("worlds", expected=f"at most {MOST_WORLDS}", got=worlds)
    if truncation is not None and truncation not in TRUNCATIONS:
        known = ", ".join(map(str, TRUNCATIONS))
        raise BadInput("truncation", expected=f"one of {known}", got=truncation)


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


def _run(record: "Record", truncation: int | None, clock: Callable[[], float]) -> None:
    """Prepare and learn, in sight."""
    from colonnade.cli.demo.screen import shown

    with shown(record, clock) as report:
        report()
        draws()  # Matplotlib takes its time to load: not in the end
        from colonnade.cli.demo.contenders import prepare
        from colonnade.cli.demo.learning import learn

        learn(prepare(record.seeds, truncation), record, clock, report)


def draws() -> bool:
    """Whether there is what the picture is drawn with; it is loaded."""
    try:
        import colonnade.cli.demo.figure  # noqa: F401
    except ModuleNotFoundError:
        return False
    return True


def _write(record: "Record", out: Path, interrupted: bool) -> None:
    """Say what came out, and write the picture and the page."""
    from colonnade.cli.demo.page import page, result
    from colonnade.cli.terminal import say

    say(result(record))
    written = out / "demo.html"
    written.write_text(page(record, interrupted), encoding="utf-8")
    if draws():
        from colonnade.cli.demo.figure import save

        picture = out / "demo.png"
        save(record, picture)
        print(f"Picture: {picture}")
    else:
        say("Picture: none without Matplotlib: pip install matplotlib")
    print(f"Page:    {written}")
