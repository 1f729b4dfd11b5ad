"""Learning from streams on the compiled engine, without JAX."""

from colonnade.streaming.classifier import Classifier
from colonnade.streaming.dense import DenseLSTM, dense_lstm
from colonnade.streaming.learner import Learner, Settings
from colonnade.streaming.linear import OnlineLRU, online_lru
from colonnade.streaming.network import Network
from colonnade.streaming.operations import operations_of
from colonnade.streaming.optimizers import SGD, Adam, RMSProp
from colonnade.streaming.plan import Plan, ccn, columnar, constructive
from colonnade.streaming.predictor import TDPredictor
from colonnade.streaming.regressor import Regressor
from colonnade.streaming.regrow import regrown
from colonnade.streaming.restore import load

__all__ = [
    "SGD",
    "Adam",
    "Classifier",
    "DenseLSTM",
    "Learner",
    "Network",
    "OnlineLRU",
    "Plan",
    "RMSProp",
    "Regressor",
    "Settings",
    "TDPredictor",
    "ccn",
    "columnar",
    "constructive",
    "dense_lstm",
    "load",
    "online_lru",
    "operations_of",
    "regrown",
]
