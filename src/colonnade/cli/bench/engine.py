"""The compiled engine, in the ways that it is called."""

from collections.abc import Callable

from colonnade import TDPredictor, columnar, dense_lstm
from colonnade.cli.bench import task
from colonnade.cli.bench.task import Numbers
from colonnade.streaming import Network


def columns(inputs: int, count: int) -> TDPredictor:
    """``count`` columns with exact RTRL."""
    return _predictor(columnar(count), inputs)


def dense(inputs: int, units: int, truncation: int) -> TDPredictor:
    """A dense LSTM with T-BPTT at every event."""
    return _predictor(dense_lstm(units, truncation), inputs)


def chunk(learner: TDPredictor, x: Numbers, cumulants: Numbers) -> Callable[[], Numbers]:
    """All events in one call of ``run``."""
    return lambda: learner.run(x, cumulants)


def calls(learner: TDPredictor, x: Numbers, cumulants: Numbers) -> Callable[[], None]:
    """Every event in a call of ``step`` with a NumPy array, from a Python loop that is part of the time."""
    events = list(zip(x, cumulants.tolist(), strict=True))

    def every() -> None:
        step = learner.step
        for observation, cumulant in events:
            step(observation, cumulant)

    return every


def _predictor(network: Network, inputs: int) -> TDPredictor:
    """A learner of what everybody learns; RMSProp and first weights are its own defaults."""
    return TDPredictor(
        network,
        inputs,
        discount=task.DISCOUNT,
        trace_decay=task.TRACE_DECAY,
        step_size=task.STEP_SIZE,
        normalise_rate=task.RATE,
        normalise_floor=task.FLOOR,
    )
