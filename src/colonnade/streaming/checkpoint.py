"""A learner as a file: safetensors, whose header says what learner it is.

The metadata has four texts: `format`, `version` of the library that wrote it, `spec` (how the learner is
made, in JSON) and `digest` (SHA-256 of the spec and of every array). Reading one executes nothing; what is
cut short, changed or made up is refused before it has been believed.
"""

import hashlib
import json
import os
import struct
from collections.abc import Mapping
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from colonnade import __version__
from colonnade.errors import BadInput
from colonnade.streaming.network import Arrays

if TYPE_CHECKING:
    from colonnade.streaming.learner import Learner

FORMAT = "colonnade learner 1"
MOST_HEADER = 2**24  # bytes


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


def pack(spec: Mapping[str, Any], arrays: Arrays) -> bytes:
    """Return the bytes of the file."""
    text = json.dumps(spec, sort_keys=True)
    metadata = {"format": FORMAT, "version": __version__, "spec": text, "digest": _digest(text, arrays)}
    return save(arrays, metadata)


def unpack(packed: bytes, where: str) -> tuple[dict[str, Any], Arrays]:
    """Return the spec and the arrays of a file's bytes, if nothing is amiss with them."""
    metadata = _metadata(packed, where)
    try:
        arrays = load(packed)
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError, OverflowError) as failure:
        raise _damaged(where, f"one that can't be read: {failure}") from None
    if metadata["digest"] != _digest(metadata["spec"], arrays):
        raise _damaged(where, "one whose content has changed since it was written")
    spec = json.loads(metadata["spec"])
    if not isinstance(spec, dict):
        raise _damaged(where, "one whose spec is no object")
    return spec, arrays


def _metadata(packed: bytes, where: str) -> dict[str, str]:
    """Read the header's texts, believing nothing."""
    length = struct.unpack("<Q", packed[:8])[0] if len(packed) >= 8 else 0
    if not 0 < length <= min(MOST_HEADER, len(packed) - 8):
        raise _damaged(where, "one that is cut short, or has no such header")
    try:
        header = json.loads(packed[8 : 8 + length])
        metadata = header["__metadata__"]
        texts = {name: metadata[name] for name in ("format", "version", "spec", "digest")}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _damaged(where, "one with another header") from None
    if texts["format"] != FORMAT:
        raise BadInput(where, expected=f"the format {FORMAT!r}", got=repr(texts["format"]))
    return texts


def _digest(spec: str, arrays: Mapping[str, NDArray[Any]]) -> str:
    """Hash the spec and every array, with its name, dtype and shape."""
    digest = hashlib.sha256(spec.encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def write(path: str | PathLike[str], packed: bytes) -> None:
    """Write a file that is there as a whole or not at all, also when the power fails."""
    target = Path(path)
    with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
        try:
            file.write(packed)
            file.flush()
            os.fsync(file.fileno())
            os.replace(file.name, target)
        except BaseException:
            os.unlink(file.name)
            raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name last; where folders can't be opened, it is left to the system."""
    try:
        opened = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def read(path: str | PathLike[str]) -> bytes:
    """Return a file's bytes, after a look at whether it can be a learner at all."""
    with open(path, "rb") as file:
        start = file.read(8)
        length = struct.unpack("<Q", start)[0] if len(start) == 8 else 0
        if not 0 < length <= min(MOST_HEADER, os.fstat(file.fileno()).st_size - 8):
            raise _damaged(str(path), "one that is cut short, or has no such header")
        return start + file.read()


def _damaged(where: str, got: str) -> BadInput:
    return BadInput(where, expected="a learner saved by Colonnade", got=got)
