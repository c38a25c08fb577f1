"""Readers for sessions of `{type: message, message: {role, content}}` lines: pi, and OpenClaw and Droid, which are like it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.builder import TranscriptBuilder
from barrier_policy.transcript.elements import Place, sample
from barrier_policy.transcript.model import MessageKind, Part, Transcript
from barrier_policy.transcript.parts import call_part, content_parts, result_parts
from barrier_policy.transcript.reader import Compaction, Reader
from barrier_policy.transcript.source import Record, Source
from barrier_policy.transcript.values import as_dict, as_text

SHOWN_TYPES = frozenset({"message", "custom_message", "branch_summary", "compaction"})


def _probe(source: Source, header: str) -> int:
    rows = sample(source)
    headed = any(row.get("type") == header for row in rows[:4])
    told = any(row.get("type") == "message" and isinstance(row.get("message"), dict) for row in rows)
    return 85 if headed and told else 0


def probe_pi(source: Source) -> int:
    """85 for a session header and message lines."""
    return _probe(source, "session")


def probe_droid(source: Source) -> int:
    """85 for a session header and message lines."""
    return _probe(source, "session_start")


def read_pi(source: Source) -> Transcript:
    """The live view: the summary of the last compaction, the entries that it keeps, and those after it."""
    return _read(source, "pi")


def read_droid(source: Source) -> Transcript:
    """One message for each line, results in a message of their own."""
    return _read(source, "droid")


def _read(source: Source, name: str) -> Transcript:
    builder = TranscriptBuilder(source, name)
    if not any(as_dict(record.value).get("type") == "message" for record in source.records):
        source.refuse(f"not a {name} session (expected `message` lines)")
    _add_live(builder, _branch(source.records, builder))
    return builder.build()


def compactions(source: Source) -> Iterator[Compaction]:
    """Each compaction entry on the path to the last one: the live view before it and after it."""
    records = _branch(source.records, TranscriptBuilder(source, "pi"))
    for index, record in enumerate(records):
        if as_dict(record.value).get("type") == "compaction":
            before, after = TranscriptBuilder(source, "pi"), TranscriptBuilder(source, "pi")
            _add_live(before, records[:index])
            _add_live(after, records[: index + 1])
            yield Compaction(before=before.build(), after=after.build(), line=record.line)


def _add_live(builder: TranscriptBuilder, records: Sequence[Record]) -> None:
    """Add the messages of what the model sees after the last of the records."""
    environment: dict[str, str] = {}
    for record in _live(records, builder):
        row = as_dict(record.value)
        if cwd := as_text(row.get("cwd")):
            environment = {"cwd": cwd}
        if as_text(row.get("type")) in SHOWN_TYPES:
            _add(builder, record.line, row, environment)
        else:
            builder.skip(as_text(row.get("type")) or "not an object")


def _branch(records: Sequence[Record], builder: TranscriptBuilder) -> Sequence[Record]:
    """Newer sessions are trees: the path from the last entry to the root, where every link on it can be followed."""
    by_id = {as_text(as_dict(record.value).get("id")): record for record in records if as_dict(record.value).get("id")}
    linked = [record for record in records if "parentId" in as_dict(record.value)]
    path: list[Record] = []
    step = linked[-1] if linked else None
    while step is not None and len(path) <= len(records):
        path.append(step)
        parent = as_text(as_dict(step.value).get("parentId"))
        if parent and parent not in by_id:
            return records
        step = by_id.get(parent) if parent else None
    if not path or len(path) > len(records):
        return records
    on_path = {id(record) for record in path}
    kept = [record for record in records if id(record) in on_path or "parentId" not in as_dict(record.value)]
    builder.skip("other branch", len(records) - len(kept))
    return kept


def _live(records: Sequence[Record], builder: TranscriptBuilder) -> list[Record]:
    """The header, the last compaction, what it keeps, and what follows; earlier compactions give no second summary."""
    last = max(
        (index for index, record in enumerate(records) if as_dict(record.value).get("type") == "compaction"), default=-1
    )
    if last < 0:
        return list(records)
    compaction = as_dict(records[last].value)
    first = _first_kept(records, last, compaction)
    head = [record for record in records[:first] if as_dict(record.value).get("type") in ("session", "session_start")]
    kept = [record for record in records[first:last] if as_dict(record.value).get("type") != "compaction"]
    builder.skip("before the last compaction", last - len(head) - len(kept))
    return [*head, records[last], *kept, *records[last + 1 :]]


def _first_kept(records: Sequence[Record], last: int, compaction: dict[str, Any]) -> int:
    """Older versions name a 0-based line, newer ones an entry; where neither is found nothing before was kept."""
    line, entry = compaction.get("firstKeptEntryIndex"), as_text(compaction.get("firstKeptEntryId"))
    for index, record in enumerate(records[:last]):
        if isinstance(line, int) and record.line > line:
            return index
        if entry and as_dict(record.value).get("id") == entry:
            return index
    return last


def _add(builder: TranscriptBuilder, line: int, row: dict[str, Any], environment: dict[str, str]) -> None:
    place = Place(line=line, timestamp=as_text(row.get("timestamp")), id=as_text(row.get("id")), environment=environment)
    kind = as_text(row.get("type"))
    if kind in ("compaction", "branch_summary"):
        builder.add("user", content_parts(row.get("summary"), "/summary"), place, kind=MessageKind.SUMMARY)
        return
    if kind == "custom_message":
        builder.add_notice("custom", content_parts(row.get("content"), "/content"), place)
        return
    message = as_dict(row.get("message"))
    role = as_text(message.get("role"))
    if not role:
        builder.add_malformed(row.get("message"), place)
    elif role == "toolResult":
        builder.add(role, _result(message), place)
    elif role == "bashExecution":
        _add_typed_command(builder, message, place)
    else:
        builder.add_split(role, content_parts(message.get("content"), "/message/content"), place)


def _result(message: dict[str, Any]) -> list[Part]:
    flag = message.get("isError")
    return result_parts(
        message.get("content"),
        call_id=as_text(message.get("toolCallId")),
        name=as_text(message.get("toolName")),
        is_error=flag if isinstance(flag, bool) else None,
        pointer="/message/content",
    )


def _add_typed_command(builder: TranscriptBuilder, message: dict[str, Any], place: Place) -> None:
    """A command that the user typed: a call on the user's side, and its output."""
    call = call_part("bash", {"command": as_text(message.get("command"))}, pointer="/message/command")
    code = message.get("exitCode")
    builder.add("user", [call], place)
    failed = True if message.get("cancelled") is True else code != 0 if isinstance(code, int) else None
    builder.add("tool", result_parts(message.get("output"), name="bash", is_error=failed, pointer="/message/output"), place)


@hookimpl
def barrier_readers() -> Iterable[Reader]:
    """The readers `pi` and `droid`."""
    return [
        Reader(name="pi", title="pi or OpenClaw session", probe=probe_pi, read=read_pi, compactions=compactions),
        Reader(name="droid", title="Droid session", probe=probe_droid, read=read_droid),
    ]
