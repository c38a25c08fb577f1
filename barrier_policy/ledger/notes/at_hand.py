"""What the work at hand is made of or points back to: short answers of look-ups, and of the agent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from barrier_policy.facts.words import content_words
from barrier_policy.ledger.conversation.answered import answers_question
from barrier_policy.ledger.conversation.told import STATES, is_instruction
from barrier_policy.ledger.conversation.turns import Call, Conversation, user_text, words_of
from barrier_policy.ledger.dialogue.cues import REPEATS
from barrier_policy.ledger.effects.receipt import compact_arguments
from barrier_policy.ledger.model import Item
from barrier_policy.ledger.notes.note import MAX_RESULT, SHARED_WORDS, new_note, spoken
from barrier_policy.transcript.model import Origin

MAX_FINDING = 300
MAX_JSON_FINDING = 110
MAX_LAST = 400
POINTED_AT = 5
"""Turns that looked something up, back from the present."""
MAX_PROGRESS = 1_000
MAX_ASKED = 400
MAX_TOLD_AGAIN = 160
MAX_SAID = 2
VOUCHED = re.compile(r'"(?:sender_?)?(?:verified|authenticated)"\s*:\s*true\b', re.IGNORECASE)


def findings(conversation: Conversation, live: Set[int]) -> Iterator[Item]:
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
                    yield new_note("row", place.message, place.part, 0, text, "finding", turn.start)


def pointed_at(conversation: Conversation) -> Iterator[Item]:
    """Short answers of the last turns that looked something up (`those`, `it`), and the calls that `again` may mean.

    Left out is what answered a question and gives no exact value. In a report `again` tells what the user did.
    """
    at_hand = max((turn.start for turn in conversation.turns if turn.has_user), default=0)
    asked = " ".join(
        text
        for message in conversation.messages[conversation.present :]
        if message.origin is Origin.USER
        for text in spoken(message)
    )
    looked = [
        turn for turn in conversation.turns if turn.end <= conversation.present and any(map(_is_answered_read, turn.calls))
    ]
    for turn in looked[-POINTED_AT:] if asked else ():
        answers = answers_question(conversation, turn)
        for call in filter(_is_answered_read, turn.calls):
            place = call.results[-1].ref
            text = call.results[-1].part.text.strip()
            over = answers and "value" not in conversation.facts.kinds[place.message]
            if not over and 0 < len(text) <= (MAX_FINDING if text[0] in "{[" else MAX_LAST):
                yield new_note("row", place.message, place.part, 900, text, "last", at_hand)
    newest = " ".join(
        text for message in conversation.messages[at_hand:] if message.origin is Origin.USER for text in spoken(message)
    )
    if REPEATS.search(newest) and not conversation.is_report(conversation.turn(at_hand)):
        wanted = content_words(newest)
        for turn in looked:
            for call in filter(_is_answered_read, turn.calls):
                recipe = f"{call.part.name} {compact_arguments(call.part.arguments, call.part.text)}"
                asked_for = content_words(user_text(conversation, turn))
                if turn is looked[-1] or wanted & content_words(recipe) or len(wanted & asked_for) >= SHARED_WORDS:
                    yield new_note("row", call.ref.message, call.ref.part, 901, recipe, "recipe", at_hand)


def answered_before(conversation: Conversation) -> Iterator[Item]:
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
            yield new_note("row", place, 0, 903, text, "said", at_hand)


def vouched_for(conversation: Conversation) -> Iterator[Item]:
    """Short answers that say that their sender was verified: the word of an owner by a tool (design section 5, authority)."""
    at_hand = max((turn.start for turn in conversation.turns if turn.has_user), default=0)
    for turn in conversation.turns:
        for call in turn.calls:
            for result in call.results if call.reads else ():
                text = result.part.text
                if len(text) <= MAX_RESULT and result.ref.message < conversation.present and VOUCHED.search(text):
                    yield new_note("row", result.ref.message, result.ref.part, 904, text.strip(), "verified", at_hand)


def progress(conversation: Conversation, look_ups: Sequence[Call]) -> Iterator[Item]:
    """How far an open effect had come when it was last looked at."""
    at_hand = max((turn.start for turn in conversation.turns if turn.has_user), default=0)
    for call in look_ups:
        place = call.results[-1].ref
        text = call.results[-1].part.text.strip()
        if place.message < conversation.present and text:
            yield new_note("row", place.message, place.part, 902, text[:MAX_PROGRESS], "progress", at_hand)


def _is_answered_read(call: Call) -> bool:
    return call.reads and bool(call.results)
