"""Learners: cell, credit, objective and optimizer joined; they predict, are told, and learn."""

from colonnade.learners.batch import Batch
from colonnade.learners.exchange import parameters_of, with_parameters
from colonnade.learners.online import Carry, Online
from colonnade.learners.protocol import Event, Learner, Outcome
from colonnade.learners.run import events_of, first_of, run
from colonnade.learners.stages import grow

__all__ = [
    "Batch",
    "Carry",
    "Event",
    "Learner",
    "Online",
    "Outcome",
    "events_of",
    "first_of",
    "grow",
    "parameters_of",
    "run",
    "with_parameters",
]
