"""The specification of an engine's learner: made from it, led through the same events, compared with it."""

from functools import partial

import numpy as np

from colonnade import RMSProp, TDPredictor
from colonnade.streaming import SGD, Classifier, DenseLSTM, OnlineLRU
from oracles.engine import optimizers
from oracles.engine.columns import Staged
from oracles.engine.dense import Dense
from oracles.engine.learner import Learner
from oracles.engine.linear import Linear
from oracles.engine.readout import Readout
from oracles.engine.returns import Returns
from oracles.engine.statistics import Statistics, Unchanged
from oracles.engine.supervised import Classes, Numbers


def specification_of(learner, dtype=np.float64):
    """The specification with the learner's weights as they are, before its first event."""
    told = learner.settings
    weights = {name: array.astype(dtype) for name, array in learner.parameters().items()}
    w, b = weights.pop("readout.w"), weights.pop("readout.b")
    seen, features = (
        _statistics(told, told[f"normalise_{which}"], dtype) for which in ("inputs", "features")
    )
    return Learner(
        _network(learner.network, weights, seen),
        Readout(w, b, features),
        _objective(learner, dtype),
        _optimizer(told["optimizer"]),
        _single(told["step_size"]),
        told["bound"] and _single(told["bound"]),
    )


def _single(number):
    """A setting as the engine has it: 1 - 0.99999 differs by a thousandth of itself in float32."""
    return float(np.float32(number))


def _statistics(told, on, dtype):
    if not on:
        return partial(Unchanged, dtype=dtype)
    rate, floor = _single(told["normalise_rate"]), _single(told["normalise_floor"])
    return partial(Statistics, dtype=dtype, rate=rate, floor=floor)


def _network(network, weights, statistics):
    if isinstance(network, DenseLSTM):
        return Dense(weights["lstm.W"], network.truncation, statistics)
    if isinstance(network, OnlineLRU):
        return Linear({name.removeprefix("lru."): array for name, array in weights.items()}, statistics)
    return Staged(list(weights.values()), network.stage_steps, statistics, network.turns)


def _objective(learner, dtype):
    if isinstance(learner, TDPredictor):
        shares = (np.float32(learner.settings[name]).astype(dtype) for name in ("discount", "trace_decay"))
        return Returns(*shares)
    return Classes() if isinstance(learner, Classifier) else Numbers()


def _optimizer(optimizer):
    if isinstance(optimizer, SGD):
        return optimizers.SGD()
    if isinstance(optimizer, RMSProp):
        return optimizers.RMSProp(_single(optimizer.decay), _single(optimizer.eps))
    shares = (optimizer.decay, optimizer.square_decay, optimizer.eps)
    return optimizers.Adam(*(_single(share) for share in shares))


# ---- through the same events ----


def lead(learner, events):
    """What the engine predicts, (events, predictions)."""
    x, told, also, begins = events
    parts = []
    for begin, end in zip((0, *begins), (*begins, len(x)), strict=True):
        if begin:
            learner.reset()
        chunk = (x[begin:end], told[begin:end])
        parts.append(learner.run(*chunk) if also is None else learner.run(*chunk, also[begin:end]))
    return np.concatenate(parts).reshape(len(x), -1)


def follow(specification, events):
    """What the specification predicts, (events, predictions)."""
    dtype = specification.readout.b.dtype
    predictions = []
    for t, (x, told) in enumerate(zip(events.x.astype(dtype), _told(events, dtype), strict=True)):
        if t in events.begins:
            specification.reset()
        predictions.append(specification.step(x, *told))
    return np.array(predictions)


def _told(events, dtype):
    """What the specification is told at each event."""
    told, also = events.told, events.also
    if told.dtype.kind != "i":
        told = np.float32(told).astype(dtype).reshape(len(told), -1)
    if also is None:
        return [(one,) for one in told]
    if also.dtype == bool:
        return [(one if known else None,) for one, known in zip(told, also, strict=True)]
    return zip(told, np.float32(also).astype(dtype), strict=True)


# ---- the specification's numbers under the engine's names ----


def state_of(specification):
    """All that the specification is, as the engine's `state()` says it: of what has begun."""
    network = specification.network
    if isinstance(network, Staged):
        begun = enumerate(network.stages[: network.last + 1])
        named = {name: array for s, stage in begun for name, array in _stage(s, stage).items()}
    else:
        named = _dense(network) if isinstance(network, Dense) else _linear(network)
    for name in network.weights.keys() & specification.kept.keys():
        named |= _learned(specification, name, [name])
    return named | _readout(specification)


def _seen(part, seen):
    """Statistics, joined if there are several of them."""
    if isinstance(seen[0], Unchanged):
        return {}
    names = ("mean", "variance")
    return {f"{part}.{name}": np.concatenate([getattr(one, name) for one in seen]) for name in names}


def _stage(s, stage):
    numbers = {"W": stage.W, "W.H": stage.H, "W.C": stage.C, "h": stage.h, "c": stage.c}
    return {f"stage.{s}.{name}": array for name, array in numbers.items()} | _seen(f"stage.{s}", [stage.seen])


def _dense(network):
    inputs, slopes = zip(*network.lived, strict=True)
    past = np.stack(inputs), np.stack([(s.kept, s.down, s.by_i, s.by_f, s.by_o, s.by_g) for s in slopes])
    names = ("lstm.W", "lstm.h", "lstm.c", "lstm.past", "lstm.slopes")
    named = dict(zip(names, (network.W, network.h, network.c, *past), strict=True))
    return named | _seen("lstm", [network.seen])


def _linear(network):
    named = dict(network.weights) | {"lru.h_re": network.h.real, "lru.h_im": network.h.imag}
    influences = {"nu": network.J_nu, "theta": network.J_theta, "gamma": network.J_gamma, "B_re": network.J_B}
    for name, J in influences.items():
        named |= {f"lru.{name}.J_re": J.real, f"lru.{name}.J_im": J.imag}
    return named | _seen("lru", [network.seen])


def _readout(specification):
    readout = specification.readout
    w = np.concatenate(readout.blocks(), axis=1)
    named = {"readout.w": w, "readout.b": readout.b} | _seen("features", readout.seen)
    if isinstance(specification.objective, Returns):
        last = specification.objective.last
        named["readout.last"] = np.zeros_like(readout.b) if last is None else last
    if specification.kept:
        blocks = [name for name in readout.weights if name != "readout.b" and name in specification.kept]
        named |= _learned(specification, "readout.w", blocks)
        named |= _learned(specification, "readout.b", ["readout.b"])
    return named


def _learned(specification, name, blocks):
    """What optimizer and objective keep of an array, which the specification may have in blocks."""
    kept, rule = [specification.kept[block] for block in blocks], specification.optimizer
    moments = [moment for moment in kept[0]._fields if moment != "n"]
    named = {f"{name}.{moment}": _joined(getattr(k, moment) for k in kept) for moment in moments}
    if isinstance(rule, optimizers.Adam):
        counts = [np.full(k.m.shape[-1] if name == "readout.w" else 1, float(k.n)) for k in kept]
        ages = "lru.W" if name.startswith("lru.") else name
        for which, decay in (("first_age", rule.decay), ("second_age", rule.square_decay)):
            named[f"{ages}.{which}"] = decay ** _joined(counts)
    if isinstance(specification.objective, Returns):
        traces = [_traces(specification, block) for block in blocks]
        own = [np.einsum("pp...->p...", E) for E in traces] if name.startswith("readout.") else traces
        named[f"{name}.E"] = _joined(own)
    return named


def _traces(specification, block):
    """Those of a frozen stage are there, too; after a reset they are 0."""
    weights = specification.network.weights | specification.readout.weights
    shape = (len(specification.readout.b), *weights[block].shape)
    return specification.objective.E.get(block, np.zeros(shape, weights[block].dtype))


def _joined(blocks):
    return np.concatenate([np.atleast_1d(block) for block in blocks], axis=-1)


# ---- compared ----


def difference(came, expected, size=1e-30):
    """The largest, of the largest number there is, or of `size`."""
    apart = np.abs(came - expected).max() / max(np.abs(expected).max(), size)
    return np.inf if np.isnan(apart) else float(apart)


def differences(state, specification):
    """The same of everything that a learner's `state()` says, by name: of what has begun."""
    state, expected = _unrolled(state), state_of(specification)
    return {
        name: difference(state[name][tuple(map(slice, array.shape))], array, _size(name))
        for name, array in expected.items()
    }


def _size(name):
    """States pass through 0; their size is about 1."""
    return 1 if name.endswith((".h", ".c")) else 1e-30


def _unrolled(state):
    """The same with the steps that there are in a ring, the newest last."""
    if "lstm.ring" not in state:
        return state
    steps, last = state["lstm.ring"].astype(int)
    rings = {name: state[name] for name in ("lstm.past", "lstm.slopes")}
    return state | {
        name: np.roll(ring, -last - 1, axis=0)[len(ring) - steps :] for name, ring in rings.items()
    }
