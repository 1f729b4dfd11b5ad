"""The commands of `colonnade`, gathered.

A command is a function in its own file. It imports what is heavy inside itself, so that every other command
starts at once.
"""

from typing import Annotated

import typer

from colonnade.cli.bench.command import bench
from colonnade.cli.demo.command import demo
from colonnade.cli.doctor import doctor
from colonnade.cli.report import report
from colonnade.cli.reproduce.command import reproduce
from colonnade.cli.runs.command import runs
from colonnade.cli.sweep.command import sweep

COMMANDS = (demo, doctor, sweep, reproduce, report)
GROUPS = {"bench": bench, "runs": runs}

app = typer.Typer(invoke_without_command=True, add_completion=False, pretty_exceptions_enable=False)


def _show_version(wanted: bool) -> None:
    if wanted:
        from colonnade import __version__

        typer.echo(f"colonnade {__version__}")
        raise typer.Exit


@app.callback()
def root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Learn online from a stream that never ends, with long memory of the past."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


for command in COMMANDS:
    app.command()(command)

for name, group in GROUPS.items():
    app.add_typer(group, name=name)
