"""Learning curves on trace patterning and on trace conditioning: who comes near the best possible error.

First everybody's step size is found on seeds of its own and a fifth of the events; then everybody runs on
fresh seeds with the step size that was best.
"""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from colonnade.papers.ccn.networks import BY_NAME, CCN, COLUMNAR, CONSTRUCTIVE, EVERYBODY, STEP_SIZES, T_BPTT
from colonnade.papers.claims import Claim, at_most, below
from colonnade.papers.item import Data, Item, Reduction, Scale, Study
from colonnade.papers.tuned import Contest, mean
from colonnade.worlds import TraceConditioning, TracePatterning

if TYPE_CHECKING:
    from matplotlib.figure import Figure

World: TypeAlias = TracePatterning | TraceConditioning

LONG, SHORT = (2_000_000, 50_000_000, 50_000_000), (400_000, 10_000_000, 10_000_000)
TRUNCATED_LONG = 3  # how many of truncated backpropagation run as long as the columns


def study(world: World, name: str, scale: Scale) -> Study:
    """Find step sizes, run everybody on fresh seeds, and the best of T-BPTT for longer."""
    short, long = scale.pick(*SHORT), scale.pick(*LONG)
    contest = Contest(
        name=f"ccn {name}, {scale.name}",
        asks="Who comes near the best possible error?",
        entrants={entrant.name: partial(entrant.on, world) for entrant in EVERYBODY},
        sizes=STEP_SIZES,
        tuning_steps=short,
        tuning_seeds=scale.many(2, 3, 3),
        steps=long,
        seeds=scale.many(2, 10, 30),
    )
    sizes, table = yield from contest.tune()
    lengths = {e.name: short if e.truncation else long for e in EVERYBODY}
    found = yield from contest.race(sizes, lengths)
    best = sorted((e.name for e in T_BPTT), key=lambda name: mean(found[name]))[:TRUNCATED_LONG]
    longer = yield from contest.race(sizes, dict.fromkeys(best, long), "T-BPTT for longer")
    return {
        "best": world.best_error(),
        "zero": world.zero_error(),
        "seeds": contest.seeds,
        "operations": {entrant.name: entrant.operations(world.inputs) for entrant in EVERYBODY},
        "everybody": found,
        "longer": longer,
        "tuning": table,
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
    best = min(truncated, key=lambda name: mean({"final": truncated[name]}))
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
    {"quick": 2, "laptop": 60, "paper": 200},
)
TRACE_CONDITIONING = _item(
    "trace-conditioning",
    "Trace conditioning",
    TraceConditioning(),
    "Who learns when a cue's consequence comes, nearest to the best possible error?",
    {"quick": 2, "laptop": 60, "paper": 200},
)
