"""`policy test` and `policy test record` on the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

Runner = Callable[..., Any]

POLICY = """\
apiVersion: barrier-policy/v1
kind: Policy
metadata: {name: finance, version: 1.0.0, owner: finance}
rules:
  - {id: finance.keep-payments, effect: barrier, severity: high, summary: s, why: w, references: [r],
     condition: "span.effects.exists(e, e.tool == 'pay') && span.tokens > 10"}
"""
HEAD = "apiVersion: barrier-policy/v1\nkind: PolicyTest\npolicy: finance\ncases:\n"
PASSES = """\
  - name: a_payment_stays
    rule: finance.keep-payments
    span: {evidential_class: narrative, tokens: 11, effects: [{tool: pay}]}
    expect: {outcome: true, verdict: barrier}
"""
FAILS = PASSES.replace("tokens: 11", "tokens: 9").replace("stays", "is_long")


@pytest.fixture
def team(tmp_path: Path) -> Path:
    folder = tmp_path / "team"
    folder.mkdir()
    (folder / "finance.yaml").write_text(POLICY)
    (folder / "finance_test.yaml").write_text(HEAD + PASSES)
    return folder


def test_the_shipped_policies_pass_with_full_coverage_and_no_surviving_mutant(run: Runner) -> None:
    done = run("policy", "test", "--fail-under", 100, "--mutate")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1].endswith("0 survived, 0 of them unexplained")
    assert "coverage 100.0 %" in done.out


def test_a_failure_says_where_what_and_clause_by_clause_why(run: Runner, team: Path) -> None:
    (team / "finance_test.yaml").write_text(HEAD + PASSES + FAILS)
    done = run("policy", "test", "team", "--engine", "python")
    assert done.code == 4
    assert done.out.splitlines() == [
        "team/finance_test.yaml:9: case `a_payment_is_long` of finance.keep-payments: outcome is false, not true; "
        "verdict is opportunity, not barrier (by evidence.narrative)",
        "  finance.keep-payments",
        "    true   span.effects.exists(e, e.tool == 'pay')",
        "    false  span.tokens > 10",
        "2 cases, 1 failed, with cel-python",
    ]


def test_patterns_choose_cases_by_rule_and_by_name(run: Runner, team: Path) -> None:
    (team / "finance_test.yaml").write_text(HEAD + PASSES + FAILS)
    assert run("policy", "test", "team", "--name", "*_stays").code == 0
    assert run("policy", "test", "team", "--rule", "finance.*").code == 4
    done = run("policy", "test", "team", "--rule", "finance")
    assert (done.code, done.err) == (
        2,
        "no case matches `--rule` and `--name` (patterns such as `zones.*` are about whole names)\n",
    )


def test_coverage_that_is_too_low_fails_and_what_is_missing_is_listed(run: Runner, team: Path) -> None:
    assert run("policy", "test", "team", "--fail-under", 42).code == 0
    done = run("policy", "test", "team", "--fail-under", 43)
    assert done.code == 4
    assert done.out.splitlines()[-5:] == [
        "team/finance.yaml:5:5: rule `finance.keep-payments` has no case with outcome `error` (add one to the `_test.yaml` beside it)",
        "team/finance.yaml:5:5: rule `finance.keep-payments` has no case with outcome `false` (add one to the `_test.yaml` beside it)",
        "team/finance.yaml:6:18: rule `finance.keep-payments` has no case where `span.effects.exists(e, e.tool == 'pay')` is false",
        "team/finance.yaml:6:61: rule `finance.keep-payments` has no case where `span.tokens > 10` is false",
        "coverage 42.9 % (3 of 7)",
    ]


def test_a_surviving_mutant_fails_until_it_is_explained(run: Runner, team: Path) -> None:
    done = run("policy", "test", "team", "--mutate")
    assert done.code == 4
    survivors = [line.split("no case notices: ")[1] for line in done.out.splitlines() if "no case notices" in line]
    assert "`>` to `>=` in `span.tokens > 10`" in survivors
    lines = (f"  - {{rule: finance.keep-payments, mutation: {json.dumps(what)}, why: a reason}}\n" for what in survivors)
    (team / "finance_test.yaml").write_text(HEAD + PASSES + "explained:\n" + "".join(lines))
    done = run("policy", "test", "team", "--mutate")
    assert (done.code, done.out.count("(explained: a reason)")) == (0, len(survivors))


def test_an_explanation_that_explains_nothing_fails(run: Runner, team: Path) -> None:
    entry = "  - {rule: finance.keep-payments, mutation: effect barrier to permit, why: none}\n"
    (team / "finance_test.yaml").write_text(HEAD + PASSES + "explained:\n" + entry)
    done = run("policy", "test", "team", "--mutate")
    assert "`effect barrier to permit` does not survive (remove its explanation)" in done.out
    assert done.code == 4


def test_invalid_policies_and_cases_are_exit_code_3(run: Runner, team: Path) -> None:
    (team / "finance_test.yaml").write_text(HEAD + PASSES.replace("tokens", "tokns"))
    done = run("policy", "test", "team")
    assert done.code == 3
    assert "team/finance_test.yaml:7:41: `Span` has no field `tokns` (did you mean `tokens`?)" in done.err
    (team / "finance.yaml").write_text(POLICY.replace("e.tool", "e.tol"))
    assert run("policy", "test", "team").code == 3


def test_what_is_no_folder_is_a_mistake_of_usage(run: Runner, team: Path) -> None:
    for name in ("nowhere", "team/finance.yaml"):
        done = run("policy", "test", name)
        assert (done.code, done.err) == (2, f"`{name}` is no folder (give a folder of policy files)\n")


def test_folders_can_be_tested_without_the_shipped_policies(run: Runner, team: Path) -> None:
    case = (
        PASSES.replace("verdict: barrier", "verdict: opportunity")
        .replace("tokens: 11", "tokens: 9")
        .replace("true", "false")
    )
    (team / "finance_test.yaml").write_text(HEAD + case)
    assert run("policy", "test", "team").code == 0
    done = run("policy", "test", "team", "--alone")
    assert (done.code, "no permit is true" in done.out) == (4, True)


def test_json_has_cases_coverage_and_mutants(run: Runner, team: Path) -> None:
    (team / "finance_test.yaml").write_text(HEAD + PASSES + FAILS)
    done = run("policy", "test", "team", "--format", "json", "--mutate", "--engine", "python")
    found = json.loads(done.out)
    assert done.code == 4
    assert [(row["name"], row["passed"]) for row in found["rows"]] == [
        ("a_payment_stays", True),
        ("a_payment_is_long", False),
    ]
    assert [clause["outcome"] for clause in found["rows"][1]["tables"][0]["clauses"]] == ["true", "false"]
    assert (found["coverage"]["shown"], found["coverage"]["points"]) == (3, 7)
    assert found["mutation"]["mutants"] == 11
    assert found["schema"] == "barrier_policy/policy_test/v1"


def test_junit_names_each_case_with_its_place(run: Runner, team: Path) -> None:
    (team / "finance_test.yaml").write_text(HEAD + PASSES + FAILS)
    root = ElementTree.fromstring(run("policy", "test", "team", "--format", "junit").out)
    (suite,) = root
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("finance", "2", "1")
    assert suite.get("file") == "team/finance_test.yaml"
    passed, failed = suite
    assert (passed.get("name"), len(passed)) == ("a_payment_stays", 0)
    assert (failed[0].text or "").startswith("team/finance_test.yaml:9\n")
    assert failed[0].get("message", "").startswith("outcome is false, not true")
    assert "false  span.tokens > 10" in (failed[0].text or "")


def test_strict_readers_take_the_junit_file(run: Runner, team: Path, junit_problems: Callable[[bytes], list[str]]) -> None:
    (team / "finance_test.yaml").write_text(HEAD + PASSES + FAILS)
    for more in ((), ("--mutate",)):
        assert junit_problems(run("policy", "test", "team", "--format", "junit", *more).out.encode()) == []


def test_cobertura_has_the_coverage_line_by_line(run: Runner, team: Path, tmp_path: Path) -> None:
    run("policy", "test", "team", "--cobertura", "coverage.xml")
    root = ElementTree.fromstring((tmp_path / "coverage.xml").read_text())
    assert root.get("branch-rate") == "0.4286"
    assert [(line.get("number"), line.get("condition-coverage")) for line in root.iter("line")] == [
        ("5", "33% (1/3)"),
        ("6", "50% (2/4)"),
    ]
    done = run("policy", "test", "team", "--cobertura", "missing/coverage.xml")
    assert (done.code, done.err) == (2, "--cobertura: missing/coverage.xml: can't be written (no such file or directory)\n")


@pytest.mark.parametrize(
    ("arguments", "files"), [((), "policies/"), (("team",), "team/"), (("{here}/team",), "team/")], ids=str
)
def test_cobertura_names_files_as_every_machine_does(
    run: Runner, team: Path, tmp_path: Path, arguments: tuple[str, ...], files: str
) -> None:
    run("policy", "test", *(argument.format(here=tmp_path) for argument in arguments), "--cobertura", "coverage.xml")
    root = ElementTree.fromstring((tmp_path / "coverage.xml").read_text())
    names = [found.get("filename", "") for found in root.iter("class")]
    assert names and all(name.startswith(files) for name in names)


def test_a_case_is_made_from_a_span_and_passes(run: Runner, deploy: str, tmp_path: Path) -> None:
    done = run("policy", "test", "record", deploy, 1, "--rule", "effects.unsettled", "--no-store")
    assert (done.code, done.err) == (0, "")
    assert "deploy_service" not in done.out  # the rule does not read the tool's name
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "x_test.yaml").write_text(HEAD.replace("finance", "side-effects") + done.out)
    assert run("policy", "test", "mine").code == 0


def test_without_a_rule_there_is_a_case_for_each_that_decided(run: Runner, talk: str) -> None:
    done = run("policy", "test", "record", talk, 1)
    assert [line for line in done.out.splitlines() if "rule:" in line] == ["    rule: evidence.narrative"]
    tail = run("policy", "test", "record", talk, 8)
    assert (tail.code, "is in the tail" in tail.err) == (2, True)


def test_a_case_is_made_from_a_logged_decision(run: Runner, deploy: str, tmp_path: Path) -> None:
    decided = run(
        "decide", deploy, "--log", "log.jsonl", "--store", "store", "--format", "json", "--now", "2026-09-14T08:30:00Z"
    )
    name = json.loads(decided.out)["decision_id"]
    direct = run("policy", "test", "record", deploy, 1, "--store", "store", "--rule", "effects.unsettled")
    (tmp_path / deploy).unlink()
    logged = run(
        "policy", "test", "record", name, 1, "--log", "log.jsonl", "--store", "store", "--rule", "effects.unsettled"
    )
    assert (logged.code, logged.out) == (0, direct.out)
    for option in (("--keep-last", 3), ("--policies", "team"), ("--engine", "python")):
        refused = run("policy", "test", "record", name, 1, "--log", "log.jsonl", *option)
        assert refused.code == 2 and refused.err.startswith(f"{option[0]}: a logged decision is taken as it was made")
    elsewhere = run("policy", "test", "record", name, 1, "--log", "log.jsonl", "--store", "other")
    assert (elsewhere.code, elsewhere.out) == (2, "")
    assert "is not in the store" in elsewhere.err


TALKS = """\
apiVersion: barrier-policy/v1
kind: PolicyTest
policy: finance
transcripts:
  - name: a_payment_between_talk
    keep_last: 1
    messages:
      - {role: assistant, content: "The light is soft this morning, and the roses look lovely."}
      - role: assistant
        content: null
        tool_calls: [{id: c1, type: function, function: {name: pay, arguments: '{"to": "88-1204", "what": "rent"}'}}]
      - {role: tool, tool_call_id: c1, content: '{"status": "settled"}'}
      - {role: user, content: "Thank you."}
    expect:
      - {messages: [0, 1], action: summarize, rules: [evidence.narrative]}
      - {messages: [1, 3], action: retain, rules: RULES}
"""


@pytest.fixture
def talks(run: Runner, team: Path) -> Path:
    """Cases on transcripts only, with the rules that decide about the span of the payment."""
    (team / "finance_test.yaml").write_text(TALKS.replace("RULES", "[]"))
    said = run("policy", "test", "team").out
    rules = said.partition("rules are ")[2].partition("]")[0] + "]"
    (team / "finance_test.yaml").write_text(TALKS.replace("RULES", rules))
    assert "finance.keep-payments" in rules and run("policy", "test", "team").code == 0
    return team / "finance_test.yaml"


def points(run: Runner) -> dict[tuple[str, str], int]:
    (rule,) = json.loads(run("policy", "test", "team", "--coverage", "--format", "json").out)["coverage"]["rules"]
    return {(point["clause"], point["outcome"]): point["hits"] for point in rule["points"]}


def test_a_case_on_a_transcript_shows_the_rules_that_it_names(run: Runner, talks: Path) -> None:
    found = points(run)
    assert {key: hits for key, hits in found.items() if not key[0]} == {("", "true"): 1, ("", "false"): 1, ("", "error"): 0}
    assert found["span.effects.exists(e, e.tool == 'pay')", "false"] == 1


def test_a_case_on_a_transcript_that_names_no_rules_or_fails_shows_nothing(run: Runner, talks: Path) -> None:
    text = talks.read_text()
    for other in (re.sub(r", rules: \[.*\]", "", text), text.replace("action: summarize", "action: retain")):
        talks.write_text(other)
        assert not any(points(run).values())


def test_cases_on_transcripts_notice_mutants(run: Runner, talks: Path) -> None:
    def survivors() -> set[str]:
        found = json.loads(run("policy", "test", "team", "--mutate", "--format", "json").out)["mutation"]
        return {survivor["mutation"] for survivor in found["survivors"]}

    with_rules = survivors()
    assert "drop `span.tokens > 10`" in with_rules
    talks.write_text(re.sub(r", rules: \[.*\]", "", talks.read_text()))
    assert survivors() - with_rules >= {
        "drop `span.effects.exists(e, e.tool == 'pay')`",
        "effect barrier to permit",
        "mode enforce to shadow",
    }
