"""The surroundings that later commands run in: the last known directory, branch, mode, profile … (design section 5, binding type environment).

They stand in no sentence, each command depends on them, and the turn that set one may be the only place that says so. Of each name only
the newest setting is an item; it is owed to whoever still works: calls in the tail, or something live. What the tail states itself needs
no record. A branch belongs to its directory: once the work goes on in another one, nobody knows the branch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from barrier_policy.facts.model import Fact
from barrier_policy.ledger.conversation.turns import Conversation
from barrier_policy.ledger.model import TERMINAL, UNSETTLED, Event, Family, Item
from barrier_policy.transcript.model import PartType

PLACE = frozenset({"cwd", "worktree"})
BRANCH = "branch"
MAX_SETTINGS = 8
"""The newest so many names, so that a script of exports is no flood."""
FAILED = frozenset({"failed", "rejected", "unknown"})


def find_environment(
    conversation: Conversation, items: Iterable[Item], states: Mapping[str, str]
) -> tuple[list[Item], list[Event]]:
    """The last known settings, each open where something still depends on it, else closed; and superseded ones are none."""
    newest = _newest(conversation)
    chosen = sorted(newest[-MAX_SETTINGS:], key=lambda fact: (fact.message, fact.part, fact.start, fact.text))
    needed = "open" if _is_needed(conversation, items, states) else "closed"
    found = [_item(conversation, number, fact) for number, fact in enumerate(chosen)]
    return found, [Event(item.message, item.id, needed, "the last known setting") for item in found]


def _newest(conversation: Conversation) -> list[Fact]:
    """Of each name the newest setting that lasts, in the order in which they were set."""
    newest: dict[str, Fact] = {}
    place = ""
    for fact in _settings(conversation):
        name = str(fact.get("name", ""))
        if name in PLACE and fact.text != place:
            if place:
                newest.pop(BRANCH, None)
            place = fact.text
        if fact.get("lasting"):
            newest.pop(name, None)
            newest[name] = fact
    return list(newest.values())


def _settings(conversation: Conversation) -> Iterator[Fact]:
    """What was set, in the order of the transcript. A command that failed has set nothing, and what a user says is recorded as said."""
    failed = _failed_calls(conversation)
    for message in conversation.messages:
        for fact in conversation.of_kind(message.index, "environment"):
            if fact.get("source") != "prose" and (fact.message, fact.part) not in failed:
                yield fact


def _failed_calls(conversation: Conversation) -> set[tuple[int, int]]:
    return {
        (call.ref.message, call.ref.part)
        for turn in conversation.turns
        for call in turn.calls
        if call.results and (last := call.results[-1].fact) is not None and str(last.get("state", "")) in FAILED
    }


def _is_needed(conversation: Conversation, items: Iterable[Item], states: Mapping[str, str]) -> bool:
    """Whether commands go on: the tail has calls, or something is owed or unsettled."""
    tail = conversation.messages[conversation.present :]
    if any(part.type is PartType.TOOL_CALL for message in tail for part in message.parts):
        return True
    return any(
        states[item.id] in UNSETTLED if item.family is Family.EFFECT else states[item.id] not in TERMINAL
        for item in items
        if item.family in (Family.EFFECT, Family.OBLIGATION)
    )


def _item(conversation: Conversation, number: int, fact: Fact) -> Item:
    name = str(fact.get("name", ""))
    return Item(
        id=f"binding:{fact.message}.{fact.part}.e{number}",
        family=Family.BINDING,
        kind="environment",
        message=fact.message,
        part=fact.part,
        text=f"{name}: {fact.text}",
        attributes={
            "name": name,
            "consumers": "1",
            "held": "true" if _is_stated(conversation, name, fact.text) else "",
            "value": fact.text,
        },
    )


def _is_stated(conversation: Conversation, name: str, value: str) -> bool:
    """Whether the tail says it itself: in the record of a message, as an argument, or in an answer."""
    tail: Sequence[int] = range(conversation.present, len(conversation.messages))
    if any(conversation.messages[index].environment.get(name) == value for index in tail):
        return True
    stated = (fact for index in tail for fact in conversation.of_kind(index, "environment"))
    return any(fact.get("name") == name and fact.text == value for fact in stated)
