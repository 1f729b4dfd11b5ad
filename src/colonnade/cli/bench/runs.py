"""`colonnade bench runs`: how much of the engine's speed is left when its runs are a sweep's."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from colonnade.checks import whole
from colonnade.errors import BadInput

if TYPE_CHECKING:
    from colonnade.cli.bench.overhead import Row

INTERRUPTED = 130
LEAST_EVENTS = 40


def runs(
    file: Annotated[Path | None, typer.Option("--json", help="Write the numbers here too.")] = None,
    rounds: Annotated[int, typer.Option(help="How many turns both have; the least time counts.")] = 3,
    count: Annotated[int, typer.Option("--runs", help="How many runs there are; a multiple of 10.")] = 10_000,
    events: Annotated[int, typer.Option(help="How long a run is.")] = 20_000,
    jobs: Annotated[int, typer.Option(help="How many runs at a time.")] = 2,
) -> None:
    """What a sweep costs: short engine runs that are recorded, against the same in bare threads."""
    check(file, rounds, count, events, jobs)
    from colonnade.cli.bench.overhead import Row, loads
    from colonnade.cli.bench.progress import shown

    rows = [Row(load) for load in loads(count, events, jobs)]
    turns = [f"round {n + 1}, {row.load}" for n in range(rounds) for row in rows]
    try:
        with shown("measuring", turns) as each:
            for turn, _ in enumerate(each):
                rows[turn % len(rows)] = rows[turn % len(rows)].again()
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    for number, row in enumerate(rows):
        print(line(row, required=number == 0))
    if file:
        write(rows, rounds, file)


def check(file: Path | None, rounds: int, count: int, events: int, jobs: int) -> None:
    """Refuse options that can't be used."""
    from colonnade.cli.bench.command import check as check_file_and_rounds

    check_file_and_rounds(file, rounds)
    whole("jobs", jobs)
    whole("events", events, least=LEAST_EVENTS)
    if count < 1 or count % 10:
        raise BadInput("runs", expected="a multiple of 10: each setting has 10 seeds", got=count)


def line(row: "Row", required: bool) -> str:
    """Write a row as a line.

    >>> from colonnade.cli.bench.overhead import Load, Row, Spent
    >>> line(Row(Load(100, 2000, 2), swept=Spent(2.0, 3.9), bare=Spent(1.9, 3.8)), required=True)
    '100 runs of 2,000 events, 2 at a time: 95.0 % of the speed of bare threads (2.00 s, 1.90 s),
     required 90 %, reached: yes; 1.00 ms of a processor a run'
    """
    from colonnade.cli.bench.overhead import REQUIRED

    reached = "yes" if row.share >= REQUIRED else "no"
    wanted = f", required {REQUIRED:.0%}, reached: {reached}".replace("%", " %") if required else ""
    times = f"{row.swept.seconds:.2f} s, {row.bare.seconds:.2f} s"
    return (
        f"{row.load}: {100 * row.share:.1f} % of the speed of bare threads ({times}){wanted}; "
        f"{1e3 * row.overhead:.2f} ms of a processor a run"
    )


def write(rows: "list[Row]", rounds: int, file: Path) -> None:
    """Write the numbers, with what they were measured on."""
    from colonnade.cli.bench.origin import origin
    from colonnade.cli.bench.overhead import REQUIRED

    found = {
        "command": "colonnade bench runs",
        "on": origin(),
        "rounds": rounds,
        "required": REQUIRED,
        "loads": [_numbers(row) for row in rows],
    }
    file.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"Numbers: {file}", file=sys.stderr)


def _numbers(row: "Row") -> dict[str, Any]:
    return {
        "runs": row.load.runs,
        "events": row.load.events,
        "jobs": row.load.jobs,
        "swept": row.swept._asdict(),
        "bare": row.bare._asdict(),
        "share": row.share,
        "overhead": row.overhead,
    }
