"""How much the error depends on each setting, per network: step size, λ, and the rate of the statistics.

Each network's step size is first found on other seeds; then one setting at a time is changed, on fresh seeds.
"""

from functools import partial
from typing import TYPE_CHECKING, Any

from colonnade.papers.ccn.networks import CCN, COLUMNAR, CONSTRUCTIVE, READINGS, STEP_SIZES, T_BPTT, Entrant
from colonnade.papers.claims import Claim
from colonnade.papers.item import Data, Item, Reduction, Scale, Study
from colonnade.papers.tuned import LAST, Contest
from colonnade.runs.streamed import Streamed
from colonnade.runs.sweep import Goal, Point, Sweep
from colonnade.worlds import TracePatterning

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WORLD = TracePatterning()
STEPS = (400_000, 10_000_000, 50_000_000)
ENTRANTS = (CCN, COLUMNAR, CONSTRUCTIVE, next(entrant for entrant in T_BPTT if entrant.truncation == 15))
AXES: dict[str, tuple[str, tuple[float, ...]]] = {
    "step size": ("step_size", (3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5)),
    "trace decay": ("trace_decay", (0.0, 0.5, 0.9, 0.95, 0.99, 1.0)),
    "rate of the statistics": ("normalise_rate", (0.999, 0.9999, 0.99999, 0.999999)),
}


def study(scale: Scale) -> Study:
    """Find step sizes, then change one setting at a time."""
    steps, seeds = scale.pick(*STEPS), scale.many(2, 5, 30)
    contest = Contest(
        name=f"ccn sensitivity, {scale.name}",
        asks="How much does the error depend on each setting?",
        entrants={entrant.name: partial(entrant.on, WORLD) for entrant in ENTRANTS},
        sizes=STEP_SIZES,
        tuning_steps=steps,
        tuning_seeds=scale.many(2, 3, 3),
        steps=steps,
        seeds=seeds,
    )
    sizes, table = yield from contest.tune()
    points = {
        (entrant.name, axis, place): _point(entrant, sizes[entrant.name], steps, axis, setting, place)
        for entrant in ENTRANTS
        for axis, (setting, places) in AXES.items()
        for place in places
    }
    name = f"{contest.name}: one setting at a time"
    found = yield Sweep(name, tuple(points.values()), tuple(range(seeds)), contest.asks, Goal("excess"))
    finals: Data = {axis: {entrant.name: {} for entrant in ENTRANTS} for axis in AXES}
    for (who, axis, place), point in points.items():
        finals[axis][who][f"{place:g}"] = found.final(point, "excess", steps // LAST).tolist()
    return {"seeds": seeds, "step sizes": sizes, "finals": finals, "tuning": table}


def _point(entrant: Entrant, size: float, steps: int, axis: str, setting: str, place: float) -> Point:
    settings: dict[str, Any] = {setting: place}
    recipe = entrant.recipe(steps, settings.pop("step_size", size), **settings)
    experiment = Streamed(recipe, WORLD, steps=steps, every=steps // READINGS)
    return Point(experiment, {"who": entrant.name, "setting": axis, "value": place})


def no_claims(data: Data) -> tuple[Claim, ...]:
    """Nobody claimed anything: it is shown as it came out."""
    return ()


def reductions(scale: Scale) -> tuple[Reduction, ...]:
    """Say where less is done than in a published run."""
    if scale.name == "paper":
        return ()
    return (
        Reduction("events", "50 M", f"{scale.pick(*STEPS):,}, with stages as many times shorter"),
        Reduction("seeds", "30", str(scale.many(2, 5, 30))),
    )


def figures(data: Data) -> "dict[str, Figure]":
    """Draw the excess against each setting."""
    from colonnade.papers.drawing import against

    return {
        axis.replace(" ", "-"): against(
            f"Sensitivity to the {axis}",
            f"the other settings at each network's own best; {data['seeds']} seeds, 95 % intervals",
            places if axis != "rate of the statistics" else tuple(1 - place for place in places),
            {who: [finals[f"{place:g}"] for place in places] for who, finals in data["finals"][axis].items()},
            along=axis if axis != "rate of the statistics" else "1 − rate of the statistics",
            up="excess over the best possible error",
            logarithmic="" if axis == "trace decay" else "x",
        )
        for axis, (_, places) in AXES.items()
    }


SENSITIVITY = Item(
    "sensitivity",
    "How much does the error depend on each setting?",
    study,
    no_claims,
    figures,
    reductions,
    {"quick": 2, "laptop": 50, "paper": 1000},
)
