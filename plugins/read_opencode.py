"""Reader for sessions that OpenCode exports (`opencode export`): messages of parts, a call and its outcome in one part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.builder import TranscriptBuilder
from barrier_policy.transcript.elements import Element, find_elements, sample
from barrier_policy.transcript.model import MessageKind, Part, PartType, Transcript
from barrier_policy.transcript.parts import blob_part, call_part, reasoning_part, result_parts, text_part, unknown_part
from barrier_policy.transcript.reader import Reader
from barrier_policy.transcript.source import Source
from barrier_policy.transcript.values import as_dict, as_list, as_text

FRAMES = frozenset({"step-start", "step-finish", "snapshot", "patch", "agent", "retry", "compaction"})


def probe(source: Source) -> int:
    """85 for messages with `info` and `parts`."""
    return (
        85
        if any(isinstance(m.get("parts"), list) and "role" in as_dict(m.get("info")) for m in sample(source, "messages"))
        else 0
    )


def read(source: Source) -> Transcript:
    """The live view: from the last compaction on, with the messages that it names as kept."""
    builder = TranscriptBuilder(source, "opencode")
    elements = list(find_elements(source, "messages"))
    if not elements:
        source.refuse("not an OpenCode export (expected an object with `messages`)")
    for element in _live(elements, builder):
        _add(builder, element)
    return builder.build()


def _live(elements: Sequence[Element], builder: TranscriptBuilder) -> Sequence[Element]:
    """A compaction is a part in a message of the user; the summary is the answer to that message."""
    for index in range(len(elements) - 2, -1, -1):
        part = next((p for p in _parts_of(elements[index]) if p.get("type") == "compaction"), None)
        if part is None or not as_dict(as_dict(elements[index + 1].value).get("info")).get("summary"):
            continue
        ids = [as_text(as_dict(as_dict(element.value).get("info")).get("id")) for element in elements[:index]]
        tail = as_text(part.get("tail_start_id"))
        kept = elements[ids.index(tail) : index] if tail in ids else []
        builder.skip("before the last compaction", index - len(kept))
        return [*elements[index : index + 2], *kept, *elements[index + 2 :]]
    return elements


def _parts_of(element: Element) -> list[dict[str, Any]]:
    return [as_dict(part) for part in as_list(as_dict(element.value).get("parts"))]


def _add(builder: TranscriptBuilder, element: Element) -> None:
    message = as_dict(element.value)
    info = as_dict(message.get("info"))
    role = as_text(info.get("role"))
    if not role:
        builder.add_malformed(element.value, element.place())
        return
    parts: list[Part] = []
    notices: list[Part] = []
    results: list[Part] = []
    for index, part in enumerate(_parts_of(element)):
        pointer = f"/parts/{index}"
        kind = as_text(part.get("type"))
        if kind in FRAMES:
            builder.skip(kind)
        elif kind == "tool":
            parts.append(_call(part, pointer))
            results += _outcome(part, pointer)
        elif part.get("synthetic") is True and role == "user":
            notices.append(_plain(part, kind, pointer))
        else:
            parts.append(_plain(part, kind, pointer))
    place = element.place(timestamp=as_dict(info.get("time")).get("created"), id=info.get("id"))
    kind_of = MessageKind.SUMMARY if info.get("summary") is True else MessageKind.MESSAGE
    if notices:
        builder.add_notice(role, notices, place)
    if parts:
        builder.add(role, parts, place, kind=kind_of)
    if results:
        builder.add("tool", results, place)


def _plain(part: dict[str, Any], kind: str, pointer: str) -> Part:
    text = as_text(part.get("text"))
    if kind == "text":
        return text_part(text, f"{pointer}/text")
    if kind == "reasoning":
        return reasoning_part(text, f"{pointer}/text")
    return blob_part(part, pointer) if kind == "file" else unknown_part(part, pointer)


def _call(part: dict[str, Any], pointer: str) -> Part:
    state = as_dict(part.get("state"))
    return call_part(as_text(part.get("tool")), state.get("input"), call_id=as_text(part.get("callID")), pointer=pointer)


def _outcome(part: dict[str, Any], pointer: str) -> list[Part]:
    """The outcome of a call; none while it is pending or running."""
    state = as_dict(part.get("state"))
    status = as_text(state.get("status"))
    if status not in ("completed", "error"):
        return []
    key = "error" if status == "error" else "output"
    found = result_parts(
        state.get(key),
        call_id=as_text(part.get("callID")),
        name=as_text(part.get("tool")),
        is_error=status == "error",
        pointer=f"{pointer}/state/{key}",
    )
    return [one for one in found if one.type is PartType.TOOL_RESULT]


@hookimpl
def barrier_readers() -> Iterable[Reader]:
    """The reader `opencode`."""
    return [Reader(name="opencode", title="OpenCode export", probe=probe, read=read)]
