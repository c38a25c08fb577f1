from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from barrier_policy.errors import PolicyError
from barrier_policy.join.schema import RecordSchema
from barrier_policy.policy.cel.engine import Engine
from barrier_policy.policy.loader import load_policies

BROKEN_CONDITIONS = """\
apiVersion: barrier-policy/v1
kind: Policy
metadata: {name: broken, version: 1.0.0, owner: platform}
variables:
  - {name: unsettled, expression: "span.effects.filter(e, e.unsetled)"}
  - {name: again, expression: size(variables.unsettled)}
rules:
  - id: area.misspelt-field
    effect: barrier
    severity: high
    summary: s
    why: w
    references: [r]
    condition: span.efects.exists(e, e.unsettled)
  - id: area.mixed-types
    effect: barrier
    severity: high
    summary: s
    why: w
    references: [r]
    condition: |
      span.provenance.retrievable &&
        span.tokens == 'many'
    explanation: span.tokens
    evidence: span.fidelity.preserve
  - id: area.unknown-function
    effect: permit
    severity: high
    summary: s
    why: w
    references: [r]
    condition: "span.id.startWith(\\"s\\") || upper(span.id) == 'S' || variables.agian > 0 || variables.again > 0"
  - id: area.no-boolean
    effect: permit
    severity: high
    summary: s
    why: w
    references: [r]
    condition: size(span.effects)
"""

BROKEN_SHAPE = """\
apiVersion: barrier-policy/v2
kind: Policy
metadata: {name: Bad Name, version: "1", ownr: platform}
rule: []
rules:
  - id: Area.Bad
    efect: barrier
    effect: forbid
    severity: urgent
    summary: ""
    why: [no]
    references: []
    condition: true
    locked: yes
    repair: [rebind, burn]
  - just a text
  - id: area.folded
    effect: permit
    severity: low
    summary: s
    why: w
    references: r
    repair: [confirm]
    condition: >-
      span.tokens > 1 &&
      span.tokns > 1 // at least
"""


def issues_of(caught: pytest.ExceptionInfo[PolicyError]) -> list[str]:
    return str(caught.value).splitlines()


def test_all_mistakes_in_expressions_are_reported_at_once_each_at_its_place(
    write: Callable[..., Path], schema: RecordSchema, engine: Engine
) -> None:
    path = write(BROKEN_CONDITIONS)
    with pytest.raises(PolicyError) as caught:
        load_policies([path], schema, engine)
    assert issues_of(caught) == [
        f"{path}:{line}"
        for line in [
            "5:61: `Effect` has no field `unsetled` (did you mean `unsettled`?)",
            "14:21: `Span` has no field `efects` (did you mean `effects`?)",
            "23:9: `==` joins an int and a string (both sides must have the same type)",
            "24:18: the explanation is an int (it must be a string)",
            "25:15: the evidence is a list(string) (it must be a list of items of the span, as `span.effects`)",
            "32:25: unknown function `startWith` (did you mean `startsWith`?)",
            "32:45: unknown function `upper` (known: has, size, string)",
            "32:80: unknown variable `agian` (did you mean `again`?)",
            "39:16: the condition is an int (it must be a bool)",
        ]
    ]


def test_all_mistakes_in_the_shape_of_a_file_are_reported_at_once(
    write: Callable[..., Path], schema: RecordSchema, engine: Engine
) -> None:
    path = write(BROKEN_SHAPE)
    with pytest.raises(PolicyError) as caught:
        load_policies([path], schema, engine)
    needed = "condition, effect, id, references, severity, summary, why"
    assert issues_of(caught) == [
        f"{path}:{line}"
        for line in [
            "1:13: `barrier-policy/v2` where `barrier-policy/v1` is needed",
            "3:11: the metadata has no `owner` (needed: name, owner, version)",
            "3:18: `Bad Name` is not a name in lower-case kebab, as `side-effects`",
            "3:37: `1` is not a version, as `1.0.0`",
            "3:42: unknown key `ownr` (did you mean `owner`?)",
            "4:1: unknown key `rule` (did you mean `rules`?)",
            "6:9: `Area.Bad` is not a rule id `area.verb-phrase` in lower-case kebab",
            "7:5: unknown key `efect` (did you mean `effect`?)",
            "8:13: `forbid` where one of barrier, permit is needed",
            "9:15: `urgent` where one of critical, high, low, medium is needed",
            "10:14: an empty text where a text is needed",
            "11:10: a list where a text is needed",
            "12:17: a rule needs at least one reference",
            '13:16: `true` where an expression is needed (write it in quotes: "true")',
            "14:13: a text where `true` or `false` is needed",
            "15:22: `burn` where one of archive, confirm, discharge, rebind is needed",
            f"16:5: the rule is a text (it must be a mapping with {needed})",
            "22:17: a text where a list of texts is needed",
            "23:5: a permit has no `repair` (repairs lift barriers)",
            "26:12: `Span` has no field `tokns` (did you mean `tokens`?)",
            "26:22: a comment in a folded text takes the rest of the text with it (use a block with `|`)",
        ]
    ]


def test_what_is_missing_is_named_with_all_that_is_needed(
    write: Callable[..., Path], schema: RecordSchema, python_engine: Engine
) -> None:
    path = write("rules:\n  - {id: a.b-c, effect: permit, summary: null}\n")
    with pytest.raises(PolicyError) as caught:
        load_policies([path], schema, python_engine)
    file_needs, rule_needs = "apiVersion, kind, metadata, rules", "condition, effect, id, references, severity, summary, why"
    assert issues_of(caught) == [
        *(
            f"{path}:1:1: the policy file has no `{key}` (needed: {file_needs})"
            for key in ("apiVersion", "kind", "metadata")
        ),
        *(
            f"{path}:2:5: the rule `a.b-c` has no `{key}` (needed: {rule_needs})"
            for key in ("condition", "references", "severity", "summary", "why")
        ),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "1:1: the policy file is empty (it must be a mapping with apiVersion, kind, metadata, rules)"),
        (b"- a\n", "1:1: the policy file is a list (it must be a mapping with apiVersion, kind, metadata, rules)"),
        (b"a: \xff\n", " not UTF-8 at byte 3"),
    ],
)
def test_a_file_that_is_no_policy_at_all_is_an_issue(
    tmp_path: Path, schema: RecordSchema, python_engine: Engine, content: bytes, message: str
) -> None:
    path = tmp_path / "bad.yaml"
    path.write_bytes(content)
    with pytest.raises(PolicyError) as caught:
        load_policies([path], schema, python_engine)
    assert str(caught.value) == f"{path}:{message}"


def test_a_path_that_does_not_exist_is_an_issue_beside_the_others(
    tmp_path: Path, schema: RecordSchema, python_engine: Engine
) -> None:
    (tmp_path / "a.yaml").write_text("a: &x 1\n")
    with pytest.raises(PolicyError) as caught:
        load_policies([tmp_path / "nowhere", tmp_path], schema, python_engine)
    assert issues_of(caught) == [
        f"{tmp_path}/a.yaml:1:4: anchors are not allowed (write the value out)",
        f"{tmp_path}/nowhere: no such file or directory",
    ]


def test_a_variable_may_only_use_the_ones_before_it(load: Callable[..., object], rule: Callable[..., str]) -> None:
    variables = dedent("""\
        variables:
          - {name: first, expression: variables.second}
          - {name: second, expression: span.tokens}
          - {name: second, expression: span.start}
    """)
    with pytest.raises(PolicyError) as caught:
        load(rule("a.b-c", "variables.first > 0"), variables=variables)
    assert [issue.message for issue in caught.value.issues] == [
        "variable `second` is declared further below (one can name those above it)",
        "variable `second` is already declared above",
    ]
