"""Objectives: what is asked of the features. A file an idea."""

from colonnade.objectives.linear import Linear
from colonnade.objectives.protocol import Objective
from colonnade.objectives.supervised import CrossEntropy, SquaredError
from colonnade.objectives.td import TD

__all__ = ["TD", "CrossEntropy", "Linear", "Objective", "SquaredError"]
