"""What the agent reports and nobody else says."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import pairwise

from barrier_policy.facts.prose import prose_sentences
from barrier_policy.facts.words import AnyCase
from barrier_policy.ledger.conversation.answered import told_look_ups
from barrier_policy.ledger.conversation.told import STATES, is_instruction
from barrier_policy.ledger.conversation.turns import Conversation, says_only, speaks, user_text, words_of
from barrier_policy.ledger.currency.corrections import OWN_ERROR
from barrier_policy.ledger.dialogue.cues import asks_where, only_acknowledges
from barrier_policy.ledger.model import TERMINAL, UNSETTLED, Family, Item
from barrier_policy.ledger.notes.note import new_note, once_a_sentence, spoken
from barrier_policy.transcript.model import PartType

QUESTION = re.compile(r"[?？؟]\W*$")
"""What asks reports nothing, unless it states something; while it has no answer it is an obligation."""
REPORTS = ("report", "negation_evidence", "correction", "binding", "status_pending", "status_failed", "plan_item")
MAX_REPORTS = 4
MAX_REPORT = 320
"""Longer texts are compositions from results, which are kept where they stand."""
_AGREES = AnyCase(
    r"\b(?:you(?:'|’)?re (?:quite |absolutely )?right|you are (?:quite |absolutely )?right|du hast recht|sie haben recht|da hast du recht|vous avez raison|tu as raison|tienes razón|tiene razón"
    r"|hai ragione|ha ragione|tens razão|tem razão|você tem razão|je hebt gelijk|u hebt gelijk|du har rätt|du har ret|du har rett|olet oikeassa|masz rację|ma pan rację|ma pani rację"
    r"|máš pravdu|máte pravdu|ты прав\w*|вы правы|ви маєте рацію|igazad van|haklısın\w*|ai dreptate|έχεις δίκιο|έχετε δίκιο)\b|你说得对|您说得对|おっしゃる通り|맞습니다|أنت محق"
)
"""Words by which somebody says that the other one is right."""
MAX_ABOUT_SECRET = 160
MAX_ASKED = 400


def reports(conversation: Conversation, acted: Set[int], unfinished: Set[int]) -> Iterator[Item]:
    """Sentences of the agent that give values or states, in turns that did something or were told something.

    What it only looked up on the way to something done can be looked up again.
    """
    for turn in conversation.turns:
        if turn.replies or (turn.index not in acted and not is_instruction(turn)):
            continue
        on_the_way = frozenset() if turn.index in unfinished else told_look_ups(conversation, turn)
        for message in range(turn.start, min(turn.end, conversation.present)):
            if sum(len(text) for text in spoken(conversation.messages[message])) > MAX_REPORT:
                continue
            if message in on_the_way:
                continue
            sure = [
                fact
                for fact in conversation.of_kind(message, *REPORTS)
                if not fact.get("proposed") and (STATES.search(fact.text) or not QUESTION.search(fact.text))
            ]
            for number, fact in enumerate(once_a_sentence(sure)[:MAX_REPORTS]):
                yield new_note("note", message, fact.part, 100 + number, fact.text, fact.kind)
            if sure:
                yield from _owned(conversation, message, {fact.text for fact in sure})


def _owned(conversation: Conversation, message: int, told: Set[str]) -> Iterator[Item]:
    """The sentences beside what is told in which the agent owns up to an error: `you're right, that was September`."""
    for part, found in enumerate(conversation.messages[message].parts):
        if found.type is PartType.TEXT and _owns(found.text):
            owned = (sentence.text for sentence in prose_sentences(found.text) if _owns(sentence.text))
            for number, text in enumerate(text for text in owned if text not in told and STATES.search(text)):
                yield new_note("note", message, part, 150 + number, text, "correction")


def _owns(text: str) -> bool:
    return OWN_ERROR.search(text) is not None or _AGREES.search(text) is not None


def unfinished_turns(
    conversation: Conversation, items: Sequence[Item], states: Mapping[str, str], live: Set[int]
) -> frozenset[int]:
    """Turns with an effect that is still open, and those with a live request that have only looked things up so far."""
    is_open = (item for item in items if item.family is Family.EFFECT and states[item.id] in UNSETTLED)
    looking = (turn for turn in conversation.turns if turn.start in live and all(call.reads for call in turn.calls))
    return frozenset((*(conversation.turn_of[item.message] for item in is_open), *(turn.index for turn in looking)))


def beside_open_calls(conversation: Conversation, items: Sequence[Item], states: Mapping[str, str]) -> Iterator[Item]:
    """What the agent says right before a call that is still open, and first after it: what the call is for, or for whom it waits."""
    places = sorted({item.message for item in items if item.kind == "open_call" and states[item.id] not in TERMINAL})
    if not places:
        return
    spoken = [index for index, message in enumerate(conversation.messages[: conversation.present]) if speaks(message)]
    for place in dict.fromkeys(said for call in places for said in _beside(conversation, call, spoken)):
        text = words_of(conversation.messages[place]).strip()
        if 0 < len(text) <= MAX_REPORT and not only_acknowledges(text):
            yield new_note("note", place, 0, 190, text, "report")


def _beside(conversation: Conversation, call: int, spoken: Sequence[int]) -> Iterator[int]:
    """The message before a call, and the next of those `spoken` by the agent in its turn, where it does nothing in them but speak."""
    turn = conversation.turn(call)
    after = spoken[number] if (number := bisect_right(spoken, call)) < len(spoken) and spoken[number] < turn.end else -1
    for place in (call - 1, after):
        if place > turn.start and says_only(conversation.messages[place]):
            yield place


def places_of_secrets(conversation: Conversation) -> Iterator[Item]:
    """Where the agent says that a secret is, asked right after it turned up: its name and place are what may be kept of it."""
    for turn, following in pairwise(conversation.turns):
        told = any("secret" in conversation.facts.kinds[message] for message in range(turn.start, turn.end))
        if not told or not following.has_user or not 0 <= following.final < conversation.present:
            continue
        text = words_of(conversation.messages[following.final]).strip()
        if 0 < len(text) <= MAX_ABOUT_SECRET and asks_where(user_text(conversation, following)[:MAX_ASKED]):
            yield new_note("note", following.final, 0, 960, text, "place")
