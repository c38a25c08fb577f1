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
        (RETRY, "The agent migrated the table orders to schema 2."),
    ],
)
def test_a_done_call_is_told_beside_a_running_job(
    other: Any, summary: str, compact: Callable[..., Compacted], check: Check
) -> None:
    assert outcome(compact, check, conversation(*MIGRATION, other), summary) is Outcome.PASS
