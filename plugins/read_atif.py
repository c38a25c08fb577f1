"""Reader for ATIF 1.x trajectories (Harbor RFC 0001): steps that hold a message, calls and their results together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.builder import TranscriptBuilder
from barrier_policy.transcript.elements import Place
from barrier_policy.transcript.model import MessageKind, Origin, Part, PartType, Transcript
from barrier_policy.transcript.parts import call_part, content_parts, reasoning_part, result_parts, unknown_part
from barrier_policy.transcript.reader import Reader
from barrier_policy.transcript.source import Source
from barrier_policy.transcript.values import as_dict, as_list, as_text, json_text


def probe(source: Source) -> int:
    """95 for a document that names its version, 60 for one with steps of the three sources."""
    document = as_dict(source.document)
    steps = document.get("steps")
    if not isinstance(steps, list):
        return 0
    if as_text(document.get("schema_version")).upper().startswith("ATIF"):
        return 95
    return 60 if any(as_dict(step).get("source") in ("user", "agent", "system") for step in steps[:8]) else 0


def read(source: Source) -> Transcript:
    """One message for each step, and one for the results that the step holds.

    A step that replaces the context before it (`extra.context_management` with boundary `replace`) begins the live view;
    only the system prompt before it stays.
    """
    document = as_dict(source.document)
    steps = document.get("steps")
    if not isinstance(steps, list):
        source.refuse("not an ATIF trajectory (expected an object with `steps`)")
    builder = TranscriptBuilder(source, "atif")
    builder.declare_tools(as_dict(document.get("agent")).get("tool_definitions"))
    first = max((index for index, step in enumerate(steps) if _replaces_context(as_dict(step))), default=0)
    for index, step in enumerate(steps):
        if index >= first or _is_prompt(steps, index):
            _add_step(builder, step, f"/steps/{index}")
        else:
            builder.skip("before the last compaction")
    return builder.build()


def _replaces_context(step: dict[str, Any]) -> bool:
    managed = as_dict(as_dict(step.get("extra")).get("context_management"))
    return managed.get("type") == "compaction" and managed.get("boundary") == "replace"


def _is_prompt(steps: Sequence[Any], index: int) -> bool:
    """Whether a step belongs to the system prompt that opens the trajectory."""
    return all(as_dict(step).get("source") == "system" for step in steps[: index + 1])


def _add_step(builder: TranscriptBuilder, value: Any, pointer: str) -> None:
    step = as_dict(value)
    role = as_text(step.get("source"))
    if not role:
        builder.add_malformed(value, Place(pointer=pointer))
        return
    place = Place(pointer=pointer, timestamp=as_text(step.get("timestamp")), id=as_text(step.get("step_id")))
    reasoning = as_text(step.get("reasoning_content"))
    parts = [reasoning_part(reasoning, "/reasoning_content")] if reasoning else []
    parts += content_parts(step.get("message"), "/message")
    calls = [_call(call, f"/tool_calls/{index}") for index, call in enumerate(as_list(step.get("tool_calls")))]
    kind = MessageKind.SUMMARY if _replaces_context(step) else MessageKind.MESSAGE
    builder.add(role, [*parts, *calls], place, kind=kind)
    if results := _results(step, calls):
        answers = all(part.type is not PartType.TEXT for part in results)
        builder.add("tool" if answers else "environment", results, place, origin=Origin.TOOL)


def _call(value: Any, pointer: str) -> Part:
    call = as_dict(value)
    if not call:
        return unknown_part(value, pointer)
    name, call_id = as_text(call.get("function_name")), as_text(call.get("tool_call_id"))
    return call_part(name, call.get("arguments"), call_id=call_id, pointer=pointer)


def _results(step: dict[str, Any], calls: Sequence[Part]) -> list[Part]:
    """The observation of a step. Results without a source belong to the calls in their order; with no call they are text."""
    results = as_list(as_dict(step.get("observation")).get("results"))
    found: list[Part] = []
    for index, value in enumerate(results):
        result = as_dict(value)
        pointer = f"/observation/results/{index}"
        content, reference = result.get("content"), result.get("subagent_trajectory_ref")
        call_id = as_text(result.get("source_call_id"))
        if content is None:
            content = json_text(reference if reference is not None else value)
        if not call_id and not calls:
            found += content_parts(content, f"{pointer}/content")
            continue
        if not call_id and len(results) == len(calls):
            call_id = calls[index].call_id
        found += result_parts(content, call_id=call_id, pointer=f"{pointer}/content")
    return found


@hookimpl
def barrier_readers() -> Iterable[Reader]:
    """The reader `atif`."""
    return [Reader(name="atif", title="ATIF trajectory", probe=probe, read=read)]
