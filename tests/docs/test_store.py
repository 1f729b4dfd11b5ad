"""What the page of sweeps says of reports and of stores: the commands run, the tables are those there are."""

import re
import shlex

import pytest

from colonnade.cli import main
from colonnade.runs.store import Store
from docs.pages import DOCS, blocks, prose
from runs.stores import made_store, sweep

PAGE = DOCS / "runs.md"
COMMANDS = re.findall(
    r"^colonnade ((?:runs|report) [^#\n]+?) *(?:#.*)?$",
    "\n".join(block.code for block in blocks(PAGE) if block.language == "sh"),
    re.MULTILINE,
)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_run(command, tmp_path, monkeypatch, capsys):
    if "--tensorboard" in command:
        pytest.importorskip("tensorboard")
    if ".parquet" in command:
        pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    made_store(tmp_path / "runs.db", sweep("step sizes", seeds=2))
    with Store(tmp_path / "runs.db") as store:
        (identity,) = store.db.execute("SELECT identity FROM runs LIMIT 1").fetchone()
    with pytest.raises(SystemExit) as left:
        main(shlex.split(command.replace("3f2a", identity[:8])))
    assert left.value.code == 0 and capsys.readouterr().out


def test_every_table_is_described_with_its_columns(tmp_path):
    with Store(tmp_path / "runs.db") as store:
        tables = store.db.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall()
        there = {
            name: [column[1] for column in store.db.execute(f"PRAGMA table_info({name})")]
            for (name,) in tables
            if not name.startswith("sqlite_")
        }
    rows = re.findall(
        r"^\| `(\w+)` \| [^|]* \| (.*) \|$", prose(PAGE).partition("## Reading the store")[2], re.MULTILINE
    )
    assert {name: re.findall(r"`(\w+)`", columns) for name, columns in rows} == there
