"""The report's figures with Matplotlib: each as PNG and SVG, and what it shows as CSV.

curves          the best settings' learning curves, with intervals
AXIS            the score against an axis: the best that the other axes allow, in each world
"""

import csv
import re
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from colonnade.errors import BadInput
from colonnade.runs.bounds import best_possible
from colonnade.runs.comparing import contenders
from colonnade.runs.curves import Array, Curve, aligned
from colonnade.runs.missing import Missing
from colonnade.runs.reading import Records
from colonnade.runs.report.payload import first_seen
from colonnade.runs.sensitivity import Line, Scale, scale_of, sensitivity
from colonnade.runs.summary import Setting, Summary, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#1769b5", "#c2500f", "#2e7d4f", "#8646b8", "#b3257a", "#8a6d00", "#0b7a85", "#5c4a3d")
GREY, GREEN = "#5d6778", "#24713f"
POINTS = 200  # of a curve
MOST_TICKS = 12
DECADES = 1000.0  # from the least to the most, from which on only powers of ten are written
WIDE = 5.0  # from the least to the most, from which on a logarithm shows more


def draw(records: Records, summary: Summary, folder: Path) -> list[Path]:
    """Draw everything into a folder, and return the files."""
    if find_spec("matplotlib") is None:
        raise Missing("figures", ("matplotlib",), "lab")
    if not summary.best:
        raise BadInput("figures", expected="a sweep with finished runs", got=repr(summary.sweep.name))
    import matplotlib

    folder.mkdir(exist_ok=True)
    with matplotlib.rc_context():
        matplotlib.rcParams["text.parse_math"] = False  # names are names
        matplotlib.rcParams["svg.fonttype"] = "none"
        matplotlib.rcParams["svg.hashsalt"] = "colonnade"  # the same figure is the same file
        files = _written(folder / "curves", *_curves(records, summary))
        for axis in summary.axes:
            if lines := sensitivity(summary, axis):
                name = re.sub(r"[^\w.-]+", "_", axis, flags=re.ASCII).strip(".") or "_"
                files += _written(folder / f"axis-{name}", *_axis(summary, axis, lines))
    return files


def _written(
    place: Path, figure: "Figure", heads: Sequence[str], rows: Sequence[Sequence[Any]]
) -> list[Path]:
    """Write a figure and its data."""
    png, svg, data = (place.with_name(place.name + ending) for ending in (".png", ".svg", ".csv"))
    figure.savefig(png)
    figure.savefig(svg, metadata={"Date": None})
    with open(data, "w", newline="", encoding="utf-8") as opened:
        writer = csv.writer(opened)
        writer.writerow(heads)
        writer.writerows(rows)
    return [png, svg, data]


def _curves(records: Records, summary: Summary) -> tuple["Figure", list[str], list[list[Any]]]:
    from matplotlib.ticker import EngFormatter

    settings = [summary.settings[i] for i in first_seen(summary, contenders(summary))]
    where = summary.series.places()
    found = [
        (setting, aligned(summary.series, [where[run.id] for run in setting.runs]).coarser(POINTS).curve())
        for setting in settings
    ]
    figure, axes = _sheet(summary, "step", summary.goal.metric)
    for (setting, curve), colour in zip(found, COLOURS, strict=False):
        axes.plot(curve.step, curve.mean, color=colour, linewidth=1.8, label=_entry(setting))
        axes.fill_between(curve.step, curve.low, curve.high, color=colour, alpha=0.17, linewidth=0)
    axes.xaxis.set_major_formatter(EngFormatter())
    levels = best_possible(records, summary, summary.goal.metric)
    _logarithmic(axes, np.concatenate([curve.mean for _, curve in found]))
    lowest = 0.0 if axes.get_yscale() == "log" else -np.inf  # what can't be drawn isn't named
    drawn = sorted({levels[s.digest] for s in settings if levels.get(s.digest, -np.inf) > lowest})
    for i, level in enumerate(drawn):
        label = "best possible" if i == 0 else None
        axes.axhline(level, color=GREEN, linewidth=1.4, linestyle=(0, (5, 2)), label=label)
    figure.legend(loc="outside lower left", frameon=False, fontsize=9)
    heads = ["setting", "digest", "step", "mean", "low", "high", "runs"]
    return figure, heads, [row for setting, curve in found for row in _rows(setting, curve)]


def _axis(summary: Summary, axis: str, lines: Sequence[Line]) -> tuple["Figure", list[str], list[list[Any]]]:
    scale = scale_of(summary.axes[axis])
    figure, axes = _sheet(summary, shortened(list(summary.axes))[axis], summary.goal.metric)
    rows: list[list[Any]] = []
    for line, colour in zip(lines, COLOURS * len(lines), strict=False):
        at = np.array([scale.at[place] for place in line.places])
        scores = np.array([setting.score[:3] for setting in line.settings])
        order = np.argsort(at)
        value, low, high = scores[order].T
        label = f"{line.world or 'the best that the other axes allow'}; {_seeds(line.settings)}"
        axes.plot(at[order], value, color=colour, linewidth=1.8, marker="o", label=label)
        axes.vlines(at[order], low, high, color=colour, linewidth=1.4)
        rows += [
            [scale.labels[place], line.world, setting.name, setting.digest, *setting.score]
            for place, setting in zip(line.places, line.settings, strict=True)
        ]
    _places(axes, scale)
    _logarithmic(axes, np.array([row[5] for row in rows]))
    figure.legend(loc="outside lower left", frameon=False, fontsize=9)
    return figure, [axis, "world", "setting", "digest", "score", "low", "high", "seeds"], rows


def _sheet(summary: Summary, along: str, up: str) -> tuple["Figure", "Axes"]:
    """Return a figure with axes that show no more than they must."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6), dpi=150, layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(summary.sweep.name, loc="left", fontsize=14, weight="bold")
    axes.set_xlabel(along)
    axes.set_ylabel(f"{up} (mean, 95 % interval)")
    axes.grid(color="#e5e7eb", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return figure, axes


def _places(axes: "Axes", scale: Scale) -> None:
    """Write the places along an axis."""
    if scale.log:
        axes.set_xscale("log")
    axes.minorticks_off()
    axes.set_xticks(scale.at, scale.labels)


def _logarithmic(axes: "Axes", values: Array) -> None:
    there = values[np.isfinite(values)]
    if len(there) and there.min() > 0 and there.max() > WIDE * there.min():
        from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

        axes.set_yscale("log")
        few = there.max() < DECADES * there.min()
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,), numticks=MOST_TICKS))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))


def _entry(setting: Setting) -> str:
    return f"{setting.name}; {_seeds([setting])}"


def _seeds(settings: Sequence[Setting]) -> str:
    counts = sorted({setting.score.scores for setting in settings})
    shown = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return f"{shown} seed{'' if counts == [1] else 's'}"


def _rows(setting: Setting, curve: Curve) -> Iterator[list[Any]]:
    columns = (curve.step, curve.mean, curve.low, curve.high, curve.runs)
    for row in zip(*(column.tolist() for column in columns), strict=True):
        yield [setting.name, setting.digest, *row]
