"""Disks that are full, folders that can't be written, files that are no store: told in a line, left alone."""

import os
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from colonnade import BadInput
from colonnade.runs import store as of_store
from colonnade.runs.driver import drive
from colonnade.runs.local import Local
from colonnade.runs.store import Store, StoreFailure
from runs.walks import WalkHere, recorded, statuses, sweep_of, undisturbed

NOBODY = 65534
KILOBYTE = 1024
SWEEP = sweep_of(WalkHere(steps=400), starts=(0.1, 0.2, 0.3, 0.4), seeds=tuple(range(8)))


@pytest.fixture
def small_disk(tmp_path):
    """A disk of eight megabytes."""
    if sys.platform != "linux":
        pytest.skip("small disks are made as on Linux")
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", tmp_path], capture_output=True)
    if made.returncode:
        pytest.skip(f"no disk could be made: {made.stderr.decode().strip()}")
    yield tmp_path
    subprocess.run(["umount", "--lazy", tmp_path], check=True)


def fill(disk, left):
    """Leave so many kilobytes."""
    with open(disk / "filler", "wb", buffering=0) as filler:
        try:
            while True:
                filler.write(bytes(KILOBYTE))
        except OSError:
            filler.truncate(max(0, filler.tell() - left * KILOBYTE))


def swept(path, **more):
    with Store(path) as store:
        return drive(SWEEP, store, Local(2), seconds_a_message=0.0, **more)


@pytest.mark.parametrize("left", [0, 40, 150])
def test_a_full_disk_is_said_and_a_sweep_goes_on_when_there_is_room(small_disk, monkeypatch, left):
    monkeypatch.setattr(of_store, "SECONDS_TO_LIVE", 1.0)  # this process lives on
    path, states = small_disk / "runs.db", []
    swept(path, watch=states.append, stop=lambda: states and states[-1].counts["finished"] > 1)
    before = recorded(path)
    assert before
    fill(small_disk, left)
    with pytest.raises(StoreFailure, match=rf"{path}: .* full; .*: make room, then run the same again"):
        swept(path)
    assert set(before) <= set(recorded(path))
    (small_disk / "filler").unlink()
    assert swept(path).counts["finished"] == 32
    assert recorded(path) == undisturbed(SWEEP)
    assert statuses(path) == {"finished": 32}


@contextmanager
def as_nobody(*folders):
    """Be someone who may read folders and not write in them."""
    for folder in folders:
        folder.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        for folder in folders:
            folder.chmod(0o755)


@pytest.fixture
def folder():
    """A folder that everybody can reach."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def test_a_folder_that_cannot_be_written_is_said(folder):
    with as_nobody(folder), pytest.raises(StoreFailure, match="its folder must be writable"):
        Store(folder / "runs.db")
    with Store(folder / "runs.db") as store:
        store.register(SWEEP, SWEEP.runs())
    (folder / "runs.db").chmod(0o444)
    with as_nobody(folder), pytest.raises(StoreFailure, match="writable"):
        Store(folder / "runs.db")


def test_a_folder_is_no_file(folder):
    with pytest.raises(StoreFailure, match="it must be a file"):
        Store(folder)


def other_program(path):
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE birds (name)")


def newer_version(path):
    Store(path).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 7")


def no_database(path):
    path.write_text("no database at all, but longer than a header of SQLite's would be " * 9)


def damaged(path):
    with Store(path) as store:
        store.register(SWEEP, SWEEP.runs())
    whole = path.read_bytes()
    path.write_bytes(whole[:5000] + bytes(len(whole) - 5000))


OTHERS = {
    other_program: (BadInput, "another program's database"),
    newer_version: (BadInput, "expected a store of version 1, got version 7"),
    no_database: (BadInput, "which is none"),
    damaged: (StoreFailure, "the file is damaged"),
}


@pytest.mark.parametrize("make", OTHERS)
def test_what_is_something_else_is_said_and_left_as_it_is(folder, make):
    path = folder / "runs.db"
    make(path)
    before = path.read_bytes()
    kind, said = OTHERS[make]
    with pytest.raises(kind, match=said):
        swept(path)
    assert path.read_bytes() == before
