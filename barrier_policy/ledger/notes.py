"""Sentences and result lines that stand in one place only and that something still open depends on.

What the user states (values, corrections, consent not yet used) and what a look-up returned for a live consumer: the tail, a live
request, an unsettled effect, a promise. Lines and consumers are joined by rare words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import pairwise
from sys import intern

from barrier_policy.facts.model import Fact
from barrier_policy.facts.words import content_words
from barrier_policy.ledger.answered import is_answered, is_plain, told_look_ups
from barrier_policy.ledger.conversation import Call, Conversation, Turn, words_of
from barrier_policy.ledger.cues import REPEATS, asks, asks_where, limits, may_ask
from barrier_policy.ledger.exchanges import find_exchanges
from barrier_policy.ledger.model import TERMINAL, UNSETTLED, Event, Family, Item
from barrier_policy.ledger.owed import closing_words, user_text
from barrier_policy.ledger.receipt import compact_arguments
from barrier_policy.ledger.told import is_instruction, joined
from barrier_policy.transcript.model import Message, Origin, PartType
from barrier_policy.transcript.pairing import PartRef

SHARED_WORDS = 2
RARE = 3
"""A word is rare if it stands in at most this many messages."""
MAX_LINES = 40
MAX_LINE = 240
MAX_RESULT = 900
MAX_FINDING = 300
MAX_JSON_FINDING = 110
MAX_ROWS = 4
MIN_TOLD = 4
STATES = re.compile(r"[:：]\s|\d|(?<=[\w,] )[^\W\d_a-z][a-zà-ÿа-яё]{2,}")
"""What has a colon, a number or a name states something; the rest is talk."""
MAX_NOTED = 60
VOUCHED = re.compile(r'"(?:sender_?)?(?:verified|authenticated)"\s*:\s*true\b', re.IGNORECASE)


def find_notes(
    conversation: Conversation, items: Sequence[Item], states: Mapping[str, str], look_ups: Sequence[Call]
) -> tuple[list[Item], list[Event]]:
    """Notes and rows, each open; none where nobody has said anything. `look_ups` are the last ones of effects that are still open."""
    if not conversation.messages:
        return [], []
    live = {item.message for item in items if item.kind == "request" and states[item.id] not in TERMINAL}
    acted = {conversation.turn_of[item.message] for item in items if item.family is Family.EFFECT}
    found = [
        *_statements(conversation, live),
        *_told(conversation),
        *(_note("note", place, 0, 980, text, "answer") for place, text in find_exchanges(conversation)),
        *_shown(conversation),
        *_reports(conversation, acted, _unfinished(conversation, items, states, live)),
        *_findings(conversation, live),
        *_pointed_at(conversation),
        *_answered_before(conversation),
        *_vouched_for(conversation),
        *_about_secrets(conversation),
        *_progress(conversation, look_ups),
        *_rows(conversation, items, states),
    ]
    return found, [Event(item.message, item.id, "open", "later work may need it") for item in found]


def _note(kind: str, message: int, part: int, number: int, text: str, name: str = "", serves: int = -1) -> Item:
    """A note, or a row that `serves` the message that consumes it."""
    return Item(
        id=f"{kind}:{message}.{part}.{number}",
        family=Family.BINDING,
        kind=kind,
        message=message,
        part=part,
        text=text,
        attributes=_attributes(name, str(serves) if serves >= 0 else ""),
    )


@lru_cache(maxsize=256)
def _attributes(name: str, serves: str) -> dict[str, str]:
    """One dict for all notes that are alike in these; nobody writes to it."""
    return {"name": name, "consumers": "1", "held": "", "serves": serves}


# what users state ---------------------------------------------------------------------------------------------------

STATEMENTS = ("instruction", "release", "correction", "request", "denial")


def _statements(conversation: Conversation, live: Set[int]) -> Iterator[Item]:
    """Sentences of users that later turns may depend on.

    Left out: open requests, which are obligations as a whole; rules, which are constraints; the sentences of an answer to the agent's question, whose values count; and a task in
    one sentence that has been done, unless it is the newest.
    """
    working = [
        turn
        for turn in conversation.turns
        if turn.start < conversation.present and (is_instruction(turn) or _said(conversation, turn))
    ]
    for turn in working:
        if turn.start in live:
            continue
        facts = _once_a_sentence(conversation.of_kind(turn.start, *STATEMENTS))
        settled = is_answered(conversation, turn) or (_consumed(turn) and turn is not working[-1])
        done = len(facts) == 1 and settled and (is_plain(facts[0].text) or asks(facts[0].text))
        if turn.replies or done:
            facts = [fact for fact in facts if fact.kind in ("release", "correction") or _is_limited(fact.text)]
        rules = {
            (fact.part, fact.start)
            for fact in conversation.of_kind(turn.start, "constraint", "approval_gate")
            if not (turn.replies and fact.get("proposed"))  # then it is no rule, and what limits the answer is told here
        }
        if len(facts) > MAX_TOLD:
            facts = sorted(facts, key=lambda fact: -int(fact.get("confidence", 100)))[:MAX_TOLD]
        plain = [fact for fact in facts if (fact.part, fact.start) not in rules]
        for number, fact in enumerate(joined(conversation, plain)):
            yield _note("note", turn.start, fact.part, number, fact.text, fact.kind)


def _told(conversation: Conversation) -> Iterator[Item]:
    """What a user said that was understood as nothing, asks nothing, and that the agent took note of in a few words: `sorry, the other way round: …`."""
    for turn in conversation.turns:
        if not turn.has_user or turn.kinds - {"value"} or turn.calls or turn.start >= conversation.present:
            continue
        text = user_text(conversation, turn).strip()
        reply = closing_words(conversation, turn)
        if (
            len(text.split()) >= MIN_TOLD
            and len(text) <= MAX_LINE
            and STATES.search(text)
            and not may_ask(text)
            and 0 < len(reply) <= MAX_NOTED
        ):
            yield _note("note", turn.start, 0, 970, text, "told")


def _said(conversation: Conversation, turn: Turn) -> bool:
    """Whether the user surely asked for something, or may have stopped it, in words that did not look like an instruction."""
    asked = any(not fact.get("proposed") for fact in conversation.of_kind(turn.start, "request"))
    return asked or "denial" in turn.kinds


def _is_limited(answer: str) -> bool:
    """More than the bare answer: `yes, but the other one only if …`."""
    return len(answer) <= MAX_ANSWER and limits(answer)


def _shown(conversation: Conversation) -> Iterator[Item]:
    """Where the pictures and files are that users have shown and that may be looked at again."""
    for turn in conversation.turns:
        if turn.shows and turn.start < conversation.present:
            for number, part in enumerate(conversation.messages[turn.start].parts):
                if part.type is PartType.BLOB and part.text.startswith(("http://", "https://", "file:", "/")):
                    yield _note("note", turn.start, number, 950, part.text, "shown")


def _once_a_sentence(facts: Sequence[Fact]) -> list[Fact]:
    return list({(fact.part, fact.start): fact for fact in reversed(facts)}.values())[::-1]


def _consumed(turn: Turn) -> bool:
    return any(call.results and not call.reads for call in turn.calls)


# what the agent reports and nobody else says ------------------------------------------------------------------------


def _unfinished(
    conversation: Conversation, items: Sequence[Item], states: Mapping[str, str], live: Set[int]
) -> frozenset[int]:
    """Turns with an effect that is still open, and those with a live request that have only looked things up so far."""
    is_open = (item for item in items if item.family is Family.EFFECT and states[item.id] in UNSETTLED)
    looking = (turn for turn in conversation.turns if turn.start in live and all(call.reads for call in turn.calls))
    return frozenset((*(conversation.turn_of[item.message] for item in is_open), *(turn.index for turn in looking)))


def _reports(conversation: Conversation, acted: Set[int], unfinished: Set[int]) -> Iterator[Item]:
    """Sentences of the agent that give values or states, in turns that did something or were told something.

    What it only looked up on the way to something done can be looked up again.
    """
    for turn in conversation.turns:
        if turn.replies or (turn.index not in acted and not is_instruction(turn)):
            continue
        on_the_way = frozenset() if turn.index in unfinished else told_look_ups(conversation, turn)
        for message in range(turn.start, min(turn.end, conversation.present)):
            if sum(len(text) for text in _spoken(conversation.messages[message])) > MAX_REPORT:
                continue
            if message in on_the_way:
                continue
            sure = [
                fact
                for fact in conversation.of_kind(message, *REPORTS)
                if not fact.get("proposed") and (STATES.search(fact.text) or not QUESTION.search(fact.text))
            ]
            for number, fact in enumerate(_once_a_sentence(sure)[:MAX_REPORTS]):
                yield _note("note", message, fact.part, 100 + number, fact.text, fact.kind)


MAX_LAST = 400
POINTED_AT = 5
"""Turns that looked something up, back from the present."""
MAX_PROGRESS = 1_000
MAX_ASKED = 400
MAX_TOLD_AGAIN = 160
MAX_SAID = 2
MAX_ABOUT_SECRET = 160

QUESTION = re.compile(r"[?？؟]\W*$")
"""What asks reports nothing, unless it states something; while it has no answer it is an obligation."""
REPORTS = ("report", "negation_evidence", "correction", "binding", "status_pending", "status_failed", "plan_item")
MAX_REPORTS = 4
MAX_ANSWER = 120
MAX_TOLD = 12
"""Of a longer message, the surest sentences; its original is archived."""
MAX_REPORT = 320
"""Longer texts are compositions from results, which are kept where they stand."""


# findings of a live request ------------------------------------------------------------------------------------------


def _findings(conversation: Conversation, live: Set[int]) -> Iterator[Item]:
    """Short answers that the steps of an unfinished request found: its own answer will be made of them."""
    newest = max((turn.start for turn in conversation.turns if turn.calls and is_instruction(turn)), default=-1)
    for turn in conversation.turns:
        if turn.start not in live and turn.start != newest:
            continue
        for call in turn.calls:
            if call.reads and call.results and call.results[-1].ref.message < conversation.present:
                text = call.results[-1].part.text.strip()
                if 0 < len(text) <= (MAX_JSON_FINDING if text[0] in "{[" else MAX_FINDING):
                    place = call.results[-1].ref
                    yield _note("row", place.message, place.part, 0, text, "finding", turn.start)


# what the turn at hand points back to -------------------------------------------------------------------------------


def _pointed_at(conversation: Conversation) -> Iterator[Item]:
    """Short answers of the last turns that looked something up (`those`, `it`), and the calls that `again` may mean."""
    at_hand = max((turn.start for turn in conversation.turns if turn.has_user), default=0)
    asked = " ".join(
        text
        for message in conversation.messages[conversation.present :]
        if message.origin is Origin.USER
        for text in _spoken(message)
    )
    looked = [
        turn for turn in conversation.turns if turn.end <= conversation.present and any(map(_is_answered_read, turn.calls))
    ]
    for turn in looked[-POINTED_AT:] if asked else ():
        for call in filter(_is_answered_read, turn.calls):
            place = call.results[-1].ref
            text = call.results[-1].part.text.strip()
            if 0 < len(text) <= (MAX_FINDING if text[0] in "{[" else MAX_LAST):
                yield _note("row", place.message, place.part, 900, text, "last", at_hand)
    newest = " ".join(
        text for message in conversation.messages[at_hand:] if message.origin is Origin.USER for text in _spoken(message)
    )
    if REPEATS.search(newest):
        wanted = content_words(newest)
        for turn in looked:
            for call in filter(_is_answered_read, turn.calls):
                recipe = f"{call.part.name} {compact_arguments(call.part.arguments, call.part.text)}"
                asked_for = content_words(user_text(conversation, turn))
                if turn is looked[-1] or wanted & content_words(recipe) or len(wanted & asked_for) >= SHARED_WORDS:
                    yield _note("row", call.ref.message, call.ref.part, 901, recipe, "recipe", at_hand)


def _answered_before(conversation: Conversation) -> Iterator[Item]:
    """The short answers that the agent gave from what it knew and that the question at hand asks for again, those closest to it."""
    at_hand = max((turn.start for turn in conversation.turns if turn.has_user), default=0)
    if not conversation.present <= at_hand < len(conversation.messages):
        return
    if "question" not in conversation.turn(at_hand).kinds:
        return
    asked = content_words(words_of(conversation.messages[at_hand])[:MAX_ASKED])
    talked = [
        turn for turn in conversation.turns if turn.has_user and not turn.calls and 0 <= turn.final < conversation.present
    ]
    told = [(turn.final, words_of(conversation.messages[turn.final]).strip()) for turn in talked[-POINTED_AT:]]
    near = [(len(asked & content_words(text)), place, text) for place, text in told if len(text) <= MAX_TOLD_AGAIN]
    for shared, place, text in sorted(near, reverse=True)[:MAX_SAID]:
        if shared and STATES.search(text):
            yield _note("row", place, 0, 903, text, "said", at_hand)


def _vouched_for(conversation: Conversation) -> Iterator[Item]:
    """Short answers that say that their sender was verified: the word of an owner by a tool (design section 5, authority)."""
    at_hand = max((turn.start for turn in conversation.turns if turn.has_user), default=0)
    for turn in conversation.turns:
        for call in turn.calls:
            for result in call.results if call.reads else ():
                text = result.part.text
                if len(text) <= MAX_RESULT and result.ref.message < conversation.present and VOUCHED.search(text):
                    yield _note("row", result.ref.message, result.ref.part, 904, text.strip(), "verified", at_hand)


def _about_secrets(conversation: Conversation) -> Iterator[Item]:
    """Where the agent says that a secret is, asked right after it turned up: its name and place are what may be kept of it."""
    for turn, following in pairwise(conversation.turns):
        told = any("secret" in conversation.facts.kinds[message] for message in range(turn.start, turn.end))
        if not told or not following.has_user or not 0 <= following.final < conversation.present:
            continue
        text = words_of(conversation.messages[following.final]).strip()
        if 0 < len(text) <= MAX_ABOUT_SECRET and asks_where(user_text(conversation, following)[:MAX_ASKED]):
            yield _note("note", following.final, 0, 960, text, "place")


def _progress(conversation: Conversation, look_ups: Sequence[Call]) -> Iterator[Item]:
    """How far an open effect had come when it was last looked at."""
    at_hand = max((turn.start for turn in conversation.turns if turn.has_user), default=0)
    for call in look_ups:
        place = call.results[-1].ref
        text = call.results[-1].part.text.strip()
        if place.message < conversation.present and text:
            yield _note("row", place.message, place.part, 902, text[:MAX_PROGRESS], "progress", at_hand)


def _is_answered_read(call: Call) -> bool:
    return call.reads and bool(call.results)


# lines of results ---------------------------------------------------------------------------------------------------


def _rows(conversation: Conversation, items: Sequence[Item], states: Mapping[str, str]) -> Iterator[Item]:
    wanted = _wanted(conversation, items, states)
    if not wanted:
        return
    at_hand = max((turn.start for turn in conversation.turns if turn.has_user), default=0)
    lines: list[tuple[Call, int, str, tuple[str, ...]]] = []
    frequency: Counter[str] = Counter()
    for call, number, line in _lines(conversation):
        words = tuple(map(intern, content_words(line) & wanted))
        frequency.update(words)
        if len(words) >= SHARED_WORDS:
            lines.append((call, number, line, words))
    taken: Counter[PartRef] = Counter()
    for call, number, line, words in lines:
        if taken[call.ref] < MAX_ROWS and sum(frequency[word] <= RARE for word in words) >= SHARED_WORDS:
            taken[call.ref] += 1
            place = call.results[-1].ref
            yield _note("row", place.message, place.part, 1 + number, line, "", at_hand)


def _wanted(conversation: Conversation, items: Sequence[Item], states: Mapping[str, str]) -> frozenset[str]:
    """Words of whatever still has to be done: the tail, live requests and promises, unsettled effects."""
    texts = [
        text
        for message in conversation.messages[conversation.present :]
        if message.origin in (Origin.USER, Origin.AGENT)
        for text in _spoken(message)
    ]
    for item in items:
        state = states.get(item.id, "")
        live = state in UNSETTLED if item.family is Family.EFFECT else state not in TERMINAL
        if live and item.family in (Family.EFFECT, Family.OBLIGATION):
            texts.append(item.text)
    return frozenset().union(*(content_words(text) for text in texts)) if texts else frozenset()


def _spoken(message: Message) -> Iterator[str]:
    return (part.text for part in message.parts if part.type in (PartType.TEXT, PartType.TOOL_CALL))


def _lines(conversation: Conversation) -> Iterator[tuple[Call, int, str]]:
    """Lines of the short answers of look-ups; what is JSON is indexed by its values instead."""
    for turn in conversation.turns:
        for call in turn.calls:
            if not call.reads or not call.results or call.results[-1].ref.message >= conversation.present:
                continue
            text = call.results[-1].part.text
            if len(text) > MAX_RESULT or text.lstrip()[:1] in ("{", "["):
                continue
            for number, line in enumerate(text.splitlines()[:MAX_LINES]):
                if line.strip():
                    yield call, number, line.strip()[:MAX_LINE]


__all__ = ["find_notes"]
