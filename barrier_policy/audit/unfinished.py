"""What a user asked for and nothing in before acts on, and new text that tells it as done (design sections 2 and 5: prose discharges nothing).

A request has parts: sentences, and what `and` joins. A part is acted on where a call, a result or a word of the agent's shares enough of
its words, or names what it names; or where the turn has a call that fits no part, since that may be its work.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

import msgspec

from barrier_policy.audit.messages import place_of
from barrier_policy.audit.model import Place
from barrier_policy.audit.text import Sentence, WordIndex, split_sentences
from barrier_policy.facts.words import content_words
from barrier_policy.ledger.conversation.turns import opens_turn
from barrier_policy.transcript.model import Message, MessageKind, Origin, Part, PartType

CLAUSE_END = re.compile(
    r"[,;:，、；：]\s*|\s(?:and|then|also|und|dann|außerdem|et|puis|ensuite|y|luego|e|poi|depois|en|dan|och|sedan|i|potem|и|затем|ve|sonra)\s"
)
"""Where one part of a request may end and the next begin."""
DONE = re.compile(
    r"\b(?:was|were|has|have|had|is now|are now|got) (?:\w+ly |already |also |now |both |all |been )*(?:\w+ed|sent|done|made|paid|set|put|cut|built|bought"
    r"|sold|written|given|taken|told|run|shut|brought|held|kept|left|found|drawn|withdrawn|undone|redone|reset|rebuilt)\b"
    r"|^\W*(?:\w+ed|sent|made|paid|built|bought|sold|wrote|gave|took|told|ran|brought)\b|\b(?:done|completed|finished|successfully)\b|[✓✔☑✅]|\[x\]"
    r"|\b(?:wurden?|worden|ist|sind|hat|haben)\b.*\b(?:\w*ge\w+(?:t|en)|(?:ver|be|er|ent|zer)\w+(?:t|en)|\w+iert)\b|\b(?:erledigt|fertig)\b"
    r"|\b(?:a|ont|est|sont) (?:été )?(?:bien )?\w+(?:é|i|u)e?s?\b|\bfaite?s?\b|\b(?:ha|han|fue|fueron|está|están) (?:sido )?(?:\w+[ai]d[oa]s?|hech[oa]s?|enviad[oa]s?)\b"
    r"|\b(?:è|sono|ha|hanno) (?:stat[oaie] )?\w+(?:t|s)[oaie]\b|\b(?:foi|foram|está|estão) \w+(?:[ai]d[oa]s?|feit[oa]s?)\b|\b(?:is|zijn|werd|werden|heeft) .*\bge\w+(?:d|t|en)\b"
    r"|\b(?:został[aoy]?|zostały) \w+|\b(?:был[аио]?) \w+|\b(?:готово|сделано|отправлен\w*|выполнен\w*)\b|已|完成|了。?$|ました|済み|완료|했습니다",
    re.IGNORECASE,
)
"""Words by which something is told as done. The list ends where it ends: what it misses is judged by the other checks."""
OPEN = re.compile(
    r"\b(?:asked|asks|wants?|wanted|requested|told (?:me|us|the agent)|should|must|needs?|will|to be|to do|todo|still|not|never|n't|pending|open|next|remaining|remains|outstanding|unless|once|until|if"
    r"|soll\w*|muss|wird|noch|nicht|offen|gebeten|demandé|doit|reste|pas|encore|pidió|debe|falta|todavía|no|chiesto|deve|ancora|non|pediu|ainda|não|moet|nog|niet|нужно|ещё|не|просил\w*)\b"
    r"|还|未|没|まだ|아직",
    re.IGNORECASE,
)
"""Words by which something is told as asked for, open or conditional."""
ENOUGH, NAMED = 0.6, 0.5
"""The share of a part's words by which a sentence tells it; the second where it has every name in it."""
ACTED = 1 / 3
"""The share of a part's words by which something may act on it."""
FEWEST = 2
"""A part of fewer words is told by chance."""
MAX_TEXT = 4_000
"""Characters of a message that are read: longer ones of a user are pasted."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a request: where it stands, its words, and those of them that name something."""

    message: int
    place: Place
    text: str
    words: frozenset[str]

    @property
    def names(self) -> frozenset[str]:
        """Words with a digit, long enough to be no count."""
        return frozenset(word for word in self.words if len(word) > 3 and any(character.isdigit() for character in word))

    def told_by(self, words: Collection[str]) -> float:
        """Which share of its words stands among others."""
        return sum(word in words for word in self.words) / len(self.words)


class Unfinished:
    """The parts of requests that nothing acts on. `promises` are sentences of the agent that do nothing yet. Linear in the messages."""

    def __init__(self, messages: Sequence[Message], promises: Collection[str]) -> None:
        self._asked = [asked for message in messages if opens_turn(message) for asked in _asked(message)]
        self._index = WordIndex(asked.words for asked in self._asked)
        acted: set[int] = set()
        busy: set[int] = set()
        """Messages of users whose turn has a call that fits none of the parts."""
        names: set[str] = set()
        turn = -1
        for message in messages:
            turn = message.index if opens_turn(message) else turn
            for part, text in _acts(message, promises):
                words = content_words(text)
                names.update(words)
                number = self._nearest(words, ACTED)
                if number >= 0:
                    acted.add(number)
                elif part.type is PartType.TOOL_CALL:
                    busy.add(turn)
        self._left = {
            number
            for number, asked in enumerate(self._asked)
            if number not in acted and not (asked.names & names) and (asked.names or asked.message not in busy)
        }

    def told_as_done(self, sentence: Sentence) -> Asked | None:
        """The part of a request that a sentence tells as done though nothing acts on it."""
        if not self._left or not DONE.search(sentence.text) or OPEN.search(sentence.text):
            return None
        number = self._nearest(sentence.words, NAMED)
        if number not in self._left:
            return None
        asked = self._asked[number]
        enough = asked.names <= sentence.words and (asked.names or asked.told_by(sentence.words) >= ENOUGH)
        return asked if enough else None

    def _nearest(self, words: frozenset[str], share: float) -> int:
        """The number of the part that has most of the words, -1 where they are too small a share of its own."""
        number, _ = self._index.nearest(words)
        return number if number >= 0 and self._asked[number].told_by(words) >= share else -1


def _asked(message: Message) -> Iterator[Asked]:
    """The parts of what a user asks. A question asks for an answer, which leaves no trace but words; what is told as done is no request."""
    for number, part in enumerate(message.parts):
        if part.type is not PartType.TEXT or len(part.text) > MAX_TEXT:
            continue
        for _, sentence in split_sentences(part.text):
            for clause in CLAUSE_END.split(sentence) if "?" not in sentence else ():
                words = content_words(clause)
                if len(words) >= FEWEST and not DONE.search(clause):
                    yield Asked(message=message.index, place=place_of(message, number), text=clause.strip(), words=words)


def _acts(message: Message, promises: Collection[str]) -> Iterator[tuple[Part, str]]:
    """Calls, results and what the agent says, sentence by sentence, without its promises."""
    if message.kind in (MessageKind.CARRIER, MessageKind.SUMMARY):
        yield from ((part, text) for part in message.parts for _, text in split_sentences(part.text[:MAX_TEXT]))
        return
    if message.origin.rank < Origin.USER.rank:
        return
    for part in message.parts:
        if part.type is PartType.TOOL_CALL or part.type is PartType.TOOL_RESULT:
            yield part, f"{part.name} {part.text[:MAX_TEXT]}"
        elif message.origin is not Origin.USER and part.type is PartType.TEXT:
            yield from ((part, text) for _, text in split_sentences(part.text[:MAX_TEXT]) if text not in promises)
