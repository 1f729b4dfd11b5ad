"""How figures look, and the kinds of figure that papers share."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from colonnade.runs.statistics import interval

COLOURS = ("#1f77c4", "#d9601a", "#2e7d4f", "#8a4fbf", "#c23b6b", "#7a6a12", "#0f8a8a", "#5b6470")
GREY, GREEN = "#6b7280", "#2e7d4f"
SMALLEST = 1e-6  # an excess below it is drawn at it, on a logarithmic axis


def curves(title: str, outcomes: Mapping[str, Any], data: Mapping[str, Any]) -> Figure:
    """Draw the error of each over events, its interval, and the two errors that frame them."""
    figure = Figure(figsize=(9, 5.2), dpi=150, layout="constrained")
    axes = figure.add_subplot()
    for (name, outcome), colour in zip(outcomes.items(), COLOURS, strict=False):
        curve = outcome["curve"]
        axes.plot(curve["events"], numbers(curve["mean"]), color=colour, linewidth=1.8, label=name)
        axes.fill_between(
            curve["events"],
            numbers(curve["low"]),
            numbers(curve["high"]),
            color=colour,
            alpha=0.18,
            linewidth=0,
        )
    axes.axhline(data["zero"], color=GREY, linewidth=1.3, linestyle=(0, (2, 2)), label="predicting 0")
    axes.axhline(data["best"], color=GREEN, linewidth=1.5, linestyle=(0, (5, 2)), label="best possible")
    axes.set_ylim(0, 1.2 * data["zero"])
    dress(
        axes,
        title,
        f"mean of {data['seeds']} seeds, 95 % intervals",
        "events",
        "mean squared error to the return",
    )
    axes.xaxis.set_major_formatter(FuncFormatter(short))
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return figure


def standings(
    title: str, data: Mapping[str, Any], what: str = "excess over the best possible error"
) -> Figure:
    """Draw what everybody came to at the end, every seed a dot."""
    outcomes = dict(data["everybody"]) | {f"{name}, longer": o for name, o in data.get("longer", {}).items()}
    figure = Figure(figsize=(9, 0.42 * len(outcomes) + 1.6), dpi=150, layout="constrained")
    axes = figure.add_subplot()
    order = sorted(outcomes, key=lambda name: -np.nanmean(numbers(outcomes[name]["final"])))
    for row, name in enumerate(order):
        final = np.maximum(numbers(outcomes[name]["final"]), SMALLEST)
        axes.scatter(final, np.full(len(final), row), s=16, color=COLOURS[0], alpha=0.45, linewidth=0)
        axes.scatter(final.mean(), row, s=60, marker="|", color="black", zorder=3)
    names = [f"{name}  ({short(outcomes[name]['events'])} events)" for name in order]
    axes.set_yticks(range(len(order)), names)
    axes.set_xscale("log")
    dress(
        axes,
        title,
        f"{what} at the end; {data['seeds']} seeds, their mean a bar",
        what.partition(" over ")[0],
        "",
    )
    axes.grid(axis="x", color="#e5e7eb", linewidth=0.8)
    return figure


def dress(axes: Axes, title: str, subtitle: str, along: str, up: str) -> None:
    """Give axes their titles, and take off what says nothing."""
    axes.set_title(title, loc="left", fontsize=14, weight="bold", pad=24)
    axes.annotate(
        subtitle, (0, 1), xytext=(0, 8), xycoords="axes fraction", textcoords="offset points", color=GREY
    )
    axes.set_xlabel(along)
    axes.set_ylabel(up)
    axes.grid(axis="y", color="#e5e7eb", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def numbers(values: Any) -> np.ndarray:
    """Return numbers out of JSON, where null is none."""
    return np.array([np.nan if value is None else value for value in values], float)


def short(events: float, _: object = None) -> str:
    """Write a number of events.

    >>> short(50_000_000), short(30_000)
    ('50 M', '30 k')
    """
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if events >= size:
            return f"{events / size:g}{letter}"
    return f"{events:g}"


def against(
    title: str,
    subtitle: str,
    places: Sequence[float],
    lines: Mapping[str, Sequence[Sequence[float]]],
    *,
    along: str,
    up: str,
    logarithmic: Literal["", "x", "xy"] = "",
) -> Figure:
    """Draw means over seeds against something, with their intervals: a line an entrant."""
    figure = Figure(figsize=(9, 5.2), dpi=150, layout="constrained")
    axes = figure.add_subplot()
    for (name, values), colour in zip(lines.items(), COLOURS, strict=False):
        found = [numbers(seeds) for seeds in values]
        if "y" in logarithmic:  # where there is no difference there is nothing to draw
            found = [np.where(seeds > 0, seeds, np.nan) for seeds in found]
        ends = np.array([interval(seeds) for seeds in found])
        axes.plot(
            places, [seeds.mean() for seeds in found], color=colour, linewidth=1.8, marker="o", label=name
        )
        axes.fill_between(places, ends[:, 0], ends[:, 1], color=colour, alpha=0.18, linewidth=0)
    if "x" in logarithmic:
        axes.set_xscale("log")
        axes.set_xticks(places, [f"{place:g}" for place in places])
        axes.set_xticks([], minor=True)
    if "y" in logarithmic:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    dress(axes, title, subtitle, along, up)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return figure


def scattered(
    title: str, subtitle: str, places: Mapping[str, tuple[float, float]], *, along: str, up: str
) -> Figure:
    """Draw everybody as a dot with a name."""
    figure = Figure(figsize=(9, 5.2), dpi=150, layout="constrained")
    axes = figure.add_subplot()
    above = True  # neighbours' names in turn above and below, so that they don't meet
    for name, (x, y) in sorted(places.items(), key=lambda named: named[1]):
        axes.scatter(x, y, s=36, color=COLOURS[0], linewidth=0)
        offset = (0, 7 if above else -15)
        axes.annotate(name, (x, y), xytext=offset, textcoords="offset points", fontsize=9, ha="center")
        above = not above
    axes.set_xlim(0, 1.15 * max(x for x, _ in places.values()))
    axes.set_ylim(0, 1.1 * max(y for _, y in places.values()))
    axes.xaxis.set_major_formatter(FuncFormatter(short))
    dress(axes, title, subtitle, along, up)
    return figure
