"""Learning curves on trace patterning and on trace conditioning: who comes near the best possible error.

First everybody's step size is found on seeds of its own and a fifth of the events; then everybody runs on
fresh seeds with the step size that was best.
"""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from colonnade.papers.ccn.networks import BY_NAME, CCN, COLUMNAR, CONSTRUCTIVE, EVERYBODY, STEP_SIZES, Entrant
from colonnade.papers.claims import Claim, at_most, below
from colonnade.papers.item import Data, Item, Reduction, Scale, Study
from colonnade.papers.results import Results
from colonnade.runs.statistics import interval
from colonnade.runs.streamed import Streamed
from colonnade.runs.sweep import Goal, Point, Sweep
from colonnade.worlds import TraceConditioning, TracePatterning

if TYPE_CHECKING:
    from matplotlib.figure import Figure

World: TypeAlias = TracePatterning | TraceConditioning

READINGS = 200  # of a run
LAST = 50  # the share of a run over which the final error is a mean: one in so many
TUNING_SEEDS = 1000  # from here on
LONG, SHORT = (30_000, 2_000_000, 50_000_000), (10_000, 1_000_000, 10_000_000)
TRUNCATED_LONG = 3  # how many of truncated backpropagation run as long as the columns


def study(world: World, name: str, scale: Scale) -> Study:
    """Find step sizes, run everybody on fresh seeds, and the best of T-BPTT for longer."""
    tuning_steps, long = scale.pick(*SHORT), scale.pick(*LONG)
    tuned = yield Sweep(
        f"ccn {name}: step sizes, {scale.name}",
        tuple(_point(world, entrant, size, tuning_steps) for entrant in EVERYBODY for size in STEP_SIZES),
        tuple(range(TUNING_SEEDS, TUNING_SEEDS + scale.many(2, 3, 3))),
        "Which step size suits whom?",
        Goal("excess"),
    )
    sizes = _best_sizes(tuned, tuning_steps)
    seeds = tuple(range(scale.many(2, 10, 30)))
    lengths = {entrant: tuning_steps if entrant.truncation else long for entrant in EVERYBODY}
    first = yield _race(world, f"ccn {name}: everybody, {scale.name}", sizes, lengths, seeds)
    found = {entrant.name: _outcome(first, world, entrant, lengths[entrant]) for entrant in EVERYBODY}
    truncated = sorted((e for e in EVERYBODY if e.truncation), key=lambda e: np.mean(found[e.name]["final"]))
    lengths = {entrant: long for entrant in truncated[:TRUNCATED_LONG]}
    second = yield _race(world, f"ccn {name}: T-BPTT for longer, {scale.name}", sizes, lengths, seeds)
    longer = {entrant.name: _outcome(second, world, entrant, long) for entrant in lengths}
    return {
        "best": world.best_error(),
        "zero": world.zero_error(),
        "seeds": len(seeds),
        "everybody": found,
        "longer": longer,
        "tuning": _tuning(tuned, tuning_steps),
    }


def _point(world: World, entrant: Entrant, step_size: float, steps: int) -> Point:
    recipe = entrant.recipe(steps, step_size)
    experiment = Streamed(recipe, world, steps=steps, every=steps // READINGS)
    return Point(experiment, {"network": entrant.name, "step size": step_size, "events": steps})


def _race(
    world: World, name: str, sizes: dict[str, float], lengths: dict[Entrant, int], seeds: tuple[int, ...]
) -> Sweep:
    points = tuple(_point(world, entrant, sizes[entrant.name], steps) for entrant, steps in lengths.items())
    return Sweep(name, points, seeds, "Who comes near the best possible error?", Goal("excess"))


def _best_sizes(tuned: Results, steps: int) -> dict[str, float]:
    best = tuned.best("excess", steps // LAST, lambda point: point.label["network"])
    return {name: point.label["step size"] for name, point in best.items()}


def _tuning(tuned: Results, steps: int) -> Data:
    """Return the mean excess of each network with each step size."""
    table: Data = {}
    for point in tuned.sweep.points:
        final = float(tuned.final(point, "excess", steps // LAST).mean())
        table.setdefault(point.label["network"], {})[f"{point.label['step size']:g}"] = final
    return table


def _outcome(results: Results, world: World, entrant: Entrant, steps: int) -> Data:
    """Return a network's settings, its excess at the end for every seed, and its curve of the error."""
    (point,) = (point for point in results.sweep.points if point.label["network"] == entrant.name)
    at, errors = results.series(point, "error")
    ends = [interval(column) for column in errors.T]
    return {
        "step size": point.label["step size"],
        "events": steps,
        "operations": entrant.operations(world.inputs),
        "final": results.final(point, "excess", steps // LAST).tolist(),
        "curve": {
            "events": at.tolist(),
            "mean": errors.mean(axis=0).tolist(),
            "low": [low for low, _ in ends],
            "high": [high for _, high in ends],
        },
    }


# ---- what is claimed ----


def claims(data: Data) -> tuple[Claim, ...]:
    """Judge the outcome."""
    ours = data["everybody"][CCN.name]["final"]
    columns = data["everybody"][COLUMNAR.name]["final"]
    one_by_one = data["everybody"][CONSTRUCTIVE.name]["final"]
    truncated = {
        name: (data["longer"].get(name) or outcome)["final"]
        for name, outcome in data["everybody"].items()
        if BY_NAME[name].truncation
    }
    best = min(truncated, key=lambda name: float(np.mean(truncated[name])))
    return (
        below(
            f"CCN's excess is below that of every T-BPTT; the best of them is {best}",
            "the paper's",
            ours,
            truncated[best],
        ),
        at_most("CCN's excess over the best possible error is at most 0.0003", "our own", ours, 0.0003),
        below("CCN's excess is below the columnar network's", "our own", ours, columns),
        below(
            "the columnar network's excess is below the constructive one's", "our own", columns, one_by_one
        ),
        below(
            "CCN's excess is at most a third of the best T-BPTT's", "our own", ours, truncated[best], 1 / 3
        ),
    )


def reductions(scale: Scale) -> tuple[Reduction, ...]:
    """Say where less is done than was published."""
    some = [
        Reduction(
            "events that step sizes are found on",
            "50 M",
            f"{scale.pick(*SHORT):,}, with stages as many times shorter",
        )
    ]
    if scale.name != "paper":
        some.append(Reduction("seeds", "30", str(scale.many(2, 10, 30))))
    if scale.name == "quick":
        some.append(Reduction("events", "50 M", f"{scale.pick(*LONG):,}"))
    return tuple(some)


# ---- how it is drawn ----


def figures(title: str, data: Data) -> "dict[str, Figure]":
    """Draw the curves, and the error at the end beside the cost."""
    from colonnade.papers.drawing import curves, standings

    return {"curves": curves(title, _chosen(data), data), "final": standings(title, data)}


def _chosen(data: Data) -> dict[str, Any]:
    """Choose what is drawn as a curve: the columns, and the T-BPTT that ran for longer."""
    columns: Iterable[str] = (CCN.name, COLUMNAR.name, CONSTRUCTIVE.name)
    return {**{name: data["everybody"][name] for name in columns}, **data["longer"]}


def _item(name: str, title: str, world: World, asks: str, core_minutes: dict[str, float]) -> Item:
    return Item(
        name=name,
        asks=asks,
        study=partial(study, world, name),
        claims=claims,
        figures=partial(figures, title),
        reductions=reductions,
        core_minutes=core_minutes,
    )


TRACE_PATTERNING = _item(
    "trace-patterning",
    "Trace patterning",
    TracePatterning(),
    "Who learns which patterns predict, and when, nearest to the best possible error?",
    {"quick": 1, "laptop": 60, "paper": 200},
)
TRACE_CONDITIONING = _item(
    "trace-conditioning",
    "Trace conditioning",
    TraceConditioning(),
    "Who learns when a cue's consequence comes, nearest to the best possible error?",
    {"quick": 1, "laptop": 60, "paper": 200},
)
