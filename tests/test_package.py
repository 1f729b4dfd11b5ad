"""The package as a whole: it starts light, and its public names load when they are asked for."""

import ast
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

import colonnade

HEAVY = ("jax", "matplotlib", "numpy", "optax")


def fresh(program: str) -> str:
    """What a program prints in an interpreter of its own."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("module", ["colonnade", "colonnade.cli", "colonnade.cli.app"])
def test_import_is_light(module: str) -> None:
    assert fresh(f"import sys, {module}; print([m for m in {HEAVY} if m in sys.modules])") == "[]"


@pytest.mark.parametrize("name", colonnade.__all__)
def test_every_public_name_resolves(name: str) -> None:
    assert getattr(colonnade, name) is not None
    assert name in dir(colonnade)


def test_type_checkers_see_every_public_name() -> None:
    tree = ast.parse(Path(colonnade.__file__).read_text())
    seen = {
        name.asname: block.module
        for block in ast.walk(tree)
        if isinstance(block, ast.ImportFrom) and block.module and block.module.startswith("colonnade.")
        for name in block.names
    }
    assert seen == colonnade._HOMES


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'colonnade' has no attribute 'colonade'"):
        _ = colonnade.colonade


def test_name_that_needs_the_lab_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(colonnade._HOMES, "Needy", "jax.numpy")
    for module in [name for name in sys.modules if name.partition(".")[0] == "jax"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(ImportError, match=r"colonnade\.Needy needs jax: .*pip install '\.\[lab\]'") as caught:
        _ = colonnade.Needy
    assert caught.value.__suppress_context__


def test_a_fault_of_our_own_is_not_blamed_on_the_lab(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(colonnade._HOMES, "Lost", "colonnade.nowhere")
    with pytest.raises(ModuleNotFoundError, match=r"colonnade\.nowhere"):
        _ = colonnade.Lost


def test_version_is_the_one_installed_and_the_one_declared() -> None:
    declared = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]["version"]
    assert colonnade.__version__ == version("colonnade") == declared


def test_package_is_marked_as_typed() -> None:
    assert isinstance(colonnade, ModuleType)
    assert Path(colonnade.__file__).with_name("py.typed").exists()
