"""Reader for the standardized form of the Agent Data Protocol: a list of observations and actions without ids."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.builder import TranscriptBuilder
from barrier_policy.transcript.elements import Element, Place, find_elements, sample
from barrier_policy.transcript.model import Part, Transcript
from barrier_policy.transcript.parts import call_part, content_parts, result_parts
from barrier_policy.transcript.reader import Reader
from barrier_policy.transcript.source import Source
from barrier_policy.transcript.values import as_text, json_text

CLASSES = frozenset({"text_observation", "web_observation", "code_action", "api_action", "message_action"})
CODE_TOOLS = {"bash": "bash", "sh": "bash", "shell": "bash"}
ENDINGS = frozenset({"finish"})


def probe(source: Source) -> int:
    """85 for items with a class of the protocol."""
    return 85 if any(as_text(item.get("class_")) in CLASSES for item in sample(source, "content")) else 0


def read(source: Source) -> Transcript:
    """One message for each item; an observation of the environment answers the action before it."""
    builder = TranscriptBuilder(source, "adp")
    acting = found = False
    for element in find_elements(source, "content"):
        found = True
        acting = _add(builder, element, acting)
    if not found:
        source.refuse("no Agent Data Protocol items (expected an object with `content`)")
    return builder.build()


def _add(builder: TranscriptBuilder, element: Element, acting: bool) -> bool:
    """Add an item; true where an action now waits for its observation."""
    item = element.value if isinstance(element.value, dict) else {}
    kind = as_text(item.get("class_"))
    place = element.place()
    if kind not in CLASSES:
        builder.add_malformed(element.value, place)
        return acting
    if kind.endswith("_observation"):
        return _observe(builder, item, acting, place)
    parts = content_parts(as_text(item.get("description")), "/description")
    if kind == "message_action":
        builder.add("agent", [*parts, *content_parts(item.get("content"), "/content")], place)
        return acting
    if kind == "api_action" and as_text(item.get("function")) in ENDINGS:
        # nothing ever answers the end of a turn
        builder.add("agent", parts or content_parts(json_text(item.get("kwargs")), "/kwargs"), place)
        return acting
    builder.add("agent", [*parts, _call(item, kind)], place)
    return True


def _call(item: dict[str, Any], kind: str) -> Part:
    if kind == "api_action":
        return call_part(as_text(item.get("function")), item.get("kwargs"), pointer="/kwargs")
    language, code = as_text(item.get("language")), as_text(item.get("content"))
    name = CODE_TOOLS.get(language, language or "code")
    return call_part(name, {"command" if name == "bash" else "code": code}, pointer="/content")


def _observe(builder: TranscriptBuilder, item: dict[str, Any], acting: bool, place: Place) -> bool:
    role = as_text(item.get("source")) or "environment"
    content = item.get("content")
    if item["class_"] == "web_observation":
        content = json_text({key: value for key, value in item.items() if key != "class_" and value is not None})
    if acting and role != "user":
        builder.add(role, result_parts(content, pointer="/content"), place)
    else:
        builder.add(role, content_parts(content, "/content"), place)
    return acting and role == "user"


@hookimpl
def barrier_readers() -> Iterable[Reader]:
    """The reader `adp`."""
    return [Reader(name="adp", title="Agent Data Protocol items", probe=probe, read=read)]
