"""Nothing inside a secret is a fact: a line of a private key is no rule, no note and no value (design section 5, bindings)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

import msgspec

from barrier_policy.facts.model import Fact
from barrier_policy.transcript.model import Message


def outside_secrets(facts: Sequence[Fact], message: Message) -> list[Fact]:
    """The facts of a message without those that lie in the place of a secret; what others hold of a piece of one is masked.

    A fact that holds a whole secret stays as it is: the secret is masked in it by its value.
    """
    places = _places(facts)
    if not places:
        return list(facts)
    kept = (fact if fact.kind == "secret" else _outside(fact, places.get(fact.part, ()), message) for fact in facts)
    return [fact for fact in kept if fact is not None]


def _places(facts: Iterable[Fact]) -> dict[int, list[Fact]]:
    """The secrets of each part, by place; of those that begin in another one, the rest that reaches beyond is left to it."""
    places: dict[int, list[Fact]] = {}
    for fact in sorted((fact for fact in facts if fact.kind == "secret"), key=lambda fact: (fact.start, -fact.end)):
        found = places.setdefault(fact.part, [])
        if not found or fact.start >= found[-1].end:
            found.append(fact)
    return places


def _outside(fact: Fact, secrets: Sequence[Fact], message: Message) -> Fact | None:
    """A fact as it may be told beside these secrets; None where it lies in one."""
    for place in (fact.start, fact.end - 1):
        index = bisect_right(secrets, place, key=lambda secret: secret.start) - 1
        if index < 0 or fact.end <= fact.start or secrets[index].end <= place:
            continue
        secret = secrets[index]
        if secret.start <= fact.start and fact.end <= secret.end:
            return None
        fact = _without_piece(fact, secret, message)
    return fact


def _without_piece(fact: Fact, secret: Fact, message: Message) -> Fact:
    start, end = max(fact.start, secret.start), min(fact.end, secret.end)
    piece = message.parts[fact.part].text[start:end].strip()
    if not piece or end - start == secret.end - secret.start:
        return fact
    shown = f"[secret {secret.get('type', '')} {secret.get('digest', '')}]"
    return msgspec.structs.replace(fact, text=fact.text.replace(piece, shown))
