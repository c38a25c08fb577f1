from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from barrier_policy.join.schema import RecordSchema
from barrier_policy.policy.cel.engine import Engine
from barrier_policy.policy.cel.load import load_engine
from barrier_policy.policy.lint.model import Finding
from barrier_policy.policy.lint.run import lint, read_sources
from barrier_policy.policy.lint.source import Sources
from barrier_policy.policy.loader import shipped_policies

from .example import cases_file, policy_file

TODAY = "2026-01-01"
SOUND = "severity: high"


@pytest.fixture(scope="session")
def any_engine() -> Engine:
    return load_engine()


@pytest.fixture
def sources(tmp_path: Path, schema: RecordSchema, any_engine: Engine) -> Callable[..., Sources]:
    """Writes files below a temporary folder and reads them, on top of the shipped policies unless `alone`."""

    def read(files: dict[str, str], *, alone: bool = False, engine: Engine | None = None) -> Sources:
        folder = tmp_path / "team"
        folder.mkdir(exist_ok=True)
        for name, text in files.items():
            (folder / name).write_bytes(text.encode("utf-8"))
        below = [] if alone else [shipped_policies()]
        return read_sources([folder], schema, engine or any_engine, below=below, today=TODAY)

    return read


@pytest.fixture
def lint_example(sources: Callable[..., Sources]) -> Callable[..., list[Finding]]:
    """What is found in the file of an example, beside sound companions that it may refer to."""

    def run(example: str) -> list[Finding]:
        name, files = with_companions(policy_file(example))
        return [finding for finding in lint(sources(files)) if Path(finding.file).name == name]

    return run


def with_companions(text: str) -> tuple[str, dict[str, str]]:
    """The name of a file of an example, and all files of its folder: cases for a policy, a policy for cases and exceptions."""
    sound = policy_file(SOUND)
    if "kind: PolicyTest" in text:
        return "example_test.yaml", {"example.yaml": sound, "example_test.yaml": text}
    if "kind: Exception" in text:
        files = {"example.yaml": sound, "example_test.yaml": cases_file(sound), "exception.yaml": text}
        return "exception.yaml", files
    return "example.yaml", {"example.yaml": text, "example_test.yaml": cases_file(text)}
