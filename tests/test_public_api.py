"""The public names, and the promises that are made about them."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from importlib.metadata import distribution, entry_points, version
from pathlib import Path

import pytest

import barrier_policy
from barrier_policy import hookspecs
from barrier_policy.plugins import GROUP, load_plugins

ROOT = Path(__file__).parents[1]
PLUGINS = ROOT / "plugins"
HOOKS = sorted(name for name in vars(hookspecs) if name.startswith("barrier_"))


def test_all_is_sorted_and_true() -> None:
    names = barrier_policy.__all__
    assert names == sorted(names)
    assert len(names) == len(set(names))
    assert [name for name in names if not hasattr(barrier_policy, name)] == []


def seen_by_type_checkers() -> dict[str, str]:
    """The imports below `if TYPE_CHECKING`, name by name with their module."""
    tree = ast.parse(Path(barrier_policy.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    return {alias.name: node.module or "" for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}


def test_names_that_are_imported_late_are_those_that_type_checkers_see() -> None:
    assert seen_by_type_checkers() == barrier_policy._HOME
    assert sorted(barrier_policy._HOME) == barrier_policy.__all__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute `dicide`"):
        barrier_policy.dicide


@pytest.mark.parametrize("first", ["barrier_policy.walk", "barrier_policy.cli.app", "barrier_policy.cli.decide"])
def test_decide_is_the_function_whatever_was_imported_before(first: str) -> None:
    script = f"import {first}; from barrier_policy import decide; print(type(decide).__name__)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "function\n"


@pytest.mark.parametrize("name", barrier_policy.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    assert inspect.getdoc(getattr(barrier_policy, name))


def test_types_are_shipped() -> None:
    assert (Path(barrier_policy.__file__).parent / "py.typed").exists()


def test_the_command_line_is_an_entry_point() -> None:
    (script,) = (point for point in entry_points(group="console_scripts") if point.name == "barrier-policy")
    assert script.value == "barrier_policy.cli:main"


def test_every_plugin_file_with_a_hook_is_an_entry_point_and_the_other_way_round() -> None:
    files = {path.stem for path in PLUGINS.glob("*.py") if "@hookimpl" in path.read_text(encoding="utf-8")}
    points = {point.name: point.value for point in distribution("barrier-policy").entry_points if point.group == GROUP}
    assert points == {name: f"barrier_policy_plugins.{name}" for name in files}


def test_all_shipped_plugins_load() -> None:
    plugins = load_plugins()
    assert {info.version for info in plugins.infos} == {version("barrier-policy")}


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_implemented_by_a_shipped_plugin(hook: str) -> None:
    assert [info.name for info in load_plugins().infos if hook in info.hooks]


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_documented_with_its_exact_signature(hook: str) -> None:
    function = inspect.getsource(getattr(hookspecs, hook))
    signature = re.search(r"def .*:", function)
    assert signature is not None
    documented = "".join(page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs").glob("*.md")))
    assert signature.group().split("  #")[0].strip() in documented
