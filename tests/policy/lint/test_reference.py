"""The reference of a policy set."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from barrier_policy.cli.policy_files import make_reference
from barrier_policy.errors import PolicyError

from .example import policy_file

CASE = """\
apiVersion: barrier-policy/v1
kind: PolicyTest
policy: example
cases:
  - name: nothing
    rule: example.keep-something
    span: {}
    expect: {outcome: "false"}
  - name: a_started_effect   # seen in the incident
    rule: example.keep-something
    span:
      effects:
        - {id: e1, unsettled: true}
    expect: {outcome: "true"}
"""


@pytest.fixture
def page(tmp_path: Path) -> Callable[..., str]:
    def make(policy: str, cases: str = "") -> str:
        (tmp_path / "example.yaml").write_text(policy)
        if cases:
            (tmp_path / "example_test.yaml").write_text(cases)
        return make_reference(tmp_path)

    return make


def test_a_rule_is_shown_with_a_case_on_which_it_is_true_as_it_is_written(page: Callable[..., str]) -> None:
    text = page(policy_file("severity: high"), CASE)
    assert (
        "```yaml\nname: a_started_effect   # seen in the incident\nrule: example.keep-something\nspan:\n  effects:\n" in text
    )
    assert "Barrier, severity high, since 1.0.0." in text
    assert "- audit handbook, section 7" in text


def test_variables_are_shown_with_those_that_they_use(page: Callable[..., str]) -> None:
    variables = (
        "variables:\n  - {name: a, expression: span.tokens}\n  - {name: b, expression: variables.a > 3}\n"
        "  - {name: c, expression: span.start}\n"
    )
    text = page(policy_file(variables + "condition: variables.b"))
    assert "```cel\na = span.tokens\nb = variables.a > 3\n```" in text


def test_a_rule_without_cases_says_so(page: Callable[..., str]) -> None:
    assert "No case at hand shows it." in page(policy_file("severity: high"))


def test_texts_of_a_policy_can_not_become_html_or_end_a_block(page: Callable[..., str]) -> None:
    policy = policy_file("summary: A <script>alert(1)</script> | b.\ncondition: \"span.id == '```'\"")
    text = page(policy)
    assert "<script>" not in text
    assert "| A &lt;script>alert(1)&lt;/script> \\| b. |" in text
    assert "````cel\nspan.id == '```'\n````" in text


def test_invalid_policies_have_no_reference(page: Callable[..., str]) -> None:
    with pytest.raises(PolicyError, match="no field"):
        page(policy_file("condition: span.tokns > 3"))
