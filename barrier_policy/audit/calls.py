"""What a call is about, and which later call did what it failed to do."""

from __future__ import annotations

from collections.abc import Collection

from barrier_policy.audit.items import Known
from barrier_policy.audit.matter import matter
from barrier_policy.audit.needs import arguments_of
from barrier_policy.transcript.model import Part

MAX_TEXT = 4_000
"""Characters of a message or call that are read."""


def words_of_call(part: Part, answer: str) -> frozenset[str]:
    """The words of a call and its answer."""
    return matter(f"{part.name} {part.text[:MAX_TEXT]}") | matter(answer)


def words_asked(part: Part, answer: str) -> frozenset[str]:
    """The same without the words of what the call only writes down, which its answer may repeat."""
    asked, written = arguments_of(part)
    return matter(" ".join((part.name, *asked))) | (matter(answer) - matter(" ".join(written)))


def retried(effects: Collection[Known]) -> frozenset[str]:
    """The names of effects that the same call, made again later, has done: a summary tells its end."""
    done: dict[tuple[str, str], int] = {}
    for effect in effects:
        if effect.state == "confirmed":
            done[_same(effect)] = effect.item.message
    return frozenset(e.item.id for e in effects if done.get(_same(e), -1) > e.item.message)


def _same(effect: Known) -> tuple[str, str]:
    """What makes one call a second attempt at another."""
    return effect.item.attributes.get("operation", ""), effect.item.attributes.get("target", "")
