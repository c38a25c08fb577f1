"""New text of the result, whoever wrote it: its sentences, what the extractors find in them, and which one says a given thing."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from barrier_policy.audit.claim_words import ONLY, WAITS, WITHOUT
from barrier_policy.audit.matter import UNSPACED
from barrier_policy.audit.model import Place
from barrier_policy.facts.extract import Facts
from barrier_policy.facts.model import Fact
from barrier_policy.facts.words import content_words
from barrier_policy.transcript.builder import SUMMARY_MARK
from barrier_policy.transcript.model import Message, MessageKind, Origin, Part, PartType

SENTENCE_END = re.compile(
    r"\n|(?<=[.!?…])(?<!\b(?:Mr|Dr|Ms|Hr|Fr|Sr|St|No|Nr|ca|vs|Mt)\.)(?<!\b(?:Mrs|Sra|Abs|Art|Mme|bzw|ggf)\.)(?<!\b(?:z\.B|e\.g|i\.e|d\.h|p\.m|a\.m)\.)"
    r"[ \t]+(?!(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)\b)|(?<=[。！？])"
)
OWN_FIRST = re.compile(re.escape(SUMMARY_MARK) + r"[^>\n]*>")
OWN_COUNT = re.compile(re.escape(SUMMARY_MARK) + r' messages="(\d+)"')
"""How many messages a summary of the gate stands for: that it may say itself."""
OWN_LAST = re.compile(r"</barrier-policy-summary>\s*$")
BOILERPLATE = re.compile(
    r"This session is being continued from a previous conversation that ran out of context\.[^\n]*"
    r"|If you need specific details from before compaction[^\n]*"
    r"|(?:Please )?[Cc]ontinue the conversation from where (?:we|it) left (?:it )?off[^\n]*"
    r"|Another language model started to solve this problem and produced a summary of its thinking process\.[^\n]*"
)
"""What runtimes put around a summary on their own; the first and the second name the log file."""
COMMON = 200
"""A word in more sentences than this says nothing of which one is meant."""
ASKED = 16
"""How many words of an item are looked up, the rarest first."""
MINED = ("constraint", "approval_gate", "release", "request")
"""Kinds of facts that are looked for as if a user had said the text, since only users make and release rules."""

WORD_OF_ONE = 3
"""How many letters of an alphabet say as much as one of a script without spaces."""
LIKELY = 45
"""Confidence from which a fact that is not sure counts as likely."""
NEAR = 0.6
"""The share of a sentence's own words from which it is a rule in other words."""
OPPOSED = frozenset({("must", "must_not"), ("must_not", "must"), ("only_if", "must")})
"""Polarities of which the second does not only word the first anew."""

NEGATION = re.compile(
    r"(?:\b(?:never|not|cannot|no|nobody|none|nothing|without|unless|avoid|refrain|forbid\w*|forbidden|prohibit\w*|off.?limits|nie(?:mals)?|nicht|kein\w*|ohne|verboten"
    r"|jamais|pas|sans|interdit\w*|nunca|jamás|sin|prohibid\w*|mai|non|senza|vietat\w*|não|sem|proibid\w*|nooit|niet|geen|zonder|verboden"
    r"|nigdy|bez|никогда|не|без|нельзя|aldrig|inte|utan)|n['’]t)\b",
    re.IGNORECASE,
)
"""Words that turn a sentence round. Two of them leave it as it was."""
CONCORD = re.compile(
    r"\b(?:no|non|não|nie|не)\b[^,.;:]{0,80}?\b(?:nunca|nadie|nada|ningun[oa]?s?|ningún|jamás|mai|nessun\w*|niente|ninguém|nenhum\w*|nigdy|nikt|никогда|никто|никому)\b"
    r"|\b(?:nunca|nadie|ningun[oa]?s?|ningún|jamás|nessun\w*|ninguém|nenhum\w*|niemand|nadie|nigdy|nikt|никогда|никто)\b(?:[^,.;:]{0,80}?\b(?:nie|не)\b)?",
    re.IGNORECASE,
)
"""One negation that several words make."""
CONTRAST = re.compile(
    r",? \(?(?:and |und |y )?\b(?:not|nicht|no|pas|non|não|niet|не|instead of|rather than|statt|en vez de|au lieu de) (?:\w+ )?[`'\"]?[\w.,:%+-]*\d[\w.:%+-]*",
    re.IGNORECASE,
)
"""What stands beside a value to say which one does not hold."""
Mine = Callable[[Sequence[Message]], Facts]

_CLAUSE_END = re.compile(r"[,;.]")


class Sentence(msgspec.Struct, frozen=True, kw_only=True):
    """One sentence or line of new text, its words of content, and the facts in it by kind."""

    place: Place
    text: str
    words: frozenset[str]
    facts: Mapping[str, tuple[Fact, ...]]

    def says(self, kind: str) -> bool:
        """Whether the extractors surely found a fact of this kind."""
        return any(not fact.get("proposed") for fact in self.facts.get(kind, ()))

    def hints(self, kind: str) -> bool:
        """Whether they found one that is likely, or sure."""
        return any(int(fact.get("confidence", 0)) >= LIKELY for fact in self.facts.get(kind, ()))

    @property
    def rules(self) -> tuple[Fact, ...]:
        """The rules in it."""
        return (*self.facts.get("constraint", ()), *self.facts.get("approval_gate", ()))

    def narrows(self, rule: str) -> bool:
        """Whether it says `only A` of a rule `not B, only A`, which demands the same."""
        only, told = ONLY.search(rule), ONLY.search(self.text)
        if only is None or told is None:
            return False
        kept = content_words(rule[only.end() :])
        allowed = content_words(_CLAUSE_END.split(self.text[told.end() :])[0])
        left_out = content_words(rule[: only.start()]) - kept - self.words
        return bool(kept) and kept <= allowed and bool(left_out) and _negations(rule) == 1

    def opposes(self, rule: str, polarity: str) -> bool:
        """Whether it demands the opposite of a rule: surely, or in little else than the words of the rule."""
        if self.narrows(rule):
            return False
        near = len(content_words(rule) & self.words) >= NEAR * len(self.words)
        waits = polarity == "only_if" and WAITS.search(self.text) and not WITHOUT.search(self.text)
        exception = (
            None if WITHOUT.search(rule) else WITHOUT.search(self.text)
        )  # `not X without Y` does not turn `not X` round
        told = self.text[: exception.start()] if exception else self.text
        if near and not waits and _negations(rule) % 2 != _negations(told) % 2:
            return True  # `never … without asking` became `… without asking`
        return any(
            (polarity, str(fact.get("polarity"))) in OPPOSED and (near or not fact.get("proposed")) for fact in self.rules
        )


def _negations(text: str) -> int:
    """How often a sentence turns round what it says. Where several words say one `no`, they are one; `42, not 40` turns nothing round."""
    return sum(1 for _ in NEGATION.finditer(CONCORD.sub(" no ", CONTRAST.sub(" ", text))))


class WordIndex:
    """Texts by their words of content. A look-up costs time in its own words, not in all texts."""

    def __init__(self, texts: Iterable[frozenset[str]]) -> None:
        self._texts = list(texts)
        self._postings: dict[str, list[int]] = {}
        for number, words in enumerate(self._texts):
            for word in words:
                self._postings.setdefault(word, []).append(number)

    def __contains__(self, word: str) -> bool:
        return word in self._postings

    def nearest(self, words: frozenset[str]) -> tuple[int, float]:
        """The number of the text that has most of the words (-1: none has any), and the share of them that it has."""
        known = [word for word in words if len(self._postings.get(word, ())) <= COMMON]
        known.sort(key=lambda word: (len(self._postings.get(word, ())), word))
        counts = Counter(number for word in known[:ASKED] for number in self._postings.get(word, ()))
        if not counts:
            return -1, 0.0
        best = min(counts, key=lambda number: (-counts[number], number))
        return best, len(words & self._texts[best]) / len(words)


class NewText:
    """All new text of a result, in sentences, found again by words."""

    def __init__(self, messages: Iterable[Message], mine: Mine) -> None:
        messages = list(messages)
        self.texts = [(place, text) for message in messages for place, text in _texts(message)]
        self._stands_for = {message.index: count for message in messages if (count := _stands_for(message))}
        self.sentences = [sentence for place, text in self.texts for sentence in _sentences(place, text, mined(text, mine))]
        self._is_latin = _is_latin("".join(text for _, text in self.texts))
        self._index = WordIndex(sentence.words for sentence in self.sentences)
        self._words = sorted({word for sentence in self.sentences for word in sentence.words})

    def counts(self, place: Place, value: str) -> bool:
        """Whether a value is the number of messages that the summary there stands for."""
        count = self._stands_for.get(place.message)
        return count is not None and value in (f"{count} messages", f"{count} message")

    def has_prefix(self, prefix: str) -> bool:
        """Whether a word begins so."""
        at = bisect_left(self._words, prefix)
        return at < len(self._words) and self._words[at].startswith(prefix)

    def share(self, words: frozenset[str]) -> float:
        """Which share of the words stands anywhere in the new text."""
        return sum(word in self._index for word in words) / len(words) if words else 0.0

    def is_in_another_script(self, text: str) -> bool:
        """Whether words can't tell it: most of its letters are of another script than most of the new text's."""
        return bool(self.texts) and _is_latin(text) is not self._is_latin

    def nearest(self, words: frozenset[str]) -> tuple[Sentence | None, float]:
        """The sentence that has most of the words, and the share that it has."""
        number, share = self._index.nearest(words)
        return (self.sentences[number] if number >= 0 else None), share


def _is_latin(text: str) -> bool:
    """Whether most letters are Latin, marks included. A letter of a script without spaces says more than one of an alphabet."""
    letters = [character for character in text if character.isalpha()]
    latin = sum(letter < "\u0250" for letter in letters)
    return latin >= sum(WORD_OF_ONE if UNSPACED.match(letter) else 1 for letter in letters if letter >= "\u0250")


def _stands_for(message: Message) -> str:
    found = OWN_COUNT.match(message.parts[0].text) if message.parts and message.kind is MessageKind.SUMMARY else None
    return found[1] if found else ""


def _texts(message: Message) -> Iterator[tuple[Place, str]]:
    for part in message.parts:
        text = part.text
        if part.type is PartType.TEXT:
            text = BOILERPLATE.sub("", OWN_LAST.sub("", OWN_FIRST.sub("", text, count=1)))
        if part.type not in (PartType.UNKNOWN, PartType.BLOB) and text.strip():
            yield Place(message=message.index, pointer=message.pointer + part.pointer), text


def mined(text: str, mine: Mine) -> list[Fact]:
    """Facts of a text, read as a transcript of its own: once as a user's and once as the agent's."""
    part = Part(type=PartType.TEXT, text=text)
    said = mine(
        (
            Message(index=0, role="user", origin=Origin.USER, parts=(part,)),
            Message(index=1, role="assistant", origin=Origin.AGENT, parts=(part,)),
        )
    )
    rules = [fact for fact in said.by_message[0] if fact.kind in MINED]
    states = [fact for fact in said.by_message[1] if fact.kind.startswith("status_") or fact.kind == "negation_evidence"]
    return rules + states


def split_sentences(text: str) -> Iterator[tuple[int, str]]:
    """Lines and the sentences in them, each with where it begins; code and quotations too, for a summary quotes what was said."""
    at = 0
    for end in [*SENTENCE_END.finditer(text), None]:
        piece = text[at : end.start() if end else len(text)]
        if piece.strip():
            yield at, piece.strip()
        at = end.end() if end else at


def _sentences(place: Place, text: str, facts: Sequence[Fact]) -> Iterator[Sentence]:
    pieces = list(split_sentences(text))
    starts = [start for start, _ in pieces]
    by_sentence: dict[int, dict[str, tuple[Fact, ...]]] = {}
    for fact in facts:
        number = max(0, bisect_right(starts, fact.start) - 1)
        found = by_sentence.setdefault(number, {})
        found[fact.kind] = (*found.get(fact.kind, ()), fact)
    for number, (_, piece) in enumerate(pieces):
        yield Sentence(place=place, text=piece, words=content_words(piece), facts=by_sentence.get(number, {}))
