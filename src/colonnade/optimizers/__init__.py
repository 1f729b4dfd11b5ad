"""Optimizers: how a gradient becomes a step. Any of optax's serves; here is what optax doesn't have."""

from colonnade.optimizers.apart import apart
from colonnade.optimizers.rmsprop import rmsprop

__all__ = ["apart", "rmsprop"]
