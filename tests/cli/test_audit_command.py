"""`barrier-policy audit`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from barrier_policy.audit.rules import RULES

Runner = Callable[..., Any]
RULE = "Never push to the main branch of billing-core."
TAIL = (("user", "Thanks."), ("assistant", "You are welcome."))
DOCS = Path(__file__).parents[2] / "docs" / "audit.md"


@pytest.fixture
def before(chat: Callable[..., str]) -> str:
    return chat(("user", RULE), ("assistant", "Got it."), *TAIL, name="before.json")


def test_a_pass_says_what_was_looked_at(run: Runner, before: str) -> None:
    done = run("audit", before, before)
    assert done.code == 0
    assert "4 messages became 4" in done.out
    assert ["order", "pass", "4", "0", "0"] in [line.split() for line in done.out.splitlines()]


def test_a_severed_rule_fails_with_its_place_and_what_makes_it_right(
    run: Runner, before: str, chat: Callable[..., str]
) -> None:
    done = run("audit", before, chat(("user", "Some talk."), *TAIL, name="after.json"))
    assert done.code == 4
    assert "audit.severed (high)" in done.out
    assert "to make it right: keep its message" in done.out
    assert f"message 0 (/0/content) → nowhere: constraint: `{RULE}`" in done.out


def test_the_report_is_one_json_object(run: Runner, before: str, chat: Callable[..., str]) -> None:
    done = run("audit", before, chat(("user", "Some talk."), *TAIL, name="after.json"), "--format", "json")
    report = json.loads(done.out)
    assert (report["schema"], report["outcome"], report["kept_tail"]) == ("barrier_policy/audit/v1", "fail", 2)
    assert {"rule", "severity", "item", "before", "after", "expected", "found"} <= set(report["findings"][0])
    assert {rule["id"] for rule in report["rules"]} == {finding["rule"] for finding in report["findings"]}


def test_what_cannot_be_read_fails_unless_it_is_allowed(run: Runner, before: str, chat: Callable[..., str]) -> None:
    opaque = {"role": "user", "content": [{"type": "encrypted_content", "encrypted_content": "gAAAAAB"}]}
    after = chat(opaque, *TAIL, name="after.json")
    assert run("audit", before, after).code == 4
    assert run("audit", before, after, "--allow-inconclusive").code == 0
    assert "INCONCLUSIVE" in run("audit", before, after).out


def test_a_tail_that_had_to_stay_is_asked_for(run: Runner, before: str, chat: Callable[..., str]) -> None:
    after = chat(("user", RULE), ("assistant", "Got it."), TAIL[0], name="after.json")
    assert run("audit", before, after).code == 0
    assert run("audit", before, after, "--keep-last", "2").code == 4


def test_a_session_is_audited_compaction_by_compaction(run: Runner, tmp_path: Path) -> None:
    rows = [
        {"type": "user", "uuid": "u1", "sessionId": "s", "message": {"role": "user", "content": RULE}},
        {"type": "system", "subtype": "compact_boundary", "uuid": "b1"},
        {
            "type": "user",
            "uuid": "u2",
            "isCompactSummary": True,
            "sessionId": "s",
            "message": {"role": "user", "content": RULE},
        },
    ]
    (tmp_path / "s.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert "s.jsonl: 1 compactions: 1 pass" in run("audit", "s.jsonl").out
    assert [entry["line"] for entry in json.loads(run("audit", "s.jsonl", "--format", "json").out)["compactions"]] == [2]
    (tmp_path / "t.jsonl").write_text(json.dumps(rows[0]))
    assert "records no compaction" in run("audit", "t.jsonl").out


def test_a_finding_says_where_it_was_missed_and_the_rest_is_counted(run: Runner, tmp_path: Path) -> None:
    def row(who: str, content: Any, number: int, **more: Any) -> dict[str, Any]:
        message = {"role": who, "content": content, **({"id": f"m{number}"} if who == "assistant" else {})}
        return {"type": who, "uuid": f"u{number}", "sessionId": "s", "message": message, **more}

    def call(number: int, name: str, arguments: dict[str, Any], answer: str) -> list[dict[str, Any]]:
        asked = {"type": "tool_use", "id": f"t{number}", "name": name, "input": arguments}
        told = {"type": "tool_result", "tool_use_id": f"t{number}", "content": answer}
        return [row("assistant", [asked], number), row("user", [told], number + 1)]

    tickets = json.dumps([{"id": "TCK-7731904"}, {"id": "TCK-5501220"}])
    rows = [row("user", "Look at the tickets of billing.", 1), *call(2, "list_tickets", {"queue": "billing"}, tickets)]
    rows.append({"type": "system", "subtype": "compact_boundary", "uuid": "b"})
    rows.append(row("user", "Summary: the user asked to look at the tickets of billing.", 4, isCompactSummary=True))
    rows += [row("user", "Close the first.", 5), *call(6, "list_tickets", {"queue": "billing"}, tickets)]
    rows += call(8, "close_ticket", {"ticket": "TCK-7731904"}, '{"status": "closed"}')
    session = tmp_path / "session.jsonl"
    session.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = run("audit", str(session))
    assert "`TCK-7731904` (shown again in message 3 and used in 4)" in done.out
    assert "no later message asks for it: 1 resource_id" in done.out
    assert "TCK-5501220" not in done.out
    assert "TCK-5501220" in run("audit", str(session), "--exact", "--all").out


def test_three_transcripts_are_two_rounds(run: Runner, before: str) -> None:
    done = run("audit", before, before, before, "--format", "json")
    assert done.code == 0 and len(json.loads(done.out)["rounds"]) == 2


def test_wrong_usage_is_said_in_one_line(run: Runner, before: str) -> None:
    done = run("audit", before)
    assert done.code == 2
    assert "keeps no record of compactions" in done.err


def test_the_page_has_the_table_of_rules() -> None:
    shown = DOCS.read_text(encoding="utf-8").partition("<!-- rules -->")[2].partition("<!-- /rules -->")[0]
    rows = [f"| `{rule.id}` | {rule.severity} | {rule.summary} | {rule.remedy} |" for rule in RULES.values()]
    assert shown.strip().splitlines()[2:] == rows
