"""`plugin new` makes a package whose tests pass at once; it and the example pack work in a fresh environment."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import sysconfig
import venv
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner

from barrier_policy.cli.app import app
from barrier_policy.cli.plugin_new import package_name, render
from barrier_policy.errors import BarrierPolicyError

ROOT = Path(__file__).parents[2]
PACK = ROOT / "examples" / "order-desk"
TALK = "The light is soft this morning, and the roses look lovely beside the old wall of the garden."


def new(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["plugin", "new", *map(str, arguments)])
    return result.exit_code, result.stdout + result.stderr


class Environment:
    """A fresh virtual environment that finds the packages of this one, and into which nothing is downloaded."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=False)
        self.python = next(folder.glob("bin/python")) if os.name != "nt" else folder / "Scripts" / "python.exe"
        packages = next(folder.rglob("site-packages"))
        places = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
        (packages / "tests.pth").write_text(
            "".join(f"import site; site.addsitedir({place!r})\n" for place in sorted(places))
        )

    def install(self, project: Path) -> None:
        pip = [
            sys.executable,
            "-m",
            "pip",
            "--python",
            str(self.python),
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ]
        options = ["--no-deps", "--no-build-isolation", "--no-index"]
        self._run([*pip, *options, str(project)], project.parent)

    def run(self, *arguments: str, folder: Path) -> str:
        return self._run([str(self.python), *arguments], folder)

    def _run(self, command: list[str], folder: Path) -> str:
        without = ("PYTHONPATH", "PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER")
        env = {name: value for name, value in os.environ.items() if name not in without} | {"PIP_CONFIG_FILE": os.devnull}
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode in (0, 1), done.stdout + done.stderr
        assert "pytest" not in command or done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def copy_of(project: Path, target: Path) -> Path:
    for path in sorted(project.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and not any(part.endswith(".egg-info") for part in path.parts):
            place = target / path.relative_to(project)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(path.read_bytes())
    return target


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    if importlib.util.find_spec("pip") is None:
        pytest.skip("installs with pip, which this environment doesn't have (python -m ensurepip)")
    if importlib.util.find_spec("setuptools") is None or int(version("setuptools").partition(".")[0]) < 77:
        pytest.skip("builds with setuptools 77 or later (pip install -e '.[test]')")
    return Environment(tmp_path_factory.mktemp("fresh") / "venv")


def test_a_new_package_is_installed_its_tests_pass_and_its_rule_decides(environment: Environment, tmp_path: Path) -> None:
    project = tmp_path / "garden-pins"
    assert new("garden-pins", project)[0] == 0
    environment.install(project)
    out = environment.run("-m", "pytest", "-q", "-p", "no:cacheprovider", folder=project)
    assert "14 passed" in out
    chat = [
        {"role": "assistant", "content": f"{TALK}\nPIN: lavender likes it dry"},
        {"role": "user", "content": "Good."},
    ]
    (tmp_path / "chat.json").write_text(json.dumps(chat))
    check_policies(environment, project)
    found = environment.run("-c", "import garden_pins; print(garden_pins.POLICIES)", folder=tmp_path).strip()
    assert Path(found).is_relative_to(environment.python.parents[1])
    options = ["decide", "chat.json", "--keep-last", "1", "--no-store", "--format", "json"]
    actions = [
        json.loads(environment.run("-m", "barrier_policy.cli", *options, *more, folder=tmp_path))["spans"][0]["action"]
        for more in ([], ["--policies", found])
    ]
    assert actions == ["summarize", "repair"]


def test_the_example_pack_is_installed_and_its_tests_pass(environment: Environment, tmp_path: Path) -> None:
    project = copy_of(PACK, tmp_path / "order-desk")
    environment.install(project)
    assert " passed" in environment.run("-m", "pytest", "-q", "-p", "no:cacheprovider", folder=project)
    check_policies(environment, project)


def check_policies(environment: Environment, project: Path) -> None:
    """Every outcome has a case, every mutant is noticed, and the linter finds nothing."""
    (folder,) = project.glob("src/*/policies")
    command = ("-m", "barrier_policy.cli", "policy")
    tested = environment.run(*command, "test", str(folder), "--alone", "--mutate", "--fail-under", "100", folder=project)
    assert "coverage 100.0 %" in tested and " 0 survived" in tested
    assert environment.run(*command, "lint", str(folder), folder=project) == "2 files: no findings\n"


def test_what_is_made_says_its_own_name_and_no_other() -> None:
    found = render("garden-pins", "garden_pins")
    assert sorted(found) == [
        "README.md",
        "pyproject.toml",
        "src/garden_pins/__init__.py",
        "src/garden_pins/extractor.py",
        "src/garden_pins/policies/garden_pins.yaml",
        "src/garden_pins/policies/garden_pins_test.yaml",
        "src/garden_pins/py.typed",
        "tests/test_contract.py",
        "tests/test_policies.py",
    ]
    assert not [path for path, text in found.items() if "$" in text]


def test_what_is_made_is_clean_for_linters(tmp_path: Path) -> None:
    assert new("garden-pins", tmp_path / "pins")[0] == 0
    command = [sys.executable, "-m", "ruff", "--config", str(ROOT / "pyproject.toml")]
    for check in (["check", "--no-cache", "--ignore", "D103,RUF100"], ["format", "--no-cache", "--check"]):
        done = subprocess.run([*command[:3], *check, *command[3:], str(tmp_path / "pins")], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["", "Pins", "pins_x", "-pins", "pins-", "a--b", "1st", "../up", "pins\n", "ü", "x" * 51])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(BarrierPolicyError, match="is no name for a plugin"):
        package_name(name)


@pytest.mark.parametrize(
    "name, reason",
    [
        ("class", "word of CEL or Python"),
        ("in", "word of CEL"),
        ("effects", "field of every span"),
        ("json", "is taken"),
        ("barrier-policy-x", "is taken"),
    ],
)
def test_a_name_that_would_clash_is_refused(name: str, reason: str) -> None:
    with pytest.raises(BarrierPolicyError, match=reason):
        package_name(name)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    code, out = new("pins", tmp_path)
    assert code == 2 and "exists and is no empty folder; nothing was written" in out
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    code, out = new("pins", tmp_path / "notes.txt")
    assert code == 2 and (tmp_path / "notes.txt").read_text() == "mine"


def test_without_a_folder_the_package_is_made_in_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out = new("pins")
    assert code == 0 and "cd pins && pip install -e '.[test]' && pytest" in out
    assert (tmp_path / "pins" / "src" / "pins" / "extractor.py").exists()
