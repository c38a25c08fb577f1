"""How things ended: a job that runs, an entry of a plan that is open and a deed that was done are told as what they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from barrier_policy.audit.model import AuditReport, Outcome

from .conftest import Compacted, Rows, call

Check = Callable[..., AuditReport]


def conversation(*turns: Any) -> Rows:
    """Turns with small talk behind them: a text of a user, or a call with its arguments and its result, and a word of the agent."""
    rows: Rows = [{"role": "system", "content": "You are an agent."}]
    for number, turn in enumerate(turns):
        if isinstance(turn, str):
            rows.append({"role": "user", "content": turn})
        else:
            rows += [*call(*turn, number), {"role": "assistant", "content": "I see."}]
    talk = [
        {"role": "user", "content": "How is the weather at your place?"},
        {"role": "assistant", "content": "I have no place, so none."},
    ]
    return [*rows, *talk, *talk, *talk]


MIGRATION = (
    "Migrate the table orders to schema 2.",
    ("start_migration", {"table": "orders", "to_schema": 2}, '{"migration_id": "mig_2240", "status": "running"}'),
)
POST = ("post_message", {"channel": "#ops", "text": "The migration mig_2240 of orders runs."}, '{"ok": true}')
PAUSE = ("pause_migration", {"migration_id": "mig_2240"}, '{"migration_id": "mig_2240", "paused": true}')
CHECK = ("check_replica", {"name": "lag", "before": "mig_2240"}, '{"lag_s": 0.3}')
RETRY = ("start_migration", {"table": "orders", "to_schema": 2}, '{"migration_id": "mig_2241", "status": "completed"}')


def outcome(compact: Callable[..., Compacted], check: Check, rows: Rows, summary: str) -> Outcome:
    """What the audit says of a summary in the result of a gate."""
    result = compact(rows)
    assert check(result).outcome is Outcome.PASS
    return check(result, result.with_summary(summary)).outcome


@pytest.mark.parametrize("other", [POST, PAUSE], ids=["told", "paused"])
@pytest.mark.parametrize(
    "summary",
    [
        "Migration mig_2240 is done.",
        "The migration of orders to schema 2 was completed.",
        "The agent migrated the table orders to schema 2.",
        "mig_2240 completed with all columns rewritten.",
        "The table orders is fully on schema 2.",
    ],
)
def test_a_done_call_that_names_a_running_job_does_not_end_it(
    other: Any, summary: str, compact: Callable[..., Compacted], check: Check
) -> None:
    assert outcome(compact, check, conversation(*MIGRATION, other), summary) is not Outcome.PASS


@pytest.mark.parametrize(
    ("other", "summary"),
    [
        (POST, "The agent posted to #ops that the migration mig_2240 of orders runs."),
        (POST, "A message about the migration mig_2240 was posted."),
        (PAUSE, "The migration mig_2240 of orders to schema 2 was paused."),
        (PAUSE, "mig_2240 was successfully paused."),
        (PAUSE, "The migration mig_2240 of orders was started and then paused."),
        (CHECK, "The check of the replica lag before mig_2240 was completed."),
        (RETRY, "The agent migrated the table orders to schema 2."),
    ],
)
def test_a_done_call_is_told_beside_a_running_job(
    other: Any, summary: str, compact: Callable[..., Compacted], check: Check
) -> None:
    assert outcome(compact, check, conversation(*MIGRATION, other), summary) is Outcome.PASS


def test_a_running_job_that_a_done_call_names_is_told_as_running(compact: Callable[..., Compacted], check: Check) -> None:
    export = ("start_export", {"table": "payments"}, '{"job_id": "job_88213", "status": "queued"}')
    post = ("post_message", {"channel": "#payments", "text": "Export job_88213 queued."}, '{"ok": true}')
    rows = conversation("Start the export of the table payments.", export, post)
    assert outcome(compact, check, rows, "The export job_88213 was queued.") is Outcome.PASS


PLAN = (
    "todo_write",
    {
        "todos": [
            {"content": "Check the pins", "status": "completed"},
            {"content": "Rotate the certificates of gw-eu-west-2", "status": "pending"},
            {"content": "Write the report for audit", "status": "in_progress"},
        ]
    },
    "Todos have been modified successfully.",
)
ROTATE = ("rotate_certificates", {"gateway": "gw-eu-west-2"}, '{"status": "succeeded", "serial": "5a:11:0c"}')


@pytest.mark.parametrize(
    "summary",
    [
        "The certificates of gw-eu-west-2 were rotated.",
        "The agent rotated the certificates of gw-eu-west-2.",
        "The report for audit is finished.",
        "All todos are completed.",
        "Alle Aufgaben sind erledigt.",
    ],
)
def test_an_open_entry_of_a_plan_is_not_told_as_done(summary: str, compact: Callable[..., Compacted], check: Check) -> None:
    assert outcome(compact, check, conversation("Plan the work.", PLAN), summary) is not Outcome.PASS


@pytest.mark.parametrize(
    ("later", "summary"),
    [
        ([], "The pins were checked."),
        ([], "All todos except two are completed."),
        ([ROTATE], "The certificates of gw-eu-west-2 were rotated."),
    ],
)
def test_a_done_entry_of_a_plan_is_told_as_done(
    later: list[Any], summary: str, compact: Callable[..., Compacted], check: Check
) -> None:
    assert outcome(compact, check, conversation("Plan the work.", PLAN, *later), summary) is Outcome.PASS


REFUND = (
    "Refund order ORD-77120 with 120 EUR.",
    (
        "create_refund",
        {"order": "ORD-77120", "amount": "120 EUR"},
        '{"refund_id": "rf_9a8b7c6d5e", "status": "succeeded"}',
    ),
)
BUCKET = (
    "Delete the staging bucket s3://bank-staging-tmp.",
    ("delete_bucket", {"bucket": "s3://bank-staging-tmp"}, '{"deleted": true, "request_id": "req-55aa01"}'),
)
INVOICE = (
    "Send the invoice INV-20931 to carla@example.org.",
    (
        "send_email",
        {"to": "carla@example.org", "subject": "Invoice INV-20931"},
        '{"status": "sent", "message_id": "msg_77ab12"}',
    ),
)


@pytest.mark.parametrize(
    ("turns", "summary"),
    [
        (REFUND, "The refund rf_9a8b7c6d5e is still pending."),
        (REFUND, "ORD-77120 has not been refunded yet."),
        (REFUND, "The refund of ORD-77120 is to be repeated."),
        (REFUND, "Order ORD-77120 must be refunded with 120 EUR."),
        (BUCKET, "The bucket s3://bank-staging-tmp was not deleted."),
        (BUCKET, "The bucket s3://bank-staging-tmp wasn't deleted."),
        (INVOICE, "The invoice INV-20931 has not been sent yet."),
        (INVOICE, "Sending the invoice INV-20931 is pending."),
        (INVOICE, "msg_77ab12 is still pending."),
    ],
)
def test_a_done_deed_is_not_told_as_undone(
    turns: Any, summary: str, compact: Callable[..., Compacted], check: Check
) -> None:
    assert outcome(compact, check, conversation(*turns), summary) is not Outcome.PASS


@pytest.mark.parametrize(
    ("turns", "summary"),
    [
        (REFUND, "Order ORD-77120 was refunded, and nothing else was refunded."),
        (REFUND, "The user asked that ORD-77120 must be refunded, and it was."),
        (BUCKET, "The bucket s3://bank-staging-tmp was not deleted before the user asked for it."),
        (INVOICE, "The invoice INV-20931 was not printed."),
        (INVOICE, "The invoice INV-20931 was sent and is not to be sent again."),
    ],
)
def test_what_was_not_done_beside_a_done_deed_is_told(
    turns: Any, summary: str, compact: Callable[..., Compacted], check: Check
) -> None:
    assert outcome(compact, check, conversation(*turns), summary) is Outcome.PASS
