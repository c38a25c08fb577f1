"""Who may import what. The one-way layers are import-linter's contracts in pyproject.toml; here is what they can't say."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import barrier_policy

ROOT = Path(__file__).parents[1]
CORE = ROOT / "barrier_policy"
PLUGINS = ROOT / "plugins"

ONLY_IMPORTERS = {
    "yaml": ("policy/yaml.py",),
    "celpy": ("policy/cel/subset.py", "policy/cel/python_engine.py"),
    "lark": ("policy/cel/subset.py", "policy/cel/python_engine.py"),
    "cryptography": ("policy/signature.py",),
    "cel_expr_python": ("policy/cel/fast_engine.py",),
    "lsprotocol": ("cli/policy_lsp.py",),
    "pygls": ("cli/policy_lsp.py",),
    "httpx": ("gate/summarizers/endpoint.py",),
    "pluggy": ("hookspecs.py", "plugins.py"),
    "fsspec": ("provenance/fsspec_store.py",),
    "jinja2": ("report/html.py",),
    "platformdirs": ("provenance/store.py",),
    "rfc8785": ("digest.py",),
    "rich": (
        "cli/audit.py",
        "cli/carrier.py",
        "cli/console.py",
        "cli/diff_report.py",
        "cli/listings.py",
        "cli/log_prune.py",
        "cli/log_show.py",
        "cli/policy_show.py",
        "cli/store.py",
        "cli/table.py",
    ),
    "typer": (
        "cli/app.py",
        "cli/carrier_app.py",
        "cli/guard.py",
        "cli/log_app.py",
        "cli/options.py",
        "cli/plugin_app.py",
        "cli/policy_app.py",
        "cli/policy_test_app.py",
        "cli/store_app.py",
        "cli/usage.py",
    ),
    "pytest": ("testing/contract.py", "testing/store_checks.py"),
    "sqlite3": ("log/database.py",),
}
"""A package that needs taming is imported where it is tamed, and nowhere else in the core."""

IMPURE = frozenset(
    {"asyncio", "datetime", "glob", "io", "locale", "logging", "os", "pathlib", "platform", "random", "secrets", "shutil"}
    | {"socket", "subprocess", "sys", "tempfile", "threading", "time", "uuid"}
)
PURE = (
    "policy/evaluate.py",
    "policy/judged_expression.py",
    "policy/judged_rule.py",
    "policy/verdict.py",
    "policy/record.py",
    "join/join.py",
    "audit/align.py",
    "audit/claims.py",
    "audit/lines.py",
    "audit/messages.py",
    "audit/records.py",
    "audit/text.py",
    "audit/witness.py",
    "decision/assess.py",
    "decision/plan.py",
    "report/build.py",
    "report/model.py",
    "report/spans.py",
    "report/timeline.py",
    "report/words.py",
)
"""The deciding core (span record × policies → verdict → plan) and the audit: no clock, files, environment or logging."""

PLUGIN_API = (
    "barrier_policy.digest",
    "barrier_policy.errors",
    "barrier_policy.hookspecs",
    "barrier_policy.facts",
    "barrier_policy.provenance",
    "barrier_policy.spans",
    "barrier_policy.transcript",
)
"""Besides the public names of `barrier_policy` itself: the building blocks for readers, extractors and stores."""


class Import(NamedTuple):
    """One imported name: `from module import name`, or `import module` with an empty name."""

    module: str
    name: str
    line: int


def imports(path: Path) -> Iterator[Import]:
    """All imports of a file, wherever in it they stand."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, "", node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            yield from (Import(node.module or "", alias.name, node.lineno) for alias in node.names)


def modules(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


@pytest.mark.parametrize("package", ONLY_IMPORTERS)
def test_a_foreign_package_has_few_importers(package: str) -> None:
    found = {
        path.relative_to(CORE).as_posix()
        for path in modules(CORE)
        for entry in imports(path)
        if entry.module.partition(".")[0] == package
    }
    assert found == set(ONLY_IMPORTERS[package])


@pytest.mark.parametrize("name", PURE)
def test_the_deciding_core_knows_no_clock_files_or_environment(name: str) -> None:
    found = {entry.module.partition(".")[0] for entry in imports(CORE / name)}
    assert not found & IMPURE
    assert not any(entry.module.startswith("barrier_policy.plugins") for entry in imports(CORE / name))


def test_errors_and_digest_import_nothing_of_the_package() -> None:
    for name in ("errors.py", "digest.py"):
        assert not [entry for entry in imports(CORE / name) if entry.module.startswith("barrier_policy")]


@pytest.mark.parametrize("path", modules(PLUGINS), ids=lambda path: path.stem)
def test_plugins_use_the_public_api_and_public_names_of_each_other(path: Path) -> None:
    for entry in imports(path):
        place = f"{path.name}:{entry.line}: {entry.module}.{entry.name}"
        if entry.module == "barrier_policy":
            assert entry.name in barrier_policy.__all__, place
        elif entry.module.partition(".")[0] == "barrier_policy":
            assert entry.module.startswith(PLUGIN_API), place
            assert not entry.name.startswith("_"), place
        elif entry.module.partition(".")[0] == "barrier_policy_plugins":
            assert not entry.name.startswith("_") and "._" not in entry.module, place


@pytest.mark.parametrize("path", [path for path in modules(CORE) if path.parent.name != "cli"], ids=lambda path: path.stem)
def test_nothing_below_the_command_line_prints(path: Path) -> None:
    calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    assert not [call.lineno for call in calls if isinstance(call.func, ast.Name) and call.func.id == "print"]


def test_an_installed_package_has_every_file_that_the_sources_have() -> None:
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    shipped: set[Path] = set()
    for package, patterns in setuptools["package-data"].items():
        folder = ROOT / setuptools["package-dir"].get(package, package.replace(".", "/"))
        shipped.update(path for pattern in patterns for path in folder.glob(pattern))
    there = {
        path for root in (CORE, PLUGINS) for path in root.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")
    }
    assert sorted(path.relative_to(ROOT).as_posix() for path in there - shipped) == []
    rooms = {path.parent for path in CORE.rglob("*.py") if "plugin_template" not in path.parts}
    packages = {
        ROOT / package.replace(".", "/") for package in setuptools["packages"] if package not in setuptools["package-dir"]
    }
    assert rooms == packages


def test_the_layers_are_kept() -> None:
    command = shutil.which("lint-imports", path=str(Path(sys.executable).parent))
    if command is None:
        pytest.skip("import-linter is not installed")
    done = subprocess.run([command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
