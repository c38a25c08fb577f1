"""What a call is about, which words name one thing, and which later call did what a call failed to do."""

from __future__ import annotations

from collections.abc import Collection

from barrier_policy.audit.items import Known
from barrier_policy.audit.matter import matter
from barrier_policy.audit.needs import arguments_of
from barrier_policy.transcript.model import Part

MAX_TEXT = 4_000
"""Characters of a message or call that are read."""
LONG_ID = 5
"""Characters of a word with a digit that names one thing."""


def words_of_call(part: Part, answer: str) -> frozenset[str]:
    """The words of a call and its answer."""
    return matter(f"{part.name} {part.text[:MAX_TEXT]}") | matter(answer)


def words_asked(part: Part, answer: str) -> frozenset[str]:
    """The same without the words of what the call only writes down, which its answer may repeat."""
    asked, written = arguments_of(part)
    return matter(" ".join((part.name, *asked))) | (matter(answer) - matter(" ".join(written)))


def is_id(word: str) -> bool:
    """Whether a word alone says which thing is meant."""
    return len(word) >= LONG_ID and any(map(str.isdigit, word))


def retried(effects: Collection[Known]) -> frozenset[str]:
    """The names of effects that the same call, made again later, has done: a summary tells its end. Without a target it may have any."""
    done = {(_operation(effect), _target(effect)): effect.item.message for effect in effects if effect.state == "confirmed"}
    last = {operation: message for (operation, _), message in sorted(done.items(), key=lambda entry: entry[1])}
    found = []
    for effect in effects:
        operation, target = _operation(effect), _target(effect)
        again = max(done.get((operation, same), -1) for same in (target, "")) if target else last.get(operation, -1)
        if again > effect.item.message:
            found.append(effect.item.id)
    return frozenset(found)


def _operation(effect: Known) -> str:
    return effect.item.attributes.get("operation", "")


def _target(effect: Known) -> str:
    return effect.item.attributes.get("target", "")
