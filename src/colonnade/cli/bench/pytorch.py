"""PyTorch as a peer: a small LSTM that learns at every event from the last few, on one core.

T-BPTT(k) at every event: the state of k events ago is kept, the last k observations go through the LSTM in
one call, the error of the newest prediction goes back through them, and the optimizer makes one step. It is
told the target itself: the traces of TD(λ) and the normalisation, which the engine has beside, are spared.
"""

from collections import deque
from collections.abc import Callable

import torch

from colonnade.cli.bench import task
from colonnade.cli.bench.task import Numbers


class Truncated:
    """An LSTM with a linear readout."""

    def __init__(self, inputs: int, units: int, truncation: int) -> None:
        self.lstm = torch.nn.LSTM(inputs, units)
        self.readout = torch.nn.Linear(units, 1)
        parameters = [*self.lstm.parameters(), *self.readout.parameters()]
        self.optimizer = torch.optim.RMSprop(parameters, lr=task.STEP_SIZE, alpha=task.KEEP, eps=task.EPS)
        self.window: deque[torch.Tensor] = deque(maxlen=truncation)
        self.state = (torch.zeros(1, units), torch.zeros(1, units))  # before the window

    def step(self, x: torch.Tensor, target: torch.Tensor) -> float:
        """Observe, predict, be told, learn."""
        if len(self.window) == self.window.maxlen:
            with torch.no_grad():
                _, self.state = self.lstm(self.window[0], self.state)
        self.window.append(x)
        h, _ = self.lstm(torch.cat(tuple(self.window)), self.state)
        prediction = self.readout(h[-1])
        loss = torch.nn.functional.mse_loss(prediction, target)
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        return float(prediction.item())


def calls(inputs: int, units: int, truncation: int, x: Numbers, targets: Numbers) -> Callable[[], None]:
    """Every event in a call of ``step`` from a Python loop, tensors made beforehand."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    learner = Truncated(inputs, units, truncation)
    events = [(torch.tensor(one)[None], torch.tensor([y])) for one, y in zip(x, targets, strict=True)]

    def every() -> None:
        for observation, target in events:
            learner.step(observation, target)

    return every
