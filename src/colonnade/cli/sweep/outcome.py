"""What is said at the end of a sweep: what came of it, and how to go on if there is more."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from colonnade.runs.driver import last_line
from colonnade.runs.labels import in_words

if TYPE_CHECKING:
    from colonnade.runs.driver import State
    from colonnade.runs.store import Store

MOST_REASONS = 5

FAILURES = """
    SELECT failure, count(*), label, min(seed) FROM runs
    JOIN members ON members.run = runs.id JOIN sweeps ON sweeps.id = members.sweep
    WHERE sweeps.name = ? AND status = 'failed' GROUP BY failure ORDER BY count(*) DESC, min(runs.id)
"""


def outcome(state: "State", store: "Store", resume: str) -> Iterator[str]:
    """Yield what came of a sweep, line by line."""
    counts, name = state.counts, state.sweep.name
    done = counts["finished"] + counts["failed"]
    if done < state.total:
        yield f"{name}: stopped with {counts['finished']:,} of {state.total:,} runs done; nothing is lost."
    elif not counts["failed"]:
        yield f"{name}: all {state.total:,} runs are done."
    else:
        yield f"{name}: {counts['finished']:,} of {state.total:,} runs are done."
    if state.best:
        yield f"Best so far: {best(state)}" if done < state.total else f"Best: {best(state)}"
    yield from failures(state, store)
    if done < state.total:
        yield from how_to_go_on(resume)
    elif counts["failed"]:
        yield f"To try those that failed again: {resume.removesuffix(' --again')} --again"


def at_once(state: "State | None", resume: str) -> Iterator[str]:
    """Yield what there is to say when nobody was waited for."""
    if state:
        done = state.counts["finished"]
        yield f"{state.sweep.name}: stopped at once with {done:,} of {state.total:,} runs done."
        yield "Those that were running go on from where they were last saved."
    yield from how_to_go_on(resume)


def how_to_go_on(resume: str) -> Iterator[str]:
    """Yield the command that goes on."""
    yield f"To go on: {resume}"


def best(state: "State") -> str:
    """Return the best setting so far and what it came to."""
    assert state.best is not None
    mean, run, seeds = state.best
    of = "1 seed" if seeds == 1 else f"the mean of {seeds} seeds"
    return f"{state.sweep.goal.metric} {mean:.4g}, {of}: {in_words(run.point.label)}"


def failures(state: "State", store: "Store") -> Iterator[str]:
    """Yield why runs failed, each reason once, with one of the runs."""
    if not state.counts["failed"]:
        return
    found: dict[str, tuple[int, str]] = {}
    for failure, count, label, seed in store.db.execute(FAILURES, (state.sweep.name,)):
        reason = last_line(failure or "")
        earlier, example = found.get(reason, (0, f"{in_words(json.loads(label))}, seed {seed}"))
        found[reason] = (earlier + count, example)
    for reason, (count, example) in list(found.items())[:MOST_REASONS]:
        yield f"{count:,} failed: {reason} ({example})"
    if len(found) > MOST_REASONS:
        yield f"... and more, for {len(found) - MOST_REASONS:,} other reasons."
