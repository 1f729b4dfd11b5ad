"""The command itself: options checked, everybody timed in sight, the table shown."""

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from colonnade.checks import whole
from colonnade.cli.bench.runs import runs
from colonnade.errors import BadInput

if TYPE_CHECKING:
    from colonnade.cli.bench.measures import Measure
    from colonnade.cli.bench.measuring import Contestant, Times
    from colonnade.cli.bench.table import Findings

MOST_ROUNDS = 10_000
LIMITS = "limits of one core"
INTERRUPTED = 130

bench = typer.Typer(invoke_without_command=True)


@bench.callback()
def root(context: typer.Context) -> None:
    """See how fast it is, beside others that do the same."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


bench.command()(runs)


@bench.command()
def engine(
    file: Annotated[Path | None, typer.Option("--json", help="Write the numbers here too.")] = None,
    rounds: Annotated[int, typer.Option(help="How many turns everybody has; the least time counts.")] = 50,
    only: Annotated[
        str, typer.Option(help="Measure only what has all of these words, such as 'plain 275' or 'limits'.")
    ] = "",
    deep_river: Annotated[
        bool, typer.Option("--deep-river", help="Make deep-river's own environment first, if need be.")
    ] = False,
) -> None:
    """The compiled engine's speed: against peers in the same run, and against the machine's own limits."""
    check(file, rounds)
    from colonnade.cli.bench.measures import engine_measures
    from colonnade.cli.bench.measuring import Times

    measures = chosen(engine_measures(deep_river), only)
    limits = has_words(LIMITS, only)
    if not measures and not limits:
        raise BadInput("only", expected="words of a measure, such as 'plain' or 'limits'", got=repr(only))
    times = Times()
    interrupted = False
    try:
        measure(everybody(measures, limits), rounds, times)
    except KeyboardInterrupt:
        interrupted = True
        print("Interrupted.", file=sys.stderr)
    if times.rounds:
        found = findings(measures, limits, times)
        show(found)
        if file:
            write(found, file)
    elif interrupted:
        print("Nothing was measured yet.", file=sys.stderr)
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def check(file: Path | None, rounds: int) -> None:
    """Refuse options that cannot be used."""
    whole("rounds", rounds)
    if rounds > MOST_ROUNDS:
        raise BadInput("rounds", expected=f"at most {MOST_ROUNDS}", got=rounds)
    if file:
        try:
            file.touch()
        except OSError as failure:
            reason = f"{file} ({failure.strerror})"
            raise BadInput("json", expected="a file that can be written", got=reason) from None


def has_words(name: str, only: str) -> bool:
    """Whether a name has all of these words, or the beginnings of them.

    >>> has_words("275 inputs, 5 columns, run, against plain C", "plain 275")
    True
    >>> has_words("limits of one core", "plain")
    False
    """
    return all(word in name.casefold() for word in only.casefold().split())


def chosen(measures: "tuple[Measure, ...]", only: str) -> "tuple[Measure, ...]":
    """The measures that were asked for."""
    return tuple(measure for measure in measures if has_words(measure.name, only))


def everybody(measures: "tuple[Measure, ...]", limits: bool) -> "list[Contestant]":
    """Everybody who must be timed, each once."""
    from colonnade.cli.bench.measures import HELD, machine_contestants

    timed = [contestant for measure in measures for contestant in measure.contestants]
    if limits:
        timed += [*HELD, *machine_contestants()]
    return list(dict.fromkeys(timed))


def measure(contestants: "list[Contestant]", rounds: int, times: "Times") -> None:
    """Get everybody ready and let them take turns, in sight."""
    from colonnade.cli.bench.measuring import begin, take_turns
    from colonnade.cli.bench.progress import shown

    with ExitStack() as until_done:
        with shown("getting ready", contestants) as each:
            begun = {contestant: begin(contestant, times, until_done) for contestant in each}
        ready = {contestant: once for contestant, once in begun.items() if once}
        with shown("measuring", [f"round {n}" for n in range(1, rounds + 1)]) as each_round:
            for _ in each_round:
                take_turns(ready, times)


def findings(measures: "tuple[Measure, ...]", limits: bool, times: "Times") -> "Findings":
    """What came out."""
    from colonnade.cli.bench.measures import judge, machine, standings
    from colonnade.cli.bench.measuring import NotMeasured
    from colonnade.cli.bench.table import Findings

    rows = [judge(one, times) for one in measures]
    if not limits:
        return Findings(rows, times.rounds)
    try:
        return Findings(rows, times.rounds, machine(times), standings(times))
    except NotMeasured as reason:
        return Findings(rows, times.rounds, limits_missing=str(reason))


def show(found: "Findings") -> None:
    """Print the table: drawn in a terminal, as plain lines elsewhere."""
    from colonnade.cli.bench.table import drawn, lines

    if sys.stdout.isatty():
        from rich.console import Console

        Console().print(drawn(found))
    else:
        print("\n".join(lines(found)))


def write(found: "Findings", file: Path) -> None:
    """Write the numbers."""
    from colonnade.cli.bench.table import as_json

    file.write_text(json.dumps(as_json(found), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"Numbers: {file}", file=sys.stderr)
