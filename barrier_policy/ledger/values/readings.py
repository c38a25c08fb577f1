"""Values that a later reading of the same thing superseded (design sections 2 and 5: superseded values must not come back as current).

The same thing is read again where a look-up with the same arguments gives another value under the same key, or where a call that changed
something names the new version of the same target. Only what is safe is judged: one value under the key each time; an id, path or address
never, for the next one need not stand for the last; a version only under a key that says so; and no value that anybody has used, a user said or
kept besides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from barrier_policy.digest import digest_text
from barrier_policy.facts.extract import Facts
from barrier_policy.facts.model import Fact
from barrier_policy.transcript.model import Message, Origin, PartType
from barrier_policy.transcript.pairing import Pairs, PartRef

MEASURED = frozenset({"amount", "quantity", "timestamp"})
"""Types whose values say how much or when: the newest holds."""
VERSIONED = frozenset(
    [
        "version",
        "etag",
        "revision",
        "rev",
        "generation",
        "resourceversion",
        "resource_version",
        "lock_version",
        "row_version",
        "checksum",
        "digest",
        "hash",
        "sha",
        "cursor",
        "next_cursor",
    ]
)
"""Keys whose value names the present state of a thing."""


class Superseded(msgspec.Struct, frozen=True, kw_only=True):
    """A newer value took the place of this one, at a message."""

    newer: str
    message: int


class Readings(msgspec.Struct, frozen=True, kw_only=True):
    """By value, what it is a reading of, and what superseded it."""

    subjects: Mapping[str, str]
    superseded: Mapping[str, Superseded]


def find_readings(messages: Sequence[Message], facts: Facts, pairs: Pairs) -> Readings:
    """The values of a transcript that are readings of something. Linear in its facts."""
    sources = _Sources(messages, facts, pairs)
    sightings: Counter[str] = Counter()
    as_reading: Counter[tuple[str, str]] = Counter()
    read: dict[str, dict[int, set[str]]] = {}
    for found in facts.by_message:
        for fact in found:
            if fact.kind != "value" or _is_relayed(messages[fact.message], fact):
                continue
            sightings[fact.text] += 1
            if subject := sources.subject(fact):
                as_reading[fact.text, subject] += 1
                read.setdefault(subject, {}).setdefault(fact.message, set()).add(fact.text)
    subjects = {value: subject for value, subject in as_reading if sightings[value] == as_reading[value, subject]}
    return Readings(subjects=subjects, superseded=dict(_superseded(read, subjects)))


def _is_relayed(message: Message, fact: Fact) -> bool:
    """Whether the agent only tells a value: who says what was read has not used it."""
    return message.origin is Origin.AGENT and message.parts[fact.part].type is PartType.TEXT


def _superseded(read: Mapping[str, Mapping[int, set[str]]], subjects: Mapping[str, str]) -> Iterator[tuple[str, Superseded]]:
    for subject, by_message in read.items():
        if any(len(values) > 1 for values in by_message.values()):
            continue
        readings = [(message, next(iter(values))) for message, values in sorted(by_message.items())]
        last, newest = readings[-1]
        for value in dict.fromkeys(value for _, value in readings):
            if value != newest and subjects.get(value) == subject:
                yield value, Superseded(newer=newest, message=last)


class _Sources:
    """What a result was asked for, by its call: tool and arguments of a look-up, tool and target of what changed something."""

    def __init__(self, messages: Sequence[Message], facts: Facts, pairs: Pairs) -> None:
        self._messages, self._pairs = messages, pairs
        calls = (fact for found in facts.by_message for fact in found if fact.kind == "tool_call")
        self._calls = {PartRef(fact.message, fact.part): fact for fact in calls}

    def subject(self, fact: Fact) -> str:
        """The name of what a value is a reading of; "" for a value that is none."""
        leaf = str(fact.get("leaf", ""))
        part = self._messages[fact.message].parts[fact.part]
        call = (
            self._pairs.call_of.get(PartRef(fact.message, fact.part)) if leaf and part.type is PartType.TOOL_RESULT else None
        )
        told = self._calls.get(call) if call is not None else None
        if call is None or told is None:
            return ""
        versioned = leaf.rpartition(".")[2].casefold() in VERSIONED
        asked = self._messages[call.message].parts[call.part]
        if told.get("effect_class") == "read_only":
            source = asked.text if versioned or fact.get("type") in MEASURED else ""
        else:
            source = str(next(iter(told.get("targets", ())), "")) if versioned else ""
        kind = str(fact.get("type", ""))
        return f"{leaf} {digest_text(f'{asked.name} {source} {kind}')[7:19]}" if source else ""
