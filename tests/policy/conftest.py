from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from barrier_policy.join.schema import RecordSchema, build_schema
from barrier_policy.policy.cel.engine import Engine
from barrier_policy.policy.cel.load import load_engine
from barrier_policy.policy.loader import load_policies
from barrier_policy.policy.model import PolicySet

HEAD = """\
apiVersion: barrier-policy/v1
kind: Policy
metadata: {name: sample, version: 1.0.0, owner: platform}
"""


@pytest.fixture(scope="session")
def schema() -> RecordSchema:
    return build_schema()


@pytest.fixture(scope="session")
def python_engine() -> Engine:
    return load_engine("python")


@pytest.fixture(scope="session")
def fast_engine() -> Engine:
    pytest.importorskip("cel_expr_python", exc_type=ImportError)
    return load_engine("fast")


@pytest.fixture(params=["fast", "python"])
def engine(request: pytest.FixtureRequest) -> Engine:
    return request.getfixturevalue(f"{request.param}_engine")


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file below the temporary directory and gives its path."""

    def write_file(text: str, name: str = "sample.yaml") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
        return path

    return write_file


def rule_yaml(rule_id: str, condition: str, effect: str = "barrier", more: str = "") -> str:
    """One rule as an item of a `rules` list."""
    lines = [
        f"- id: {rule_id}",
        f"  effect: {effect}",
        "  severity: high",
        "  summary: the summary",
        "  why: the why",
        "  references: [a reference]",
        f"  condition: {condition}",
        *(f"  {line}" for line in more.splitlines()),
    ]
    return "\n".join(lines) + "\n"


@pytest.fixture
def rule() -> Callable[..., str]:
    return rule_yaml


@pytest.fixture
def load(write: Callable[..., Path], schema: RecordSchema, python_engine: Engine) -> Callable[..., PolicySet]:
    """Loads one policy from its rules, written with `rule`; `variables` is the block before them."""

    def load_rules(*rules: str, variables: str = "", engine: Engine | None = None) -> PolicySet:
        path = write(HEAD + variables + ("rules:\n" + "".join(rules) if rules else "rules: []\n"))
        return load_policies([path], schema, engine or python_engine)

    return load_rules


def empty(schema: RecordSchema, type_name: str) -> Any:
    """The empty value of a declared type."""
    if type_name in schema.types:
        return {field.name: empty(schema, field.type) for field in schema.types[type_name].fields}
    return [] if type_name.startswith("list(") else {"string": "", "int": 0, "bool": False}[type_name]


@pytest.fixture
def record(schema: RecordSchema) -> dict[str, Any]:
    """A narrative span with nothing in it."""
    span: dict[str, Any] = empty(schema, "Span")
    span |= {"id": "s1", "tokens": 120, "evidential_class": "narrative"}
    span["fidelity"] |= {"preserve": ["decisions"], "audited": True}
    return span


@pytest.fixture
def effect(schema: RecordSchema) -> Callable[..., dict[str, Any]]:
    """An unsettled effect, or what its arguments make of it."""

    def make(**fields: Any) -> dict[str, Any]:
        made: dict[str, Any] = empty(schema, "Effect")
        return made | {"id": "e1", "tool": "deploy", "state": "started", "unsettled": True} | fields

    return make
