"""What independent columns can't do alone: multiply what two of them remember, and recall things in order.

The product of two latched numbers needs a unit that sees both. Columns of one stage don't see each other;
those of a later stage see all earlier ones; units of a dense LSTM see each other, as far back as its
truncation goes. The copy task, short enough to lie within a truncation, asks for five patterns in order.

Everybody costs at most as much as CCN does, and finds its step size on seeds of its own. Costs are counted as
those of one predicted return, as elsewhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from colonnade.papers.ccn.networks import CCN, READINGS, Entrant
from colonnade.papers.claims import Claim, below
from colonnade.papers.item import Data, Item, Reduction, Scale, Study
from colonnade.papers.tuned import Contest
from colonnade.runs.streamed import Recipe, Streamed
from colonnade.streaming import Regressor
from colonnade.worlds import CopyTask, LatchedProduct

if TYPE_CHECKING:
    from matplotlib.figure import Figure

World: TypeAlias = LatchedProduct | CopyTask

STEPS = (400_000, 10_000_000, 50_000_000)
SIZES = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4)
PRODUCT, COPY = LatchedProduct(), CopyTask(length=5, bits=3)
TRUNCATIONS = (5, 10, 20)
TASKS: Mapping[str, tuple[World, str]] = {"product": (PRODUCT, "excess"), "copy": (COPY, "error")}


@dataclass(frozen=True)
class Regression:
    """An entrant that is told what it should have said."""

    network: Entrant

    def on(self, world: World, step_size: float, steps: int) -> Streamed:
        """Return the experiment."""
        settings = {"outputs": world.outputs, "step_size": step_size}
        recipe = Recipe(Regressor, self.network.network(steps), settings)
        return Streamed(recipe, world, steps=steps, every=steps // READINGS)


def entrants(world: World) -> dict[str, Entrant]:
    """Return who takes part: the widest network of each kind that costs no more than CCN.

    >>> [entrant.columns or entrant.units for entrant in entrants(PRODUCT).values()]
    [4, 19, 7, 5, 4]
    """
    budget = CCN.operations(world.inputs)
    kinds = [("one stage of columns", 1, 0), *((f"T-BPTT {cut}", 0, cut) for cut in TRUNCATIONS)]
    found = {CCN.name: CCN}
    for name, columns, truncation in kinds:
        size, one = 1, Entrant(name, columns, 1, truncation, 1)
        while (wider := _wider(one, size + 1)).operations(world.inputs) <= budget:
            one, size = wider, size + 1
        found[f"{name}, {size} {'columns' if columns else 'units'}"] = one
    return found


def _wider(one: Entrant, size: int) -> Entrant:
    columns, units = (0, size) if one.truncation else (size, 0)
    return Entrant(one.name, columns, 1, one.truncation, units)


def study(scale: Scale) -> Study:
    """Tune everybody and run everybody on fresh seeds, task by task."""
    steps = scale.pick(*STEPS)
    found: Data = {"seeds": scale.many(2, 10, 30)}
    for task, (world, metric) in TASKS.items():
        contest = Contest(
            name=f"ccn interaction {task}, {scale.name}",
            asks=ASKS,
            entrants={name: partial(Regression(one).on, world) for name, one in entrants(world).items()},
            sizes=SIZES,
            tuning_steps=steps,
            tuning_seeds=scale.many(2, 3, 3),
            steps=steps,
            seeds=scale.many(2, 10, 30),
            metric=metric,
        )
        found[task] = yield from contest.all()
    return found


def claims(data: Data) -> tuple[Claim, ...]:
    """Judge whether later stages do what one stage can't."""
    everybody = data["product"]["everybody"]
    (alone,) = (name for name in everybody if name.startswith("one stage"))
    return (
        below(
            "of a product of latched numbers, CCN's error is less than half of that of one stage",
            "our own",
            everybody[CCN.name]["final"],
            everybody[alone]["final"],
            0.5,
        ),
    )


def figures(data: Data) -> "dict[str, Figure]":
    """Draw everybody's error at the end of both tasks."""
    from colonnade.papers.drawing import standings

    product, copy = ({**data[task], "seeds": data["seeds"]} for task in TASKS)
    return {
        "product": standings("A product of two latched numbers", product, what="mean squared error"),
        "copy": standings("Five patterns of three bits, recalled in order", copy, what="mean squared error"),
    }


def reductions(scale: Scale) -> tuple[Reduction, ...]:
    """Nothing was published to do less than."""
    return ()


ASKS = "Can later stages do what independent columns can't?"
INTERACTION = Item(
    "interaction", ASKS, study, claims, figures, reductions, {"quick": 0.8, "laptop": 40, "paper": 450}
)
