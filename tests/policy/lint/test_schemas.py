"""The JSON Schemas accept what the readers accept, and mark a misspelt key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

import barrier_policy
from barrier_policy.join.schema import RecordSchema
from barrier_policy.policy.document import POLICY_KEYS, RULE_KEYS, RULE_OPTIONS
from barrier_policy.policy.json_schema import KEY_DOCS, SCHEMAS, schema_text
from barrier_policy.policy.loader import shipped_policies
from barrier_policy.profile_file import SECTIONS

FILES = sorted(shipped_policies().glob("*.yaml"))
EXCEPTION = {
    "apiVersion": "barrier-policy/v1",
    "kind": "Exception",
    "rule": "evidence.insufficient",
    "when": "span.tokens < 20",
    "metadata": {"name": "pings", "owner": "platform"},
    "reason": "Pings.",
    "expires": "2026-03-01",
}
PROFILE = {
    "tail": {"keep_last": 6},
    "budget": {"target_tokens": 60000},
    "spans": {"strategy": "steps"},
    "fidelity": {"preserve": ["bindings"], "audited": True},
    "workload": {"evidence_demand": True},
    "tools": {"start_migration": "keyed"},
    "store": "./originals",
    "overlays": ["team"],
    "bundle": {"keys": ["keys"], "required": True},
    "engine": "auto",
    "summarizer": {"kind": "command", "command": ["summarize", "--short"], "timeout_seconds": 20},
    "log": {
        "path": "decisions.jsonl",
        "kind": "jsonl",
        "fsync": "always",
        "rotate_mb": 64,
        "keep_files": 9,
        "keep_days": 400,
        "labels": {"team": "shop"},
    },
}


def plain(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.fixture(params=SCHEMAS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def problems(kind: str, schema: RecordSchema, value: Any) -> list[str]:
    validator = jsonschema.Draft7Validator(json.loads(schema_text(kind, schema)))
    return [error.message for error in validator.iter_errors(value)]


def test_a_schema_is_a_schema(kind: str, schema: RecordSchema) -> None:
    jsonschema.Draft7Validator.check_schema(json.loads(schema_text(kind, schema)))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_shipped_files_are_valid(path: Path, schema: RecordSchema) -> None:
    assert problems("test" if path.stem.endswith("_test") else "policy", schema, plain(path)) == []


@pytest.mark.parametrize(("kind", "value"), [("exception", EXCEPTION), ("profile", PROFILE), ("profile", {})])
def test_an_exception_and_a_profile_are_valid(kind: str, value: Any, schema: RecordSchema) -> None:
    assert problems(kind, schema, value) == []


@pytest.mark.parametrize(
    "changes", [{"expires": "never"}, {"when": ""}, {"spans": ["s1"]}, {"owner": "me"}, {"metadata": {}}]
)
def test_a_mistake_in_an_exception_is_marked(changes: dict[str, Any], schema: RecordSchema) -> None:
    assert problems("exception", schema, {**EXCEPTION, **changes})
    assert problems("exception", schema, {key: value for key, value in EXCEPTION.items() if key != "when"})


def test_a_patch_sets_something(schema: RecordSchema) -> None:
    patch = {**EXCEPTION, "kind": "Patch", "set": {"mode": "shadow"}}
    for key in ("when", "expires"):
        del patch[key]
    assert problems("patch", schema, patch) == []
    assert problems("patch", schema, {**patch, "set": {}})
    assert problems("patch", schema, {**patch, "set": {"effect": "permit"}})


def changed(path: Path, *keys: str | int, value: Any) -> Any:
    made = plain(path)
    holder = made
    for key in keys[:-1]:
        holder = holder[key]
    holder[keys[-1]] = value
    return made


@pytest.mark.parametrize(
    ("kind", "keys", "value"),
    [
        ("policy", ("rulez",), []),
        ("policy", ("metadata", "version"), "one"),
        ("policy", ("rules", 0, "efect"), "barrier"),
        ("policy", ("rules", 0, "effect"), "forbid"),
        ("policy", ("rules", 0, "references"), []),
        ("policy", ("rules", 0, "repair"), ["rebnd"]),
        ("test", ("cases", 0, "expect", "outcome"), "maybe"),
        ("test", ("cases", 0, "span", "bindings", 0, "opn"), True),
        ("test", ("cases", 0, "span", "bindings", 0, "open"), "yes"),
    ],
)
def test_a_mistake_is_marked(kind: str, keys: tuple[str | int, ...], value: Any, schema: RecordSchema) -> None:
    name = "bindings_test.yaml" if kind == "test" else "bindings.yaml"
    assert len(problems(kind, schema, changed(shipped_policies() / name, *keys, value=value))) == 1


def test_the_keys_are_those_of_the_readers(schema: RecordSchema) -> None:
    policy = json.loads(schema_text("policy", schema))
    rule = policy["properties"]["rules"]["items"]
    assert set(policy["properties"]) == {*POLICY_KEYS, "variables"}
    assert set(rule["properties"]) == {*RULE_KEYS, *RULE_OPTIONS}
    assert rule["required"] == sorted(RULE_KEYS)
    assert set(json.loads(schema_text("profile", schema))["properties"]) == set(SECTIONS)


def test_an_editor_can_explain_every_key_of_a_rule() -> None:
    assert {*POLICY_KEYS, *RULE_KEYS, *RULE_OPTIONS} <= KEY_DOCS.keys()


def test_the_schemas_are_in_the_package() -> None:
    folder = Path(barrier_policy.__file__).parent / "schemas"
    assert {path.name for path in folder.iterdir()} == {f"{kind}.schema.json" for kind in SCHEMAS}
