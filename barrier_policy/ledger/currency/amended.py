"""What users said later that may change a rule (design sections 2 and 5: superseded values must not come back as current).

It ends none: weak evidence never releases. The rule still protects, and its line says what came later, so that nobody obeys it as it stands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import msgspec

from barrier_policy.facts.words import AnyCase, content_words
from barrier_policy.ledger.conversation.turns import Conversation
from barrier_policy.ledger.currency.corrections import replaced_in, values_in
from barrier_policy.ledger.currency.superseded import MAX_STATEMENT, sentences_of
from barrier_policy.ledger.dialogue.cues import has_question_mark, only_asks
from barrier_policy.ledger.model import Amendment, Family, Item, is_live
from barrier_policy.ledger.rules.constraints import rule_of
from barrier_policy.ledger.rules.replaced import ANEW, threshold
from barrier_policy.transcript.model import Message, MessageKind, Origin, PartType

MAX_SENTENCE = 300
MAX_SHOWN = 140
"""Characters of a later sentence that a line shows."""
MAX_AMENDMENTS = 100
"""The newest so many are weighed."""
SHARED = 2
"""Words of content by which a sentence speaks of a rule; a release, or a change of plan, does by one."""
RARE = 4
"""A word in more texts than this says nothing of which rule is meant."""
FILLERS = content_words(
    "this that with from what when then them they there here your will would could should been were does just only also more than into about before"
    " until still some have please today tomorrow again like want need make take actually really sure okay know think going sorry after instead"
    " dann nicht noch eine einen auch heute bitte wieder aber wenn dass schon pour avec dans mais para como pero esta este hoje oggi come questo"
)
PLAN = re.compile(
    r"\b(?:change of plans?|planänderung|changement de plan|cambio de planes?|cambio di programma|mudança de planos)\b",
    re.IGNORECASE,
)

REVERSES = AnyCase(
    r"\b(?:after all|no longer|never ?mind|lifted|withdrawn|revoked|forget (?:the|that|about|what|\S*\d)|scrap|ignore (?:the|that|what)|leave \w+ mode"
    r"|(?:open|free|fine|ok(?:ay)?|allowed|back|on|can|may)\b.{0,60}\bagain|(?:is|are) (?:now )?(?:out|over|off|free|open)\b(?! of\b| with\b)"
    r"|(?:frei|offen|erlaubt|darf|dürfen|darfst|kannst|können)\b.{0,60}\bwieder|nicht mehr nötig|doch nicht|aufgehoben|vergiss|vergesst"
    r"|finalement|n'est plus|ne s'applique plus|oublie[zr]?|al final|ya no (?:hace|es|rige|vale)|olvida|alla fine|non (?:è|serve|vale) più|dimentica"
    r"|afinal|já não (?:é|vale)|esquece|toch niet|niet meer nodig|vergeet|jednak|już nie (?:trzeba|jest)|больше не нужно|забудь)\b"
    r"|^(?:new|neu|nuevo|nouveau|nuovo|novo|nieuw):|不再|取消|やっぱり"
)
"""Words by which somebody takes back or changes what was said."""
LIMIT = AnyCase(
    r"\b(?:new|now|neue[rs]?|jetzt|nouvelle?|maintenant|nuev[oa]|ahora|nuov[oa]|ora|nov[oa]|agora|nieuwe?|nu)\b"
    r".{0,40}\b(?:ceilings?|limits?|caps?|max(?:imum)?|budgets?|thresholds?|obergrenze|grenze|limite?|plafond|tope|límite|tetto|teto|grens)\b"
    r"|\b(?:ceiling|limit|cap|max(?:imum)?|budget|threshold|obergrenze|grenze|limite?|plafond|tope|límite|tetto|teto|grens)\b"
    r".{0,60}\b(?:now|jetzt|maintenant|ahora|ora|agora|nu)\b"
)
"""A limit that is given anew."""
EVERYTHING = re.compile(r"\b(?:every|any|all|alles?|tout|todo|tutto|tudo)", re.IGNORECASE)
TAKES_ALL_BACK = re.compile(
    r"\b(?:forget|ignore|scrap|disregard) (?:everything |all )?(?:what )?i (?:said|told)\b", re.IGNORECASE
)
LATER = "said later, and may change this: "
_SPACE = re.compile(r"\s+")


def may_amend(sentence: str) -> bool:
    """Whether a sentence has the form of a change."""
    return any(pattern.search(sentence) for pattern in (ANEW, REVERSES)) or _gives_limit(sentence)


def find_amendments(conversation: Conversation) -> tuple[Amendment, ...]:
    """The sentences of users and higher that may change a rule, in order, in the words that records have."""
    masker = conversation.facts.masker
    told = [(message, text) for message in conversation.messages for text in _texts(message)]
    found = [
        (message, text, sentence, sure)
        for message, text in told
        for sentence, sure in _changes(conversation, message.index, text)
    ]
    if not found:
        return ()
    common = _common_words(text for _, text in told)
    return tuple(
        Amendment(
            message=message.index,
            origin=message.origin,
            text=masker.text(sentence, message.index),
            # they are stored once the message leaves, so that no secret may be one
            words=content_words(masker.text(sentence, message.index)) - common,
            about=content_words(masker.text(text, message.index)) - common,
            sure=sure,
        )
        for message, text, sentence, sure in found
    )


def _changes(conversation: Conversation, message: int, text: str) -> Iterator[tuple[str, bool]]:
    """The sentences of a text that may change a rule, and whether each is sure to be about one."""
    released = {fact.text for fact in conversation.of_kind(message, "release") if not fact.get("proposed")}
    for sentence in sentences_of(text):
        may = len(sentence) <= MAX_SENTENCE and (sentence in released or may_amend(sentence))
        if may and not has_question_mark(sentence) and not only_asks(sentence):
            yield sentence, sentence in released or PLAN.search(sentence) is not None


def _common_words(texts: Iterable[str]) -> frozenset[str]:
    """Words that are used all the time, there or anywhere."""
    often = Counter(word for text in texts for word in content_words(text))
    return frozenset(word for word, count in often.items() if count > RARE) | FILLERS


def amend(items: Sequence[Item], states: Mapping[str, str], amendments: Sequence[Amendment]) -> list[Item]:
    """The items; the line of a live rule says what came later and may change it."""
    if not amendments:
        return list(items)
    beside: dict[int, frozenset[str]] = {}
    for item in items:
        if _is_rule(item, states):
            beside[item.message] = beside.get(item.message, frozenset()) | content_words(rule_of(item))
    return [_amended(item, amendments, beside[item.message]) if _is_rule(item, states) else item for item in items]


def later_words(
    rule: str, origin: str, since: int, amendments: Sequence[Amendment], beside: frozenset[str] = frozenset()
) -> str:
    """What the line of a rule of this origin says of words after a message that may change it, of nobody with less authority; "" for nothing.

    Of several the one that shares the most words with the rule, and of these the newest. `beside` are the words of the rules of its message:
    who takes back what he said takes back all of it.
    """
    words, best = content_words(rule), (0, "")
    for amendment in amendments[-MAX_AMENDMENTS:]:
        if amendment.message > since and Origin(amendment.origin).rank <= Origin(origin).rank and amendment.text not in rule:
            score = _relation(rule, words, beside, amendment)
            if score >= max(1, best[0]):
                best = (score, amendment.text)
    return _told(best[1])


def with_later(replaced: str, later: str) -> str:
    """What a line says behind its words: values that were replaced, then the newest later words that may change it, if they say more."""
    values = replaced.partition(LATER)[0].rstrip("; ")
    if not later or any(new in later for new in replaced_in(values).values()):
        return replaced
    return "; ".join(filter(None, (values, later)))


def later_in(replaced: str) -> str:
    """What a line says of later words, "" for nothing."""
    _, mark, words = replaced.partition(LATER)
    return mark + words


def _is_rule(item: Item, states: Mapping[str, str]) -> bool:
    return item.family is Family.CONSTRAINT and is_live(item, states[item.id])


def _amended(item: Item, amendments: Sequence[Amendment], beside: frozenset[str]) -> Item:
    later = later_words(rule_of(item), item.attributes["origin"], item.message, amendments, beside)
    if not later:
        return item
    replaced = with_later(item.attributes.get("replaced", ""), later)
    return msgspec.structs.replace(item, attributes=item.attributes | {"replaced": replaced})


def _told(sentence: str) -> str:
    text = _SPACE.sub(" ", sentence).replace("[", "(").replace("]", ")").strip()
    return f'{LATER}"{text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"}"' if text else ""


def _texts(message: Message) -> Iterator[str]:
    """What a user or higher wrote; a longer text is pasted."""
    if message.kind is MessageKind.MESSAGE and message.origin.rank <= Origin.USER.rank:
        yield from (part.text for part in message.parts if part.type is PartType.TEXT and len(part.text) <= MAX_STATEMENT)


def _relation(rule: str, words: frozenset[str], beside: frozenset[str], amendment: Amendment) -> int:
    """How much a sentence speaks of a rule with these words, 0 for not at all."""
    shared = len(words & amendment.words)
    alike = _alike(rule, amendment.text)
    if alike > 1 and words & amendment.about:
        return shared + len(words)
    if shared >= SHARED or (shared and (amendment.sure or (alike and ANEW.search(amendment.text)))):
        return shared + 1
    if _gives_limit(amendment.text) and threshold(rule) is not None and (shared or EVERYTHING.search(amendment.text)):
        return shared + 1
    return 1 if TAKES_ALL_BACK.search(amendment.text) and (words | beside) & amendment.about else 0


def _gives_limit(sentence: str) -> bool:
    return bool(_values(sentence)) and LIMIT.search(sentence) is not None


def _alike(rule: str, sentence: str) -> int:
    """How many values a rule has, where a sentence has others of all their forms: a limit, or a date and a time, that are given anew."""
    old, new = _values(rule), _values(sentence)
    same_forms = len(old) == len(new) and _forms(old) == _forms(new)
    return len(old) if same_forms and not set(old) & set(new) else 0


@lru_cache(maxsize=2 * MAX_AMENDMENTS)
def _values(sentence: str) -> tuple[str, ...]:
    """The values in a sentence; each rule is held against the same later sentences."""
    return tuple(values_in(sentence))


def _forms(values: Iterable[str]) -> list[str]:
    return sorted(re.sub(r"\d+", "0", value) for value in values)
