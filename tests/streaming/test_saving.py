"""A file is there as a whole or not at all: on a full disk, where nothing can be written, when killed."""

import os
import stat
import subprocess

import pytest

import colonnade as c
from streaming.forged import small
from streaming.made import same_bits
from streaming.processes import in_a_process

pytestmark = pytest.mark.skipif(os.name != "posix", reason="files have no such permissions on this system")


@pytest.fixture
def file(tmp_path):
    """A file that was saved before, in a folder of its own."""
    small().save(tmp_path / "sensor.learner")
    return tmp_path / "sensor.learner"


def later():
    """The learner of the file, an event later."""
    learner = small()
    learner.step([2.0], 1.0)
    return learner


def as_before(file):
    """Fail unless the file is as it was saved first, alone in its folder."""
    same_bits(c.load(file), small())
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("call", ["fsync", "replace", "chmod", "stat"])
@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_step_of_saving_that_fails(file, monkeypatch, call, failure):
    def fail(*_, **__):
        raise failure

    with monkeypatch.context() as patched:
        patched.setattr(f"colonnade.streaming.file.os.{call}", fail)
        with pytest.raises(type(failure)):
            later().save(file)
    as_before(file)
    later().save(file)
    same_bits(c.load(file), later())


def test_a_write_that_is_cut_short(file):
    """A limit on the size of files does what a full disk does: the system takes a part, then refuses."""
    script = """
import resource, sys
from streaming.test_saving import later
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    later().save(sys.argv[1])
except OSError as refused:
    print(type(refused).__name__)
"""
    assert in_a_process(script, file) == "OSError"
    as_before(file)


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 64 kB, which only root can make."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(tmp_path)]
    try:
        done = subprocess.run(mount, capture_output=True, timeout=30)
    except FileNotFoundError:
        pytest.skip("there is no mount on this machine")
    if done.returncode:
        pytest.skip("only root can make a small file system, where mounting is allowed")
    yield tmp_path
    subprocess.run(["umount", str(tmp_path)], check=True, timeout=30)


def test_a_full_disk(small_disk):
    file = small_disk / "sensor.learner"
    small().save(file)
    with open(small_disk / "rest", "wb", buffering=0) as rest, pytest.raises(OSError, match="No space left"):
        while True:
            rest.write(bytes(4096))
    with pytest.raises(OSError, match="No space left"):
        later().save(file)
    (small_disk / "rest").unlink()
    as_before(file)
    later().save(file)
    same_bits(c.load(file), later())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_to(file):
    file.parent.chmod(0o555)
    try:
        with pytest.raises(PermissionError):
            later().save(file)
        as_before(file)
    finally:
        file.parent.chmod(0o755)


def test_places_where_nothing_can_be_saved(file):
    for place in (file.parent / "no" / "such", file.parent, file / "below"):
        with pytest.raises(OSError):
            later().save(place)
    as_before(file)


KILLED = """
import os, pathlib, random, signal, sys, time
import colonnade
from streaming.forged import small

file, kills, draw = pathlib.Path(sys.argv[1]), int(sys.argv[2]), random.Random(0)
seen = set()
for _ in range(kills):
    heard, told = os.pipe()
    child = os.fork()
    if not child:
        learner = colonnade.load(file)
        while True:
            learner.step([0.5], 1.0)
            learner.save(file)
            os.write(told, b".")
    os.read(heard, 1)
    time.sleep(draw.uniform(0.0, 0.003))  # a save takes about as long
    os.kill(child, signal.SIGKILL)
    os.close(heard)
    os.close(told)
    os.waitpid(child, 0)
    seen.add(colonnade.load(file).events)
replay = small()
while replay.events < max(seen):
    replay.step([0.5], 1.0)
again = colonnade.load(file)
same = all(a.tobytes() == b.tobytes() for a, b in zip(again.state().values(), replay.state().values()))
print(len(seen), same)
"""


def killed(file, kills):
    """Kill processes that save all the time, each after its first save; return how many saves were found."""
    found, same = in_a_process(KILLED, file, str(kills)).split()
    assert same == "True"
    for rest in file.parent.glob(".colonnade-*.saving"):
        rest.unlink()
    assert list(file.parent.iterdir()) == [file]
    return int(found)


def test_processes_killed_while_they_save(file):
    assert killed(file, 24) == 24


@pytest.mark.soak
def test_very_many_processes_killed_while_they_save(file):
    assert killed(file, 2000) == 2000


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_has_the_permissions_that_new_files_have(tmp_path, mask, mode):
    before = os.umask(mask)
    try:
        small().save(tmp_path / "new")
        (tmp_path / "other").touch()
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == mode
    assert (tmp_path / "other").stat().st_mode == (tmp_path / "new").stat().st_mode


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_a_file_that_is_saved_again_keeps_its_permissions(file, mode):
    file.chmod(mode)
    later().save(file)
    assert stat.S_IMODE(file.stat().st_mode) == mode


def test_a_link_goes_on_leading_to_the_file(file):
    link = file.parent / "latest"
    link.symlink_to("sensor.learner")
    later().save(link)
    assert link.is_symlink() and not file.is_symlink()
    same_bits(c.load(file), later())
