"""Constraints: rules in force, and the words of equal or higher origin that end them (design section 5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from sys import intern

from barrier_policy.facts.model import Fact
from barrier_policy.facts.words import content_words
from barrier_policy.ledger.conversation.answered import only_asked
from barrier_policy.ledger.conversation.told import may_bind, whole_message
from barrier_policy.ledger.conversation.turns import Conversation, Turn
from barrier_policy.ledger.model import Ending, Event, Family, Item, Restatement
from barrier_policy.ledger.rules.replaced import ANEW, says_anew, threshold
from barrier_policy.transcript.model import Origin

MAX_CANDIDATES = 50
SHARED_WORDS = 2
"""A release ends the rule with which it shares this many words of content."""


class Rules:
    """Rules in force so far, found again by their words. A release costs time in its own words, not in all rules."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self._live: dict[str, list[int]] = {}
        self._ended: set[int] = set()
        self._thresholds: dict[frozenset[str], list[tuple[int, str]]] = {}

    def replace(self, item: Item) -> Iterator[Item]:
        """End the rules of equal or lower origin that a new one says with another number. To be called before it is added."""
        said = threshold(rule_of(item))
        if said is None:
            return
        about, number = said
        for earlier, then in self._thresholds.pop(about, []):
            old = self.items[earlier]
            if (
                then != number
                and earlier not in self._ended
                and may_end(item.attributes["origin"], old.attributes["origin"])
            ):
                self._ended.add(earlier)
                yield old

    def say_anew(self, item: Item) -> Iterator[Item]:
        """End the rules of equal or lower origin all of which a new one says, as what holds from now on. To be called before it is added."""
        rule = rule_of(item)
        if ANEW.search(rule) is None:
            return
        for number in self._sharing(content_words(rule)):
            old = self.items[number]
            if (
                number not in self._ended
                and old.kind == item.kind
                and says_anew(rule, rule_of(old))
                and may_end(item.attributes["origin"], old.attributes["origin"])
            ):
                self._ended.add(number)
                yield old

    def add(self, item: Item) -> None:
        """Put a rule in force. It is found again by its own sentence, not by all that its item tells with it."""
        rule = rule_of(item)
        if (said := threshold(rule)) is not None:
            self._thresholds.setdefault(said[0], []).append((len(self.items), said[1]))
        for word in content_words(rule):
            self._live.setdefault(word, []).append(len(self.items))
        self.items.append(item)

    def end(self, words: frozenset[str], origin: Origin, *, permits: bool = False) -> Iterator[Item]:
        """End the rules of equal or lower origin that share enough words: the more the release says, the more it must share.

        A release that only `permits` ends prohibitions.
        """
        for number in self._sharing(words):
            item = self.items[number]
            if permits and item.kind != "must_not":
                continue
            if number not in self._ended and Origin(item.attributes["origin"]).rank >= origin.rank:
                self._ended.add(number)
                yield item

    def matching(self, words: frozenset[str]) -> Iterator[Item]:
        """The rules that share enough words, whether ended or not."""
        return (self.items[number] for number in self._sharing(words))

    def _sharing(self, words: frozenset[str]) -> list[int]:
        enough = max(SHARED_WORDS, -(-len(words) // 3))
        shared = Counter(number for word in words for number in self._live.get(word, ())[-MAX_CANDIDATES:])
        return sorted(number for number, count in shared.items() if count >= enough)


def rule_of(item: Item) -> str:
    """The sentence of a rule, where its item tells it with all of its message."""
    return item.attributes.get("rule") or item.text


def may_end(origin: str, of: str) -> bool:
    """Whether words of one origin may end what another has said."""
    return Origin(origin).rank <= Origin(of).rank


def find_constraints(
    conversation: Conversation, endings: Iterable[Ending], left: Iterable[Restatement]
) -> tuple[list[Item], list[Event]]:
    """Each rule sentence of a user or higher, and what became of it by later rules, by `endings`, and by rules that `left` before."""
    rules = Rules()
    events: list[Event] = []
    releases: dict[int, list[Ending]] = {}
    for ending in endings:
        if ending.kind == "release":
            releases.setdefault(ending.message, []).append(ending)
    restated: dict[int, list[Restatement]] = {}
    for rule in left:
        restated.setdefault(rule.message, []).append(rule)
    for message in conversation.messages:
        for release in releases.get(message.index, ()):
            ended = rules.end(content_words(release.text), Origin(release.origin), permits=release.permits)
            events += [Event(message.index, item.id, "revoked", f"released at message {message.index}") for item in ended]
        for anew in restated.get(message.index, ()):
            events += _replaced(rules, anew.rule, message.index, sure=anew.sure)
        if message.origin.rank > Origin.USER.rank:
            continue
        stated = conversation.of_kind(message.index, "constraint", "approval_gate")
        sure = {fact.text for fact in stated if not fact.get("proposed")}
        for item in _rules(conversation, message.index):
            events += _replaced(rules, item, message.index, sure=rule_of(item) in sure)
            rules.add(item)
            events.append(Event(message.index, item.id, "active", intern(f"set by {message.origin}")))
    return rules.items, events


def _replaced(rules: Rules, item: Item, message: int, *, sure: bool) -> Iterator[Event]:
    """The ends of the rules that a new one takes the place of; one that is not `sure` does so by its number alone."""
    for old in rules.replace(item):
        yield Event(message, old.id, "overridden", f"message {message} says it with another number")
    for old in rules.say_anew(item) if sure else ():
        yield Event(message, old.id, "overridden", f"message {message} says it anew")


def find_restatements(conversation: Conversation, rules: Iterable[Item]) -> list[Restatement]:
    """The rules that may take the place of others, in order."""
    found: list[Restatement] = []
    for item in rules:
        rule = rule_of(item)
        numbered, anew = threshold(rule) is not None, ANEW.search(rule) is not None
        if numbered or anew:
            stated = conversation.of_kind(item.message, "constraint", "approval_gate")
            sure = any(fact.text == rule and not fact.get("proposed") for fact in stated)
            found += [Restatement(message=item.message, rule=item, sure=sure)] if numbered or sure else []
    return found


def find_endings(conversation: Conversation) -> list[Ending]:
    """Each sentence of a user or higher that surely releases or corrects something, in order. Weak evidence never releases."""
    return [
        Ending(
            kind=fact.kind,
            message=message.index,
            origin=message.origin,
            text=fact.text,
            permits=bool(fact.get("permits")),
        )
        for message in conversation.messages
        if message.origin.rank <= Origin.USER.rank
        for fact in conversation.of_kind(message.index, "release", "correction")
        if not fact.get("proposed")
    ]


def _rules(conversation: Conversation, message: int) -> Iterator[Item]:
    """One item for each sentence that states a rule; a gate and a constraint on one sentence are one item.

    The only rule of a short message is told with all of it: `camera 3 on Saturday. Not before`.
    """
    turn = conversation.turn(message)
    stated, gates = _stated(conversation, turn, message)
    alone = len(stated) == 1 and message == turn.start and turn.has_user
    whole = whole_message(conversation, turn, stated) if alone else ""
    for number, fact in enumerate(stated):
        is_gate = (fact.part, fact.start) in gates
        force = _force("true" if is_gate else "", str(fact.get("strength", "hard")), conversation.messages[message].origin)
        yield Item(
            id=f"constraint:{message}.{fact.part}.{number}",
            family=Family.CONSTRAINT,
            kind="only_if" if is_gate else str(fact.get("polarity", "must")),
            message=message,
            part=fact.part,
            text=whole or fact.text,
            attributes=force | {"rule": fact.text} if whole and whole != fact.text else force,
        )


def _stated(conversation: Conversation, turn: Turn, message: int) -> tuple[list[Fact], set[tuple[int, int]]]:
    """The first fact of each sentence of a message that states a rule, and the places of those that are gates."""
    opens = message == turn.start
    asked = only_asked(conversation, turn) if opens else frozenset()
    mistaken = opens and turn.has_user and turn.is_read
    seen: dict[tuple[int, int], Fact] = {}
    gates: set[tuple[int, int]] = set()
    for fact in conversation.of_kind(message, "constraint", "approval_gate"):
        place, weak = (fact.part, fact.start), bool(fact.get("proposed"))
        if not may_bind(conversation, turn, fact) or (weak and place in asked):
            continue
        if weak and mistaken and fact.kind not in turn.kinds:
            continue  # a question or a remark that was taken for a rule
        if fact.kind == "approval_gate":
            gates.add(place)
        seen.setdefault(place, fact)
    return list(seen.values()), gates


@lru_cache(maxsize=256)
def _force(gate: str, strength: str, origin: str) -> dict[str, str]:
    """One dict for all rules that are alike in these; nobody writes to it."""
    return {"gate": gate, "strength": strength, "origin": origin}
