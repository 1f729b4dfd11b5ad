"""The demo's picture: the curves, and the errors that frame them, as a PNG."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from colonnade.cli.demo.axes import decades, rise, spread
from colonnade.cli.demo.record import Point, Record, thin
from colonnade.cli.numbers import short

COLOURS = ("#1f77c4", "#d9601a")
GREY, GREEN = "#6b7280", "#2e7d4f"


def save(record: Record, path: Path) -> None:
    """Draw the record and write it."""
    figure = Figure(figsize=(9, 5.2), dpi=150, layout="constrained")
    axes = figure.add_subplot()
    _curves(axes, record)
    _axes(axes, record)
    _names(axes, record)
    axes.set_title(
        "Trace patterning, learned online from scratch", loc="left", fontsize=15, weight="bold", pad=28
    )
    axes.annotate(
        subtitle(record),
        (0, 1),
        xytext=(0, 9),
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=11,
        color=GREY,
    )
    figure.savefig(path, format="png")


def subtitle(record: Record) -> str:
    """What the curves have in common, and what each learner's step costs."""
    costs = " and ".join(
        f"{course.contender.operations:,} ({course.contender.name})" for course in record.courses
    )
    worlds = (
        f"Mean of {len(record.seeds)} worlds (thin: each)" if record.several else "The same events for both"
    )
    return f"{worlds}. Operations a step: {costs}"


def _curves(axes: Axes, record: Record) -> None:
    axes.axhline(record.zero, color=GREY, linewidth=1.4, linestyle=(0, (2, 2)))
    axes.axhline(record.best, color=GREEN, linewidth=1.6, linestyle=(0, (5, 2)))
    for course, colour in zip(record.courses, COLOURS, strict=True):
        for each in course.each if record.several else ():
            _curve(axes, each, color=colour, linewidth=0.8, alpha=0.4)
    for course, colour in zip(record.courses, COLOURS, strict=True):
        _curve(axes, course.points, color=colour, linewidth=2.6)


def _curve(axes: Axes, points: Sequence[Point], **style: Any) -> None:
    shown = thin(points)
    axes.plot([point.events for point in shown], [point.error for point in shown], **style)


def _axes(axes: Axes, record: Record) -> None:
    """Few lines, and round numbers."""
    axes.set_xlim(0, record.events)
    axes.set_xlabel("events", fontsize=12)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda events, _: short(events)))
    axes.set_yscale("log")
    axes.set_ylim(record.lowest, record.highest)
    axes.set_ylabel("mean squared error to the true return", fontsize=12)
    axes.yaxis.set_major_locator(FixedLocator(decades(record.lowest, record.highest)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda error, _: f"{error:g}"))
    axes.tick_params(labelsize=11, length=0)
    axes.grid(axis="y", color="#e5e7eb", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _names(axes: Axes, record: Record) -> None:
    """Write the name of each line at its right end, apart from each other."""
    said = [
        (f"{course.contender.name}  {course.error:.4f}\n{course.contender.kind}", colour, course.error)
        for course, colour in zip(record.courses, COLOURS, strict=True)
    ]
    said.append((f"predicting 0  {record.zero:.4f}", GREY, record.zero))
    said.append((f"best possible  {record.best:.4f}", GREEN, record.best))
    shares = [rise(error, record.lowest, record.highest) for _, _, error in said]
    heights = spread(shares, gap=0.1, low=0.0, high=1.0)
    for (name, colour, _), share in zip(said, heights, strict=True):
        axes.annotate(
            name,
            (1.01, share),
            xycoords="axes fraction",
            color=colour,
            fontsize=11,
            va="center",
            linespacing=1.3,
            annotation_clip=False,
        )
