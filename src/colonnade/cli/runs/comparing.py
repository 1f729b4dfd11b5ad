"""`colonnade runs compare`: a row for each setting, beside the best or another one."""

from collections.abc import Iterator, Sequence
from typing import Any

from colonnade.cli.runs.tables import between, digits
from colonnade.runs.comparing import Comparison, Contender, worlds_of
from colonnade.runs.statistics import Estimate
from colonnade.runs.summary import Summary

HEADS = ["setting", "seeds", "score", "95 % interval", "difference", "better", "failed", "diverged"]


def notes(summary: Summary, other: Contender, across: Sequence[str] | None) -> Iterator[str]:
    """Yield what the numbers are."""
    goal, worlds = summary.goal, worlds_of(summary, across)
    better = "less" if goal.best == "least" else "more"
    statistic = f"interquartile mean across {', '.join(worlds)}" if worlds else "mean over seeds"
    last = f"the last {100 * goal.share:.3g} % of the steps"
    yield f"{summary.sweep.name}: {goal.metric} over {last}, {statistic}; {better} is better."
    yield f"difference, better: seed by seed, and how probably better, than {other.name}."


def told(rows: Sequence[Comparison], other: Contender) -> tuple[list[str], Iterator[list[str]]]:
    """Return the heads and the rows of the table."""
    return HEADS, (_row(row, other) for row in rows)


def as_data(rows: Sequence[Comparison], other: Contender) -> list[dict[str, Any]]:
    """Return the same as plain data."""
    return [
        {
            "setting": row.contender.name,
            "label": dict(row.contender.label),
            "digests": {world: setting.digest for world, setting in row.contender.worlds.items()},
            "seeds": {world: len(setting.scores) for world, setting in row.contender.worlds.items()},
            "failed": _failed(row.contender),
            "diverged": _diverged(row.contender),
            "score": row.contender.score._asdict(),
            "difference": row.difference._asdict(),
            "improvement": row.improvement._asdict(),
            "to": other.name,
        }
        for row in rows
    ]


def _row(row: Comparison, other: Contender) -> list[str]:
    score, seeds = row.contender.score, row.contender.seeds
    shown = (
        str(seeds[0])
        if len(seeds) == 1
        else f"{min(seeds)} to {max(seeds)}"
        if len(set(seeds)) > 1
        else f"{seeds[0]}"
    )
    beside = ["", ""] if row.contender is other else [_with_ends(row.difference), _with_ends(row.improvement)]
    failed, diverged = _failed(row.contender), _diverged(row.contender)
    return [
        row.contender.name,
        shown if len(seeds) == 1 else f"{shown} in {len(seeds)} worlds",
        digits(score.value),
        between(score.low, score.high),
        *beside,
        str(failed),
        str(diverged),
    ]


def _with_ends(estimate: Estimate) -> str:
    if between(estimate.low, estimate.high) == "–":
        return digits(estimate.value)
    return f"{estimate.value:.3g} ({estimate.low:.2g} to {estimate.high:.2g})"


def _failed(one: Contender) -> int:
    return sum(setting.statuses["failed"] for setting in one.worlds.values())


def _diverged(one: Contender) -> int:
    return sum(setting.diverged for setting in one.worlds.values())
