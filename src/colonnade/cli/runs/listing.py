"""`colonnade runs list`: which runs are asked for, and a row for each."""

from collections.abc import Iterator, Sequence

from colonnade.cli.numbers import duration
from colonnade.errors import BadInput
from colonnade.runs.reading import RecordedRun, RecordedSweep
from colonnade.runs.summary import axes_of, named, shortened, shown

SHORT = 8  # digits of an identity that are shown


def asked_for(runs: Sequence[RecordedRun], status: str | None, settings: Sequence[str]) -> list[RecordedRun]:
    """Return the runs that stand so, and whose settings begin or are placed so."""
    for wanted in settings:
        axis, equals, _ = wanted.partition("=")
        known = {axis for run in runs for axis in run.label}
        if equals and axis not in known | set(shortened(sorted(known)).values()):
            names = ", ".join(sorted(known)) or "none"
            raise BadInput("setting", expected=f"AXIS=PLACE with an axis of {names}", got=repr(wanted))
    return [
        run
        for run in runs
        if (status is None or run.status == status) and all(_is(run, wanted) for wanted in settings)
    ]


def told(
    sweeps: Sequence[RecordedSweep], runs: Sequence[RecordedRun]
) -> tuple[list[str], Iterator[list[str]]]:
    """Return the heads and the rows of the list."""
    several = len({run.sweep for run in runs}) > 1
    heads = ["run", *(["sweep"] if several else []), "setting", "seed", "status", "step", "work"]
    return heads, _rows(sweeps, runs, several)


def _rows(sweeps: Sequence[RecordedSweep], runs: Sequence[RecordedRun], several: bool) -> Iterator[list[str]]:
    of = {sweep.name: [run for run in runs if run.sweep == sweep.name] for sweep in sweeps}
    axes = {sweep.name: list(axes_of(sweep, of[sweep.name])) for sweep in sweeps}
    for run in runs:
        setting = named(run.label, axes[run.sweep]) or run.setting[:SHORT]
        step = f"{run.step:,}" if run.step == run.steps else f"{run.step:,} of {run.steps:,}"
        sweep = [run.sweep] if several else []
        yield [run.identity[:SHORT], *sweep, setting, str(run.seed), run.status, step, duration(run.seconds)]


def _is(run: RecordedRun, wanted: str) -> bool:
    """Whether a run's setting begins so, or is at that place of that axis."""
    axis, equals, place = wanted.partition("=")
    if not equals:
        return run.setting.startswith(wanted)
    short = {name: full for full, name in shortened(list(run.label)).items()}
    full = axis if axis in run.label else short.get(axis)
    return full is not None and place in (shown(run.label[full]), str(run.label[full]))
