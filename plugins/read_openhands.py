"""Readers for OpenHands: the events of V0 and the SDK's events (V1), both as the agent sees them after condensation."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.builder import TranscriptBuilder
from barrier_policy.transcript.chat import chat_parts
from barrier_policy.transcript.elements import Element, Place, find_elements, sample
from barrier_policy.transcript.model import MessageKind, Part, Transcript
from barrier_policy.transcript.parts import call_part, content_parts, reasoning_part, result_parts, text_part
from barrier_policy.transcript.reader import Reader
from barrier_policy.transcript.source import Source
from barrier_policy.transcript.values import as_dict, as_list, as_text, first_text

KEYS = ("trajectory", "history", "events")
MAX_ID = 2**63
NOISE = frozenset(
    {"initialize", "change_agent_state", "agent_state_changed", "null", "start", "recall", "condensation_request"}
)
SAID = frozenset({"message", "system"})
NOT_ASKED = frozenset(
    {"thought", "is_confirmed", "confirmation_state", "kernel_init_code", "hidden", "blocking", "security_risk"}
)
SPOKEN_KINDS = frozenset({"MessageEvent", "SystemPromptEvent"})
ACTED_KINDS = frozenset({"ActionEvent"})
ANSWERED_KINDS = frozenset({"ObservationEvent", "AgentErrorEvent", "UserRejectObservation"})
VISIBLE_KINDS = SPOKEN_KINDS | ACTED_KINDS | ANSWERED_KINDS


class Condensation(msgspec.Struct, frozen=True, kw_only=True):
    """What a condensation forgets, and the summary that stands at an offset of what is left."""

    forgotten: tuple[str, ...]
    span: tuple[int, int] | None
    summary: str
    offset: int | None
    element: Element
    pointer: str


def _condensed(
    elements: Iterable[Element],
    condensation: Callable[[dict[str, Any]], str | None],
    visible: Callable[[dict[str, Any]], bool],
    builder: TranscriptBuilder,
) -> list[Element | Condensation]:
    """The events that are left after all condensations, with the last summary at its offset."""
    left: list[Element] = []
    found: list[Condensation] = []
    for element in elements:
        event = as_dict(element.value)
        key = condensation(event)
        if key is not None:
            found.append(_condensation(as_dict(event.get(key)) if key else event, key, element))
        elif visible(event):
            left.append(element)
        else:
            builder.skip(first_text(event, "kind", "action", "observation") or "no type")
    ids = frozenset(event_id for one in found for event_id in one.forgotten)
    spans = _merged_spans(one.span for one in found if one.span)
    view: list[Element | Condensation] = [element for element in left if not _forgotten(element, ids, spans)]
    builder.skip("forgotten by condensation", len(left) - len(view))
    if found and found[-1].summary:
        offset = found[-1].offset
        view.insert(len(view) if offset is None else min(max(offset, 0), len(view)), found[-1])
    return view


def _event_id(element: Element) -> str:
    return as_text(as_dict(element.value).get("id"))


def _merged_spans(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans of event ids, sorted and without overlaps."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return merged


def _forgotten(element: Element, ids: frozenset[str], spans: Sequence[tuple[int, int]]) -> bool:
    number = as_dict(element.value).get("id")
    if _event_id(element) in ids or not isinstance(number, int):
        return _event_id(element) in ids
    place = bisect_right(spans, (number, MAX_ID)) - 1
    return place >= 0 and spans[place][0] <= number <= spans[place][1]


def _condensation(fields: dict[str, Any], key: str, element: Element) -> Condensation:
    first, last = fields.get("forgotten_events_start_id"), fields.get("forgotten_events_end_id")
    offset = fields.get("summary_offset")
    return Condensation(
        forgotten=tuple(as_text(event_id) for event_id in as_list(fields.get("forgotten_event_ids"))),
        span=(first, last) if isinstance(first, int) and isinstance(last, int) and first <= last else None,
        summary=as_text(fields.get("summary")),
        offset=offset if isinstance(offset, int) else None,
        element=element,
        pointer=f"/{key}/summary" if key else "/summary",
    )


def _add_summary(builder: TranscriptBuilder, condensation: Condensation) -> None:
    parts = [text_part(condensation.summary, condensation.pointer)]
    builder.add("user", parts, condensation.element.place(), kind=MessageKind.SUMMARY)


def probe_events(source: Source) -> int:
    """80 for events with a source and an action or an observation."""
    events = sample(source, *KEYS)
    return (
        80
        if any("source" in e and (isinstance(e.get("action"), str) or isinstance(e.get("observation"), str)) for e in events)
        else 0
    )


def read_events(source: Source) -> Transcript:
    """One message for each event; state changes are left out, observations answer the action before them or their `cause`."""
    builder = TranscriptBuilder(source, "openhands")
    elements = list(find_elements(source, *KEYS))
    if not probe_events(source):
        source.refuse("no OpenHands events (expected a list, or an object with `trajectory`)")
    acting = False
    for item in _condensed(elements, _v0_condensation, _v0_visible, builder):
        if isinstance(item, Condensation):
            _add_summary(builder, item)
        else:
            acting = _add_event(builder, item, acting)
    return builder.build()


def _v0_condensation(event: dict[str, Any]) -> str | None:
    """The key of a condensation's fields."""
    if event.get("action") != "condensation":
        return None
    return "args" if event.get("args") else "extras"


def _v0_visible(event: dict[str, Any]) -> bool:
    kind = event.get("action") or event.get("observation")
    return isinstance(kind, str) and kind not in NOISE


def _add_event(builder: TranscriptBuilder, element: Element, acting: bool) -> bool:
    """Add an event; true where an action now waits for its observation."""
    event = element.value
    spoken = as_text(event.get("source"))
    place = element.place(timestamp=event.get("timestamp"), id=event.get("id"))
    action = as_text(event.get("action"))
    if not action:
        return _add_observation(builder, event, acting, place)
    fields = as_dict(event.get("args")) or as_dict(event.get("extras"))
    if action in SAID:
        text = as_text(fields.get("content")) or as_text(event.get("content")) or as_text(event.get("message"))
        builder.declare_tools(fields.get("tools"))
        builder.add("system" if action == "system" else spoken, [text_part(text, "/content")] if text else [], place)
        return acting
    metadata = as_dict(event.get("tool_call_metadata"))
    key = "args" if event.get("args") else "extras"
    parts = _thoughts(fields, f"/{key}/thought")
    if action == "finish" or (action in ("think", "reject") and not metadata):
        # these end the turn or only say something: nothing ever answers them
        closing = first_text(fields, "final_thought") or as_text(event.get("message"))
        builder.add(spoken, parts or content_parts(closing, "/message"), place)
        return acting
    asked = {key: value for key, value in fields.items() if key not in NOT_ASKED and value not in (None, "")}
    call_id = as_text(metadata.get("tool_call_id")) or (_event_id(element) if key == "args" else "")
    name = as_text(metadata.get("function_name")) or action
    builder.add(spoken, [*parts, call_part(name, asked, call_id=call_id, pointer=f"/{key}")], place)
    return True


def _thoughts(fields: dict[str, Any], pointer: str) -> list[Part]:
    thought = fields.get("thought")
    return [text_part(thought, pointer)] if isinstance(thought, str) and thought.strip() else []


def _add_observation(builder: TranscriptBuilder, event: dict[str, Any], acting: bool, place: Place) -> bool:
    """A result, or the environment's text where no action waits."""
    content = as_text(event.get("content"))
    cause = as_text(as_dict(event.get("tool_call_metadata")).get("tool_call_id")) or as_text(event.get("cause"))
    extras = as_dict(event.get("extras"))
    code = extras.get("exit_code", as_dict(extras.get("metadata")).get("exit_code"))
    failed = True if event.get("observation") == "error" else code != 0 if isinstance(code, int) and code >= 0 else None
    if acting or cause:
        builder.add("tool", result_parts(content, call_id=cause, is_error=failed, pointer="/content"), place)
    else:
        builder.add("environment", [text_part(content, "/content")] if content else [], place)
    return False


def probe_sdk(source: Source) -> int:
    """80 for events of the SDK's kinds."""
    kinds = {as_text(event.get("kind")) for event in sample(source, *KEYS)}
    return 80 if kinds & (VISIBLE_KINDS | {"ConversationStateUpdateEvent", "Condensation"}) else 0


def read_sdk(source: Source) -> Transcript:
    """One message for each event that is converted for the model."""
    builder = TranscriptBuilder(source, "openhands_sdk")
    elements = list(find_elements(source, *KEYS))
    if not any("kind" in as_dict(element.value) for element in elements):
        source.refuse("no OpenHands SDK events (expected one event a line)")
    for item in _condensed(elements, _sdk_condensation, lambda event: as_text(event.get("kind")) in VISIBLE_KINDS, builder):
        if isinstance(item, Condensation):
            _add_summary(builder, item)
            continue
        event = item.value
        for role, parts in _sdk_messages(builder, event):
            builder.add(role, parts, item.place(timestamp=event.get("timestamp"), id=event.get("id")))
    return builder.build()


def _sdk_condensation(event: dict[str, Any]) -> str | None:
    return "" if event.get("kind") == "Condensation" else None


def _sdk_messages(builder: TranscriptBuilder, event: dict[str, Any]) -> Iterator[tuple[str, Sequence[Part]]]:
    kind = event["kind"]
    if kind == "SystemPromptEvent":
        builder.declare_tools(event.get("tools"))
        yield "system", content_parts(event.get("system_prompt"), "/system_prompt")
    elif kind == "MessageEvent":
        message = as_dict(event.get("llm_message"))
        yield as_text(message.get("role")) or as_text(event.get("source")), chat_parts(message, "/llm_message")
    elif kind in ACTED_KINDS:
        yield "assistant", _sdk_action(event)
    else:
        yield "tool", _sdk_result(event)


def _sdk_action(event: dict[str, Any]) -> list[Part]:
    reasoning = as_text(event.get("reasoning_content"))
    parts = [reasoning_part(reasoning, "/reasoning_content")] if reasoning else []
    parts += content_parts(event.get("thought"), "/thought")
    call = as_dict(event.get("tool_call"))
    arguments = call.get("arguments", as_dict(call.get("function")).get("arguments"))
    parts.append(
        call_part(
            first_text(event, "tool_name") or first_text(call, "name"),
            event.get("action") if arguments is None else arguments,
            call_id=first_text(event, "tool_call_id") or first_text(call, "id"),
            pointer="/tool_call",
        )
    )
    return parts


def _sdk_result(event: dict[str, Any]) -> list[Part]:
    observation = as_dict(event.get("observation"))
    key = next((key for key in ("error", "rejection_reason") if event.get(key)), "")
    content = event.get(key) if key else observation.get("content", observation.get("output", event.get("observation")))
    failed = True if key else observation.get("is_error")
    return result_parts(
        content,
        call_id=first_text(event, "tool_call_id"),
        name=first_text(event, "tool_name"),
        is_error=failed if isinstance(failed, bool) else None,
        pointer=f"/{key}" if key else "/observation/content",
    )


@hookimpl
def barrier_readers() -> Iterable[Reader]:
    """The readers `openhands` and `openhands_sdk`."""
    return [
        Reader(name="openhands", title="OpenHands V0 events", probe=probe_events, read=read_events),
        Reader(name="openhands_sdk", title="OpenHands SDK events", probe=probe_sdk, read=read_sdk),
    ]
