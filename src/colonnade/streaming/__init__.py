"""Streaming: learners on the compiled engine, for those who run them."""

from colonnade.streaming.plan import Plan, ccn, columnar, constructive
from colonnade.streaming.predictor import TDPredictor

__all__ = ["Plan", "TDPredictor", "ccn", "columnar", "constructive"]
