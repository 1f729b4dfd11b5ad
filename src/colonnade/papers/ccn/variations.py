"""What of CCN matters: parts left out, stages longer or shorter, more or fewer at a time, deeper or flatter.

Every variant finds its own step size on other seeds, so that none suffers from what suits another. All run on
trace patterning, a fifth as long as published runs, with stages as many times shorter.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from colonnade.papers.ccn.networks import CCN, READINGS, Entrant
from colonnade.papers.claims import Claim
from colonnade.papers.item import Data, Item, Reduction, Scale, Study
from colonnade.papers.tuned import Contest, Make
from colonnade.runs.streamed import Streamed
from colonnade.streaming import ccn
from colonnade.worlds import TracePatterning

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WORLD = TracePatterning()
STEPS = (400_000, 10_000_000, 50_000_000)
SIZES = (1e-3, 3e-4, 1e-4)
FEATURES = 20
DEPTHS = (1, 2, 3, 4, 5, 6, 8, 10, 13, 20)  # each fills the budget


def variant(entrant: Entrant, settings: Mapping[str, Any], step_size: float, steps: int) -> Streamed:
    """Return an entrant with some settings of its learner changed."""
    recipe = entrant.recipe(steps, step_size, **settings)
    return Streamed(recipe, WORLD, steps=steps, every=steps // READINGS)


def with_stages_of(share: float, step_size: float, steps: int) -> Streamed:
    """Return CCN whose stages last so long a share of the run; the last goes on to its end."""
    recipe = CCN.recipe(steps, step_size)
    network = ccn(CCN.columns, CCN.stages, int(steps * share))
    return Streamed(replace(recipe, network=network), WORLD, steps=steps, every=steps // READINGS)


def ablations() -> dict[str, Make]:
    """Return what the study of parts compares."""
    changed: dict[str, tuple[Entrant, Mapping[str, Any]]] = {
        "CCN": (CCN, {}),
        "without input normalisation": (CCN, {"normalise_inputs": False}),
        "without feature normalisation": (CCN, {"normalise_features": False}),
        "without either": (CCN, {"normalise_inputs": False, "normalise_features": False}),
        "variance floor 0.1": (CCN, {"normalise_floor": 0.1}),
        "variance floor 0.01": (CCN, {"normalise_floor": 0.01}),
        "1 column a stage": (Entrant("", columns=1, stages=FEATURES), {}),
        "2 columns a stage": (Entrant("", columns=2, stages=FEATURES // 2), {}),
        "10 columns a stage": (Entrant("", columns=10, stages=2), {}),
        "one stage that learns for ever": (Entrant("", columns=FEATURES), {}),
    }
    shares = {"stages half as long": 0.1, "stages a quarter as long": 0.05}
    return {
        **{name: partial(variant, entrant, settings) for name, (entrant, settings) in changed.items()},
        **{name: partial(with_stages_of, share) for name, share in shares.items()},
    }


def depths() -> dict[str, Make]:
    """Return networks of 1 to 20 stages, each with as many columns a stage as cost no more than CCN."""
    budget = CCN.operations(WORLD.inputs)
    found: dict[str, Make] = {}
    for stages in DEPTHS:
        widest = Entrant("", 1, stages)
        while (wider := Entrant("", widest.columns + 1, stages)).operations(WORLD.inputs) <= budget:
            widest = wider
        found[f"{stages} × {widest.columns}"] = partial(variant, widest, {})
    return found


def study(name: str, entrants: Callable[[], Mapping[str, Make]], scale: Scale) -> Study:
    """Tune every variant and run it on fresh seeds."""
    steps = scale.pick(*STEPS)
    contest = Contest(
        name=f"ccn {name}, {scale.name}",
        asks=ASKS[name],
        entrants=entrants(),
        sizes=SIZES,
        tuning_steps=steps,
        tuning_seeds=scale.many(2, 3, 3),
        steps=steps,
        seeds=scale.many(2, 10, 30),
    )
    return (yield from contest.all())


def no_claims(data: Data) -> tuple[Claim, ...]:
    """Nobody claimed anything: it is shown as it came out."""
    return ()


def reductions(scale: Scale) -> tuple[Reduction, ...]:
    """Say where less is done than in a published run."""
    some = []
    if scale.name != "paper":
        some = [
            Reduction("events", "50 M", f"{scale.pick(*STEPS):,}, with stages as many times shorter"),
            Reduction("seeds", "30", str(scale.many(2, 10, 30))),
        ]
    return tuple(some)


def figures(title: str, data: Data) -> "dict[str, Figure]":
    """Draw every variant's excess at the end."""
    from colonnade.papers.drawing import standings

    return {"final": standings(title, data)}


ASKS = {
    "ablation": "Which parts of CCN does its error depend on?",
    "depth": "When does hierarchy help, at equal cost?",
}


def _item(
    name: str, title: str, entrants: Callable[[], Mapping[str, Make]], core_minutes: Mapping[str, float]
) -> Item:
    return Item(
        name=name,
        asks=ASKS[name],
        study=partial(study, name, entrants),
        claims=no_claims,
        figures=partial(figures, title),
        reductions=reductions,
        core_minutes=core_minutes,
    )


ABLATION = _item("ablation", "CCN with parts left out", ablations, {"quick": 1, "laptop": 25, "paper": 300})
DEPTH = _item("depth", "Stages × columns, at equal cost", depths, {"quick": 2, "laptop": 40, "paper": 450})
