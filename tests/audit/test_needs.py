"""What a foreign summary left out is a finding where somebody misses it; the rest is counted, with the reason."""

from __future__ import annotations

import json

import pytest

from barrier_policy import Decider
from barrier_policy.audit.audit import audit
from barrier_policy.audit.model import AuditReport, Finding, Outcome, Unproven

from .conftest import NOW, Rows, Run, calls, said

TICKET = "TCK-7731904"
FILE = "src/billing/ledger_export.py"


def work() -> Rows:
    """A session that has looked up a ticket and read a file."""
    return [
        said("user", "Have a look at the open tickets of billing."),
        *calls(1, "list_tickets", {"queue": "billing"}, json.dumps([{"id": TICKET, "title": "export"}])),
        *calls(2, "Read", {"file_path": FILE}, "def export(): ..."),
        said("assistant", [{"type": "text", "text": "There is one ticket."}]),
    ]


SUMMARY = "The user asked to have a look at the open tickets of billing. There is one ticket."
AGAIN = [
    said("user", "Close it."),
    *calls(3, "list_tickets", {"queue": "billing"}, json.dumps([{"id": TICKET, "title": "export"}])),
    *calls(4, "close_ticket", {"ticket": TICKET}, '{"status": "closed"}'),
]


def lost(report: AuditReport) -> dict[str, Finding]:
    return {finding.expected: finding for finding in report.findings if finding.rule == "audit.value-severed"}


def reasons(report: AuditReport) -> set[Unproven]:
    return {entry.reason for entry in report.reclaimed}


def test_a_value_that_is_looked_up_again_and_then_used_was_missed(run: Run) -> None:
    found = lost(run(work(), SUMMARY, AGAIN))
    assert list(found) == [TICKET]
    need = found[TICKET].need
    assert need is not None and need.shown is not None
    assert need.shown.message < need.used.message


@pytest.mark.parametrize(
    "later",
    [
        [],
        [said("user", "Thanks."), said("assistant", [{"type": "text", "text": "You are welcome."}])],
        [said("user", "Close it."), *calls(4, "close_ticket", {"ticket": TICKET}, '{"status": "closed"}')],
        [said("user", f"Close {TICKET}."), *calls(4, "close_ticket", {"ticket": TICKET}, '{"status": "closed"}')],
        [said("user", "List them."), *calls(3, "list_tickets", {"queue": "billing"}, json.dumps([{"id": TICKET}]))],
    ],
    ids=["the log ends", "nobody asks", "the agent still knew it", "the user says it", "shown and never used"],
)
def test_a_value_that_nobody_had_to_look_up_is_counted(run: Run, later: Rows) -> None:
    report = run(work(), SUMMARY, later)
    assert lost(report) == {}
    assert reasons(report) <= {Unproven.NO_USE, Unproven.NO_OWNER, Unproven.IN_GENERAL}
    assert sum(entry.count for entry in report.reclaimed) >= 2
    assert report.outcome is not Outcome.PASS


def test_a_file_counts_where_it_was_worked_on_before(run: Run) -> None:
    shown = [*calls(3, "Grep", {"pattern": "export"}, f"{FILE}:1:def export"), *calls(4, "Read", {"file_path": FILE}, "")]
    later = [said("user", "Where is the export?"), *shown]
    assert FILE in lost(run(work(), SUMMARY, later))
    listed = [said("user", "List the files."), *calls(1, "Bash", {"command": "ls -R"}, f"{FILE}\n")]
    assert FILE not in lost(run(listed, "The user asked to list the files.", later))


def test_the_end_of_a_path_has_no_finding_of_its_own(run: Run) -> None:
    whole = f"/srv/app/{FILE}"
    before = [
        said("user", "Read both."),
        *calls(1, "Read", {"file_path": whole}, ""),
        *calls(2, "Read", {"file_path": FILE}, ""),
    ]
    shown = [*calls(3, "Bash", {"command": "git status"}, f"{FILE}\n{whole}\n"), *calls(4, "Read", {"file_path": whole}, "")]
    later = [said("user", "Go on."), *shown, *calls(5, "Read", {"file_path": FILE}, "")]
    assert list(lost(run(before, "The user asked to read both.", later))) == [whole]


@pytest.mark.parametrize("value", ["abc1234", "sha256", "4417:12", "2026-01-12-", "E2E"])
def test_what_is_met_by_chance_is_no_finding(run: Run, value: str) -> None:
    before = [said("user", "Look."), *calls(1, "find", {"id": value}, json.dumps({"id": value, "commit": value}))]
    later = [
        said("user", "Go on."),
        *calls(2, "list", {}, json.dumps({"id": value})),
        *calls(3, "find", {"id": value}, "ok"),
    ]
    assert lost(run(before, "The user asked to look.", later)) == {}


def test_who_asks_for_the_exact_clause_gets_all_of_it(run: Run) -> None:
    report = run(work(), SUMMARY, [], exact=True)
    assert report.exact
    assert report.reclaimed == ()
    assert {TICKET, FILE} <= lost(report).keys()


def test_a_request_that_nothing_tells_is_found_also_where_nobody_comes_back_to_it(run: Run) -> None:
    before = [*work(), said("user", "Please write the release notes for version 4.2 tomorrow.")]
    later = [said("user", "Thanks."), said("assistant", [{"type": "text", "text": "You are welcome."}])]
    report = run(before, SUMMARY, later)
    assert [f.kind for f in report.findings if f.rule == "audit.severed"] == ["obligation"]


def test_an_effect_that_failed_and_one_told_in_general_are_counted(run: Run) -> None:
    before = [
        said("user", "Answer both comments of the review."),
        *calls(1, "post_reply", {"comment": "first", "body": "Fixed in the exporter."}, '{"status": "created"}'),
        *calls(2, "post_reply", {"comment": "second", "body": "Fixed as well."}, '{"error": "not found"}'),
        said("assistant", [{"type": "text", "text": "Done."}]),
    ]
    report = run(before, "The user asked to answer both comments of the review; the first reply was posted, fixed.", [])
    assert [f for f in report.findings if f.kind == "receipt"] == []
    assert Unproven.NO_EFFECT in reasons(report)


def test_a_log_that_begins_after_what_was_compacted_says_so_once(run: Run) -> None:
    summary = f"{SUMMARY} Then /srv/other/importer.py was changed for INV-20931847 and /srv/other/reader.py was read."
    report = run(work(), summary, [], tokens=150_000)
    assert [(f.rule, f.kind) for f in report.findings] == [("audit.opaque", "incomplete")]
    whole = run(work(), summary, [])
    assert {f.found for f in whole.findings} >= {"/srv/other/importer.py", "INV-20931847"}


@pytest.mark.parametrize(
    "told",
    [
        "It stands in `ledger_export.py`.",
        "It stands in /billing/ledger_export.py.",
        "Next: update the docstring, run the tests, and reply.",
        "All tests pass, lint clean.",
        "1. first #1 2. second #2, an 8-step plan of 2h, see `helpers_test.go`.",
        "The job ended with 18-20ms a call.",
    ],
)
def test_what_a_summary_may_say_in_its_own_way_is_not_held_against_it(run: Run, told: str) -> None:
    later = [said("user", "Thanks."), said("assistant", [{"type": "text", "text": "You are welcome."}])]
    assert run(work(), f"{SUMMARY} {told}", later).findings == ()


def test_what_tools_show_later_was_not_made_up(run: Run) -> None:
    summary = f"{SUMMARY} The reader is /srv/other/reader.py."
    later = [said("user", "Go on."), *calls(3, "Bash", {"command": "ls"}, "/srv/other/reader.py")]
    assert [f.found for f in run(work(), summary, []).findings] == ["/srv/other/reader.py"]
    assert run(work(), summary, later).findings == ()


def test_a_rule_in_a_text_that_was_pasted_is_counted(run: Run) -> None:
    plan = "Implement the following plan:\n" + "\n".join(
        f"{n}. Change the function number {n} of the exporter." for n in range(60)
    )
    rule = "Never write to the archive bucket."
    later = [said("user", "Thanks."), said("assistant", [{"type": "text", "text": "You are welcome."}])]
    pasted = run([said("user", f"{plan}\n{rule}"), *work()], SUMMARY + plan, later)
    spoken = run([said("user", rule), *work()], SUMMARY, later)
    assert "constraint" not in {f.kind for f in pasted.findings}
    assert "constraint" in {f.kind for f in spoken.findings}


def test_where_a_foreign_runtime_puts_instructions_is_its_own_affair(decider: Decider) -> None:
    before = [
        {"role": "system", "content": "You help the billing team with all of its work."},
        {"role": "user", "content": "Have a look at the open tickets of billing."},
        {"role": "assistant", "content": "There are none."},
        {"role": "user", "content": "Thanks, that was all for today."},
    ]
    after = [before[1], before[3], before[0]]
    report = audit(before, after, keep_last=0, now=NOW, decider=decider)
    assert "audit.unordered" not in {f.rule for f in report.findings}
    assert Unproven.MOVED in reasons(report)
    assert "audit.unordered" in {f.rule for f in audit(before, after, now=NOW, decider=decider, exact=True).findings}
