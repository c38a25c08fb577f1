"""`barrier-policy replay`: a logged decision derived again."""

from __future__ import annotations

from barrier_policy.cli.console import indented, out, show, write_bytes
from barrier_policy.cli.guard import FAILED, OK, report
from barrier_policy.cli.log_access import Told, named_log
from barrier_policy.cli.options import Replayed, Request
from barrier_policy.cli.session import chosen_profile
from barrier_policy.errors import LogError
from barrier_policy.log.record import Record
from barrier_policy.log.replay import Replay, replay
from barrier_policy.log.unlike import says_the_same
from barrier_policy.plugins import load_plugins
from barrier_policy.walk import open_store


def replay_decision(request: Request, decision: str, *, format: Replayed) -> int:
    """Derive a decision again, say whether it is the same, or print it. What differs or is missing goes to standard error.

    4 as well where the log is not whole: the decision can be the same, and its record another one than was written.
    """
    told = Told()
    found = named_log(request).find(decision, told)
    plugins = load_plugins()
    store = open_store(request.store, chosen_profile(request), plugins.stores)
    done = [(record, replay(record, store, plugins=plugins)) for record in _unlike_each_other(found)]
    for record, replayed in done:
        for difference in replayed.differences:
            report(LogError(f"record {record.sequence}: {difference}"))
    record, shown = next((pair for pair in done if not pair[1].same), done[0])
    if format is Replayed.TEXT:
        show(out(), _words(record, shown))
    elif shown.data:
        write_bytes(indented(shown.data) if format is Replayed.JSON else shown.data + b"\n")
    return OK if shown.same and not told.anything else FAILED


def _unlike_each_other(records: tuple[Record, ...]) -> list[Record]:
    """The newest record that has archived inputs, and each that says something else of the same decision."""
    first = next((record for record in reversed(records) if record.inputs.archive), records[-1])
    chosen = [first]
    for record in reversed(records):
        if not any(says_the_same(record, other) for other in chosen):
            chosen.append(record)
    return chosen


def _words(record: Record, done: Replay) -> str:
    if done.same:
        return f"same: {len(done.data):,} bytes, {record.decision_id}"
    return "differs" if done.data else "can't be derived"
