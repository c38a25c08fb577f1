"""Exact values of a message: fact kind `value`, and `unscanned` for what a very long part left out (design section 5).

One fact for each distinct value of a part. Secrets are no values here; the plugin `secrets` names them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Final

from barrier_policy.facts.context import Context
from barrier_policy.facts.model import Attribute, Fact, FactKind
from barrier_policy.facts.secrets import Secret, find_secrets
from barrier_policy.facts.values import Value, scan_values
from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.model import Message, MessageKind, Part, PartType

MAX_PART: Final = 65_536
"""Characters of a part that are searched: half of them at its head, half at its tail."""
MAX_VALUES: Final = 8_000
"""Facts of one message; no listing that anybody works with has more."""
LISTING: Final = 4_000
"""A longer result that is no JSON is read as the content of a file or a log."""

ROLES: Final = {
    PartType.TEXT: "prose",
    PartType.REASONING: "prose",
    PartType.TOOL_CALL: "argument",
    PartType.TOOL_RESULT: "result",
}
TYPES: Final = (
    "idempotency_key", "resource_id", "path", "url", "version_pin", "hash", "sequence", "column_set", "amount", "quantity",
    "timestamp", "literal", "symbol",
)  # fmt: skip


@hookimpl
def barrier_fact_kinds() -> Iterable[FactKind]:
    """`value` and `unscanned`."""
    return (
        FactKind(
            name="value",
            doc="An exact value; `text` is the value itself, with the escapes of JSON undone.",
            attributes=(
                Attribute(name="type", type="string", doc="what kind of value", values=TYPES),
                Attribute(name="name", type="string", doc="the key, option or word that names it, empty where none does"),
                Attribute(name="role", type="string", doc="where it stands", values=("argument", "result", "prose")),
                Attribute(name="leaf", type="string", doc="the last two keys of its path in a JSON payload, else empty"),
            ),
        ),
        FactKind(
            name="unscanned",
            doc="A stretch of a very long part, or the rest of a part with very many values, that was not searched for values.",
            attributes=(Attribute(name="characters", type="int", doc="its length"),),
        ),
    )


@hookimpl
def barrier_extract_facts(message: Message, context: Context) -> Iterable[Fact]:
    """Values of all parts of a message, and what was left out."""
    if message.kind in (MessageKind.SUMMARY, MessageKind.CARRIER):
        return ()
    return _bounded(message)


def _bounded(message: Message) -> Iterator[Fact]:
    left = MAX_VALUES
    for index, part in enumerate(message.parts):
        role = ROLES.get(part.type)
        if role is None or not part.text:
            continue
        for fact in _part_facts(message.index, index, part, role):
            if left <= 0:
                yield _unscanned(message.index, index, fact.start, len(part.text))
                return
            left -= 1
            yield fact


def _part_facts(message: int, index: int, part: Part, role: str) -> Iterator[Fact]:
    """One fact for each distinct value; attributes are shared, for most values of a part have the same ones."""
    seen: set[tuple[str, str]] = set()
    shared: dict[tuple[str, str, str], dict[str, str]] = {}
    secrets = find_secrets(part.text)
    listing = part.type is PartType.TOOL_RESULT and len(part.text) > LISTING
    for offset, text in _stretches(part.text):
        for value in _named_first(scan_values(text, listing=listing)):
            if (value.type, value.text) not in seen and not _touches(secrets, offset + value.start, offset + value.end):
                seen.add((value.type, value.text))
                key = (value.type, value.name, value.leaf)
                attributes = shared.get(key)
                if attributes is None:
                    attributes = shared[key] = {"type": value.type, "name": value.name, "role": role, "leaf": value.leaf}
                yield Fact(
                    kind="value",
                    message=message,
                    part=index,
                    start=offset + value.start,
                    end=offset + value.end,
                    text=value.text,
                    attributes=attributes,  # type: ignore[arg-type]  # dict is invariant, and nobody writes to it
                )
    if len(part.text) > MAX_PART:
        yield _unscanned(message, index, MAX_PART // 2, len(part.text) - MAX_PART // 2)


def _stretches(text: str) -> Iterator[tuple[int, str]]:
    """The searched stretches with their places, cut where a word ends."""
    if len(text) <= MAX_PART:
        yield 0, text
        return
    half = MAX_PART // 2
    yield 0, text[:half].rsplit(None, 1)[0] if text[:half].strip() else ""
    tail = text[-half:]
    body = tail[len(tail.split(None, 1)[0]) :] if tail.strip() else ""
    yield len(text) - len(body), body


def _named_first(values: Iterable[Value]) -> list[Value]:
    """Of equal values the one with a name comes first."""
    return sorted(values, key=_has_no_name)


def _has_no_name(value: Value) -> bool:
    return not value.name


def _touches(secrets: tuple[Secret, ...], start: int, end: int) -> bool:
    """Whether a place shares a character with a secret."""
    if not secrets:
        return False
    after = bisect_right(secrets, start, key=_end)
    return after < len(secrets) and secrets[after].start < end


def _end(secret: Secret) -> int:
    return secret.end


def _unscanned(message: int, part: int, start: int, end: int) -> Fact:
    return Fact(kind="unscanned", message=message, part=part, start=start, end=end, attributes={"characters": end - start})
