"""`colonnade report`: what a sweep came to, as one page and as figures."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from colonnade.cli.terminal import say
from colonnade.errors import BadInput

PAGE = Path("report.html")
MEGABYTE = 1e6


def report(
    store: Annotated[Path, typer.Argument(help="The file that runs are recorded in.")],
    sweep: Annotated[str | None, typer.Argument(show_default="the only one")] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The page.")] = PAGE,
    metric: Annotated[str | None, typer.Option(help="Judge by it.", show_default="the sweep's goal")] = None,
    figures: Annotated[
        Path | None, typer.Option(help="A folder for the figures too: PNG, SVG and their data as CSV.")
    ] = None,
) -> None:
    """Write a page that needs no network: curves, what each axis does, every setting, failures, origin."""
    for name, folder in (("output", output.parent), ("figures", figures.parent if figures else Path())):
        if not folder.is_dir():
            raise BadInput(name, expected="a place in a folder that is there", got=str(folder))
    from colonnade.runs.exporting import whole
    from colonnade.runs.reading import Records
    from colonnade.runs.report.page import page
    from colonnade.runs.summary import summarised

    with Records(store) as records:
        summary = summarised(records, sweep, metric)
        written = page(records, summary, command(store, sweep, metric))
        with whole(output) as file:
            file.write_text(written, encoding="utf-8")
        say(f"{output}: {len(summary.runs):,} runs, {output.stat().st_size / MEGABYTE:.1f} MB")
        if figures:
            from colonnade.runs.report.figures import draw

            for drawn in draw(records, summary, figures):
                say(str(drawn))


def command(store: Path, sweep: str | None, metric: str | None) -> str:
    """Return what the page was made with; of the store's place only its name.

    >>> command(Path("/data/runs.db"), "my sizes", None)
    "colonnade report runs.db 'my sizes'"
    """
    words = ["colonnade", "report", store.name, *([sweep] if sweep else [])]
    return shlex.join([*words, *(["--metric", metric] if metric else [])])
