"""Running the extractors over a transcript (design section 4): one at a time, isolated, in a fixed order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

import msgspec

from barrier_policy.facts.context import Context
from barrier_policy.facts.masking import Masker
from barrier_policy.facts.memo import FactMemo, Known
from barrier_policy.facts.model import Fact, FactKind, FactValue, Failure
from barrier_policy.facts.secret_places import outside_secrets
from barrier_policy.transcript.model import Message, MessageKind, Origin, Part, PartType, ToolDeclaration
from barrier_policy.transcript.pairing import Pairs, PartRef

MAX_FACTS_PER_MESSAGE = 20_000

PYTHON_TYPES = {"string": str, "int": int, "bool": bool, "list(string)": tuple}


class NamedExtractor(Protocol):
    """An extraction hook with the name and version of its plugin."""

    @property
    def name(self) -> str:
        """The plugin's name."""

    @property
    def version(self) -> str:
        """The plugin's version."""

    def __call__(self, message: Message, context: Context) -> Iterable[Fact]:
        """Facts of one message."""


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """All facts, by message, each message's in a fixed order and without secret values; the failures; and the masker.

    `kinds` are the kinds of facts of each message, also of those that are left out.
    """

    by_message: tuple[Sequence[Fact], ...]
    """Lists, because the interpreter keeps small tuples that are let go, and with them the memory of the facts around."""
    kinds: tuple[frozenset[str], ...]
    masker: Masker
    failures: tuple[Failure, ...] = ()

    def without(self, kind: str) -> Facts:
        """These facts without those of a kind, of which only `kinds` still tells."""
        by_message = tuple([fact for fact in found if fact.kind != kind] for found in self.by_message)
        return msgspec.structs.replace(self, by_message=by_message)


class FactExtraction:
    """Extracts message by message; the cost of a message does not depend on what came before it."""

    def __init__(
        self,
        extractors: Sequence[NamedExtractor],
        kinds: Mapping[str, FactKind],
        *,
        tools: Sequence[ToolDeclaration] = (),
        now: str,
        memo: FactMemo | None = None,
    ) -> None:
        ordered = sorted(extractors, key=lambda extractor: (extractor.name, extractor.version))
        self._extractors = [(f"{extractor.name}@{extractor.version}", extractor) for extractor in ordered]
        self._types = {kind.name: {a.name: PYTHON_TYPES[a.type] for a in kind.attributes} for kind in kinds.values()}
        self._tools = {tool.name: tool for tool in tools}
        self._memo = memo
        if memo is not None:
            memo.use_tools(self._tools)
        self._now = now
        self._previous: Message | None = None
        self._shared: dict[tuple[str | FactValue, ...], dict[str, FactValue]] = {}
        self._texts: dict[str, str] = {}
        self.failures: list[Failure] = []

    def add(self, message: Message, calls: Mapping[int, Part]) -> tuple[Fact, ...]:
        """Facts of the next message; `calls` maps its result parts to the calls that they answer."""
        context = Context(calls=calls, tools=self._tools, now=self._now, previous=self._previous)
        known = self._memo.find(message, context) if self._memo is not None else None
        if known is None:
            known = self._extracted(message, context)
            if self._memo is not None:
                self._memo.keep(known)
        self.failures.extend(known.failures)
        if message.kind is MessageKind.MESSAGE and message.origin is not Origin.TOOL:
            self._previous = message
        return known.facts

    def _extracted(self, message: Message, context: Context) -> Known:
        facts: list[Fact] = []
        failures: list[Failure] = []
        for name, extractor in self._extractors:
            try:
                if found := [*extractor(message, context)]:
                    facts += self._checked_all(found, message, name)
            except Exception as error:  # a plugin may raise anything; it must not stop the others
                problem = f"{type(error).__name__} while reading message {message.index}"
                failures.append(Failure(message=message.index, extractor=name, problem=problem))
        facts.sort(key=_order)
        return Known(
            message=message,
            calls=context.calls,
            previous=context.previous,
            now=context.now,
            facts=tuple(outside_secrets(facts, message)),
            failures=tuple(failures),
        )

    def _checked_all(self, found: Sequence[Fact], message: Message, extractor: str) -> list[Fact]:
        """The facts of one extractor, checked against their declared kinds."""
        if len(found) > MAX_FACTS_PER_MESSAGE:
            raise ValueError(f"{len(found)} facts for one message (at most {MAX_FACTS_PER_MESSAGE})")
        return [self._checked(fact, message, extractor) for fact in found]

    def _checked(self, fact: Fact, message: Message, extractor: str) -> Fact:
        if fact.message != message.index:
            raise ValueError(f"fact of message {fact.message} returned for message {message.index}")
        types = self._types[fact.kind]
        for attribute, value in fact.attributes.items():
            if type(value) is not types[attribute]:
                raise TypeError(f"attribute {attribute} of {fact.kind}")
        # facts by the ten thousand have equal attributes, and rest on the same words as others: keep these once
        attributes = self._shared.setdefault((*fact.attributes, *fact.attributes.values()), fact.attributes)
        text = self._texts.setdefault(fact.text, fact.text)
        return msgspec.structs.replace(fact, extractor=extractor, text=text, attributes=attributes)


def _order(fact: Fact) -> tuple[int, int, int, str, str, str]:
    return (fact.part, fact.start, fact.end, fact.kind, fact.text, fact.extractor)


def result_calls(message: Message, pairs_call_of: Mapping[PartRef, PartRef], messages: Sequence[Message]) -> dict[int, Part]:
    """For each result part of a message, the call part that it answers."""
    calls = {}
    for index, part in enumerate(message.parts):
        if part.type is PartType.TOOL_RESULT:
            ref = pairs_call_of.get(PartRef(message.index, index))
            if ref is not None:
                calls[index] = messages[ref.message].parts[ref.part]
    return calls


def extract(
    messages: Sequence[Message],
    pairs: Pairs,
    extractors: Sequence[NamedExtractor],
    kinds: Mapping[str, FactKind],
    *,
    tools: Sequence[ToolDeclaration] = (),
    now: str,
    memo: FactMemo | None = None,
) -> Facts:
    """Facts of all messages of a transcript; with `memo`, only those are extracted that it does not know."""
    extraction = FactExtraction(extractors, kinds, tools=tools, now=now, memo=memo)
    calls = (result_calls(message, pairs.call_of, messages) for message in messages)
    by_message = tuple([*extraction.add(message, answered)] for message, answered in zip(messages, calls, strict=True))
    masker = Masker(messages, by_message)
    if masker:
        by_message = tuple([masker.fact(fact) for fact in found] for found in by_message)
    return Facts(
        by_message=by_message,
        kinds=tuple(_kinds(by_message)),
        failures=tuple(sorted(extraction.failures)),
        masker=masker,
    )


def _kinds(by_message: Iterable[Iterable[Fact]]) -> Iterator[frozenset[str]]:
    """The kinds of each message's facts; equal sets are one."""
    shared: dict[frozenset[str], frozenset[str]] = {}
    for found in by_message:
        kinds = frozenset(fact.kind for fact in found)
        yield shared.setdefault(kinds, kinds)
