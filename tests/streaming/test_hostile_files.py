"""Files made to do harm: none is believed so far that it takes much memory, and none executes anything."""

import json
from pathlib import Path

import pytest

from colonnade.streaming.outline import memory
from streaming.forged import forgeries, small, with_header
from streaming.processes import in_a_process

MOST_MEGABYTES = 200  # beyond what a process has that has loaded a learner

LOAD_ALL = r"""
import pathlib, re, sys
import colonnade

def peak():
    return int(re.search(r"VmHWM:\s+(\d+) kB", pathlib.Path("/proc/self/status").read_text())[1])

folder = pathlib.Path(sys.argv[1])
colonnade.load(folder / "right")
before = peak()
for file in sorted(folder.iterdir()):
    if file.name != "right":
        try:
            colonnade.load(file)
            print(file.name, "was taken")
        except colonnade.BadInput as line:
            assert str(line).startswith(str(file)), line
print(peak() - before)
"""

WATCHED = """
import sys
import colonnade

colonnade.load(sys.argv[1])  # what is imported and compiled only once is by now
seen = []
sys.addaudithook(lambda event, _: seen.append(event))
colonnade.load(sys.argv[1])
print(*sorted(set(seen)))
"""


@pytest.fixture
def folder(tmp_path):
    small().save(tmp_path / "right")
    return tmp_path


def hole(file, start, size):
    """Write a file of so many bytes, nearly all of which are a hole that takes no room on the disk."""
    with open(file, "wb") as opened:
        opened.write(start)
        opened.truncate(size)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no way to ask for a process's memory")
def test_memory_is_bounded(folder):
    for i, (_, content) in enumerate(forgeries()):
        (folder / f"forgery {i}").write_bytes(content)
    told = {"format": "colonnade learner 1", "version": "", "spec": "{}", "digest": "0" * 64}
    header = json.dumps({"__metadata__": told, "a": {"dtype": "U8"}}).encode()
    for name, start in {
        "a header as long as the file": with_header(b"[[],", length=2**31 - 8),
        "a header beyond the end": with_header(b"[[],", length=2**63),
        "another file": with_header(b'{"a": 1}'),
    }.items():
        hole(folder / name, start, 2**31)
    hole(folder / "more than there is room for", with_header(header), 2 * memory())
    for name, part in {"lists": b"[],", "objects": b"{},", "numbers": b"1,", "texts": b'"",'}.items():
        (folder / f"a header of {name}").write_bytes(
            with_header(b"[" + part * ((2**22 - 3) // len(part)) + b"0]")
        )
    *taken, kilobytes = in_a_process(LOAD_ALL, folder).splitlines()
    assert taken == []
    assert int(kilobytes) < MOST_MEGABYTES * 1024, f"{int(kilobytes) // 1024} MB"


def test_loading_executes_nothing(folder):
    seen = in_a_process(WATCHED, folder / "right").split()
    assert "open" in seen
    assert {"exec", "compile", "import", "marshal.loads", "pickle.find_class", "subprocess.Popen"} & set(
        seen
    ) == set()
