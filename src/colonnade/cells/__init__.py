"""Cells: how one recurrent unit, or a dense network of them, moves. A file a cell."""

from colonnade.cells.additive import Additive
from colonnade.cells.elstm import ELSTM
from colonnade.cells.gru import GRU
from colonnade.cells.leaky import LeakyRNN
from colonnade.cells.linear import LinearRNN
from colonnade.cells.lru import LRU
from colonnade.cells.lstm import LSTM
from colonnade.cells.normalise import Normalise
from colonnade.cells.protocol import Cell, Modular
from colonnade.cells.rnn import RNN
from colonnade.cells.sums import with_own

__all__ = [
    "ELSTM",
    "GRU",
    "LRU",
    "LSTM",
    "RNN",
    "Additive",
    "Cell",
    "LeakyRNN",
    "LinearRNN",
    "Modular",
    "Normalise",
    "with_own",
]
