"""One file of kind Policy, Patch or Exception: YAML nodes to checked data, every problem with its place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import Any

import msgspec

from barrier_policy.digest import DIGEST
from barrier_policy.errors import Issue
from barrier_policy.join.schema import RecordSchema
from barrier_policy.policy.cel.engine import Engine
from barrier_policy.policy.cel.scope import Scope, Variable
from barrier_policy.policy.expression import NOTHING, ExpressionReader
from barrier_policy.policy.hints import listing
from barrier_policy.policy.model import Mode, NamedExpression, Origin, Policy, Repair, Rule, RuleEffect, Severity, Waiver
from barrier_policy.policy.shape import ShapeReader
from barrier_policy.policy.yaml import Node

API_VERSION = "barrier-policy/v1"
POLICY_KEYS = ("apiVersion", "kind", "metadata", "rules")
RULE_KEYS = ("condition", "effect", "id", "references", "severity", "summary", "why")
RULE_OPTIONS = ("evidence", "explanation", "locked", "mode", "repair", "since")
PATCH_KEYS = ("apiVersion", "kind", "metadata", "reason", "rule", "set")
PATCHED_KEYS = ("condition", "explanation", "locked", "mode", "severity")
EXCEPTION_KEYS = ("apiVersion", "expires", "kind", "metadata", "reason", "rule")
EXCEPTION_SCOPES = ("spans", "transcripts", "when")
WORD = "[a-z][a-z0-9]*(-[a-z0-9]+)*"
VERSION = r"[0-9]+\.[0-9]+\.[0-9]+"


class DocumentKind(StrEnum):
    """What a policy file holds: rules, a change of one rule of an earlier folder, or a place where one rule does not bind."""

    POLICY = "Policy"
    PATCH = "Patch"
    EXCEPTION = "Exception"


class Patch(msgspec.Struct, frozen=True, kw_only=True):
    """A file of kind Patch, before it is known which rule it changes. `changes` are the new values of keys."""

    rule: str
    node: Node
    changes: Mapping[str, Node]


def document_kind(document: Node) -> DocumentKind:
    """What a file says that it is; a Policy where it says nothing that is known."""
    said = document.value.get("kind") if isinstance(document.value, dict) else None
    return DocumentKind(said.value) if said is not None and said.value in list(DocumentKind) else DocumentKind.POLICY


class DocumentReader:
    """Reads policy files; `issues` has the problems of all files so far, also those of expressions."""

    def __init__(self, schema: RecordSchema, engine: Engine) -> None:
        self._schema = schema
        self._shape = ShapeReader()
        self._expressions = ExpressionReader(schema, engine, self._shape.issues)
        self._scopes: dict[str, Scope] = {}

    @property
    def issues(self) -> list[Issue]:
        """What is wrong, in the order of discovery."""
        return self._shape.issues

    def policy(self, document: Node) -> Policy:
        """The policy of a file. Only usable if `issues` is empty."""
        shape = self._shape
        fields = shape.fields(document, "policy file", POLICY_KEYS, ("variables",))
        shape.literal(fields.get("apiVersion"), API_VERSION)
        shape.choice(fields.get("kind"), DocumentKind, DocumentKind.POLICY)
        metadata: dict[str, Node] = {}
        if "metadata" in fields:
            metadata = shape.fields(fields["metadata"], "metadata", ("name", "owner", "version"))
        scope, variables = self._variables(fields.get("variables"))
        name = shape.text(metadata.get("name"), WORD, "a name in lower-case kebab, as `side-effects`")
        self._scopes[name] = scope
        return Policy(
            name=name,
            version=shape.text(metadata.get("version"), VERSION, "a version, as `1.0.0`"),
            owner=shape.text(metadata.get("owner")),
            file=document.file,
            line=metadata["name"].line if "name" in metadata else document.line,
            column=metadata["name"].column if "name" in metadata else document.column,
            variables=variables,
            rules=tuple(self._rule(node, scope) for node in shape.items(fields.get("rules"), "rules")),
        )

    def patch(self, document: Node) -> Patch:
        """A change of one rule. Its values are read by `patched`."""
        shape = self._shape
        fields = shape.fields(document, "patch file", PATCH_KEYS)
        self._head(fields)
        shape.text(fields.get("reason"))
        changes = shape.fields(fields["set"], "section `set`", (), PATCHED_KEYS) if "set" in fields else {}
        if "set" in fields and not changes:
            self.issues.append(fields["set"].issue(f"nothing to set (one of {listing(PATCHED_KEYS)})"))
        return Patch(rule=shape.text(fields.get("rule")), node=fields.get("rule", document), changes=changes)

    def patched(self, patch: Patch, policy: Policy, rule: Rule) -> Rule:
        """The rule with what a patch changes of it; a new condition may use the variables of the rule's policy."""
        shape, changes, scope = self._shape, patch.changes, self._scopes[policy.name]
        new: dict[str, Any] = {}
        if "condition" in changes:
            new["condition"] = self._expressions.read(changes["condition"], scope, "bool", "the condition") or NOTHING
        if "explanation" in changes:
            new["explanation"] = self._expressions.read(changes["explanation"], scope, "string", "the explanation")
        if "mode" in changes:
            new["mode"] = shape.choice(changes["mode"], Mode, Mode.ENFORCE)
        if "severity" in changes:
            new["severity"] = shape.choice(changes["severity"], Severity, Severity.LOW)
        if "locked" in changes:
            new["locked"] = shape.flag(changes["locked"])
        origins = {origin.key: origin for origin in (*rule.origins, *_origins(changes))}
        return msgspec.structs.replace(rule, **new, origins=tuple(origins[key] for key in sorted(origins)))

    def exception(self, document: Node) -> Waiver:
        """A place where one rule does not bind. Only usable if `issues` is empty."""
        shape = self._shape
        fields = shape.fields(document, "exception file", EXCEPTION_KEYS, EXCEPTION_SCOPES)
        metadata = self._head(fields)
        when = self._expressions.read(fields.get("when"), Scope(self._schema), "bool", "`when`")
        if when is not None and not when.reads:
            self.issues.append(fields["when"].issue("`when` says nothing of the span (an exception is about some spans)"))
        if not {"spans", "when"} & fields.keys():
            how = "give `when`, a condition over the span, or `spans`, digests of spans as `decide` states them"
            self.issues.append(document.issue(f"the exception covers every span ({how})"))
        at = metadata.get("name", document)
        return Waiver(
            name=shape.text(metadata.get("name"), WORD, "a name in lower-case kebab, as `old-invoices`"),
            owner=shape.text(metadata.get("owner")),
            rule=shape.text(fields.get("rule")),
            reason=shape.text(fields.get("reason")).strip(),
            expires=self._day(fields.get("expires")),
            when=when,
            spans=self._digests(fields.get("spans")),
            transcripts=self._digests(fields.get("transcripts")),
            file=document.file,
            line=at.line,
            column=at.column,
        )

    def _head(self, fields: Mapping[str, Node]) -> dict[str, Node]:
        """Checks the first keys of a file that is no policy, and gives its metadata."""
        self._shape.literal(fields.get("apiVersion"), API_VERSION)
        return self._shape.fields(fields["metadata"], "metadata", ("name", "owner")) if "metadata" in fields else {}

    def _day(self, node: Node | None) -> str:
        text = self._shape.text(node)
        if node is not None and text and not is_day(text):
            self.issues.append(node.issue(no_day(text)))
        return text

    def _digests(self, node: Node | None) -> tuple[str, ...]:
        items = self._shape.items(node, "digests")
        if node is not None and node.value == ():
            self.issues.append(node.issue("an empty list covers nothing (leave the key out, or name a digest)"))
        return tuple(
            self._shape.text(item, DIGEST.pattern, "a digest `sha256:` and 64 hexadecimal digits") for item in items
        )

    def _variables(self, node: Node | None) -> tuple[Scope, tuple[NamedExpression, ...]]:
        """Each variable may use the ones before it."""
        known: dict[str, Variable] = {}
        written: list[NamedExpression] = []
        items = self._shape.items(node, "variables")
        names = [str(item.value["name"].value) for item in items if isinstance(item.value, dict) and "name" in item.value]
        for item in items:
            fields = self._shape.fields(item, "variable", ("expression", "name"))
            name = self._shape.text(fields.get("name"), "[a-z][a-z0-9_]*", "a name in lower-case snake_case")
            if name in known:
                self.issues.append(fields["name"].issue(f"variable `{name}` is already declared above"))
            if "expression" not in fields:
                continue
            scope = Scope(self._schema, dict(known), frozenset(names) - known.keys())
            _, checked = self._expressions.check(fields["expression"], scope)
            # A broken variable is declared all the same: its own mistake is reported, not every use of it.
            known[name] = checked or Variable(type="", cel="", reads=(), depth=1, loops=0)
            written.append(NamedExpression(name=name, text=str(fields["expression"].value), line=item.line))
        return Scope(self._schema, known), tuple(written)

    def _rule(self, node: Node, scope: Scope) -> Rule:
        shape = self._shape
        name = node.value["id"].value if isinstance(node.value, dict) and "id" in node.value else None
        fields = shape.fields(node, f"rule `{name}`" if isinstance(name, str) else "rule", RULE_KEYS, RULE_OPTIONS)
        effect = shape.choice(fields.get("effect"), RuleEffect, RuleEffect.BARRIER)
        repair = tuple(shape.choice(item, Repair, Repair.REBIND) for item in shape.items(fields.get("repair"), "repairs"))
        if repair and effect is RuleEffect.PERMIT:
            self.issues.append(fields["repair"].key_issue("a permit has no `repair` (repairs lift barriers)"))
        references = shape.items(fields.get("references"), "texts")
        if "references" in fields and fields["references"].value == ():
            self.issues.append(fields["references"].issue("a rule needs at least one reference"))
        return Rule(
            id=shape.text(fields.get("id"), rf"{WORD}\.{WORD}", "a rule id `area.verb-phrase` in lower-case kebab"),
            effect=effect,
            severity=shape.choice(fields.get("severity"), Severity, Severity.LOW),
            summary=shape.text(fields.get("summary")).strip(),
            why=shape.text(fields.get("why")).strip(),
            references=tuple(shape.text(item) for item in references),
            condition=self._expressions.read(fields.get("condition"), scope, "bool", "the condition") or NOTHING,
            explanation=self._expressions.read(fields.get("explanation"), scope, "string", "the explanation"),
            evidence=self._expressions.evidence(fields.get("evidence"), scope),
            repair=repair,
            locked=shape.flag(fields.get("locked")),
            mode=shape.choice(fields.get("mode"), Mode, Mode.ENFORCE),
            since=shape.text(fields.get("since")),
            line=node.line,
            column=node.column,
            origins=_origins(fields),
        )


def is_day(text: str) -> bool:
    """Whether a text is an ISO date, in digits and dashes."""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return False
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def no_day(text: str) -> str:
    """What is wrong with a text where an ISO date is needed."""
    return f"`{text}` is no day (write it as 2027-01-31)"


def _origins(fields: Mapping[str, Node]) -> tuple[Origin, ...]:
    return tuple(
        Origin(key=key, file=fields[key].file, line=fields[key].key_line, column=fields[key].key_column)
        for key in sorted(fields)
    )
