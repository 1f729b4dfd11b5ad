"""The demo's page: one HTML file that needs nothing else, for large and small screens, light and dark."""

import platform
from collections.abc import Iterable
from html import escape
from importlib.metadata import version

from colonnade.cli.demo.record import WINDOW, Course, Record
from colonnade.cli.demo.svg import drawing
from colonnade.cli.numbers import short

_STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1c2330; --soft: #667085; --rule: #e4e7ec;
  --c0: #1769b5; --c1: #c2500f; --best: #2e7d4f; --code: #f5f6f8; }
@media (prefers-color-scheme: dark) { :root { --paper: #14181f; --ink: #e6e9ef; --soft: #98a2b3;
  --rule: #2a313c; --c0: #62b0f0; --c1: #f2935a; --best: #6cc592; --code: #1d232c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 50rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .6rem; }
h2 { font-size: 1.1rem; margin: 2.2rem 0 .5rem; }
p { margin: .5rem 0; max-width: 42rem; }
.note { color: var(--soft); font-size: .92rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .4rem .7rem .4rem 0; border-bottom: 1px solid var(--rule); text-align: left;
  vertical-align: top; }
th { font-weight: 600; }
td.n, th.n { text-align: right; }
td.n { white-space: nowrap; }
tr.c0 th { color: var(--c0); } tr.c1 th { color: var(--c1); } tr.best th { color: var(--best); }
pre { background: var(--code); padding: .8rem; border-radius: .4rem; overflow-x: auto; font-size: .82rem; }
svg { width: 100%; height: auto; display: block; margin: 1rem 0; font: 13px system-ui, sans-serif; }
svg.small { display: none; }
@media (max-width: 36rem) { .wide tr > :nth-child(3) { display: none; }
  svg.large { display: none; } svg.small { display: block; }
  table { font-size: .8rem; } th, td { padding-right: .3rem; } pre { font-size: .74rem; } }
polyline { fill: none; stroke-width: 2.6; stroke-linejoin: round; }
polyline.each { stroke-width: .9; opacity: .45; }
polyline.c0 { stroke: var(--c0); } polyline.c1 { stroke: var(--c1); }
path.grid { stroke: var(--rule); }
path.zero { stroke: var(--soft); stroke-width: 1.4; stroke-dasharray: 2 3; }
path.best { stroke: var(--best); stroke-width: 1.6; stroke-dasharray: 6 3; }
text { fill: var(--soft); } text.end { text-anchor: end; } text.middle { text-anchor: middle; }
text.name { font-weight: 600; } text.c0 { fill: var(--c0); } text.c1 { fill: var(--c1); }
text.best { fill: var(--best); }
"""


def page(record: Record, interrupted: bool) -> str:
    """Return the whole page."""
    stopped = '<p class="note">Interrupted from the keyboard: this is what there was by then.</p>'
    thick = f'<p class="note">Thick: the mean of {len(record.seeds)} worlds. Thin: each of them.</p>'
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Colonnade demo: trace patterning</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>Trace patterning, learned online from scratch</h1>
<p>{escape(result(record))}</p>
{stopped if interrupted else ""}
{drawing(record, (760, 400), "large")}
{drawing(record, (370, 330), "small")}
{thick if record.several else ""}
{_scores(record)}
{_explained(record)}
<h2>Settings</h2>
{_pairs(settings(record))}
</body>
</html>
"""


def result(record: Record) -> str:
    """What came out, in two sentences.

    >>> print(result(Record(best=0.0017, zero=0.02, seeds=range(4), most=12_000_000, seconds=60)))
    After 0 events of each of 4 worlds, in 0 seconds, the mean error is .
    Nobody can get below 0.0017; predicting 0 always scores 0.0200.
    """
    worlds = f" of each of {len(record.seeds)} worlds" if record.several else ""
    mean = "the mean error" if record.several else "the error"
    errors = " and ".join(f"{course.error:.4f} for {course.contender.name}" for course in record.courses)
    return (
        f"After {short(record.events)} events{worlds}, in {record.learned_for:.0f} seconds, {mean} is "
        f"{errors}. "
        f"Nobody can get below {record.best:.4f}; predicting 0 always scores {record.zero:.4f}."
    )


def settings(record: Record) -> list[tuple[str, str]]:
    """What one needs to know to do it again."""
    seeds = ", ".join(map(str, record.seeds))
    packages = ", ".join(f"{name} {version(name)}" for name in ("colonnade", "numpy"))
    return [
        ("Seeds", f"{seeds}, each for a world and for both learners in it"),
        ("Events", f"{record.events:,} of each world, the same for both learners"),
        (
            "Time",
            f"{record.learned_for:.1f} s of learning, {short(record.speed)} events of each world a second",
        ),
        ("Error", f"mean squared difference to the true return over the last {WINDOW:,} events"),
        ("Machine", f"{platform.system()} on {platform.machine()}"),
        ("Versions", f"Python {platform.python_version()}, {packages}"),
    ]


def _scores(record: Record) -> str:
    rows = [_score(f"c{i}", course, record.best) for i, course in enumerate(record.courses)]
    rows.append(
        _cells("", "predicting 0", f"{record.zero:.4f}", "", f"{record.zero - record.best:.4f}", "", "")
    )
    rows.append(_cells("best", "best possible", f"{record.best:.4f}", "", f"{0:.4f}", "", ""))
    heads = "".join(
        f'<th class="n">{head}</th>'
        for head in ("error", "in each<br>world", "above<br>best", "operations<br>a step", "time<br>a step")
    )
    return f'<div class="wide"><table>\n<tr><th></th>{heads}</tr>\n' + "\n".join(rows) + "\n</table></div>"


def _score(name: str, course: Course, best: float) -> str:
    operations, time = f"{course.contender.operations:,}", f"{course.nanoseconds:.0f} ns"
    error, excess = f"{course.error:.4f}", f"{course.error - best:.4f}"
    extremes = "–".join(f"{extreme:.4f}" for extreme in course.extremes)
    return _cells(name, course.contender.name, error, extremes, excess, operations, time)


def _cells(name: str, head: str, *values: str) -> str:
    cells = "".join(f'<td class="n">{escape(value)}</td>' for value in values)
    return f'<tr class="{name}"><th>{escape(head)}</th>{cells}</tr>'


def _explained(record: Record) -> str:
    return f"""<h2>What was asked</h2>
<p>A pattern of three bits out of six flashes up for one event. After ten of the twenty patterns a signal
comes, 24 to 36 events later; in between there are only distractors. The learner sees one event at a time and
predicts the discounted sum of the signals to come: it must tell the patterns apart and remember what it
saw.</p>
<p>The interval is random, so even someone who knows this world has an error of {record.best:.5f}. That is
computed exactly; an error is best read as what is above it.</p>
<h2>Who learned</h2>
<p>Both learn at every event, by TD(λ). <b>CCN</b>, a columnar-constructive network, has columns: recurrent
units that don't see each other, so that how each weight of the past shaped the present is carried forwards
exactly, at a cost in proportion to the weights. A few columns learn at a time; then they freeze, and the
next ones see what they found. <b>T-BPTT</b> is a dense LSTM: it keeps its last events, as many as its
truncation says, and goes back over them at each event.</p>
{_learners(record)}
<h2>What was counted</h2>
<p>Operations are the sums, products, divisions, roots and nonlinearities that a step (predict, be told,
learn) takes, counted by formula from the sizes: the same number on every machine. {_by_stage(record)} The
T-BPTT setting is the published one (truncation and units) whose count is nearest to that, and no less, unless
another was asked for. Its truncation may be shorter than the interval to be bridged: at equal cost, a longer
one has fewer units. Going back is counted without moving forwards again, which it doesn't need.</p>
<p>The time of a step is the processor's, a mean over the whole run, each learner on a thread of its own; it
depends on the machine.</p>
"""


def _by_stage(record: Record) -> str:
    """Say how the cost of stages grows."""
    grows = (c.contender for c in record.courses if len(c.contender.by_stage) > 1)
    return " ".join(
        f"A step of {one.name} costs {one.by_stage[0]:,} while the first stage learns, and "
        f"{one.operations:,} while the last does; the larger number counts."
        for one in grows
    )


def _learners(record: Record) -> str:
    contenders = (course.contender for course in record.courses)
    return "\n".join(
        f"<p><b>{escape(one.name)}</b>: {escape(one.kind)}</p>\n<pre>{escape(one.code)}</pre>"
        for one in contenders
    )


def _pairs(pairs: Iterable[tuple[str, str]]) -> str:
    rows = "\n".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in pairs)
    return f"<table>\n{rows}\n</table>"
