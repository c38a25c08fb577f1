"""What the payload of a result says about background jobs: words for states, handles, and the shapes they come in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

import msgspec
from barrier_policy_plugins.tool_arguments import argument_key

MAX_RECORDS: Final = 50
MAX_DEPTH: Final = 3
MAX_JSON: Final = 100_000

HANDLE_KEYS: Final = frozenset(
    (
        "job", "jobid", "jobname", "task", "taskid", "run", "runid", "execution", "executionid", "executionarn", "operationid", "build",
        "buildid", "pipeline", "pipelineid", "workflow", "workflowid", "workflowrunid", "agent", "agentid", "subagent", "subagentid",
        "helper", "helperid", "worker", "workerid", "process", "processid", "pid", "shellid", "bashid", "backgroundtaskid", "session",
        "batch", "batchid", "deployment", "deploymentid", "queueid", "statementid", "queryid", "queryexecutionid", "syncid", "exportid",
        "importid", "backupid", "restoreid", "crawlid", "taskarn", "commandid",
    )
)  # fmt: skip
"""Keys of a handle, spelt without signs."""
STATE_KEYS: Final = ("status", "state", "jobstatus", "taskstatus", "runstatus", "phase")
QUEUE_KEYS: Final = ("queued", "enqueued", "scheduled", "submitted")
"""Keys that say the state and have the handle as their value."""
RUNNING: Final = frozenset(
    ("running", "queued", "executing", "building", "starting", "launching", "enqueued", "asynclaunched", "inflight")
)
"""States that only work has, so that a plain `id` beside one is a handle."""
WAITING: Final = frozenset(
    (
        "pending", "started", "submitted", "accepted", "scheduled", "processing", "initiated", "waiting", "paused", "throttled",
        "retrying", "launched", "working", "background", "notready", "ongoing", "draining", "active", "created", "dispatched",
        "inprogress",
    )
)  # fmt: skip
FINISHED: Final = frozenset(
    (
        "completed", "complete", "succeeded", "success", "successful", "done", "finished", "ok", "ready", "exited", "ended",
        "printed", "delivered", "passed", "green", "merged", "deployed", "built", "published", "resolved", "closed", "healthy", "live",
    )
)  # fmt: skip
FAILED: Final = frozenset(
    (
        "failed", "failure", "error", "errored", "cancelled", "canceled", "killed", "aborted", "stopped", "terminated", "rejected",
        "crashed", "red", "broken",
    )
)  # fmt: skip
UNKNOWN: Final = frozenset(("timeout", "timedout", "unknown", "lost", "stale", "unreachable", "expired", "orphaned"))
HANDLE_VALUE: Final = re.compile(r"[\w.:/@#-]{1,100}|[A-Za-z]+ #?\d{1,12}")


class Report(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a part says about one job: running, finished, failed or unknown."""

    handle: str
    state: str
    what: str = ""


def state_of(word: object) -> str:
    """`running`, `finished`, `failed` or `unknown` for the word that a payload uses; "" for a word that says nothing."""
    key = argument_key(str(word))
    if key in RUNNING or key in WAITING:
        return "running"
    if key in FINISHED:
        return "finished"
    if key in FAILED:
        return "failed"
    return "unknown" if key in UNKNOWN else ""


def decode_payload(text: str) -> Any:
    """The JSON object or list that a result consists of, else None."""
    if text.lstrip()[:1] not in ("{", "[") or len(text) > MAX_JSON:
        return None
    try:
        return msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return None


def fields_of(mapping: Mapping[Any, Any]) -> dict[str, Any]:
    """The entries of an object with their keys spelt without signs, a bounded number of them."""
    return {argument_key(str(key)): value for key, value in islice(mapping.items(), MAX_RECORDS)}


def job_records(value: Any, depth: int = 0) -> Iterator[Report]:
    """Reports of objects that have a handle and a state, also inside lists and wrappers."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, list):
        for item in value[:MAX_RECORDS]:
            yield from job_records(item, depth + 1)
    elif isinstance(value, Mapping):
        fields = fields_of(value)
        report = _record(fields)
        if report is not None:
            yield report
        for item in fields.values():
            if isinstance(item, list | Mapping):
                yield from job_records(item, depth + 1)


def _record(fields: Mapping[str, Any]) -> Report | None:
    word = stated(fields)
    handle = handle_in(fields)
    if word is None:
        queued = next((fields[key] for key in QUEUE_KEYS if isinstance(fields.get(key), str) and is_handle(fields[key])), "")
        return Report(handle=canonical(queued), state="running") if queued else _progress(fields, handle)
    if not handle and argument_key(word) in RUNNING and is_handle(fields.get("id")):
        handle = canonical(fields["id"])
    state = state_of(word)
    return Report(handle=handle, state=state) if handle and state else None


def _progress(fields: Mapping[str, Any], handle: str) -> Report | None:
    """`{"job": …, "done": 120, "total": 400}`: running until both are equal."""
    done = next((fields[key] for key in ("done", "completed", "processed", "finished") if _is_count(fields.get(key))), None)
    total = next((fields[key] for key in ("total", "of", "all") if _is_count(fields.get(key))), None)
    if not handle or done is None or total is None:
        return None
    return Report(handle=handle, state="finished" if done >= total else "running")


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def stated(fields: Mapping[str, Any]) -> str | None:
    """The word under a state key."""
    return next((fields[key] for key in STATE_KEYS if isinstance(fields.get(key), str)), None)


def handle_in(fields: Mapping[str, Any]) -> str:
    """The handle under a handle key, "" where there is none."""
    return next((canonical(value) for key, value in fields.items() if key in HANDLE_KEYS and is_handle(value)), "")


def is_handle(value: Any) -> bool:
    """Whether a value could name a job: a positive number, or a string without blanks."""
    if isinstance(value, bool):
        return False
    if isinstance(value, int):
        return value > 0
    return isinstance(value, str) and HANDLE_VALUE.fullmatch(value) is not None


def canonical(value: object) -> str:
    """A handle as later calls spell it: `session 6027` is asked about as 6027."""
    return str(value).rpartition(" ")[2].lstrip("#")
