"""The linter and the loader say the same of the same mistake, at the same place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from barrier_policy.errors import PolicyError
from barrier_policy.join.schema import RecordSchema
from barrier_policy.policy.cel.engine import Engine
from barrier_policy.policy.lint.model import Level
from barrier_policy.policy.lint.run import lint, read_sources
from barrier_policy.policy.loader import load_policies

BASE = """\
apiVersion: barrier-policy/v1
kind: Policy
metadata: {name: base, version: 1.0.0, owner: platform}
rules:
  - id: base.keep-open
    effect: barrier
    severity: high
    summary: What is open stays.
    why: Somebody waits for it.
    references: ["handbook, section 1"]
    since: 1.0.0
    condition: size(span.effects) > 0
"""
EXCEPTION = """\
apiVersion: barrier-policy/v1
kind: Exception
metadata: {name: small, owner: dana}
rule: base.keep-open
reason: Nobody waits for these.
expires: 2026-03-01
when: span.tokens < 20
"""
PATCH = """\
apiVersion: barrier-policy/v1
kind: Patch
metadata: {name: change, owner: dana}
reason: We try it.
rule: base.keep-open
set:
  condition: size(span.effects) > 1
"""
LOCK = PATCH.replace("condition: size(span.effects) > 1", "locked: true").replace("name: change", "name: lock")
LOCKED = BASE.replace("    since:", "    locked: true\n    since:")
AGAIN = BASE.replace("name: base", "name: again")


def when(text: str) -> str:
    return EXCEPTION.replace("span.tokens < 20", text)


@pytest.mark.parametrize(
    ("layers", "rule"),
    [
        ((BASE, when("span.tokns < 20")), "unknown-fact"),
        ((BASE, when("span.tokens < 'a'")), "type-mismatch"),
        ((BASE, when("span.tokens + 1")), "type-mismatch"),
        ((BASE, when("span.id.upper() == 'A'")), "outside-subset"),
        ((BASE, when("span.tokens > > 3")), "syntax-error"),
        ((BASE, EXCEPTION.replace("base.keep-open", "base.keep-opem")), "unknown-rule"),
        ((BASE, PATCH.replace("base.keep-open", "base.keep-opem")), "unknown-rule"),
        ((BASE, AGAIN, EXCEPTION.replace("base.keep-open", "zzz.other")), "unknown-rule"),
        ((BASE, EXCEPTION.replace("2026-03-01", "'20260301'")), "exception-incomplete"),
        ((BASE, EXCEPTION.replace("2026-03-01", "soon")), "exception-incomplete"),
        ((LOCKED, EXCEPTION), "exception-of-locked-rule"),
        ((LOCKED, PATCH), "loosens-locked-rule"),
        ((LOCKED, AGAIN), "loosens-locked-rule"),
        ((BASE, LOCK, PATCH), "loosens-locked-rule"),
        ((BASE, LOCK, EXCEPTION), "exception-of-locked-rule"),
        ((BASE, LOCK, AGAIN), "loosens-locked-rule"),
        ((BASE + BASE.partition("rules:\n")[2],), "duplicate-id"),
        ((BASE.replace("effects) > 0", "effects)"),), "type-mismatch"),
    ],
)
def test_the_linter_and_the_loader_say_the_same(
    tmp_path: Path, schema: RecordSchema, any_engine: Engine, layers: tuple[str, ...], rule: str
) -> None:
    folders = [tmp_path / str(number) for number in range(len(layers))]
    for folder, text in zip(folders, layers, strict=True):
        folder.mkdir()
        (folder / "a.yaml").write_text(text)
    with pytest.raises(PolicyError) as refused:
        load_policies(folders, schema, any_engine)
    (issue,) = refused.value.issues
    found = lint(read_sources(folders, schema, any_engine, today="2026-01-01"))
    errors = [(one.rule, one.file, one.line, one.column, one.message) for one in found if one.level is Level.ERROR]
    assert errors == [(rule, issue.file, issue.line, issue.column, issue.message)]
    places = re.findall(r"yaml(:\d+)(:\d+)?", issue.message)
    assert all(column for _, column in places)


def test_an_exception_of_a_rule_stays_one_of_a_locked_rule_beside_a_rule_that_would_replace_it(
    tmp_path: Path, schema: RecordSchema, any_engine: Engine
) -> None:
    below, team = tmp_path / "below", tmp_path / "team"
    for file, text in ((below / "a.yaml", LOCKED), (team / "a.yaml", AGAIN), (team / "b.yaml", EXCEPTION)):
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    found = lint(read_sources([team], schema, any_engine, below=[below], today="2026-01-01"))
    assert [one.rule for one in found if one.level is Level.ERROR] == ["loosens-locked-rule", "exception-of-locked-rule"]


def test_a_rule_without_references_is_found_at_the_same_place(
    tmp_path: Path, schema: RecordSchema, any_engine: Engine
) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(BASE.replace('    references: ["handbook, section 1"]\n', ""))
    with pytest.raises(PolicyError) as refused:
        load_policies([file], schema, any_engine)
    (issue,) = refused.value.issues
    (found,) = (one for one in lint(read_sources([file], schema, any_engine)) if one.level is Level.ERROR)
    assert (found.rule, found.line, found.column) == ("missing-reference", issue.line, issue.column)


@pytest.mark.parametrize(
    ("condition", "rule"),
    [
        ("span.tokens >= 0", "exception-too-broad"),
        ("span.tokens < 9 || span.tokens > 8", "exception-too-broad"),
        ("span.effects.exists(e, e.state == 'confrmed')", "unknown-value"),
        ("span.tokens > 9 && span.tokens < 8", "contradictory-condition"),
        ("span.effects.exists(e, e.unsettled == true)", "redundant-comparison"),
    ],
)
def test_the_when_of_an_exception_is_looked_at_like_a_condition(
    tmp_path: Path, schema: RecordSchema, any_engine: Engine, condition: str, rule: str
) -> None:
    (tmp_path / "base.yaml").write_text(BASE)
    (tmp_path / "exception.yaml").write_text(EXCEPTION.replace("span.tokens < 20", f'"{condition}"'))
    found = lint(read_sources([tmp_path], schema, any_engine, today="2026-01-01"))
    assert [one.rule for one in found if one.file.endswith("exception.yaml")] == [rule]


def test_rules_of_a_file_that_is_no_yaml_are_not_called_unknown(
    tmp_path: Path, schema: RecordSchema, any_engine: Engine
) -> None:
    (tmp_path / "base.yaml").write_text(BASE + "   x: [\n")
    (tmp_path / "exception.yaml").write_text(EXCEPTION)
    cases = "apiVersion: barrier-policy/v1\nkind: PolicyTest\npolicy: base\ncases:\n"
    case = "  - {name: one, rule: base.keep-open, span: {}, expect: {outcome: 'false'}}\n"
    (tmp_path / "base_test.yaml").write_text(cases + case)
    found = lint(read_sources([tmp_path], schema, any_engine, today="2026-01-01"))
    assert {Path(one.file).name for one in found if one.level is Level.ERROR} == {"base.yaml"}
