"""The linter looks into patches: what they make of a rule is checked, and found where the patch stands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from barrier_policy.join.schema import RecordSchema
from barrier_policy.policy.cel.engine import Engine
from barrier_policy.policy.lint.model import Finding
from barrier_policy.policy.lint.run import lint, read_sources
from barrier_policy.policy.loader import shipped_policies

BASE = """\
apiVersion: barrier-policy/v1
kind: Policy
metadata: {name: base, version: 1.0.0, owner: platform}
variables:
  - {name: open, expression: "span.effects.filter(e, e.unsettled)"}
rules:
  - id: base.keep-open
    effect: barrier
    severity: high
    summary: What is open stays.
    why: Somebody waits for it.
    references: ["handbook, section 1"]
    condition: size(variables.open) > 0
    evidence: variables.open
    explanation: "variables.open[0].tool + ' is open'"
  - id: base.let-small
    effect: permit
    severity: low
    summary: What is small may go.
    why: Nobody misses it.
    references: ["handbook, section 2"]
    condition: span.tokens < 40
    explanation: "'it is small'"
"""
PATCH = """\
apiVersion: barrier-policy/v1
kind: Patch
metadata: {{name: change, owner: platform}}
reason: We try it.
rule: {rule}
set:
  {key}: {value}
"""
Lint = Callable[..., list[str]]


def patch(key: str, value: str, rule: str = "base.keep-open") -> str:
    return PATCH.format(rule=rule, key=key, value=value)


@pytest.fixture
def findings(tmp_path: Path, schema: RecordSchema, any_engine: Engine) -> Callable[..., list[Finding]]:
    """What is found in folders that are given by the texts of their files; those in `below` are not linted."""

    def run(*folders: dict[str, str], below: int = 0, alone: bool = True) -> list[Finding]:
        paths = []
        for number, files in enumerate(folders):
            folder = tmp_path / f"layer{number}"
            folder.mkdir(exist_ok=True)
            paths.append(folder)
            for name, text in files.items():
                (folder / name).write_text(text, encoding="utf-8")
        lower = [*([] if alone else [shipped_policies()]), *paths[:below]]
        sources = read_sources(paths[below:], schema, any_engine, below=lower, today="2026-01-01")
        return list(lint(sources, ignore=("missing-case", "missing-since")))

    return run


@pytest.fixture
def patched(findings: Callable[..., list[Finding]]) -> Lint:
    """`line:column rule` of what is found in a patch on top of BASE, which is linted as well unless `below`."""

    def run(text: str, *, below: bool = True) -> list[str]:
        found = findings({"base.yaml": BASE}, {"change.yaml": text}, below=int(below))
        assert below or not [entry for entry in found if entry.file.endswith("base.yaml")]
        return [f"{entry.line}:{entry.column} {entry.rule}" for entry in found]

    return run


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (patch("condition", '"span.tokens >= 0"', "base.let-small"), ["7:15 always-true-permit"]),
        (patch("condition", '"span.tokens >= 0"'), ["5:7 evidence-misses-condition", "5:7 explanation-can-err", "7:15 always-true-barrier"]),
        (patch("condition", '"size(span.effects) > 0 && span.tokns > 3"'), ["7:46 unknown-fact"]),
        (patch("condition", '"size(variables.opn) > 0"'), ["7:30 unknown-fact"]),
        (patch("condition", "\"span.tokens > '3'\""), ["7:15 type-mismatch"]),
        (patch("condition", "span.tokens"), ["7:14 type-mismatch"]),
        (patch("condition", "size(variables.open) > > 0"), ["7:37 syntax-error"]),
        (patch("condition", "span.tokens > 3.5 && size(variables.open) > 0"), ["7:28 outside-subset"]),
        (patch("condition", "variables.open.exists(e, span.bindings.exists(b, b.name == e.key))"), ["7:14 costly-nesting"]),
        (patch("condition", "variables.open.exists(e, e.state == 'stared')"), ["7:50 unknown-value"]),
        (patch("condition", "size(variables.open) > 0 && size(variables.open) > 0"), ["7:14 unreachable-clause", "7:42 unreachable-clause"]),
        (patch("condition", "variables.open[0].unsettled"), ["7:14 unguarded-index"]),
        (patch("condition", "size(span.effects) > 0"), ["5:7 evidence-misses-condition", "5:7 explanation-can-err"]),
        (patch("explanation", "span.bindings[0].name"), ["7:16 explanation-can-err"]),
        (patch("explanation", "span.tokens"), ["7:16 type-mismatch"]),
        (patch("condition", "size(variables.open) > 1"), []),
        (patch("mode", "warn"), []),
        (patch("severity", "low"), []),
        (patch("locked", "true"), []),
    ],
)  # fmt: skip
@pytest.mark.parametrize("below", [True, False])
def test_what_a_patch_makes_of_a_rule_is_checked_at_the_patch(
    patched: Lint, text: str, expected: list[str], below: bool
) -> None:
    assert patched(text, below=below) == expected


def test_what_was_wrong_before_is_not_the_fault_of_a_patch(findings: Callable[..., list[Finding]]) -> None:
    base = BASE.replace("evidence: variables.open", "evidence: variables.open.filter(e, e.assumed)")
    assert [found.rule for found in findings({"base.yaml": base})] == ["evidence-misses-condition"]
    text = patch("condition", "size(variables.open) > 1")
    assert findings({"base.yaml": base}, {"change.yaml": text}, below=1) == []


def test_a_locked_rule_that_a_patch_would_change_is_named_at_the_patch(findings: Callable[..., list[Finding]]) -> None:
    text = patch("mode", "shadow", "effects.unsettled")
    (found,) = findings({"change.yaml": text}, alone=False)
    assert (found.rule, found.line, found.column) == ("loosens-locked-rule", 5, 7)
    assert "is locked at" in found.message


def test_a_rule_that_a_patch_locked_is_locked_for_later_folders(findings: Callable[..., list[Finding]]) -> None:
    first, second = {"lock.yaml": patch("locked", "true")}, {"change.yaml": patch("mode", "warn")}
    (found,) = findings({"base.yaml": BASE}, first, second)
    assert (found.rule, Path(found.file).name, found.line) == ("loosens-locked-rule", "change.yaml", 5)
    assert "lock.yaml" in found.message


def test_a_rule_that_a_patch_locked_is_not_replaced(findings: Callable[..., list[Finding]]) -> None:
    first = {"lock.yaml": patch("locked", "true")}
    replaced = findings({"base.yaml": BASE}, first, {"own.yaml": BASE.replace("name: base", "name: own")}, below=2)
    assert [(entry.rule, entry.line) for entry in replaced if entry.level == "error"] == [("loosens-locked-rule", 7)]


def test_a_second_patch_is_checked_with_what_the_first_left(findings: Callable[..., list[Finding]]) -> None:
    first = {"small.yaml": patch("condition", "span.tokens < 50", "base.let-small")}
    second = {"all.yaml": patch("condition", "span.tokens < 50 || span.tokens >= 50", "base.let-small")}
    (found,) = findings({"base.yaml": BASE}, first, second)
    assert (found.rule, Path(found.file).name) == ("always-true-permit", "all.yaml")


def test_three_mistakes_in_three_patches_are_found_in_one_run(findings: Callable[..., list[Finding]]) -> None:
    patches = {
        "a.yaml": patch("condition", "span.tokns > 3"),
        "b.yaml": patch("condition", "span.tokens >= 0", "base.let-small"),
        "c.yaml": patch("mode", "warn", "base.nothing"),
    }
    found = findings({"base.yaml": BASE}, patches, below=1)
    assert [(Path(entry.file).name, entry.rule) for entry in found] == [
        ("a.yaml", "unknown-fact"),
        ("b.yaml", "always-true-permit"),
        ("c.yaml", "unknown-rule"),
    ]
