from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from barrier_policy.join.schema import RecordSchema, build_schema
from barrier_policy.policy.cel.engine import Engine, load_engine
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


@pytest.fixture
def record() -> dict[str, object]:
    """A narrative span with nothing in it."""
    return {
        "id": "s1", "start": 0, "end": 4, "tokens": 120, "origin": "user", "zone": "", "evidential_class": "narrative",
        "obligations": [], "effects": [], "constraints": [], "bindings": [], "unknowns": [],
        "provenance": {"present": False, "retrievable": False, "uri": ""},
        "fidelity": {"preserve": ["decisions"], "audited": True},
        "workload": {"evidence_demand": False},
    }  # fmt: skip


@pytest.fixture
def effect() -> Callable[..., dict[str, object]]:
    def make(**fields: object) -> dict[str, object]:
        base: dict[str, object] = {
            "id": "e1", "tool": "deploy", "class": "keyed", "assumed": False, "state": "started", "unsettled": True,
            "receipt_needed": True, "key": "k", "target": "t", "message": 3, "text": "", "carried": False, "held": False,
        }  # fmt: skip
        return base | fields

    return make
