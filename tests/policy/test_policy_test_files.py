"""Test files: cases on transcripts, the rules that made a verdict, explained mutants."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from barrier_policy.cases.transcripts import judge_transcripts
from barrier_policy.errors import PolicyError
from barrier_policy.policy.case_file import read_test_files
from barrier_policy.policy.cases import judge_cases
from barrier_policy.walk import Decider

HEAD = "apiVersion: barrier-policy/v1\nkind: PolicyTest\npolicy: evidence\n"
TALK = '[{"role": "assistant", "content": "The light is soft this morning."}, {"role": "user", "content": "Good morning."}]'


@pytest.fixture(scope="module")
def decider() -> Decider:
    return Decider()


def judged(decider: Decider, path: Path) -> str:
    (result,) = judge_transcripts(decider, read_test_files(decider.policies, [path]).transcripts)
    return result.message


def talk(expect: str, messages: str = f"messages: {TALK}") -> str:
    return f"{HEAD}transcripts:\n  - name: talk\n    keep_last: 1\n    {messages}\n    expect: [{expect}]\n"


@pytest.mark.parametrize(
    ("expect", "message"),
    [
        ("{messages: [0, 1], action: summarize}", ""),
        ("{messages: [0, 1], action: summarize, rules: [evidence.narrative]}", ""),
        (
            "{messages: [0, 1], action: retain, rules: []}",
            "line 8: span [0, 1]: action is summarize, not retain (by evidence.narrative), rules are [evidence.narrative], not []",
        ),
        ("{messages: [0, 2], action: retain}", "line 8: no span has messages [0, 2] (spans are [0, 1])"),
    ],
)
def test_a_case_on_a_transcript_says_what_becomes_of_a_span_and_by_which_rules(
    write: Callable[..., Path], decider: Decider, expect: str, message: str
) -> None:
    assert judged(decider, write(talk(expect), "x_test.yaml")) == message


def test_the_transcript_of_a_case_may_be_a_file_beside_it(write: Callable[..., Path], decider: Decider) -> None:
    write(TALK, "chats/talk.json")
    path = write(talk("{messages: [0, 1], action: summarize}", "file: chats/talk.json"), "x_test.yaml")
    assert judged(decider, path) == ""


@pytest.mark.parametrize("name", ["../talk.json", "/etc/hostname", "chats", "missing.json", '"a\\0b"'])
def test_a_test_reads_no_file_outside_its_folder(write: Callable[..., Path], decider: Decider, name: str) -> None:
    write(TALK, "talk.json")
    write(TALK, "team/chats/talk.json")
    path = write(talk("{messages: [0, 1], action: summarize}", f"file: {name}"), "team/x_test.yaml")
    with pytest.raises(PolicyError, match="beside the test file"):
        read_test_files(decider.policies, [path])


def test_a_link_out_of_the_folder_is_not_followed(write: Callable[..., Path], decider: Decider) -> None:
    outside = write(TALK, "talk.json")
    path = write(talk("{messages: [0, 1], action: summarize}", "file: link.json"), "team/x_test.yaml")
    (path.parent / "link.json").symlink_to(outside)
    with pytest.raises(PolicyError, match="beside the test file"):
        read_test_files(decider.policies, [path])


def test_a_transcript_that_nobody_can_read_is_a_failure_and_not_a_crash(
    write: Callable[..., Path], decider: Decider
) -> None:
    write("\x00\x01 nothing", "talk.bin")
    path = write(talk("{messages: [0, 1], action: summarize}", "file: talk.bin"), "x_test.yaml")
    assert judged(decider, path).startswith("can't be decided: ")


def test_a_case_on_a_transcript_does_not_depend_on_the_clock(write: Callable[..., Path], decider: Decider) -> None:
    path = write(
        talk("{messages: [0, 1], action: summarize}").replace("keep_last", "now: tomorrow\n    keep_last"), "x_test.yaml"
    )
    assert judged(decider, path) == "can't be decided: `tomorrow` is no time (give ISO 8601, e.g. 2026-06-01T12:00:00Z)"


MISTAKES = """\
transcripts:
  - name: both
    file: x.json
    messages: []
    expect: []
  - name: wrong
    messages: []
    keep_last: all
    expect:
      - {messages: [1], action: drop, rules: [evidence.narative]}
explained:
  - {rule: evidence.narrativ, mutation: "effect permit to barrier"}
"""


def test_mistakes_in_transcripts_and_explanations_are_reported_at_once(write: Callable[..., Path], decider: Decider) -> None:
    path = write(HEAD + MISTAKES, "x_test.yaml")
    with pytest.raises(PolicyError) as caught:
        read_test_files(decider.policies, [path])
    assert [line.removeprefix(f"{path}:").split(" @ ")[0] for line in str(caught.value).splitlines()] == [
        "5:5: the transcript needs either `messages` or a `file`",
        "6:11: no file `x.json` beside the test file (give a path below its folder)",
        "11:16: a text where a number of messages is needed",
        "13:20: give the first message and the one after the last: `[4, 6]`",
        "13:33: `drop` where one of repair, retain, summarize is needed",
        "13:47: unknown rule `evidence.narative` (did you mean `evidence.narrative`?)",
        "15:5: the explained mutant has no `why` (needed: mutation, rule, why)",
        "15:12: policy `evidence` has no rule `evidence.narrativ` (did you mean `evidence.narrative`?)",
    ]


def test_a_case_compares_the_rules_that_made_the_verdict(write: Callable[..., Path], decider: Decider) -> None:
    text = (
        "cases:\n  - {name: talk, rule: evidence.narrative, span: {evidential_class: narrative, zone: carrier},"
        " expect: {outcome: true, verdict: barrier, rules: [zones.instructions]}}\n"
    )
    cases = read_test_files(decider.policies, [write(HEAD + text, "x_test.yaml")]).cases
    (result,) = judge_cases(decider.evaluator, cases)
    assert result.message == "rules are [zones.carrier], not [zones.instructions]"
    assert [(clause.text, clause.outcome) for clause in result.clauses] == [("span.evidential_class == 'narrative'", "true")]
