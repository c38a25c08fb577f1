"""`barrier-policy explain`: one span down to the clauses of its rules and the lines of the transcript."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Runner = Callable[..., Any]


def section(output: str, start: str) -> str:
    """The paragraph that begins with a text."""
    return next(part for part in output.split("\n\n") if part.startswith(start))


def test_the_deciding_rule_comes_first_with_its_clauses_and_places(run: Runner, deploy: str) -> None:
    done = run("explain", deploy, "1-2")
    assert done.code == 0
    decided = section(done.out, "effects.unsettled (barrier, critical)")
    assert done.out.index(decided) < done.out.index("other rules")
    assert "\n  true   span.effects.exists(" in decided
    assert "source: Compaction barrier (2026-11-10)" in decided
    assert "message 1 (agent), /1/tool_calls/0: deploy_service" in decided
    assert 'started, not confirmed as of message 2 (tool result), /2/content: {"status": "queued"' in decided


def test_a_rule_that_did_not_hold_shows_which_clause_failed(run: Runner, deploy: str) -> None:
    others = section(run("explain", deploy, "1-2").out, "other rules").splitlines()
    place = others.index("  false  evidence.no-demand (permit)")
    assert others[place + 1 : place + 3] == [
        "    true   span.evidential_class == 'structured'",
        "    false  !span.workload.evidence_demand",
    ]


def test_it_says_what_would_lift_the_barrier_and_who_can(run: Runner, deploy: str) -> None:
    lifted = section(run("explain", deploy, "1-2").out, "what would lift the barrier")
    assert "effects.unsettled: its outcome is confirmed by a result or a look-up" in lifted
    assert "evidence.insufficient: the original is archived and reads back unchanged (the gate archives it" in lifted


def test_an_opportunity_has_nothing_to_lift(run: Runner, talk: str) -> None:
    done = run("explain", talk, "1")
    assert "verdict opportunity, action summarize" in done.out
    assert "what would lift" not in done.out


def test_a_message_index_finds_its_span(run: Runner, deploy: str) -> None:
    assert run("explain", deploy, "2").out == run("explain", deploy, "1-2").out


def test_a_message_of_the_tail_is_kept_anyway(run: Runner, talk: str) -> None:
    done = run("explain", talk, "5")
    assert done.code == 0
    assert done.out == "message 5 is in the tail, which the runtime keeps anyway (messages 3 to 8)\n"


@pytest.mark.parametrize("span", ["9", "1-9", "x", "", "٣", "9" * 5000])
def test_a_span_that_does_not_exist_is_a_usage_error(run: Runner, talk: str, span: str) -> None:
    done = run("explain", talk, span)
    assert done.code == 2
    assert done.err.startswith("talk.json: no span or message `")
    assert len(done.err.splitlines()) == 1


def test_a_line_of_a_json_lines_file_is_named(run: Runner, tmp_path: Any) -> None:
    lines = ['{"role": "system", "content": "You help."}', '{"role": "user", "content": "Thanks."}']
    (tmp_path / "chat.jsonl").write_text("\n".join(lines))
    call = '{"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "send_mail", "arguments": "{}"}}]}'
    (tmp_path / "chat.jsonl").write_text("\n".join([*lines, call]))
    assert "message 2 (agent), line 3, /tool_calls/0: send_mail" in run("explain", "chat.jsonl", "2", "--keep-last", "0").out
