"""Reader and writer for OpenAI Chat Completions messages: a list, an object with `messages`, or a message a line."""

from __future__ import annotations

from collections.abc import Iterable

from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.builder import TranscriptBuilder
from barrier_policy.transcript.chat import add_chat_message, chat_parts, looks_like_chat
from barrier_policy.transcript.copying import Layout, copying_writer, lists_under, user_message
from barrier_policy.transcript.elements import Place, find_elements, sample
from barrier_policy.transcript.model import Transcript
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
    found = False
    for element in find_elements(source, *KEYS):
        found = True
        add_chat_message(builder, element)
    if not found and source.document != [] and not any(key in document for key in KEYS):
        source.refuse("not a list of chat messages (expected a list, or an object with `messages`)")
    _add_response(builder, document)
    return builder.build()


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
