"""What the logs of real runtimes lack and repeat is no loss: what can't be known is counted, and what binds later turns is still found."""

from __future__ import annotations

import json
from typing import Any

import pytest

from barrier_policy import Decider, Source
from barrier_policy.audit.audit import audit
from barrier_policy.audit.model import AuditReport, Outcome, Unproven
from barrier_policy.transcript.reader import read_compactions

from .conftest import NOW, Rows, Run, calls, said

FILE = "services/payroll/tax_table_2031.py"
TASK = "Go through the payroll service and tell me what is wrong with it."
SUMMARY = f"The user asked: {TASK} Nothing was found so far."
THANKS = [said("user", "Thanks."), said("assistant", [{"type": "text", "text": "You are welcome."}])]


def spoken(text: str) -> dict[str, Any]:
    """A message with which the agent ends its turn."""
    return said("assistant", [{"type": "text", "text": text}])


def item(role: str, *texts: str) -> dict[str, Any]:
    """A message of a Codex rollout."""
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text} for text in texts]}


def codex(decider: Decider, before: Rows, history: Rows, later: Rows, summary: str = "") -> AuditReport:
    """The audit of a Codex rollout with one compaction."""
    rows = [
        {"type": "session_meta", "payload": {"id": "1", "cwd": "/w"}},
        *({"type": "response_item", "payload": entry} for entry in before),
        {"type": "compacted", "payload": {"message": summary, "replacement_history": history}},
        *({"type": "response_item", "payload": entry} for entry in later),
    ]
    data = "\n".join(json.dumps(row) for row in rows).encode()
    (found,) = read_compactions(Source(data, path="run"), decider.plugins.readers)
    return audit(found.before, found.after, now=NOW, decider=decider, recorded=found)


def shell(number: int, command: str, output: str) -> Rows:
    """A call of a Codex rollout and its output."""
    call = {"type": "function_call", "name": "shell", "call_id": f"c{number}", "arguments": json.dumps({"cmd": command})}
    return [call, {"type": "function_call_output", "call_id": f"c{number}", "output": output}]


def reasons(report: AuditReport) -> set[Unproven]:
    return {entry.reason for entry in report.reclaimed}


RULES = "<rules>\nUse the sandbox.\n</rules>"
MODE = "<mode>\nAsk no questions; assume what is likely.\n</mode>"
ALLOWED = 'Saved for later:\n- ["make", "payroll"]'


def test_where_the_log_has_no_summary_nobody_can_say_what_is_gone(decider: Decider) -> None:
    before = [item("user", TASK), *shell(1, f"sed -n 1,80p {FILE}", "TABLE = {}"), item("assistant", "I read it.")]
    later = [*shell(2, "rg -l TABLE", FILE), *shell(3, f"sed -n 1,80p {FILE}", "TABLE = {}")]
    stripped = codex(decider, before, [item("user", TASK)], later)
    assert [(f.rule, f.kind) for f in stripped.findings] == [("audit.opaque", "no summary")]
    assert stripped.outcome is Outcome.INCONCLUSIVE
    told = codex(decider, before, [item("user", TASK), item("user", "A table was read.")], later, "A table was read.")
    assert [f.expected for f in told.findings if f.rule == "audit.value-severed"] == [FILE]


def test_instructions_that_a_runtime_gives_anew_in_another_form_are_not_lost(decider: Decider) -> None:
    before = [item("developer", RULES, MODE), item("user", TASK), item("developer", ALLOWED), item("assistant", "Fine.")]
    newer = '<rules>\nUse the sandbox. It may write to /tmp/payroll-7741.\n\n- ["make", "payroll"]\n</rules>'
    history = [item("user", TASK), item("developer", newer, MODE), item("user", SUMMARY)]
    report = codex(decider, before, history, [], SUMMARY)
    assert report.findings == ()
    assert Unproven.MOVED in reasons(report)


def test_a_section_at_the_head_that_is_not_given_anew_is_lost_and_a_word_of_the_runtime_in_between_is_its_own_affair(
    decider: Decider,
) -> None:
    before = [item("developer", RULES, MODE), item("user", TASK), item("developer", ALLOWED), item("assistant", "Fine.")]
    history = [item("user", TASK), item("developer", RULES), item("user", SUMMARY)]
    report = codex(decider, before, history, [], SUMMARY)
    lost = [f.expected for f in report.findings if f.rule == "audit.severed" and f.kind == "instructions"]
    assert lost == [MODE]


def test_what_a_user_said_is_the_same_with_the_date_of_another_day_in_it(decider: Decider) -> None:
    def message(day: str) -> dict[str, Any]:
        return item("user", "# House rules\nKeep the tables sorted.", f"<context>\n<today>{day}</today>\n</context>")

    before = [message("2031-04-09"), item("user", TASK), item("assistant", "Fine.")]
    history = [item("user", TASK), message("2031-04-10"), item("user", SUMMARY)]
    assert codex(decider, before, history, [], SUMMARY).findings == ()
    bent = item("user", "# House rules\nKeep the tables unsorted.", "<context>\n<today>2031-04-10</today>\n</context>")
    changed = codex(decider, before, [item("user", TASK), bent, item("user", SUMMARY)], [], SUMMARY)
    assert "audit.altered" in {f.rule for f in changed.findings}


CALL = {"type": "tool_use", "id": "t9", "name": "Bash", "input": {"command": "make test-payroll"}}
WAITS = said("assistant", [CALL])
ANSWER = said("user", [{"type": "tool_result", "tool_use_id": "t9", "content": "312 passed"}])


def test_a_summary_may_tell_what_the_last_call_showed_where_the_log_lacks_it(run: Run) -> None:
    told = f"{SUMMARY} `make test-payroll` was run: 318 passed in 47.31 s, see /var/log/payroll/run-88213.txt."
    waiting = run([said("user", TASK), WAITS], told, THANKS)
    assert waiting.findings == ()
    assert Unproven.UNSEEN in reasons(waiting)
    answered = run([said("user", TASK), WAITS, ANSWER], told, THANKS)
    assert {f.rule for f in answered.findings} == {"audit.unsupported"}


def test_what_a_user_asked_for_is_missed_until_it_is_answered_and_the_user_goes_on(run: Run) -> None:
    asked = [
        said("user", TASK),
        spoken("Nothing so far."),
        said("user", "and keep in mind our glossary too, you may want to go over all of it first"),
    ]
    onward = [said("user", "Now let us see the warehouse."), spoken("It looks fine.")]
    told = f"{SUMMARY} Now let us see the warehouse."

    def lost(before: Rows) -> list[str]:
        return [f.kind for f in run(before, told, THANKS).findings if f.rule == "audit.severed"]

    assert lost([*asked, *onward]) == ["obligation"]
    assert (
        lost([*asked, *calls(1, "Read", {"file_path": "g.md"}, "a to z"), spoken("Chapter four reads best."), *onward]) == []
    )
    assert lost([*asked, spoken("I will go over the glossary on Friday."), *onward]) == ["obligation"]


def test_words_cannot_tell_a_request_in_another_script(run: Run) -> None:
    before = [said("user", TASK), spoken("Nothing so far."), said("user", "在庫サービスの設定を確認して報告してください。")]
    report = run(before, SUMMARY, THANKS)
    assert [f for f in report.findings if f.rule == "audit.severed"] == []
    assert Unproven.OTHER_SCRIPT in reasons(report)


BRIEF = "You are the payroll hand of the team.\n" + "\n".join(
    f"Step {n}: look at table {n} of the service." for n in range(60)
)


@pytest.mark.parametrize(
    ("rule", "told", "is_found"),
    [
        ("Do NOT lower any interest rate.", "", True),
        ("NEVER touch the archive of last year.", "", True),
        ("Do not lower any interest rate.", "", False),
        ("Do NOT lower any interest rate.", "Never lower any interest rate.", False),
        ("Do NOT change the ledger — only the payroll tables.", "Rules: only change the payroll tables.", False),
    ],
)
def test_a_ban_in_a_long_brief_counts_where_its_writer_stressed_it(run: Run, rule: str, told: str, is_found: bool) -> None:
    report = run([said("user", f"{BRIEF}\n{rule}"), spoken("Understood.")], f"{BRIEF}\n{told}", THANKS)
    assert ("constraint" in {f.kind for f in report.findings}) is is_found, report.findings


SEEN = "Found services/payroll/rates/ with RATE-70411 to RATE-70463, ratio v2.31.0, 4817 checks, needs >=4.71, hash 9c41d7e07b2233aa55ef."


@pytest.mark.parametrize(
    ("told", "is_found"),
    [
        ("See ./services/payroll/rates.", False),
        ("See services/payroll/bonus/rates_2031.py.", True),
        ("RATE-70411-RATE-70463 are done.", False),
        ("Ratio 2.31 is in use.", False),
        ("Ratio 2.37 is in use.", True),
        ("Payroll >=4.71 is needed.", False),
        ("Payroll >=4.78 is needed.", True),
        ("The hash began with 9c41d7e0... then.", False),
        ("All 4,817 checks ran.", False),
        ("All 4,871 checks ran.", True),
    ],
)
def test_a_summary_may_spell_a_value_in_its_own_way_and_make_up_none(run: Run, told: str, is_found: bool) -> None:
    before = [said("user", TASK), *calls(1, "Bash", {"command": "ls"}, SEEN), spoken("Nothing so far.")]
    assert bool(run(before, f"{SUMMARY} {told}", THANKS).findings) is is_found


@pytest.mark.parametrize("value", ["../rates.js", "./lib/rates.js", "/home/kim/.REDACTED.txt"])
def test_a_neighbour_of_a_file_and_a_masked_name_are_no_names_of_a_file(run: Run, value: str) -> None:
    before = [said("user", TASK), *calls(1, "Read", {"file_path": value}, "x"), spoken("Nothing so far.")]
    later = [
        said("user", "Go on."),
        *calls(2, "Bash", {"command": "rg"}, value),
        *calls(3, "Read", {"file_path": value}, "x"),
    ]
    assert run(before, SUMMARY, later).findings == ()


def test_a_page_below_one_that_was_missed_is_told_with_it(run: Run) -> None:
    pages = ["http://10.4.7.31:9119/payroll", "http://10.4.7.31:9119"]
    looks = [row for n, page in enumerate(pages) for row in calls(n, "fetch", {"url": page}, "ok")]
    again = [row for n, page in enumerate(pages) for row in calls(n + 4, "fetch", {"url": page}, "ok")]
    later = [said("user", "Go on."), *calls(8, "Bash", {"command": "cat hosts"}, " ".join(pages)), *again]
    report = run([said("user", TASK), *looks, spoken("Nothing so far.")], SUMMARY, later)
    assert [f.expected for f in report.findings if f.rule == "audit.value-severed"] == pages[:1]


def test_the_name_before_a_list_is_no_name_of_its_first_value(run: Run) -> None:
    rows = json.dumps([{"support": "RT-2041"}, {"support": "RT-2042"}, {"batch": "RT-3001"}])
    before = [said("user", TASK), *calls(1, "list", {}, rows), spoken("Nothing so far.")]
    assert run(before, f"{SUMMARY} batch: RT-2041, RT-2042", THANKS).findings == ()
    assert [f.rule for f in run(before, f"{SUMMARY} batch: RT-2041.", THANKS).findings] == ["audit.misbound"]


def test_who_reports_what_was_done_did_not_do_it_by_that(run: Run) -> None:
    report = {"to": "lead", "content": "Sorted 52 bracket rows of the levy sheets by region. Waiting for the next task."}
    before = [
        said("user", TASK),
        *calls(1, "Edit", {"file_path": FILE, "new_string": "bracket rows"}, "The file has been updated."),
        *calls(2, "send_message", report, '{"status": "queued"}'),
        spoken("Done."),
    ]
    told = f"{SUMMARY} Sorted 52 bracket rows of the levy sheets by region."
    assert "audit.contradicted" not in {f.rule for f in run(before, told, THANKS).findings}


def test_what_was_done_at_the_second_attempt_was_done(run: Run) -> None:
    failed = calls(
        1, "Bash", {"command": "git push origin release-4100 --follow-tags"}, "fatal: unable to access: timed out"
    )
    told = f"{SUMMARY} Branch release-4100 was pushed to origin, tags follow."
    once = run([said("user", TASK), *failed, spoken("Hm.")], told, THANKS)
    again = calls(2, "Bash", {"command": "git push"}, "To origin\n   1c2d3e4..5f6a7b8  release-4100 -> release-4100")
    twice = run([said("user", TASK), *failed, *again, spoken("Ok.")], told, THANKS)
    assert "audit.contradicted" in {f.rule for f in once.findings}
    assert "audit.contradicted" not in {f.rule for f in twice.findings}


def test_a_plan_that_is_called_approved_tells_of_no_consent(run: Run) -> None:
    before = [said("user", TASK), spoken("Nothing so far."), said("user", "go ahead with the first stage")]
    passing = run(before, f"{SUMMARY} Of the approved stage plan the first is under way.", THANKS)
    claimed = run(before, f"{SUMMARY} Dana approved the stage plan.", THANKS)
    assert passing.findings == ()
    assert claimed.findings
    assert {f.rule for f in claimed.findings} <= {"audit.unsupported", "audit.contradicted"}


def test_messages_that_the_log_does_not_have_are_no_words_of_the_summary(decider: Decider) -> None:
    before = [item("user", TASK), item("assistant", "Fine.")]
    earlier = item("user", "Never touch /srv/old-payroll/rates_1998.py, and mind ticket PAY-2041773.")
    told = f"{SUMMARY} See /srv/new-payroll/rates_2031.py."
    report = codex(decider, before, [earlier, item("user", TASK), item("user", told)], [], told)
    assert [(f.rule, f.kind) for f in report.findings] == [("audit.opaque", "incomplete")]
    whole = codex(decider, before, [item("user", TASK), item("user", told)], [], told)
    assert [f.found for f in whole.findings] == ["/srv/new-payroll/rates_2031.py"]


def test_a_go_ahead_without_a_thing_is_no_request_that_can_be_missed(run: Run) -> None:
    before = [
        said("user", TASK),
        spoken("Shall I begin?"),
        said("user", "Ok, go."),
        *calls(1, "Read", {"file_path": FILE}, "x"),
    ]
    assert run(before, SUMMARY, THANKS).findings == ()


def test_that_the_user_agreed_is_believed_where_the_user_agreed_to_something(run: Run) -> None:
    told = f"{SUMMARY} The user authorized the extraction of the rate module."
    asked = [said("user", TASK), spoken("Shall I move the rates into a module of their own?")]
    assert run([*asked, said("user", "Yes, go ahead."), spoken("On it.")], told, THANKS).findings == ()
    silent = run([*asked, said("user", "What is the weather like?"), spoken("Sunny.")], told, THANKS)
    assert "audit.unsupported" in {f.rule for f in silent.findings}
