"""A file that is there as a whole or not at all, also when the power fails while it is written."""

import os
import secrets
import stat
from contextlib import suppress
from os import PathLike
from pathlib import Path

from colonnade.errors import BadInput, shown


def path_of(path: str | PathLike[str]) -> Path:
    """Return where a file is, or refuse what says nothing of the kind."""
    try:
        place = os.fspath(path)
    except TypeError:
        place = ""
    if not isinstance(place, str) or not place or "\0" in place:
        raise BadInput("path", expected="the path of a file", got=shown(path))
    return Path(place)


def write(path: Path, content: bytes) -> None:
    """Write a new file beside the one that is there, and put it into its place when it is whole and kept.

    It gets the permissions of the old one, or those of any new file. Where a link leads, it goes on leading.
    """
    place = Path(os.path.realpath(path))
    beside = place.with_name(f".colonnade-{secrets.token_hex(8)}.saving")
    try:
        _write_through(beside, content)
        with suppress(FileNotFoundError):
            os.chmod(beside, stat.S_IMODE(os.stat(place).st_mode))
        os.replace(beside, place)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(beside)
        raise
    _keep_names(place.parent)


def _write_through(path: Path, content: bytes) -> None:
    """Write a file that isn't there yet, down to the disk."""
    with open(path, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _keep_names(folder: Path) -> None:
    """Make the new name last; where folders can't be opened, it is left to the system."""
    try:
        opened = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
