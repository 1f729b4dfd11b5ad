"""The commands themselves: options checked, the store read, what was asked for shown."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from colonnade.cli.terminal import say
from colonnade.errors import BadInput

if TYPE_CHECKING:
    from colonnade.runs.reading import RecordedRun, Records

STATUSES = ("waiting", "running", "finished", "failed")

runs = typer.Typer(invoke_without_command=True)

Store = Annotated[Path, typer.Argument(help="The file that runs are recorded in.")]
OfSweep = Annotated[
    str | None, typer.Option("--sweep", help="Only runs of this sweep.", show_default="all sweeps")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@runs.callback()
def root(context: typer.Context) -> None:
    """Look into a store, also while a sweep writes to it."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@runs.command("list")
def list_(
    store: Store,
    sweep: OfSweep = None,
    status: Annotated[
        str | None, typer.Option(help=f"One of {', '.join(STATUSES)}.", show_default="any")
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(help="The beginning of a setting's digest, or AXIS=PLACE; may be repeated."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List runs: all of a store, or those that are asked for."""
    if status is not None and status not in STATUSES:
        raise BadInput("status", expected=f"one of {', '.join(STATUSES)}", got=repr(status))
    from colonnade.cli.runs.listing import asked_for, told
    from colonnade.cli.runs.tables import show, show_json
    from colonnade.runs.reading import Records

    with Records(store) as records:
        found = asked_for(_runs(records, sweep), status, setting or [])
        if as_json:
            from colonnade.runs.exporting import as_told

            show_json([as_told(run) for run in found])
        else:
            show(*told(records.sweeps(), found))


@runs.command("show")
def show_(
    store: Store,
    run: Annotated[str, typer.Argument(help="The beginning of the run's identity.")],
    as_json: AsJson = False,
) -> None:
    """Show all that is known of one run: what it was, how it stands, what it measured."""
    from colonnade.cli.runs.showing import as_data, lines
    from colonnade.cli.runs.tables import show_json
    from colonnade.runs.reading import Records

    with Records(store) as records:
        found = records.run(run)
        if as_json:
            show_json(as_data(records, found))
        else:
            for line in lines(records, found):
                print(line)


@runs.command("compare")
def compare(
    store: Store,
    sweep: Annotated[str | None, typer.Argument(show_default="the only one")] = None,
    metric: Annotated[str | None, typer.Option(show_default="the sweep's goal")] = None,
    to: Annotated[
        str | None,
        typer.Option(help="Compare with this setting: its name or digest.", show_default="the best"),
    ] = None,
    across: Annotated[
        list[str] | None,
        typer.Option(help="An axis that says which world it is; may be repeated.", show_default="world.…"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare the settings of a sweep: means, intervals, differences, probabilities of improvement."""
    from colonnade.cli.runs.comparing import as_data, notes, told
    from colonnade.cli.runs.tables import printable, show, show_json
    from colonnade.runs.comparing import compared, contenders, wanted
    from colonnade.runs.reading import Records
    from colonnade.runs.summary import summarised

    with Records(store) as records:
        summary = summarised(records, sweep, metric)
    some = contenders(summary, across)
    other = wanted(some, to) if to else some[0]
    rows = compared(some, other, summary.sign)
    if as_json:
        show_json(as_data(rows, other))
        return
    for line in notes(summary, other, across):  # beside the table, for whoever reads only that
        print(printable(line), file=sys.stderr)
    show(*told(rows, other))


@runs.command("export")
def export(
    store: Store,
    file: Annotated[Path | None, typer.Argument(help="A file: .parquet, .csv or .json.")] = None,
    sweep: OfSweep = None,
    tensorboard: Annotated[Path | None, typer.Option(help="A folder for TensorBoard.")] = None,
    mlflow: Annotated[str | None, typer.Option(help="The address of an MLflow server.")] = None,
) -> None:
    """Write all that was read to a file, or hand the runs that are over on to TensorBoard or MLflow."""
    if file is None and tensorboard is None and mlflow is None:
        raise BadInput("file", expected="a file to write, --tensorboard or --mlflow", got="none of them")
    from colonnade.runs.exporting import export as write
    from colonnade.runs.reading import Records
    from colonnade.runs.trackers import to_mlflow, to_tensorboard

    with Records(store) as records:
        if file:
            say(f"{file}: {write(records, file, sweep):,} runs")
        if tensorboard:
            new = to_tensorboard(records, tensorboard, sweep)
            say(f"{new:,} new runs in {tensorboard}: tensorboard --logdir {tensorboard}")
        if mlflow:
            say(f"{to_mlflow(records, mlflow, sweep):,} new runs at {mlflow}")


def _runs(records: "Records", sweep: str | None) -> "list[RecordedRun]":
    """Return the runs of a sweep, which must be there, or of all."""
    return records.runs(records.sweep(sweep).name if sweep else None)
