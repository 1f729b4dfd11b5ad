"""What the page says in words and plain tables: facts, best settings, failures, where it comes from."""

import time
from collections.abc import Iterable, Sequence
from html import escape

import numpy as np

from colonnade.runs.comparing import Comparison, Contender, compared, worlds_of
from colonnade.runs.report.origin import Failure, Origin
from colonnade.runs.statistics import Estimate
from colonnade.runs.summary import Setting, Summary, named

BEST = 5  # settings that are compared in words
MOST_FAILURES = 20


def facts(summary: Summary) -> str:
    """Return the numbers that one wants to know first."""
    runs = summary.runs
    finished = sum(run.status == "finished" for run in runs)
    unlike = sum(run.status == "failed" for run in runs), sum(s.diverged for s in summary.settings)
    steps = sorted({run.steps for run in runs})
    told = [
        ("settings", f"{len(summary.settings):,}", ""),
        ("runs finished", f"{finished:,}", f"of {len(runs):,}"),
        ("seeds a setting", between([len(setting.runs) for setting in summary.settings]), ""),
        ("steps a run", between(steps), ""),
        ("failed, diverged", f"{unlike[0]:,}, {unlike[1]:,}", ""),
        ("work", duration(sum(run.seconds for run in runs)), ""),
    ]
    cards = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)} <small>{escape(more)}</small></dd></div>\n"
        for name, value, more in told
    )
    return f'<dl class="facts">\n{cards}</dl>'


def best(summary: Summary, some: Sequence[Contender]) -> str:
    """Return the best settings beside one another."""
    scored = [one for one in some if np.isfinite(one.score.value)]
    if not scored:
        return "<h2>Best settings</h2>\n<p>No run is finished yet that came to a number.</p>"
    worlds = worlds_of(summary)
    rows = compared(scored[:BEST], scored[0], summary.sign)
    heads = (
        "setting",
        _score_name(summary, worlds),
        "95 % interval",
        "seeds",
        "less the best’s",
        "better than it",
    )
    return f"""<h2>Best settings</h2>
<p class="note">{escape(_how(summary, worlds))}</p>
{_flattered(scored[0])}
{_table("Best settings", heads, "".join(_row(row, i == 0) for i, row in enumerate(rows)))}
<p class="note">“Less the best’s”: the mean difference from the first setting, seed by seed. “Better than
it”: how probably a run comes to something better than one of the first setting. Both with 95 % intervals;
one around 0, or around ½, says that these seeds can’t tell. The first was chosen by these same seeds, which
flatters it a little.</p>
{_in_each_world(summary, worlds)}"""


def failed(summary: Summary, some: Sequence[Failure]) -> str:
    """Return what failed or came to no number."""
    parts = ["<h2>Failures</h2>"]
    diverged = [setting for setting in summary.settings if setting.diverged]
    if not some and not diverged:
        return "<h2>Failures</h2>\n<p>None: no run failed, and all that are finished came to numbers.</p>"
    if diverged:
        parts.append("<p>Finished, but came to no number:</p>\n<ul>")
        parts += [
            f"<li>{escape(s.name)}: {s.diverged} of {_of(len(s.runs), 'seed')}</li>"
            for s in diverged[:MOST_FAILURES]
        ]
        parts.append(_more(len(diverged), "setting") + "</ul>")
    parts += [_failure(failure, summary) for failure in some[:MOST_FAILURES]]
    parts.append(_more(len(some), "kind of failure", "p"))
    return "\n".join(parts)


def origin(some: Sequence[Origin], summary: Summary, command: str) -> str:
    """Return where the numbers come from."""
    warnings = []
    if len({one.code for one in some}) > 1:
        warnings.append("These numbers come from more than one state of the code.")
    if any(one.changed for one in some):
        warnings.append("Some of the code had changes that no commit has: it can't be had again.")
    rows = "".join(map(_origin, some))
    told = "".join(f'<p class="warning">{escape(warning)}</p>\n' for warning in warnings)
    return f"""<h2>Where it comes from</h2>
{told}{_table("Where it comes from", ("code", "versions", "machines", "when", "runs"), rows)}
<p class="note">Sweep written down {_day(summary.sweep.created)}. This page was made with
<code>{escape(command)}</code> on {_day(time.time())}; it needs no network.
Chart.js, which draws in it, is in it, with its MIT licence.</p>"""


def between(numbers: Iterable[int]) -> str:
    """Return a number, or the least and the most.

    >>> between([1000, 1000]), between([3, 10])
    ('1,000', '3 to 10')
    """
    least, most = min(numbers := list(numbers), default=0), max(numbers, default=0)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def duration(seconds: float) -> str:
    """Return a time for people.

    >>> duration(12.3), duration(600), duration(9000)
    ('12 s', '10 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5940 else f"{seconds / 3600:.1f} h"


def digits(value: float) -> str:
    """Return a number in four digits, or a dash.

    >>> digits(0.00123456), digits(float("nan"))
    ('0.001235', '–')
    """
    return f"{value:.4g}" if np.isfinite(value) else "–"


def _row(row: Comparison, first: bool) -> str:
    score = row.contender.score
    interval = _between(score)
    told = [digits(score.value), interval, between(row.contender.seeds)]
    told += ["", ""] if first else [_with_ends(row.difference), _with_ends(row.improvement)]
    return f'<tr><th scope="row">{escape(row.contender.name)}</th>{_cells("td", told)}</tr>\n'


def _between(score: Estimate) -> str:
    return f"{score.low:.3g} to {score.high:.3g}" if np.isfinite(score.low) else "–"


def _with_ends(estimate: Estimate) -> str:
    if not np.isfinite(estimate.low):
        return digits(estimate.value)
    return f"{estimate.value:.3g} ({estimate.low:.3g} to {estimate.high:.3g})"


def _score_name(summary: Summary, worlds: Sequence[str]) -> str:
    return f"interquartile mean of {summary.goal.metric}" if worlds else f"mean {summary.goal.metric}"


def _how(summary: Summary, worlds: Sequence[str]) -> str:
    goal = summary.goal
    better = "less" if goal.best == "least" else "more"
    last = f"the last {100 * goal.share:.3g} % of a run's steps"
    told = (
        f"Of {_of(len(summary.settings), 'setting')}, by {goal.metric} over {last}; {better} is better."
        " 95 % bootstrap intervals over seeds."
    )
    if worlds:
        told += f" Across {', '.join(worlds)}: the interquartile mean; seeds are drawn within each world."
    return told


def _flattered(first: Contender) -> str:
    if first.whole:
        return ""
    return (
        '<p class="warning">No setting is without seeds that failed or came to no number: the means are of'
        " the others, and flatter.</p>"
    )


def _in_each_world(summary: Summary, worlds: Sequence[str]) -> str:
    """Return the best setting of each world, if there are several."""
    if not worlds:
        return ""
    found: dict[str, Setting] = {}
    for setting in summary.settings:  # the best comes first
        if setting.score.scores:
            found.setdefault(named(setting.label, worlds), setting)
    rows = "".join(
        f"<tr>{_cells('td', (s.name, digits(s.score.value), _between(s.score), str(s.score.scores)))}</tr>\n"
        for _, s in sorted(found.items())
    )
    heads = ("best in its world", f"mean {summary.goal.metric}", "95 % interval", "seeds")
    return _table("Best in each world", heads, rows)


def _failure(failure: Failure, summary: Summary) -> str:
    names = {run.id: setting.name for setting in summary.settings for run in setting.runs}
    who = sorted({names[run.id] for run in failure.runs})
    some = "; ".join(who[:3]) + ("; …" if len(who) > 3 else "")
    seeds = ", ".join(str(run.seed) for run in failure.runs[:10]) + (", …" if len(failure.runs) > 10 else "")
    many = _of(len(failure.runs), "run")
    return (
        f"<details><summary>{many}: <code>{escape(failure.reason)}</code></summary>\n"
        f"<p>{escape(some)}; seeds {escape(seeds)}</p>\n<pre>{escape(failure.whole)}</pre></details>"
    )


def _more(count: int, what: str, tag: str = "li") -> str:
    return f"<{tag}>and {_of(count - MOST_FAILURES, what)} more</{tag}>" if count > MOST_FAILURES else ""


def _of(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def _table(name: str, heads: Iterable[str], rows: str) -> str:
    """Return a table that can be scrolled sideways, also with the keyboard."""
    return (
        f'<div class="wide" role="region" aria-label="{escape(name)}" tabindex="0"><table>\n'
        f"<thead><tr>{_cells('th', heads, ' scope=col')}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>"
    )


def _cells(tag: str, values: Iterable[str], more: str = "") -> str:
    return "".join(f"<{tag}{more}>{escape(value)}</{tag}>" for value in values)


def _origin(one: Origin) -> str:
    hosts = ", ".join(sorted(one.hosts))
    return (
        f"<tr>{_cells('td', (one.code, one.versions), ' class=long')}"
        f"{_cells('td', (hosts, _days(one), f'{one.runs:,}'))}</tr>\n"
    )


def _days(one: Origin) -> str:
    first, last = _day(one.started), _day(one.ended)
    return first if first == last else f"{first} to {last}"


def _day(seconds: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))
