"""Background work: fact kind `background_job` for commands, jobs and sub-agents that go on after their call was answered.

In flight is a third state besides done and not done: whoever forgets it starts the work again (design section 5). A job is
reported by structure: a state under a state key beside a handle, a runtime's notice, or the short answer to a call that
asked for the background. Prose is left to other extractors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from barrier_policy_plugins.job_payloads import (
    MAX_RECORDS,
    Report,
    canonical,
    decode_payload,
    fields_of,
    handle_in,
    is_handle,
    job_records,
    state_of,
    stated,
)
from barrier_policy_plugins.shell_syntax import parse_script
from barrier_policy_plugins.tool_names import bare_name, name_tokens

from barrier_policy.facts.context import Context
from barrier_policy.facts.model import Attribute, Fact, FactKind
from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.model import Message, MessageKind, Part, PartType

SHORT: Final = 600
"""An answer up to this length can be about nothing but the job."""
MAX_LINE: Final = 300

STOP_WORDS: Final = frozenset(("kill", "stop", "cancel", "terminate", "abort"))
COLLECT_WORDS: Final = frozenset(("wait", "await", "result", "results", "collect", "join", "output"))
ASK_WORDS: Final = frozenset(("get", "status", "poll", "check", "list", "show", "describe")) | COLLECT_WORDS
JOB_WORDS: Final = frozenset(
    (
        "job", "jobs", "task", "tasks", "agent", "agents", "subagent", "subagents", "helper", "helpers", "worker", "workers", "run",
        "runs", "process", "exec", "shell", "bash", "pipeline", "workflow", "build", "queue",
    )
)  # fmt: skip
START_WORDS: Final = frozenset(
    ("start", "spawn", "launch", "submit", "enqueue", "dispatch", "sbatch", "schedule", "delegate")
)
DELEGATES: Final = frozenset(("task", "agent", "subagent"))
BACKGROUND_FLAGS: Final = frozenset(
    ("runinbackground", "background", "isbackground", "detach", "detached", "async", "isasync", "inbackground")
)
FOREGROUND_FLAGS: Final = frozenset(("wait", "blocking", "block", "foreground"))
DESCRIPTIONS: Final = (
    "description",
    "task",
    "title",
    "name",
    "subject",
    "command",
    "cmd",
    "prompt",
    "message",
    "topic",
    "query",
    "sql",
)
STILL_RUNNING: Final = (
    "still running",
    "not ready",
    "not finished",
    "not done",
    "timed out",
    "timeout",
    "in progress",
    "no such",
    "not found",
)

TAGGED: Final = re.compile(r"<task[-_]id>\s*([^<\s]{1,100})\s*</task[-_]id>")
TAGGED_STATE: Final = re.compile(r"<status>\s*([^<]{1,40}?)\s*</status>")
TAGGED_SUMMARY: Final = re.compile(r"<summary>\s*([^<]{1,400}?)\s*</summary>")
TAG_REACH: Final = 2_000
PHRASES: Final = (
    re.compile(r"(?i)\brunning in (?:the )?background with (?:id|pid):? *([\w.-]*\w)"),
    re.compile(
        r"(?i)\b(?:async|background) (?:agent|task|job|command) (?:was |has been )?(?:launched|started)[^\n]{0,80}\n?"
        r" *(?:agent|task|job)?_?id:? *([\w.-]*\w)"
    ),
    re.compile(r"(?i)\bsubmitted (?:batch )?job (\d+)"),
    re.compile(r"(?i)\b(?:moved to|continues in) (?:the )?background\b[^\n]{0,60}?\b(?:id|pid)\W{0,3}([\w.-]*\w)"),
)
"""Sentences in which runtimes and schedulers name a handle."""
PHRASE_HINTS: Final = ("background", "async", "submitted")
"""One of these stands in whatever a phrase finds."""
SHELL_JOB: Final = re.compile(r"(?m)^\[\d+\] (\d{2,7})$")
HANDLE: Final = re.compile(
    r"(?i)(?<![\w./-])(?:(?:pid|job|task|agent|run|session|process|id)[ :#=]{1,3}([\w.-]*\d[\w.-]*\b)|([a-z]{1,20}[-_][\w-]*\d[\w-]*))"
    r"(?![\w.]*/)"
)
STATED: Final = re.compile(
    r"(?i)(?<![\w.-])([a-z][\w.-]*\d[\w-]*|\d{3,12})(?:,|:| is| has| -)? "
    r"(running|queued|done|finished|completed|failed|cancelled|killed)\b"
)
REGISTRY: Final = re.compile(r"(?i)\b(?:registry|table|queue|dashboard)\b\W{1,4}((?:table |queue )?[\w-]+(?:[./][\w-]+)+)")
STARTED: Final = re.compile(
    r"(?i)\b(?:started|spawned|launched|queued|enqueued|detached|dispatched|submitted|scheduled|background)\b"
)


@hookimpl
def barrier_fact_kinds() -> Iterable[FactKind]:
    """`background_job`."""
    return (
        FactKind(
            name="background_job",
            doc="Work that goes on in the background, as this message reports it; `text` is the line that says so.",
            attributes=(
                Attribute(name="handle", type="string", doc="the name by which it can be asked about"),
                Attribute(name="state", type="string", doc="its state", values=("running", "finished", "failed", "unknown")),
                Attribute(name="what", type="string", doc="what it does, as the call describes it"),
                Attribute(name="registry", type="string", doc="where it is listed for good, empty where nothing says so"),
            ),
        ),
    )


@hookimpl
def barrier_extract_facts(message: Message, context: Context) -> Iterable[Fact]:
    """Reports about background work in results and in notices of the runtime."""
    if message.kind in (MessageKind.SUMMARY, MessageKind.CARRIER):
        return ()
    return _facts(message, context)


def _facts(message: Message, context: Context) -> Iterator[Fact]:
    for index, part in enumerate(message.parts):
        if part.type is PartType.TOOL_RESULT:
            call = context.calls.get(index)
            reports, what = result_reports(call, part), _description(call)
        elif part.type is PartType.TEXT and (message.kind is MessageKind.NOTICE or "<task-id>" in part.text):
            reports, what = notice_reports(part.text), ""
        else:
            continue
        newest = {report.handle: report for report in reports}
        for report in newest.values():
            yield _fact(message.index, index, part.text, report, report.what or what)


def _fact(message: int, part: int, text: str, report: Report, what: str) -> Fact:
    place = max(text.find(report.handle), 0)
    start, end = text.rfind("\n", 0, place) + 1, text.find("\n", place)
    end = len(text) if end < 0 else end
    if end - start > MAX_LINE:
        start, end = place, min(place + len(report.handle), len(text))
    return Fact(
        kind="background_job",
        message=message,
        part=part,
        start=start,
        end=end,
        text=text[start:end],
        attributes={"handle": report.handle, "state": report.state, "what": what, "registry": _registry(text)},
    )


# --- results


def result_reports(call: Part | None, result: Part) -> Iterator[Report]:
    """What a result says about jobs, given the call that it answers; later reports about a handle replace earlier ones."""
    words = frozenset(name_tokens(bare_name(call.name))) if call is not None else frozenset()
    asked = _asked_handle(call, words)
    payload = decode_payload(result.text)
    if payload is not None:
        found = list(job_records(payload))
        yield from found or _answer(payload, asked, words)
    else:
        yield from _tagged(result.text)
        yield from _spoken(result.text, call, words, asked)
    if asked and words & STOP_WORDS and not result.is_error:
        yield Report(handle=asked, state="failed")


def _asked_handle(call: Part | None, words: frozenset[str]) -> str:
    """The handle that a call asks about, waits for or stops; "" for a call that starts something."""
    if call is None or not isinstance(call.arguments, Mapping) or words & START_WORDS:
        return ""
    fields = fields_of(call.arguments)
    handle = handle_in(fields)
    if not handle and words & JOB_WORDS and words & (STOP_WORDS | ASK_WORDS) and is_handle(fields.get("id")):
        handle = canonical(fields["id"])
    return handle if any(character.isdigit() for character in handle) else ""


def _answer(payload: Any, asked: str, words: frozenset[str]) -> Iterator[Report]:
    """The answer to a question about one job, or to a call that starts one."""
    if not isinstance(payload, Mapping):
        return
    fields = fields_of(payload)
    word = stated(fields)
    if asked:
        state = state_of(word) if word is not None else "finished" if words & COLLECT_WORDS and "error" not in fields else ""
        if state:
            yield Report(handle=asked, state=state)
    elif word is None and words & START_WORDS and words & JOB_WORDS and (handle := handle_in(fields)):
        yield Report(handle=handle, state="running")


def _tagged(text: str) -> Iterator[Report]:
    """`<task_id>…</task_id> … <status>…</status>`, as runtimes write it."""
    if "<task" not in text:
        return
    for match in islice(TAGGED.finditer(text), MAX_RECORDS):
        state = TAGGED_STATE.search(text, match.end(), match.end() + TAG_REACH)
        summary = TAGGED_SUMMARY.search(text, match.end(), match.end() + TAG_REACH)
        known = state_of(state[1]) if state else ""
        yield Report(handle=match[1], state=known or "unknown", what=summary[1] if summary else "")


def _spoken(text: str, call: Part | None, words: frozenset[str], asked: str) -> Iterator[Report]:
    """Answers in words: a runtime's phrase, or a short answer to a call that concerns jobs."""
    head = text[:SHORT].lower()
    for pattern in PHRASES if any(map(head.casefold().__contains__, PHRASE_HINTS)) else ():
        for match in pattern.finditer(text[:SHORT]):
            yield Report(handle=match[1], state="running")
    if len(text) <= SHORT and call is not None:
        if _in_background(call) or (words & (START_WORDS | DELEGATES) and STARTED.search(text)):
            for match in islice(SHELL_JOB.finditer(text), MAX_RECORDS):
                yield Report(handle=match[1], state="running")
            for match in islice(HANDLE.finditer(text), MAX_RECORDS):
                yield Report(handle=match[1] or match[2], state="running")
        if asked or (words & JOB_WORDS and words & ASK_WORDS) or words & DELEGATES:
            yield from _listed(text)
    if (
        asked
        and words & COLLECT_WORDS
        and head.strip()
        and not any(sign in head for sign in STILL_RUNNING)
        and "<task" not in head
    ):
        yield Report(handle=asked, state="finished")


def _listed(text: str) -> Iterator[Report]:
    """`hp-1 done, hp-2 running`."""
    for match in islice(STATED.finditer(text), MAX_RECORDS):
        yield Report(handle=match[1], state=state_of(match[2]))


def _in_background(call: Part) -> bool:
    """Whether the call asked not to be waited for: by an argument, or by the `&` of a shell."""
    if not isinstance(call.arguments, Mapping):
        return False
    fields = fields_of(call.arguments)
    if any(fields.get(flag) in (True, "true") for flag in BACKGROUND_FLAGS) or any(
        fields.get(flag) is False for flag in FOREGROUND_FLAGS
    ):
        return True
    commands = (fields.get(key) for key in ("command", "cmd", "script"))
    return any(isinstance(command, str) and "&" in command and parse_script(command).background for command in commands)


def _description(call: Part | None) -> str:
    """What a call is for, in its own words: the first describing argument, else the tool's name."""
    if call is None:
        return ""
    if isinstance(call.arguments, Mapping):
        fields = fields_of(call.arguments)
        for key in DESCRIPTIONS:
            value = fields.get(key)
            if isinstance(value, str) and value.strip():
                return value.strip().split("\n", 1)[0][:200]
    return call.name


def _registry(text: str) -> str:
    """The table, queue or registry that the report names as the place where its jobs are listed."""
    match = REGISTRY.search(text[:SHORT])
    return match[1] if match else ""


# --- notices


def notice_reports(text: str) -> Iterator[Report]:
    """What a notice of the runtime says about jobs."""
    yield from _tagged(text)
    if len(text) <= SHORT:
        yield from _listed(text)
