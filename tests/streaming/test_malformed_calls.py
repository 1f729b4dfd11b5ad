"""A learner among malformed calls: each is refused in a line, and nothing of it is ever seen again.

A twin gets only the calls that are right, held in plain lists; both must predict the same bits.
"""

import warnings

import numpy as np
import pytest

from colonnade import BadInput
from streaming.made import INPUTS, KINDS, made, same_bits
from streaming.malformed import HOLDERS, HOLDERS_OF_WHOLE, Malformed

CALLS = 100_000
NAMES = ("a", "b", "c", "d", "e")
LEARNERS = [
    ("ccn", "a return", None),
    ("one column", "returns", NAMES),
    ("columnar", "a number", NAMES),
    ("dense LSTM", "numbers", None),
    ("online LRU", "classes", None),
]
SIGNATURES = [
    ("step", (), {}),
    ("step", (1, 2, 3, 4, 5), {}),
    ("learn", (), {"x": 1}),
    ("predict", (), {"y": 1}),
    ("run", (), {}),
    ("reset", (1,), {}),
    ("set_state", (), {}),
    ("save", (1, 2), {}),
]


class Pair:
    """A learner and its twin, and the calls that they get."""

    def __init__(self, network, kind, names, seed):
        self.kind, self.names, self.outputs = kind, names, KINDS[kind].outputs
        self.target = KINDS[kind].target
        self.given = Malformed(seed)
        self.draw = self.given.draw
        inputs = names or INPUTS
        self.learner, self.twin = (made(network, kind, inputs=inputs, normalise_rate=0.99) for _ in range(2))
        self.state, self.parameters = self.learner.state(), self.learner.parameters()

    # ---- calls that are right ----

    def right(self):
        """Call both, the learner with odder things; compare what they predict."""
        method = self.draw.choice(["step", "step", "step", "learn", "predict", "run", "reset"])
        plain = getattr(self, f"right_{method}", self.right_event)()
        if method == "predict":
            plain = {"x": plain["x"]}
        odd = {name: self.odd(value) for name, value in plain.items()}
        if self.names and method in ("step", "learn", "predict") and self.draw.random() < 0.5:
            odd["x"] = dict(reversed(list(zip(self.names, plain["x"], strict=True))))
        mine, others = getattr(self.learner, method)(**odd), getattr(self.twin, method)(**plain)
        assert np.array_equal(mine, others) if mine is not None else others is None

    def odd(self, value):
        """Hold the same numbers in another way."""
        if not isinstance(value, list) or isinstance(value[0], (list, int)):
            return value
        whole = all(number == int(number) for number in value)
        return self.draw.choice(HOLDERS_OF_WHOLE if whole and self.draw.random() < 0.5 else HOLDERS)(value)

    def right_event(self):
        whole = self.draw.random() < 0.3
        row = self.given.row(INPUTS)
        event = {
            "x": [float(int(number)) for number in row] if whole else row,
            self.target: self.right_target(),
        }
        if self.target == "cumulant" and self.draw.random() < 0.3:
            event["discount"] = self.draw.choice([0.0, 0.5, 1.0, True, [0.25] * self.outputs])
        return event

    def right_target(self):
        if self.kind == "classes":
            return self.draw.choice([None, 0, 1, 2])
        if self.target == "y" and self.draw.random() < 0.2:
            return None
        row = self.given.row(self.outputs)
        return (
            row if self.outputs > 1 else self.draw.choice([row[0], np.float32(row[0]), np.array(row[0]), row])
        )

    def right_run(self, events=None):
        events = self.draw.randrange(4) if events is None else events
        chunk = {"x": np.reshape([self.given.row(INPUTS) for _ in range(events)], (events, INPUTS))}
        if self.kind == "classes":
            chunk["y"] = np.array([self.draw.randrange(3) for _ in range(events)], int)
        else:
            chunk[self.target] = np.array(self.given.row(events * self.outputs)).reshape(self.shape(events))
        return chunk

    def shape(self, events):
        return (events,) if self.outputs == 1 else (events, self.outputs)

    def right_reset(self):
        return {}

    # ---- calls that are not ----

    def wrong(self):
        """Call the learner; return the field that was wrong, and what was raised."""
        methods = ["step"] * 6 + ["learn", "predict", "predict", "run", "run", "set_state", "set_parameters"]
        method = self.draw.choice(methods)
        field, arguments = getattr(self, f"wrong_{method}", self.wrong_event)()
        if method == "predict":
            field, arguments = "x", {"x": arguments["x"] if field == "x" else self.wrong_x()}
        try:
            getattr(self.learner, method)(**arguments)
        except BadInput as refused:
            return field, str(refused)
        pytest.fail(f"{method} took a {field} of {arguments}")

    def wrong_event(self):
        event = self.right_event()
        field = self.draw.choice(["x", "x", *(name for name in event)])
        event[field] = {"x": self.wrong_x, "discount": self.wrong_discount}.get(field, self.wrong_target)()
        return field, event

    def wrong_x(self):
        return (
            self.given.bad_named(self.names)
            if self.names and self.draw.random() < 0.5
            else self.given.bad_row(INPUTS)
        )

    def wrong_discount(self):
        return self.draw.choice(
            [-0.5, 1.5, [2.0] * self.outputs, [0.5] * (self.outputs + 1), 7, "0.5", [], np.nan]
        )

    def wrong_target(self):
        if self.kind == "classes":
            return self.given.bad_class(3)
        if self.outputs > 1:
            return self.given.bad_row(self.outputs)
        return self.given.bad_number() if self.draw.random() < 0.8 else self.draw.choice([(1, 2), [], [None]])

    def wrong_run(self):
        chunk = self.right_run(events=3)
        if self.target == "cumulant":
            chunk["discount"] = np.full(self.shape(3), 0.5)
        else:
            chunk["known"] = [True, False, True]
        field = self.draw.choice(list(chunk))
        if field == "known":
            chunk[field] = self.draw.choice(
                [[1, 0, 1], [True], np.ones((3, 1), bool), "yes", [None] * 3, [[1], 2]]
            )
        elif field == "y" and self.kind == "classes":
            chunk[field] = self.draw.choice(
                [[0, 1, 3], [0, -1, 0], [0.0, 1.0, 2.0], [0, 1], "012", [None] * 3, None]
            )
        elif field == "discount" and self.draw.random() < 0.5:
            chunk[field] = self.draw.choice([np.full(self.shape(3), 1.5), np.full(self.shape(3), -1e-9)])
        else:
            chunk[field] = self.given.bad_chunk((3, INPUTS) if field == "x" else self.shape(3))
        return field, chunk

    def wrong_set_state(self):
        return "state", {"state": self.wrong_arrays(self.state)}

    def wrong_set_parameters(self):
        return "parameters", {"parameters": self.wrong_arrays(self.parameters)}

    def wrong_arrays(self, right):
        """Named arrays, but for something."""
        name = self.draw.choice([name for name in right if not name.startswith("progress")])
        nan = np.full(right[name].shape, np.nan)
        ragged, text = [[1], [2, 3]], right[name].astype("U9")
        others = [
            nan,
            nan.astype("f2"),
            right[name][None],
            right[name].astype(complex),
            ragged,
            text,
            None,
            "W",
        ]
        spoilt = [
            {**right, name: self.draw.choice(others)},
            {n: array for n, array in right.items() if n != name},
            {**right, self.draw.choice(["another", 3, None, (1,)]): right[name]},
            list(right),
            None,
        ]
        if "progress.events" in right:
            spoilt += [{**right, "progress.events": bad} for bad in (-1, 2.0, 2**63, [1], True)]
            spoilt += [{**right, "progress.begun": bad} for bad in (1, [True], "yes")]
        return self.draw.choice(spoilt)


def in_a_line(field, line):
    """Whether an error says where, what was expected and what came."""
    return (
        line.startswith(field)
        and ": expected " in line
        and ", got " in line
        and "\n" not in line
        and len(line) < 400
    )


@pytest.mark.parametrize(("network", "kind", "names"), LEARNERS)
def test_what_is_malformed_is_refused_and_leaves_nothing_behind(network, kind, names, record_property):
    pair = Pair(network, kind, names, seed=len(kind))
    calls = CALLS // len(LEARNERS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for call in range(calls):
            before = pair.learner.events
            field, line = pair.wrong()
            assert in_a_line(field, line), line
            assert pair.learner.events == before
            if call % 2 == 0:
                pair.right()
            if call % 500 == 0:
                same_bits(pair.learner, pair.twin)
    same_bits(pair.learner, pair.twin)
    assert pair.learner.events > calls / 4
    record_property("malformed", f"{network}, {kind}: {calls} malformed calls, none taken, nothing changed")


@pytest.mark.parametrize(("method", "given", "named"), SIGNATURES)
def test_other_arguments_than_there_are(method, given, named):
    learner, twin = made("ccn", "returns"), made("ccn", "returns")
    with pytest.raises(TypeError):
        getattr(learner, method)(*given, **named)
    same_bits(learner, twin)
