"""Types of the compiled engine, which core/python.cpp defines."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

def instruction_set() -> Literal["avx512", "avx2", "portable"]: ...

class Predictor:
    def __init__(
        self,
        *,
        inputs: int,
        columns: list[int],
        stage_steps: int,
        trace_decay: float,
        step_size: float,
        rms: bool,
        rms_keep: float,
        rms_eps: float,
        rate: float,
        floor: float,
    ) -> None: ...
    def run(
        self,
        x: NDArray[np.float32],
        cumulant: NDArray[np.float32],
        discount: NDArray[np.float32],
        prediction: NDArray[np.float32],
    ) -> None: ...
    def peek(self, x: NDArray[np.float32]) -> float: ...
    def reset(self) -> None: ...
    def arrays(self) -> dict[str, NDArray[np.float32]]: ...
    def set_arrays(self, named: dict[str, NDArray[np.float32]]) -> None: ...
    def progress(self) -> dict[str, Any]: ...
    def set_progress(
        self,
        *,
        events: int,
        active: int,
        begun: int,
        pending: int,
        error: float,
        decay: float,
        prediction: float,
        b: float,
        v: float,
        E: float,
    ) -> None: ...
