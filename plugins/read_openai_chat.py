"""Reader and writer for OpenAI Chat Completions messages: a list, an object with `messages`, or a message a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from barrier_policy_plugins.text_calls import as_result, is_answer, split_call

from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.builder import TranscriptBuilder
from barrier_policy.transcript.chat import add_chat_message, chat_parts, looks_like_chat
from barrier_policy.transcript.copying import Layout, copying_writer, lists_under, user_message
from barrier_policy.transcript.elements import Element, Place, find_elements, sample
from barrier_policy.transcript.model import Origin, PartType, Transcript
from barrier_policy.transcript.parts import text_part
from barrier_policy.transcript.reader import Reader
from barrier_policy.transcript.source import Source
from barrier_policy.transcript.values import as_dict, as_list, as_text
from barrier_policy.transcript.writer import Writer

KEYS = ("messages", "history")
SURE = frozenset({"tool", "function", "developer"})


def probe(source: Source) -> int:
    """40 for messages with chat roles, 50 where roles or calls are OpenAI's own, 1 for an empty list."""
    if source.document == []:
        return 1
    messages = [message for message in sample(source, *KEYS) if looks_like_chat(message)]
    if not messages:
        return 0
    own = any(m["role"] in SURE or m.get("tool_calls") or m.get("function_call") for m in messages)
    return 50 if own else 40


def read(source: Source) -> Transcript:
    """One message for each element, with the same index: a malformed one is an unknown part."""
    builder = TranscriptBuilder(source, "openai_chat")
    document = as_dict(source.document)
    builder.declare_tools(document.get("tools"))
    builder.declare_tools(document.get("functions"))
    if system := as_text(document.get("system_prompt")):
        builder.add("system", [text_part(system)], Place(pointer="/system_prompt"))
    found = acting = False
    for element, following in _with_following(find_elements(source, *KEYS)):
        found = True
        acting = _add(builder, element, following, acting=acting)
    if not found and source.document != [] and not any(key in document for key in KEYS):
        source.refuse("not a list of chat messages (expected a list, or an object with `messages`)")
    _add_response(builder, document)
    return builder.build()


def _with_following(elements: Iterable[Element]) -> Iterator[tuple[Element, Element | None]]:
    before = None
    for element in elements:
        if before is not None:
            yield before, element
        before = element
    if before is not None:
        yield before, None


def _add(builder: TranscriptBuilder, element: Element, following: Element | None, *, acting: bool) -> bool:
    """Add one message. Whether it ends in a call that was written out as text; `acting`: the one before does."""
    message = as_dict(element.value)
    if message.get("role") == "assistant" and following is not None and is_answer(as_dict(following.value)):
        parts = split_call(chat_parts(message))
        builder.add("assistant", parts, _place(element, message))
        return bool(parts) and parts[-1].type is PartType.TOOL_CALL and not parts[-1].call_id
    if acting and is_answer(message):
        builder.add("user", as_result(chat_parts(message)), _place(element, message), origin=Origin.TOOL)
    else:
        add_chat_message(builder, element)
    return False


def _place(element: Element, message: dict[str, Any]) -> Place:
    return element.place(timestamp=message.get("timestamp"), id=message.get("id"))


def _add_response(builder: TranscriptBuilder, document: dict[str, object]) -> None:
    """A request log has the model's answer beside the messages that it answers."""
    choices = as_list(as_dict(document.get("response")).get("choices"))
    message = as_dict(as_dict(choices[0]).get("message")) if choices else {}
    if looks_like_chat(message):
        builder.add(message["role"], chat_parts(message), Place(pointer="/response/choices/0/message"))


@hookimpl
def barrier_readers() -> Iterable[Reader]:
    """The reader `openai_chat`."""
    return [Reader(name="openai_chat", title="OpenAI Chat Completions messages", probe=probe, read=read)]


@hookimpl
def barrier_writers() -> Iterable[Writer]:
    """The writer `openai_chat`: what is kept is copied element by element, all other fields as they stand."""
    layout = Layout(
        lists=lists_under(*KEYS),
        insert=user_message,
        front=("/system_prompt",),
        contents=(),
    )
    return [copying_writer("openai_chat", read, layout)]
