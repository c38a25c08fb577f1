"""`barrier-policy replay`: a logged decision derived again."""

from __future__ import annotations

import msgspec

from barrier_policy.cli.console import out, show, write_bytes
from barrier_policy.cli.guard import FAILED, OK, report
from barrier_policy.cli.log_access import Told, named_log
from barrier_policy.cli.options import Replayed, Request
from barrier_policy.cli.session import chosen_profile
from barrier_policy.errors import LogError
from barrier_policy.log.record import Record
from barrier_policy.log.replay import Replay, replay
from barrier_policy.plugins import load_plugins
from barrier_policy.walk import open_store


def replay_decision(request: Request, decision: str, *, format: Replayed) -> int:
    """Derive a decision again, say whether it is the same, or print it. What differs or is missing goes to standard error.

    4 as well where the log is not whole: the decision can be the same, and its record another one than was written.
    """
    told = Told()
    found = named_log(request).find(decision, told)
    record = _replayable(found)
    plugins = load_plugins()
    store = open_store(request.store, chosen_profile(request), plugins.stores)
    done = replay(record, store, plugins=plugins)
    for difference in done.differences:
        report(LogError(f"record {record.sequence}: {difference}"))
    if format is Replayed.TEXT:
        show(out(), _words(record, done))
    elif done.data:
        write_bytes((msgspec.json.format(done.data, indent=2) if format is Replayed.JSON else done.data) + b"\n")
    return OK if done.same and not told.anything else FAILED


def _replayable(records: tuple[Record, ...]) -> Record:
    """The newest record that has archived inputs; all of them are of the same decision."""
    return next((record for record in reversed(records) if record.inputs.archive), records[-1])


def _words(record: Record, done: Replay) -> str:
    if done.same:
        return f"same: {len(done.data):,} bytes, {record.decision_id}"
    return "differs" if done.data else "can't be derived"
