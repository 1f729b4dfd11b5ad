"""What runs in deep-river's own environment: a script that needs nothing of Colonnade.

A line on standard input asks for a round; the answer is a line of JSON. An event is a prediction and then
learning from it, as River's users do it.

    python deep_river_worker.py INPUTS UNITS WINDOW EVENTS
"""

import json
import random
import sys
import time


def main(inputs: int, units: int, window: int, events: int) -> None:
    import torch
    from deep_river.regression.zoo import LSTMRegressor

    torch.set_num_threads(1)
    model = LSTMRegressor(n_features=inputs, hidden_size=units, window_size=window)
    draw = random.Random(0)
    stream = [
        ({f"x{i}": draw.gauss(0.0, 1.0) for i in range(inputs)}, float(draw.random() < 0.1))
        for _ in range(events)
    ]
    for _ in sys.stdin:
        begin = time.perf_counter()
        for x, y in stream:
            model.predict_one(x)
            model.learn_one(x, y)
        nanoseconds = (time.perf_counter() - begin) / events * 1e9
        print(json.dumps({"nanoseconds": nanoseconds, "torch": torch.__version__}), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
