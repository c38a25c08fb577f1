"""What comes from strangers: long texts that make patterns backtrack, characters that break code, messages out of shape."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from barrier_policy.testing.builders import conversation, message, tool_call, tool_result
from barrier_policy.transcript.model import Message, MessageKind, Part, PartType

LONG = 1_000_000
"""Characters of a long text."""

UNITS = {
    "one letter": "a",
    "spaces": " ",
    "digits": "1234567890",
    "short lines": "ok\n",
    "opening brackets": "[",
    "opening objects": '{"a":',
    "quotes": "\"'`",
    "escapes": '\\"\\',
    "hyphens": "a-",
    "addresses": "a@b.c ",
    "assignments": "a=1 ",
    "capitals and numbers": "AB-12 ",
    "sentences": "Please do not cancel order 1 yet, it was paid. ",
    "code fences": "```\n",
    "tags": "<a><b ",
    "NUL": "\x00",
    "lone surrogates": "x\ud800",
    "right to left": "\u202eabc\u202c",
    "combining marks": "e\u0301\u0323",
    "wide characters": "ｗ\U0001f600",
}
SECRETS = ("ghp_9fK2mQ7xV4bT8nR3wL6yZ1cD5sH0jA2eG4uP", "Xk7!vale-44Qz9w", "sk-proj-8Hd72kQpLx93MvRt56YwZc14NbVf20Js")
"""Values of the forms that the shipped extractor of secrets knows; none of them is in use anywhere."""


def long_texts(texts: Iterable[str] = ()) -> Iterator[tuple[str, str]]:
    """Long texts with what they are: of hostile units, ten thousand lines, and the given texts over and over."""
    for name, unit in UNITS.items():
        yield name, (unit * (LONG // len(unit) + 1))[:LONG]
    yield "ten thousand lines", "\n".join(f"line {number}: nothing to see" for number in range(10_000))
    for text in texts:
        if text.strip():
            yield f"`{text[:30]}…` repeated", (f"{text}\n" * (LONG // (len(text) + 1) + 1))[:LONG]


def long_messages(text: str) -> Iterator[tuple[Message, ...]]:
    """A text as words, as the arguments of a call and as its result."""
    yield conversation(message(text), message(text, role="assistant"))
    call = Part(type=PartType.TOOL_CALL, name="run", call_id="c1", text=text, arguments={"command": text})
    yield conversation(message(call, role="assistant"), message(tool_result(text), role="tool"))


def deep(levels: int = 190) -> Any:
    """JSON data as deep as readers let in."""
    value: Any = "end"
    for level in range(levels):
        value = {"next": value} if level % 2 else [value]
    return value


def malformed_messages() -> tuple[Message, ...]:
    """A conversation of everything that a reader may hand on from a file that is no good."""
    odd: tuple[Any, ...] = (deep(), [], [1, None], {"": ""}, {"a": {"b": None}}, 7, True, 1e999, "text", None)
    calls = [Part(type=PartType.TOOL_CALL, name="run", call_id="same", text="{not json", arguments=value) for value in odd]
    unnamed = [Part(type=kind) for kind in PartType]
    odd_text = [Part(type=kind, text="\x00\ud800\u202e", name="\x00", call_id="\ud800") for kind in PartType]
    return conversation(
        message(),
        message(*unnamed),
        message(*unnamed, role="assistant"),
        message(*calls, role="assistant"),
        *(message(tool_result(text, id="same"), role="tool") for text in ("", "null", "[", '{"status": 3}', "[" * 500)),
        message(tool_result("an orphan", id="never called"), role="tool"),
        message(tool_call("", "", id=""), role="assistant"),
        message(tool_result("", id=""), role="tool", kind=MessageKind.NOTICE),
        message(*odd_text, role="\ud800"),
        message(*odd_text, role="assistant"),
        message("", " ", "\n", role="system"),
    )
