"""JSON Schemas of the files that people write, for completion and checks in editors.

Made from what the readers check: the keys and patterns of `document`, the enums of `model`, the declared span record, the types of
the profile. The loader stays the judge: a schema can't check an expression.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from enum import StrEnum
from typing import Any

import msgspec

from barrier_policy.digest import DIGEST
from barrier_policy.facts.effect_class import EffectClass
from barrier_policy.join.schema import ROOT, RecordSchema, element
from barrier_policy.log_spec import MAX_KEEP_DAYS, MAX_KEEP_FILES, MAX_ROTATE_MB, Fsync, LogKind
from barrier_policy.policy.document import API_VERSION, EXCEPTION_KEYS, POLICY_KEYS, RULE_KEYS, RULE_OPTIONS, VERSION, WORD
from barrier_policy.policy.lint.records import documented_values
from barrier_policy.policy.model import Mode, Repair, RuleEffect, Severity
from barrier_policy.policy.verdict import Outcome, VerdictKind
from barrier_policy.profile import EngineName, FidelityClause, Inconclusive, Workload
from barrier_policy.spans.segment import Strategy
from barrier_policy.summarizer_spec import MAX_TIMEOUT, SummarizerKind

DIALECT = "http://json-schema.org/draft-07/schema#"
"""The newest that yaml-language-server knows fully."""

CASE_KEYS = ("expect", "name", "rule", "span")
_SCALARS = {"string": "string", "int": "integer", "bool": "boolean"}

KEY_DOCS = {
    "apiVersion": "The format of this file.",
    "kind": "What this file is.",
    "metadata": "Name, version and owner of the policy.",
    "variables": "Expressions with a name; each may use those above it.",
    "rules": "The rules of this policy.",
    "id": "`area.verb-phrase`. Decisions cite it, so it is never used for something else.",
    "effect": "`barrier`: such a span must not go. `permit`: it may go, where no barrier holds.",
    "severity": "How much a reviewer should care.",
    "summary": "One line: what holds where the rule does.",
    "why": "For somebody who reviews a decision in a year: what goes wrong without the rule.",
    "references": "The sentences, incidents or contracts that the rule implements.",
    "condition": "A boolean CEL expression over `span` and `variables`.",
    "evidence": "CEL expressions that list the items that a decision cites.",
    "explanation": "A CEL expression that says, as a text, what was found.",
    "locked": "No overlay and no exception may loosen the rule.",
    "mode": "`enforce`; `warn`: reported beside the verdict; `shadow`: evaluated, counts for nothing.",
    "repair": "What would lift the barrier. The gate does `rebind` and `archive`; others do `confirm` and `discharge`.",
    "since": "The version of the policy that the rule came with.",
    "policy": "The policy that the cases are about.",
    "cases": "Records, and what a rule says about each.",
    "name": "A sentence in snake_case.",
    "rule": "The id of a rule.",
    "span": "A span record; fields that are left out take their empty value.",
    "malformed": "The record has values of a wrong type, to show that the rule errs and binds.",
    "expect": "What the rule must say.",
    "outcome": "What the rule says of the record.",
    "verdict": "What all rules together say.",
    "owner": "Who answers for it.",
    "reason": "Why it is needed.",
    "expires": "The day after which it counts for nothing.",
    "spans": "Digests of the spans that are meant, as `decide --format json` states them.",
    "transcripts": "Digests of the transcripts that are meant.",
    "set": "The keys of the rule that get a new value.",
    "when": "A boolean CEL expression: the spans that are meant.",
}
"""What an editor shows beside a key."""


def policy_schema(record: RecordSchema) -> dict[str, Any]:
    """Of files of kind Policy."""
    text, expression = _text(), _text()
    rule = {
        "id": _text(rf"{WORD}\.{WORD}"),
        "effect": _choice(RuleEffect),
        "severity": _choice(Severity),
        "references": _list(text, minItems=1),
        "condition": expression,
        "evidence": {"anyOf": [expression, _list(expression)]},
        "explanation": expression,
        "locked": {"type": "boolean"},
        "mode": _choice(Mode),
        "repair": _list(_choice(Repair)),
    }
    variable = {"name": _text("[a-z][a-z0-9_]*"), "expression": expression}
    metadata = {"name": _text(WORD), "version": _text(VERSION), "owner": text}
    known: dict[str, Any] = {
        "apiVersion": {"const": API_VERSION},
        "kind": {"const": "Policy"},
        "metadata": _mapping(metadata, metadata),
        "variables": _list(_mapping(variable, variable)),
        "rules": _list(_mapping({key: rule.get(key, text) for key in (*RULE_KEYS, *RULE_OPTIONS)}, RULE_KEYS)),
    }
    return _document("policy", "A policy: rules that permit or bar", known, POLICY_KEYS)


def case_schema(record: RecordSchema) -> dict[str, Any]:
    """Of files of kind PolicyTest. A case that is `malformed` may have any values in its span."""
    outcomes = {"enum": [*map(str, Outcome), True, False]}
    rule = _text(rf"{WORD}\.{WORD}")
    expect = {"outcome": outcomes, "verdict": _choice(VerdictKind), "evidence": _list(_text()), "rules": _list(rule)}
    case = {
        "name": _text(),
        "rule": rule,
        "span": {"type": "object"},
        "malformed": {"type": "boolean"},
        "expect": _mapping(expect, ["outcome"]),
    }
    sound = {"properties": {"span": {"$ref": f"#/definitions/{ROOT}"}}}
    is_malformed = {"properties": {"malformed": {"const": True}}, "required": ["malformed"]}
    item = {**_mapping(case, CASE_KEYS), "if": is_malformed, "else": sound}
    known = {
        "apiVersion": {"const": API_VERSION},
        "kind": {"const": "PolicyTest"},
        "policy": _text(WORD),
        "cases": _list(item),
        "transcripts": _list(_transcript_case(rule)),
        "explained": _list(_mapping({"rule": rule, "mutation": _text(), "why": _text()}, ("rule", "mutation", "why"))),
    }
    made = _document("test", "Cases of a policy", known, ("apiVersion", "kind", "policy"))
    return {**made, "definitions": {name: _record(record, name) for name in sorted(record.types)}}


def _transcript_case(rule: dict[str, Any]) -> dict[str, Any]:
    """A whole transcript, in the file or beside it, and what becomes of its spans."""
    index = {"type": "integer", "minimum": 0}
    span = {
        "messages": _list(index, minItems=2, maxItems=2),
        "action": {"enum": ["summarize", "retain", "repair"]},
        "rules": _list(rule),
    }
    known = {
        "name": _text(),
        "messages": _list({"type": "object"}),
        "file": _text(),
        "keep_last": index,
        "now": {"type": "string"},
        "expect": _list(_mapping(span, ("messages", "action"))),
    }
    return _mapping(known, ("name", "expect"))


def exception_schema(record: RecordSchema) -> dict[str, Any]:
    """Of files of kind Exception. It names the spans, by a condition or by digests."""
    digests = _list(_text(DIGEST.pattern), minItems=1)
    owned = {"name": _text(WORD), "owner": _text()}
    known = {
        "apiVersion": {"const": API_VERSION},
        "kind": {"const": "Exception"},
        "metadata": _mapping(owned, owned),
        "rule": _text(rf"{WORD}\.{WORD}"),
        "reason": _text(),
        "expires": _text("[0-9]{4}-[0-9]{2}-[0-9]{2}"),
        "spans": digests,
        "transcripts": digests,
        "when": _text(),
    }
    made = _document("exception", "Where one rule does not bind, for a time", known, EXCEPTION_KEYS)
    return {**made, "anyOf": [{"required": [key]} for key in ("spans", "when")]}


def patch_schema(record: RecordSchema) -> dict[str, Any]:
    """Of files of kind Patch: what an overlay changes of one rule."""
    owned = {"name": _text(WORD), "owner": _text()}
    changes = {
        "condition": _text(),
        "explanation": _text(),
        "locked": {"type": "boolean"},
        "mode": _choice(Mode),
        "severity": _choice(Severity),
    }
    known = {
        "apiVersion": {"const": API_VERSION},
        "kind": {"const": "Patch"},
        "metadata": _mapping(owned, owned),
        "reason": _text(),
        "rule": _text(rf"{WORD}\.{WORD}"),
        "set": {**_mapping(changes), "minProperties": 1},
    }
    return _document("patch", "What changes of one rule of an earlier folder", known, known)


def profile_schema(record: RecordSchema) -> dict[str, Any]:
    """Of `barrier-policy.yaml`."""
    count = {"type": "integer", "minimum": 0}
    known = {
        "tail": _mapping({"keep_last": count}),
        "audit": _mapping({"inconclusive": _choice(Inconclusive)}),
        "budget": _mapping({"target_tokens": count}),
        "spans": _mapping({"strategy": _choice(Strategy)}),
        "fidelity": _struct(FidelityClause),
        "workload": _struct(Workload),
        "tools": {"type": "object", "additionalProperties": _choice(EffectClass)},
        "store": _text(),
        "overlays": _list(_text()),
        "bundle": _mapping({"keys": _list(_text()), "required": {"type": "boolean"}}),
        "engine": _choice(EngineName),
        "summarizer": _summarizer(),
        "log": _log(),
    }
    return {**_titled("profile", "Settings of a team"), **_mapping(known)}


def _summarizer() -> dict[str, Any]:
    return _mapping(
        {
            "kind": _choice(SummarizerKind),
            "command": {"anyOf": [_text(), _list(_text())]},
            "function": _text(),
            "url": _text(),
            "model": _text(),
            "api_key_env": _text(),
            "timeout_seconds": {"type": "integer", "minimum": 1, "maximum": int(MAX_TIMEOUT)},
        }
    )


def _log() -> dict[str, Any]:
    known = {
        "path": _text(),
        "kind": _choice(LogKind),
        "fsync": _choice(Fsync),
        "rotate_mb": {"type": "integer", "minimum": 1, "maximum": MAX_ROTATE_MB},
        "keep_files": {"type": "integer", "minimum": 1, "maximum": MAX_KEEP_FILES},
        "keep_days": {"type": "integer", "minimum": 1, "maximum": MAX_KEEP_DAYS},
        "anchors": _text(),
        "include_text": {"type": "boolean"},
        "labels": {"type": "object", "additionalProperties": _text()},
    }
    return _mapping(known)


SCHEMAS: dict[str, Callable[[RecordSchema], dict[str, Any]]] = {
    "policy": policy_schema,
    "test": case_schema,
    "exception": exception_schema,
    "patch": patch_schema,
    "profile": profile_schema,
}


def schema_text(kind: str, record: RecordSchema) -> str:
    """A schema as it is shipped, in a fixed order. `kind` is one of SCHEMAS."""
    return msgspec.json.format(msgspec.json.encode(SCHEMAS[kind](record)), indent=2).decode() + "\n"


def _titled(kind: str, title: str) -> dict[str, Any]:
    return {"$schema": DIALECT, "title": f"barrier-policy {kind}", "description": title}


def _document(kind: str, title: str, known: dict[str, Any], required: Iterable[str]) -> dict[str, Any]:
    return {**_titled(kind, title), **_mapping(known, required)}


def _mapping(known: dict[str, Any], required: Iterable[str] = ()) -> dict[str, Any]:
    properties = {key: {"description": KEY_DOCS[key], **value} if key in KEY_DOCS else value for key, value in known.items()}
    made: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**made, "required": sorted(required)} if required else made


def _text(pattern: str = "") -> dict[str, Any]:
    return {"type": "string", "pattern": f"^({pattern})$"} if pattern else {"type": "string", "minLength": 1}


def _list(items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


def _choice(choices: type[StrEnum] | Collection[str]) -> dict[str, Any]:
    return {"enum": [str(choice) for choice in choices]}


def _struct(type_: Any) -> dict[str, Any]:
    """A section that is a struct of the profile: its own schema, but closed, as the reader of profiles is."""
    made = next(iter(msgspec.json.schema(type_)["$defs"].values()))
    return {"type": "object", "properties": made["properties"], "additionalProperties": False}


def _record(record: RecordSchema, name: str) -> dict[str, Any]:
    """A record type. Plugins add namespaces to `Span`, which a schema that was made without them can't know."""
    declared = record.types[name]
    made: dict[str, Any] = {"type": "object", "description": declared.doc, "properties": {}}
    for field in declared.fields:
        made["properties"][field.name] = {"description": field.doc, **_type(field.type, record)}
        values = documented_values(field)
        if values:
            made["properties"][field.name]["examples"] = [value for value in values if value]
    made["additionalProperties"] = {"type": "object"} if name == ROOT else False
    return made


def _type(name: str, record: RecordSchema) -> dict[str, Any]:
    item = element(name)
    if item is not None:
        return _list(_type(item, record))
    return {"allOf": [{"$ref": f"#/definitions/{name}"}]} if name in record.types else {"type": _SCALARS[name]}
