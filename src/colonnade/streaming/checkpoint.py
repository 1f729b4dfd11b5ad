"""A learner as a file: safetensors, whose header says what learner it is.

The metadata has four texts: `format`, `version` of the library that wrote it, `spec` (how the learner is
made, in JSON) and `digest`, SHA-256 of the whole file with zeros in the digest's place. Reading one executes
nothing; what is cut short, changed or made up is refused before it has been believed.
"""

import hashlib
import json
import os
import struct
from collections.abc import Mapping
from dataclasses import asdict
from numbers import Integral
from os import PathLike
from typing import TYPE_CHECKING, Any

from safetensors import SafetensorError
from safetensors.numpy import load, save

from colonnade import __version__
from colonnade.errors import BadInput, shown
from colonnade.streaming.network import Arrays
from colonnade.streaming.outline import memory

if TYPE_CHECKING:
    from colonnade.streaming.learner import Learner

FORMAT = "colonnade learner 1"
MOST_HEADER = 2**22  # bytes
NO_DIGEST = "0" * 64
DIGEST = b'"digest":"'  # what comes before it; inside a text, quotation marks are escaped
UNREADABLE = (SafetensorError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)


def spec_of(learner: "Learner") -> dict[str, Any]:
    """Say how a learner is made, in what JSON can hold."""
    return {
        "learner": type(learner).__name__,
        "network": _as_json(learner.network),
        "inputs": learner.inputs,
        "settings": {
            name: _as_json(value) if name == "optimizer" else value
            for name, value in learner.settings.items()
        },
    }


def _as_json(part: Any) -> dict[str, Any]:
    return {"kind": type(part).__name__, **asdict(part)}


def _plain(number: Any) -> int | float:
    """Return Python's own number for one of NumPy's, or a fraction."""
    return int(number) if isinstance(number, Integral) else float(number)


def pack(spec: Mapping[str, Any], arrays: Arrays) -> bytes:
    """Return the bytes of the file."""
    text = json.dumps(spec, sort_keys=True, default=_plain)
    metadata = {"format": FORMAT, "version": __version__, "spec": text, "digest": NO_DIGEST}
    packed = save(arrays, metadata)
    if _header_length(packed) > MOST_HEADER:
        raise BadInput(
            "inputs", expected=f"names that fit into {MOST_HEADER} bytes, to save them", got="more"
        )
    place = _place(packed, NO_DIGEST)
    return packed[:place] + _digest(packed, place).encode() + packed[place + len(NO_DIGEST) :]


def unpack(packed: bytes, where: str) -> tuple[dict[str, Any], Arrays]:
    """Return the spec and the arrays of a file's bytes, if nothing is amiss with them."""
    metadata = _metadata(packed, len(packed), where)
    try:
        if _digest(packed, _place(packed, metadata["digest"])) != metadata["digest"]:
            raise ValueError("its content has changed since it was written")
        spec = _json(metadata["spec"])
        if not isinstance(spec, dict):
            raise TypeError("its spec is no object")
        return spec, load(packed)
    except UNREADABLE as failure:
        raise damaged(where, f"one that can't be read: {words(failure)}") from None


def _header_length(packed: bytes) -> int:
    """Return how many bytes the header has that follows the first eight; 0 if there can be none."""
    return int(struct.unpack("<Q", packed[:8])[0]) if len(packed) >= 8 else 0


def _metadata(packed: bytes, size: int, where: str) -> dict[str, str]:
    """Read the texts of the header that a file of so many bytes begins with, believing nothing."""
    length = _header_length(packed)
    if not 0 < length <= min(MOST_HEADER, size - 8):
        raise damaged(where, "one that is cut short, or has no such header")
    try:
        metadata = _json(packed[8 : 8 + length])["__metadata__"]
        texts = {name: metadata[name] for name in ("format", "version", "spec", "digest")}
        if not all(isinstance(text, str) for text in texts.values()) or len(texts["digest"]) != len(
            NO_DIGEST
        ):
            raise TypeError("other texts")
    except UNREADABLE:
        raise damaged(where, "one with another header") from None
    if texts["format"] != FORMAT:
        raise BadInput(where, expected=f"the format {FORMAT!r}", got=shown(texts["format"]))
    return texts


def _json(text: str | bytes) -> Any:
    """Read JSON in which no name stands twice."""
    return json.loads(text, object_pairs_hook=_each_once)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    told = dict(pairs)
    if len(told) < len(pairs):
        raise ValueError("a name stands twice")
    return told


def _place(packed: bytes, digest: str) -> int:
    """Return where in a file's header the digest is written."""
    return packed.index(DIGEST + digest.encode(), 8, 8 + _header_length(packed)) + len(DIGEST)


def _digest(packed: bytes, place: int) -> str:
    """Hash a file as if there were zeros in its digest's place."""
    digest = hashlib.sha256()
    with memoryview(packed) as whole:
        for part in (whole[:place], NO_DIGEST.encode(), whole[place + len(NO_DIGEST) :]):
            digest.update(part)
    return digest.hexdigest()


def read(path: str | PathLike[str]) -> bytes:
    """Return a file's bytes, after a look at whether it can be a learner at all."""
    where = str(path)
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        start = file.read(8)
        header = file.read(min(_header_length(start), MOST_HEADER))
        _metadata(start + header, size, where)
        if size > memory():
            raise damaged(where, f"one of {size} bytes, which this machine has no room for")
        return start + header + file.read()


def words(failure: Exception) -> str:
    """Say in a line what went wrong."""
    return " ".join(str(failure).split())[:200] or type(failure).__name__


def damaged(where: str, got: str) -> BadInput:
    """Say that a file, or what else these bytes came from, can't be used."""
    return BadInput(where, expected="a learner saved by Colonnade", got=got)
