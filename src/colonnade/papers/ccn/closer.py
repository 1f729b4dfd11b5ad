"""How near to the best possible error CCN comes at its published cost, when its settings are found anew.

Two settings are searched together on seeds of their own, each over the published range: the step size, and
the variance floor below which features are no longer amplified. What was best runs on fresh seeds, beside CCN
with the floor that the other items have and the step size that is best for that.
"""

from functools import partial
from typing import TYPE_CHECKING

from colonnade.papers.ccn.networks import CCN, HORIZON
from colonnade.papers.ccn.variations import WORLD, variant
from colonnade.papers.claims import Claim, at_most, below
from colonnade.papers.item import Data, Item, Reduction, Scale, Study
from colonnade.papers.tuned import Contest

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEPS = (2_000_000, HORIZON, HORIZON)
SIZES = (1e-3, 3e-4, 1e-4, 3e-5)
FLOORS = (1e-3, 1e-2, 1e-1)
USUAL = FLOORS[0]


def study(scale: Scale) -> Study:
    """Find the step size for each floor, then the floor, and run what was best on fresh seeds."""
    steps = scale.pick(*STEPS)
    names = {floor: f"variance floor {floor:g}" for floor in FLOORS}
    contest = Contest(
        name=f"ccn closer, {scale.name}",
        asks=ASKS,
        entrants={name: partial(variant, CCN, {"normalise_floor": floor}) for floor, name in names.items()},
        sizes=SIZES,
        tuning_steps=steps,
        tuning_seeds=scale.many(2, 3, 3),
        steps=steps,
        seeds=scale.many(2, 10, 30),
    )
    sizes, table = yield from contest.tune()
    best = min(names.values(), key=lambda name: min(table[name].values()))
    chosen = list(dict.fromkeys((names[USUAL], best)))
    found = yield from contest.race(sizes, dict.fromkeys(chosen, steps))
    return {
        "seeds": contest.seeds,
        "chosen": best,
        "usual": names[USUAL],
        "operations": CCN.operations(WORLD.inputs),
        "everybody": found,
        "tuning": table,
        "best": WORLD.best_error(),
        "zero": WORLD.zero_error(),
    }


def claims(data: Data) -> tuple[Claim, ...]:
    """Judge the configuration that was found."""
    ours = data["everybody"][data["chosen"]]
    usual = data["everybody"][data["usual"]]["final"]
    what = f"{data['chosen']}, step size {ours['step size']:g}"
    return (
        at_most(
            f"at CCN's counted cost, a configuration's excess is at most 0.0001: {what}",
            "our own",
            ours["final"],
            0.0001,
        ),
        below(f"it is below that with the usual {data['usual']}", "our own", ours["final"], usual),
    )


def reductions(scale: Scale) -> tuple[Reduction, ...]:
    """Say where less is done than in a published run."""
    some = []
    if scale.name == "quick":
        some.append(Reduction("events", f"{HORIZON:,}", f"{scale.pick(*STEPS):,}"))
    if scale.name != "paper":
        some.append(Reduction("seeds", "30", str(scale.many(2, 10, 30))))
    return tuple(some)


def figures(data: Data) -> "dict[str, Figure]":
    """Draw both curves, and what they come to."""
    from colonnade.papers.drawing import curves, standings

    return {
        "curves": curves("CCN with settings found anew", data["everybody"], data),
        "final": standings("CCN with settings found anew", data),
    }


ASKS = "How near to the best possible error does CCN come at its published cost?"
CLOSER = Item("closer", ASKS, study, claims, figures, reductions, {"quick": 1, "laptop": 30, "paper": 60})
