"""Files that people take for transcripts and that hold too little to decide on: named, and refused in one line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn

import msgspec

from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.elements import sample
from barrier_policy.transcript.reader import Reader
from barrier_policy.transcript.source import Source
from barrier_policy.transcript.values import as_dict, as_list

RUN_KEYS = ("messages", "trajectory", "traj", "steps", "history", "conversations")
SCORE = 30
"""Below every format that can be read."""


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of file: how its records look, and why it is not read. `many` asks for more than one record."""

    title: str
    looks: Callable[[dict[str, Any]], bool]
    why: str
    many: bool = False


REFUSALS = (
    Refusal(
        title="Antigravity step log",
        looks=lambda row: "step_index" in row and "source" in row,
        why="an Antigravity step log records neither calls nor results as such (export the conversation)",
    ),
    Refusal(
        title="ATOF events",
        looks=lambda row: "atof_version" in row or ("scope_category" in row and "uuid" in row),
        why="ATOF events are spans of a run, not its messages (convert them to ATIF first)",
    ),
    Refusal(
        title="OpenTelemetry spans",
        looks=lambda row: "resourceSpans" in row or "resource_spans" in row,
        why="OpenTelemetry spans repeat the history in each span and often leave content out (convert them to ATIF first)",
    ),
    Refusal(
        title="BFCL multi-turn entry",
        looks=lambda row: "question_entry" in row or ("question" in row and "initial_config" in row),
        why="a BFCL entry holds questions and planned calls without results: a task, not a run",
    ),
    Refusal(
        title="OpenCode storage file",
        looks=lambda row: "sessionID" in row or ("messageID" in row and "type" in row),
        why="one message or part of an OpenCode session (export the whole with `opencode export`)",
    ),
    Refusal(
        title="session index",
        looks=lambda row: "num_chat_messages" in row or ("agents" in row and "lastPrompt" in row),
        why="an index of a session without its messages (name the chat history beside it)",
    ),
    Refusal(
        title="several runs in one file",
        looks=lambda row: any(isinstance(row.get(key), list) and row[key] for key in RUN_KEYS),
        why="the file holds several runs (a transcript is one run: cut them out, one a file)",
        many=True,
    ),
)


def find_refusal(source: Source) -> Refusal | None:
    """The kind that a record, or a document that is one, looks like."""
    rows = sample(source) or [as_dict(source.document)]
    several = len(as_list(source.document) or source.records) > 1
    return next((one for one in REFUSALS if (several or not one.many) and any(map(one.looks, rows))), None)


def probe(source: Source) -> int:
    """SCORE for a kind that is refused by name."""
    return SCORE if find_refusal(source) else 0


def read(source: Source) -> NoReturn:
    """Refuse, saying what it is."""
    refusal = find_refusal(source)
    source.refuse(f"{refusal.title}: {refusal.why}" if refusal else "not one of the files that are refused by name")


@hookimpl
def barrier_readers() -> Iterable[Reader]:
    """The reader `unsupported`."""
    return [Reader(name="unsupported", title="files without a readable run, refused by name", probe=probe, read=read)]
