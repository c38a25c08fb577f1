"""Reads test files: `x_test.yaml` beside `x.yaml`, with cases on span records, cases on transcripts, and explained mutants.

Fields that a case leaves out take their empty value. A field of a wrong type is only allowed in a case marked
`malformed: true`, to show that a rule binds when it can't be evaluated; a field that does not exist is never allowed.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from barrier_policy.errors import Issue, PolicyError
from barrier_policy.join.schema import EMPTY, ROOT, RecordSchema, element
from barrier_policy.policy.cel.scope import article
from barrier_policy.policy.document import API_VERSION
from barrier_policy.policy.hints import suggestion
from barrier_policy.policy.loader import TEST_SUFFIX, read_document
from barrier_policy.policy.model import Policy, PolicySet
from barrier_policy.policy.shape import ShapeReader, kind
from barrier_policy.policy.verdict import Outcome, VerdictKind
from barrier_policy.policy.yaml import Node

ACTIONS = ("repair", "retain", "summarize")


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One case. `verdict`, `evidence` and `rules`, those that made the verdict, are None where the case says nothing about them."""

    file: str
    line: int
    column: int
    name: str
    policy: str
    rule: str
    record: dict[str, Any]
    outcome: Outcome
    verdict: VerdictKind | None = None
    evidence: tuple[str, ...] | None = None
    rules: tuple[str, ...] | None = None


class ExpectedSpan(msgspec.Struct, frozen=True, kw_only=True):
    """What is to become of the span `[start, end)`, in message indices, and by which rules; None where any will do."""

    line: int
    messages: tuple[int, int]
    action: str
    rules: tuple[str, ...] | None = None


class TranscriptCase(msgspec.Struct, frozen=True, kw_only=True):
    """One case on a whole transcript: `messages` as they stand in the file, or else the path of a transcript in the same folder."""

    file: str
    line: int
    column: int
    name: str
    policy: str
    messages: list[dict[str, Any]]
    path: Path | None = None
    keep_last: int | None = None
    now: str = ""
    expect: tuple[ExpectedSpan, ...] = ()


class Explained(msgspec.Struct, frozen=True, kw_only=True):
    """A mutant that may survive, and why: it means the same, or the difference can't occur."""

    file: str
    line: int
    column: int
    rule: str
    mutation: str
    why: str


class TestFiles(msgspec.Struct, frozen=True, kw_only=True):
    """The content of all test files, in their order."""

    cases: tuple[Case, ...] = ()
    transcripts: tuple[TranscriptCase, ...] = ()
    explained: tuple[Explained, ...] = ()


def read_test_files(policies: PolicySet, paths: Iterable[Path]) -> TestFiles:
    """Test files, or all `*_test.yaml` of directories, in the order of the files. Raises PolicyError with all of their problems."""
    reader = _FileReader(policies)
    issues: list[Issue] = []
    for path in paths:
        for file in sorted(path.glob("*" + TEST_SUFFIX)) if path.is_dir() else [path]:
            document = read_document(file, issues)
            if document is not None:
                reader.read(document, file)
    issues += reader.shape.issues
    if issues:
        raise PolicyError(issues)
    return TestFiles(cases=tuple(reader.cases), transcripts=tuple(reader.transcripts), explained=tuple(reader.explained))


class _FileReader:
    """Test files to what they say; `shape.issues` has what is wrong with them."""

    def __init__(self, policies: PolicySet) -> None:
        self.shape = ShapeReader()
        self.cases: list[Case] = []
        self.transcripts: list[TranscriptCase] = []
        self.explained: list[Explained] = []
        self._policies = {policy.name: policy for policy in policies.policies}
        self._rules = [rule.id for _, rule in policies.rules()]
        self._schema = policies.schema

    def read(self, document: Node, path: Path) -> None:
        """Add what one file says."""
        optional = ("cases", "explained", "transcripts")
        fields = self.shape.fields(document, "test file", ("apiVersion", "kind", "policy"), optional)
        self.shape.literal(fields.get("apiVersion"), API_VERSION)
        self.shape.literal(fields.get("kind"), "PolicyTest")
        name = self.shape.text(fields.get("policy"))
        policy = self._policies.get(name)
        if name and policy is None:
            self.shape.issues.append(fields["policy"].issue(f"unknown policy `{name}` {suggestion(name, self._policies)}"))
        if policy is None:
            return
        items = self.shape.items
        self.cases += [self._case(node, policy) for node in items(fields.get("cases"), "cases")]
        self.transcripts += [
            self._transcript(node, policy, path) for node in items(fields.get("transcripts"), "transcripts")
        ]
        self.explained += [self._explained(node, policy) for node in items(fields.get("explained"), "mutants")]

    def _case(self, node: Node, policy: Policy) -> Case:
        fields = self.shape.fields(node, "case", ("expect", "name", "rule", "span"), ("malformed",))
        expected: dict[str, Node] = {}
        if "expect" in fields:
            expected = self.shape.fields(fields["expect"], "expectation", ("outcome",), ("evidence", "rules", "verdict"))
        verdict = expected.get("verdict")
        return Case(
            file=node.file,
            line=node.line,
            column=node.column,
            name=self.shape.text(fields.get("name")),
            policy=policy.name,
            rule=self._rule(fields.get("rule"), policy),
            record=self._record(fields.get("span"), self.shape.flag(fields.get("malformed"))),
            outcome=self._outcome(expected.get("outcome")),
            verdict=self.shape.choice(verdict, VerdictKind, VerdictKind.BARRIER) if verdict else None,
            evidence=self._names(expected.get("evidence")),
            rules=self._rule_names(expected.get("rules")),
        )

    def _transcript(self, node: Node, policy: Policy, path: Path) -> TranscriptCase:
        fields = self.shape.fields(node, "transcript", ("expect", "name"), ("file", "keep_last", "messages", "now"))
        if fields and ("file" in fields) == ("messages" in fields):
            self.shape.issues.append(node.issue("the transcript needs either `messages` or a `file`"))
        messages = [_plain(item) for item in self.shape.items(fields.get("messages"), "messages")]
        return TranscriptCase(
            file=node.file,
            line=node.line,
            column=node.column,
            name=self.shape.text(fields.get("name")),
            policy=policy.name,
            messages=messages,
            path=self._beside(fields.get("file"), path),
            keep_last=self._number(fields["keep_last"]) if "keep_last" in fields else None,
            now=self.shape.text(fields.get("now")),
            expect=tuple(self._expected_span(item) for item in self.shape.items(fields.get("expect"), "spans")),
        )

    def _beside(self, node: Node | None, path: Path) -> Path | None:
        """A file in the folder of the test file, or below it: a test must not read what else is on the machine."""
        name = self.shape.text(node)
        if node is None or not name:
            return None
        folder = path.parent.resolve()
        found = Path(f"{folder}/{name}").resolve() if "\0" not in name else folder
        if not found.is_relative_to(folder) or not found.is_file():
            self.shape.issues.append(node.issue(f"no file `{name}` beside the test file (give a path below its folder)"))
        return found

    def _expected_span(self, node: Node) -> ExpectedSpan:
        fields = self.shape.fields(node, "span", ("action", "messages"), ("rules",))
        numbers = [self._number(item) for item in self.shape.items(fields.get("messages"), "two message indices")]
        if "messages" in fields and len(numbers) != 2:
            self.shape.issues.append(fields["messages"].issue("give the first message and the one after the last: `[4, 6]`"))
        action = self.shape.text(fields.get("action"))
        if action and action not in ACTIONS:
            self.shape.issues.append(fields["action"].issue(f"`{action}` where one of {', '.join(ACTIONS)} is needed"))
        return ExpectedSpan(
            line=node.line,
            messages=(numbers[0], numbers[1]) if len(numbers) == 2 else (0, 0),
            action=action,
            rules=self._rule_names(fields.get("rules")),
        )

    def _explained(self, node: Node, policy: Policy) -> Explained:
        fields = self.shape.fields(node, "explained mutant", ("mutation", "rule", "why"))
        return Explained(
            file=node.file,
            line=node.line,
            column=node.column,
            rule=self._rule(fields.get("rule"), policy),
            mutation=self.shape.text(fields.get("mutation")),
            why=self.shape.text(fields.get("why")),
        )

    def _rule(self, node: Node | None, policy: Policy) -> str:
        rule = self.shape.text(node)
        known = [rule.id for rule in policy.rules]
        if node is not None and rule and rule not in known:
            self.shape.issues.append(node.issue(f"policy `{policy.name}` has no rule `{rule}` {suggestion(rule, known)}"))
        return rule

    def _rule_names(self, node: Node | None) -> tuple[str, ...] | None:
        for item in self.shape.items(node, "rules") if node else ():
            if isinstance(item.value, str) and item.value not in self._rules:
                self.shape.issues.append(item.issue(f"unknown rule `{item.value}` {suggestion(item.value, self._rules)}"))
        found = self._names(node)
        return None if found is None else tuple(sorted(found))

    def _names(self, node: Node | None) -> tuple[str, ...] | None:
        if node is None:
            return None
        return tuple(self.shape.text(item) for item in self.shape.items(node, "names"))

    def _number(self, node: Node) -> int:
        if type(node.value) is int and node.value >= 0:
            return node.value
        self.shape.issues.append(node.issue(f"{kind(node)} where a number of messages is needed"))
        return 0

    def _outcome(self, node: Node | None) -> Outcome:
        """An outcome; `true` and `false` are as good as `"true"` and `"false"`."""
        if node is not None and isinstance(node.value, bool):
            node = msgspec.structs.replace(node, value=str(node.value).lower())
        return self.shape.choice(node, Outcome, Outcome.FALSE)

    def _record(self, node: Node | None, malformed: bool) -> dict[str, Any]:
        record = _Filler(self._schema, self.shape, malformed).value(ROOT, node)
        return record if isinstance(record, dict) else {}


class _Filler:
    """Fills a partial record up to the full one of the schema."""

    def __init__(self, schema: RecordSchema, shape: ShapeReader, malformed: bool) -> None:
        self._schema = schema
        self._shape = shape
        self._malformed = malformed

    def value(self, type_name: str, node: Node | None) -> Any:
        if type_name in EMPTY:
            return EMPTY[type_name] if node is None else self._scalar(type_name, node)
        item = element(type_name)
        if item is not None:
            return self._items(type_name, item, node)
        fields = node.value if node else {}
        if not isinstance(fields, dict):
            return self._wrong(type_name, node)
        record = self._schema.types[type_name]
        known = {field.name: field.type for field in record.fields}
        for key, child in fields.items():
            if key not in known:
                self._shape.issues.append(child.key_issue(f"`{record.shown}` has no field `{key}` {suggestion(key, known)}"))
        return {name: self.value(field_type, fields.get(name)) for name, field_type in known.items()}

    def _scalar(self, type_name: str, node: Node) -> Any:
        return node.value if type(node.value) is type(EMPTY[type_name]) else self._wrong(type_name, node)

    def _items(self, type_name: str, item: str, node: Node | None) -> Any:
        if node is None:
            return []
        if not isinstance(node.value, tuple):
            return self._wrong(type_name, node)
        return [self.value(item, child) for child in node.value]

    def _wrong(self, type_name: str, node: Node | None) -> Any:
        if node is not None and not self._malformed:
            how = "(a case that shows an error needs `malformed: true`)"
            self._shape.issues.append(node.issue(f"{kind(node)} where {article(type_name)} is needed {how}"))
        return _plain(node) if node else None


def _plain(node: Node) -> Any:
    if isinstance(node.value, dict):
        return {key: _plain(child) for key, child in node.value.items()}
    if isinstance(node.value, tuple):
        return [_plain(child) for child in node.value]
    return node.value
