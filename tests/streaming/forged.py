"""Files that only a learner should write: put together by hand, with the digest that they should have."""

import hashlib
import json
import struct

import numpy as np
from safetensors.numpy import load, save

from colonnade.streaming import Regressor, columnar

ZEROS = "0" * 64


def small():
    """The smallest of learners, after some events."""
    learner = Regressor(columnar(1), 1, normalise_inputs=False, normalise_features=False, step_size=0.1)
    learner.run([[0.5], [1.0], [-1.0]], [1.0, 0.0, 0.5])
    return learner


def parts(packed):
    """Take a file apart: what it says of itself, and its arrays."""
    (length,) = struct.unpack("<Q", packed[:8])
    told = json.loads(packed[8 : 8 + length])["__metadata__"]
    return told, json.loads(told["spec"]), {name: array.copy() for name, array in load(packed).items()}


def signed(packed):
    """Write the digest into a file that has zeros in its place."""
    before, mark, after = packed.partition(b'"digest":"' + ZEROS.encode())
    assert mark
    digest = hashlib.sha256(packed).hexdigest().encode()
    return before + b'"digest":"' + digest + after


def forged(spec, arrays, **told):
    """Make a file of this spec, which may be any text, and these arrays."""
    text = spec if isinstance(spec, str) else json.dumps(spec)
    metadata = {"format": "colonnade learner 1", "version": "0.1.0", "spec": text, "digest": ZEROS}
    return signed(save(arrays, {**metadata, **told}))


def with_header(header, data=b"", length=None):
    """Make a file of this header, whatever it is."""
    header = header if isinstance(header, bytes) else json.dumps(header, separators=(",", ":")).encode()
    return struct.pack("<Q", len(header) if length is None else length) + header + data


def changed(spec, place, value):
    """Return a spec in which something else stands at ``place``, a path of names."""
    copied = json.loads(json.dumps(spec))
    part = copied
    for name in place[:-1]:
        part = part[name]
    if value is None:
        del part[place[-1]]
    else:
        part[place[-1]] = value
    return copied


SPECS = {
    "a kind that isn't": (("learner",), "Evil"),
    "a kind that is a list": (("learner",), ["Regressor"]),
    "a kind of Python's": (("learner",), "__import__"),
    "no kind": (("learner",), None),
    "no network": (("network",), None),
    "a network that is a text": (("network",), "Plan"),
    "a network of another kind": (("network", "kind"), "DenseLSTM"),
    "a network of no kind": (("network", "kind"), None),
    "no columns": (("network", "columns"), []),
    "a huge column": (("network", "columns"), [2**24]),
    "many huge stages": (("network", "columns"), [2**18] * 64),
    "beyond any column": (("network", "columns"), [10**30]),
    "a column of text": (("network", "columns"), ["1"]),
    "columns that nest": (("network", "columns"), [[1]]),
    "another argument": (("network", "evil"), 1),
    "no steps of a stage": (("network", "stage_steps"), 0),
    "huge inputs": (("inputs",), 2**24),
    "inputs beyond any": (("inputs",), 2**60),
    "inputs with names": (("inputs",), ["a", "a"]),
    "huge outputs": (("settings", "outputs"), 2**24),
    "half an output": (("settings", "outputs"), 0.5),
    "other outputs": (("settings", "outputs"), 2),
    "no settings": (("settings",), None),
    "a setting that isn't": (("settings", "evil"), 1),
    "a network among the settings": (("settings", "network"), "evil"),
    "an optimizer that isn't": (("settings", "optimizer", "kind"), "LBFGS"),
    "an optimizer with more": (("settings", "optimizer", "evil"), 1),
    "another optimizer": (("settings", "optimizer"), {"kind": "SGD"}),
    "NaN as a step size": (("settings", "step_size"), float("nan")),
    "a negative bound": (("settings", "bound"), -1.0),
    "normalising": (("settings", "normalise_inputs"), True),
    "a seed of text": (("settings", "seed"), "0"),
}


def forgeries():
    """Yield names and bytes of files that say that they are learners, and can't be."""
    told, spec, arrays = parts(small()._packed())
    for name, (place, value) in SPECS.items():
        yield name, forged(changed(spec, place, value), arrays)
    for name, text in {
        "a spec of no JSON": "Regressor(columnar(1), 1)",
        "a spec that is a list": "[]",
        "a deep spec": "[" * 100_000 + "]" * 100_000,
        "a name twice in the spec": json.dumps(spec)[:-1] + ', "inputs": 1}',
        "a number of very many digits": json.dumps(spec).replace('"seed": 0', '"seed": ' + "9" * 5000),
    }.items():
        yield name, forged(text, arrays)
    for name in ("colonnade learner 2", "", "pt"):
        yield f"the format {name!r}", forged(spec, arrays, format=name)
    for name, these in with_other_arrays(arrays):
        yield name, forged(spec, these)
    yield from with_other_headers(told, arrays)


def with_other_arrays(arrays):
    """Yield arrays that don't fit the spec."""
    for name, array in arrays.items():
        rest = {other: a for other, a in arrays.items() if other != name}
        yield f"no {name}", rest
        yield f"{name} with another axis", {**rest, name: array[None]}
        yield f"{name} of complex numbers", {**rest, name: array.astype("c8")}
        yield f"{name} under another name", {**rest, f"{name}x": array}
        if array.dtype.kind == "f":
            for bad in (float("nan"), float("inf"), -float("inf")):
                yield f"{name} full of {bad}", {**rest, name: array * 0 + bad if array.size else array}
                last = array.copy()
                last.reshape(-1)[-1:] = bad
                yield f"{name} with one {bad}", {**rest, name: last}
    yield "another array", {**arrays, "evil": arrays["readout.b"]}
    yield "no arrays", {}
    yield "events before the first", {**arrays, "progress.events": np.array(-1)}
    yield "events that are a float", {**arrays, "progress.events": np.array(1.0)}


def with_other_headers(told, arrays):
    """Yield files whose headers don't say what a file of arrays is."""
    data = b"".join(array.tobytes() for array in arrays.values())
    mine = {"__metadata__": {**told, "digest": ZEROS}}
    one = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}
    for name, tensors in {
        "no tensors": {},
        "a tensor beyond the end": {"a": {**one, "data_offsets": [0, 2**40], "shape": [2**38]}},
        "a tensor that ends before it begins": {"a": {**one, "data_offsets": [8, 4]}},
        "a negative offset": {"a": {**one, "data_offsets": [-4, 0]}},
        "an overflowing shape": {"a": {**one, "shape": [2**40, 2**40]}},
        "a shape beyond any": {"a": {**one, "shape": [2**70]}},
        "a dtype that isn't": {"a": {**one, "dtype": "PICKLE"}},
        "a dtype of eight bits": {"a": {"dtype": "F8_E4M3", "shape": [4], "data_offsets": [0, 4]}},
        "tensors on top of each other": {"a": one, "b": one},
        "a tensor that is a text": {"a": "evil"},
    }.items():
        yield name, signed(with_header({**mine, **tensors}, data))
    for name, header in {
        "another header": {"a": one},
        "a header without texts": {"__metadata__": {}},
        "texts that are numbers": {"__metadata__": {**told, "version": 1}},
        "texts that nest": {"__metadata__": {**told, "spec": {"a": 1}}},
        "a short digest": {"__metadata__": {**told, "digest": "00"}},
        "a digest of none": {"__metadata__": {**told, "digest": "z" * 64}},
        "a header that is a list": [],
        "a header that is a number": 1,
        "a header of bytes": b"\xff\xfe" * 50,
        "a header of zeros": b"\0" * 100,
        "a deep header": b"[" * 100_000,
        "a deep object": b'{"a":' * 100_000,
        "a name twice": b'{"__metadata__":' + json.dumps(told).encode() + b',"__metadata__":{}}',
    }.items():
        yield name, with_header(header, data)
