"""Settings against one of them, within one world or across several.

    score          the mean over seeds in one world; across several the interquartile mean of all scores
    difference     of scores, seed by seed: the same seed sees the same events; the mean over worlds
    improvement    how probably a run comes to something better than one of the other setting

What is compared is all of a setting but the world: the axes `world` and `world.…` say which world it is,
unless others are named.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from colonnade.errors import BadInput
from colonnade.runs.described import Data, text
from colonnade.runs.statistics import (
    Estimate,
    interquartile_mean,
    mean,
    probability_of_improvement,
    stratified,
)
from colonnade.runs.summary import Setting, Summary, named


@dataclass(frozen=True)
class Contender:
    """A setting, but for its world, and what it came to in each."""

    name: str
    label: Mapping[str, Data]
    worlds: Mapping[str, Setting]
    """By the name of the world; the empty name, if there is one only."""
    score: Estimate

    @property
    def whole(self) -> bool:
        """Whether no seed in any world failed or came to no number."""
        return all(setting.whole for setting in self.worlds.values())

    @property
    def seeds(self) -> list[int]:
        """How many seeds came to a number, in each world."""
        return [len(setting.scores) for setting in self.worlds.values()]


@dataclass(frozen=True)
class Comparison:
    """A contender beside another one."""

    contender: Contender
    difference: Estimate
    improvement: Estimate


def contenders(summary: Summary, across: Sequence[str] | None = None) -> list[Contender]:
    """Return what competes in a sweep, the best first."""
    tasks = worlds_of(summary, across)
    rest = [axis for axis in summary.axes if axis not in tasks]
    found: dict[str, dict[str, Setting]] = {}
    for setting in summary.settings:
        key = text([setting.label.get(axis) for axis in rest]) if tasks else setting.digest
        worlds = found.setdefault(key, {})
        world = named(setting.label, tasks)
        worlds[world if world not in worlds else f"{world} ({setting.digest[:6]})"] = setting
    made = [_contender(worlds, rest, tasks, summary.sweep.name) for worlds in found.values()]
    most = max((one.score.scores for one in made), default=0)
    made.sort(
        key=lambda one: (
            not np.isfinite(one.score.value),
            one.score.scores < most,
            not one.whole,
            summary.sign * one.score.value,
        )
    )
    return made


def worlds_of(summary: Summary, across: Sequence[str] | None = None) -> list[str]:
    """Return the axes that say which world it is."""
    if across is None:
        return [axis for axis in summary.axes if axis == "world" or axis.startswith("world.")]
    for axis in across:
        if axis not in summary.axes:
            known = ", ".join(summary.axes) or "none"
            raise BadInput("across", expected=f"an axis of the sweep: {known}", got=repr(axis))
    return list(across)


def compared(some: Sequence[Contender], other: Contender, sign: float) -> list[Comparison]:
    """Compare each with one of them."""
    return [Comparison(one, difference(one, other), improvement(one, other, sign)) for one in some]


def difference(one: Contender, other: Contender) -> Estimate:
    """Return by how much scores differ, over the seeds that both have, in the worlds that both have."""
    apart = []
    for world in sorted(one.worlds.keys() & other.worlds.keys()):
        mine, theirs = one.worlds[world].scores, other.worlds[world].scores
        apart.append([mine[seed] - theirs[seed] for seed in sorted(mine.keys() & theirs.keys())])
    return stratified(apart, lambda drawn: np.mean([task.mean(axis=-1) for task in drawn], axis=0))


def improvement(one: Contender, other: Contender, sign: float) -> Estimate:
    """Return how probably one comes to something better than the other; ``sign`` makes less better."""
    both = sorted(one.worlds.keys() & other.worlds.keys())
    return probability_of_improvement(
        [[sign * score for score in one.worlds[world].scores.values()] for world in both],
        [[sign * score for score in other.worlds[world].scores.values()] for world in both],
    )


def wanted(some: Sequence[Contender], name: str) -> Contender:
    """Return the one contender of this name, or of a setting whose digest begins so."""
    found = [one for one in some if one.name == name] or [
        one for one in some if name and any(s.digest.startswith(name) for s in one.worlds.values())
    ]
    if len(found) != 1:
        known = "; ".join(one.name for one in some[:3]) + ("; …" if len(some) > 3 else "")
        raise BadInput(
            "to", expected=f"one setting's name or the beginning of its digest: {known}", got=repr(name)
        )
    return found[0]


def _contender(worlds: dict[str, Setting], rest: list[str], tasks: list[str], sweep: str) -> Contender:
    first = next(iter(worlds.values()))
    scores = [list(setting.scores.values()) for _, setting in sorted(worlds.items())]
    score = interquartile_mean(scores) if tasks else mean(scores[0])
    name = (named(first.label, rest) or sweep) if tasks else first.name
    return Contender(name, {axis: first.label.get(axis) for axis in rest}, worlds, score)
