"""Questions that the agent has sent to somebody by mail or chat, until somebody comes back to them (design section 5)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from barrier_policy.facts.words import content_words
from barrier_policy.ledger.conversation.tool_names import name_parts
from barrier_policy.ledger.conversation.turns import MAX_REPLY, Call, Conversation, Turn, closing_words, user_text
from barrier_policy.ledger.dialogue.cues import asks, find_awaited
from barrier_policy.ledger.effects.receipt import leaves
from barrier_policy.ledger.model import Event
from barrier_policy.ledger.obligations.owed import Found, new_obligation
from barrier_policy.ledger.obligations.spoken import Spoken
from barrier_policy.transcript.model import Origin

MAX_LEAVES = 20
MAX_NOTICE = 200
"""Characters of a result that only says that a message has gone out; a longer one may hold the answer."""
ENOUGH = 2
_WRITING = (
    "chat mail email mails sms message messages msg messaging messenger dm slack teams whatsapp telegram signal wechat discord mattermost "
    "imessage matrix zulip line inbox posta correo courriel nachricht mensaje mensagem messaggio bericht wiadomosc poczta"
)
MESSENGERS = frozenset(_WRITING.split())
"""Parts of the names of tools by which people write to each other."""

_ASKING = "ask consult frag frage fragen demande demander pregunta preguntar chiedi chiedere pergunta perguntar vraag vragen zapytaj kiku"
ASKING = frozenset(_ASKING.split())
"""Parts of the names of tools by which somebody is asked."""

_OPEN = re.compile(r"\b(?:open|offen|ouverte?|abiert[ao]|apert[ao]|abert[ao]|otwart[ea]|открыт\w{0,2})\W*$", re.IGNORECASE)
"""The last word of an answer that is still to come."""
_QUESTION = re.compile(r"[?？؟](?=[\s\"'»”’)]|$)")


def asked_by_message(conversation: Conversation) -> Iterator[Found]:
    """Each question that was sent and, where a later turn comes back to it, its end. Linear in the words of the turns."""
    spoken = Spoken()
    asked = {turn.index: found for turn in conversation.turns if (found := _sent(turn)) and turn.end <= conversation.present}
    first = min(asked, default=len(conversation.turns))
    for turn in reversed(conversation.turns[first:]):
        for call in asked.get(turn.index, ()):
            item = new_obligation(
                "handoff",
                call.ref.message,
                _question(call),
                number=800,
                part=call.ref.part,
                rebindable=False,
                debtor=Origin.TOOL,
                creditor=Origin.AGENT,
            )
            events = [Event(call.ref.message, item.id, "detached", "asked in a message that the agent sent")]
            later = _answer(conversation, turn, call, spoken)
            if later is not None:
                events.append(Event(later, item.id, "satisfied", "somebody came back to it"))
            yield item, events
        spoken.add(turn.index, _heard(conversation, turn))


def _sent(turn: Turn) -> list[Call]:
    """The calls of a turn that sent a question, and whose results say no more than that it has gone out."""
    sent = (call for call in turn.calls if (_has_left(call) and not call.reads and _writes(call)) or _awaits(call))
    return [call for call in sent if _question(call)]


def _writes(call: Call) -> bool:
    """Whether a tool writes to people, by its name."""
    return not MESSENGERS.isdisjoint(name_parts(call.part.name))


def _awaits(call: Call) -> bool:
    """Whether a tool that asks somebody, by its name, says that the answer is still to come."""
    if not call.results or ASKING.isdisjoint(name_parts(call.part.name)):
        return False
    last = call.results[-1]
    told = last.fact is not None and last.fact.get("reports") in ("pending", "unknown")
    return told or (len(last.part.text) <= MAX_NOTICE and _OPEN.search(last.part.text) is not None)


def _question(call: Call) -> str:
    """The text that was sent, where it asks something; "" where it does not."""
    texts = islice(leaves(call.part.arguments), MAX_LEAVES)
    return next((text for text in texts if _QUESTION.search(text, 0, MAX_REPLY)), "")


def _has_left(call: Call) -> bool:
    """Whether the message went out and nothing has come back yet."""
    if not call.results:
        return False
    last = call.results[-1]
    state = str(last.fact.get("state", "")) if last.fact is not None else ""
    return len(last.part.text) <= MAX_NOTICE and state in ("done", "pending", "empty")


def _answer(conversation: Conversation, turn: Turn, call: Call, spoken: Spoken) -> int | None:
    """The message from which on a question counts as answered: the rest of its own turn, or a later one that speaks of the same."""
    words = content_words("\n".join(islice(leaves(call.part.arguments), MAX_LEAVES)))
    after = [other for other in turn.calls if other.ref.message > call.ref.message]
    if len(words & content_words(_told(after))) >= ENOUGH:
        return turn.end - 1
    later = spoken.first(words, frozenset(), enough=ENOUGH)
    return None if later is None else conversation.turns[later].start


def _heard(conversation: Conversation, turn: Turn) -> frozenset[str]:
    """What is told in a turn: by the user unless that is a question, by results, and by the agent unless it still waits.

    What the user says at present may ask again as well as answer, and what the agent makes of it is not known.
    """
    said = closing_words(conversation, turn)
    if turn.awaits is not None or find_awaited(said) is not None:
        return frozenset()
    user = user_text(conversation, turn)[:MAX_REPLY] if turn.has_user and turn.start < conversation.present else ""
    return content_words("\n".join(("" if asks(user) else user, _told(turn.calls), said)))


def _told(calls: tuple[Call, ...] | list[Call]) -> str:
    return "\n".join(result.part.text[:MAX_REPLY] for call in calls for result in call.results if _tells(result.part.text))


def _tells(text: str) -> bool:
    """Whether a result says more than that nobody has answered."""
    return find_awaited(text[:MAX_NOTICE]) is None
