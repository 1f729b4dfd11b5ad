"""The specs of the documentation run, and the commands beside them do what they say."""

import re
import shlex
import sys

import pytest

from colonnade.cli import main
from docs.pages import DOCS, README, blocks

PAGE = DOCS / "runs.md"
COMMANDS = re.findall(
    r"^colonnade (sweep [^#\n]+?) *(?:# (.*))?$",
    "\n".join(block.code for block in blocks(PAGE) if block.language == "sh" and not block.reason),
    re.MULTILINE,
)
FILES = {
    named[1]: block.code
    for block in [*blocks(PAGE), *blocks(README)]
    if (named := re.match(r"# (\S+\.(?:toml|py))\n", block.code)) and block.language in ("toml", "python")
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name, code in FILES.items():
        (tmp_path / name).write_text(code)
    yield tmp_path
    for name in FILES:
        sys.modules.pop(name.partition(".")[0], None)


def run(command, capsys):
    with pytest.raises(SystemExit) as left:
        main(shlex.split(command))
    said, complaints = capsys.readouterr()
    assert (left.value.code, complaints) == (0, "")
    return said


@pytest.mark.parametrize(("command", "promise"), COMMANDS, ids=[command for command, _ in COMMANDS])
def test_the_commands_run(command, promise, folder, capsys):
    said = run(command, capsys)
    if "runs" in promise and "=" in promise:
        assert promise in said
    if "--dry-run" not in command:
        assert re.search(r": all [\d,]+ runs are done\.$", said, re.MULTILINE)
        assert (folder / "runs.db").exists()


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".toml")])
def test_every_file_is_a_sweep(name, folder, capsys):
    assert "not there yet" in run(f"sweep {name} --dry-run", capsys)


def test_what_is_said_of_mistakes_is_said(folder, capsys):
    mistakes = {"discount = 0.9": "discout = 0.9", "1e-3, 1e-4]": "-1e-3, 1e-4]", "5_000": "50_000"}
    said = []
    for right, wrong in mistakes.items():
        (folder / "step_sizes.toml").write_text(FILES["step_sizes.toml"].replace(right, wrong, 1))
        with pytest.raises(SystemExit):
            main(["sweep", "step_sizes.toml"])
        said.append(capsys.readouterr().err)
    assert "".join(said) in [block.code for block in blocks(PAGE) if block.language == "text"]
