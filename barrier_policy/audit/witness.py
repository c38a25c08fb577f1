"""What became of each protected item: kept word for word, held by a carrier line, told in new text, told wrongly, or gone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum

import msgspec

from barrier_policy.audit.items import ENVIRONMENT, Known, by_id
from barrier_policy.audit.lines import Line
from barrier_policy.audit.result import Result, Standing
from barrier_policy.audit.text import OPPOSED, NewText, Sentence
from barrier_policy.carrier.record import rank_of
from barrier_policy.facts.masking import Masker
from barrier_policy.facts.prose import prose_sentences
from barrier_policy.facts.token_index import TokenIndex
from barrier_policy.facts.values import scan_values
from barrier_policy.facts.words import content_words
from barrier_policy.ledger.model import Family
from barrier_policy.transcript.model import Message, Origin

TOLD = 0.5
"""A sentence with this share of the words of an obligation, a note or a call tells it."""
SURELY_TOLD = 2 / 3
"""The share that a sentence must have of the words of a call whose target it does not name."""
RULE_TOLD = 0.6
"""The share that a sentence must have of the words of a rule."""
SOME = 1 / 3
"""The share of the words of a call that must stand somewhere beside an id that it gave."""
GIVEN = frozenset({"url", "hash", "resource_id", "idempotency_key"})
"""Types of values in an answer by which later text speaks of the effect."""
SHORTEST, STEM = 4, 5
"""Letters of a verb, and those by which it is found again in another form."""
KEY = re.compile(r'"\w+":')
LEAD = re.compile(r"([^{\[<`\n]{24,})[{\[<`]")
"""The words before what somebody pasted."""
LONG = 25
"""Words of an item that no single sentence can tell: they may stand anywhere in the new text."""
MAX_EXACT = 2_000
"""Characters of a text that is looked for as a whole."""


class Fate(StrEnum):
    """What became of an item."""

    VERBATIM = "verbatim"
    CARRIER = "carrier"
    TEXT = "text"
    MENTIONED = "mentioned"
    WEAKENED = "weakened"
    CONTRADICTED = "contradicted"
    GONE = "gone"


class Witness(msgspec.Struct, frozen=True, kw_only=True):
    """An item's fate, and the sentence of new text that speaks of it, if one does."""

    fate: Fate
    sentence: Sentence | None = None


def index_messages(messages: Iterable[Message], masker: Masker) -> TokenIndex:
    """Exact values of messages, with secrets as records show them."""
    index = TokenIndex()
    for message in messages:
        for part in message.parts:
            text = f"{part.name} {part.text}" if part.name else part.text
            index.add(message.index, text)
            if masker and (masked := masker.text(text, message.index)) != text:
                index.add(message.index, masked)
        for value in message.environment.values():
            index.add(message.index, value)
    return index


class Witnesses:
    """Finds the witness of an item. Each look-up costs time in the item's own words."""

    def __init__(self, result: Result, known: Sequence[Known], lines: Sequence[Line], new: NewText, masker: Masker) -> None:
        self._result = result
        self._known = by_id(known)
        self._new = new
        self._stays = index_messages(result.of(Standing.KEPT, Standing.NOTICE, Standing.LATER), masker)
        self._told_in = index_messages(result.of(Standing.NEW), masker)
        self._receipts = self._told_receipts(known, lines)
        self._held = {known.item.id for line in lines if not line.wrong for known in line.items}
        self._ranks: dict[str, int] = {}
        """By line, the rank of the kind under which it stands: what two kinds say in the same words stands once, under the first."""
        self._records = TokenIndex()
        for line in lines:
            if line.carried or (line.items and not line.wrong):
                self._records.add(0, line.text)
            if line.items and not line.wrong:
                self._ranks[line.text] = min(rank_of(line.kind), self._ranks.get(line.text, rank_of("")))
        paths = {k.item.text for k in known if k.is_value and k.item.kind == "path"}
        paths |= {target for k in known if "/" in (target := k.item.attributes.get("target", ""))}
        self._names = Counter(steps[-1] for steps in {tuple(path.split("/")[-2:]) for path in paths if "/" in path})
        self._kept_texts = {k.item.text for k in known if k.item.family is Family.BINDING and result.keeps(k.item.message)}

    def _told_receipts(self, known: Sequence[Known], lines: Sequence[Line]) -> set[str]:
        """The effects that receipts of the carrier speak of: as many of equal ones as the carrier counts more than that of before."""
        left: Counter[str] = Counter()
        for line in lines:
            if line.kind == "receipt" and line.items and not line.wrong:
                left[line.receipt] = left[line.receipt] + line.times if line.receipt in left else line.times - line.before
        found = set()
        for effect in known:
            receipt = effect.prefix + effect.item.text
            if effect.protected and effect.record == "receipt" and left[receipt] > 0 and not self._verbatim(effect):
                left[receipt] -= 1
                found.add(effect.item.id)
        return found

    def of(self, known: Known) -> Witness:
        """What became of an item."""
        if self._verbatim(known):
            return Witness(fate=Fate.VERBATIM)
        if self._in_carrier(known):
            return Witness(fate=Fate.CARRIER)
        elsewhere = self._elsewhere(known)
        if elsewhere is not None:
            return Witness(fate=elsewhere)
        if known.item.family is Family.CONSTRAINT:
            return self._rule(known)
        if known.is_value:
            path = known.item.kind == "path" and self._path_told(known.item.text)
            return Witness(fate=Fate.TEXT if path else Fate.GONE)
        if known.item.kind == ENVIRONMENT:
            return Witness(fate=Fate.TEXT if self._is_new(known.item.attributes["value"]) else Fate.GONE)
        if self._told(known):
            return Witness(fate=Fate.TEXT)
        return Witness(fate=Fate.MENTIONED if self._is_mentioned(known) else Fate.GONE)

    def _verbatim(self, known: Known) -> bool:
        if self._result.keeps(known.item.message):
            return True
        holder = self._known.get(known.holder)
        return holder is not None and self._result.keeps(holder.item.message)

    def _in_carrier(self, known: Known) -> bool:
        """A record of its own, or the line of an item that shows its words. Equal receipts are one line, which counts them."""
        if known.record == "receipt":
            return known.item.id in self._receipts
        if known.item.id in self._held:
            return True
        if known.holder != known.item.id and known.holder in self._held:
            return True
        if self._ranks.get(known.prefix + known.words, rank_of("")) < rank_of(known.record):
            return True
        return known.item.family is Family.BINDING and self._records.holds(known.item.text)

    def _elsewhere(self, known: Known) -> Fate | None:
        """The same words in another message: a value anywhere, a rule only where somebody of its rank says it."""
        text = known.item.text
        if known.item.family is Family.EFFECT or len(text) > MAX_EXACT:
            return None
        if text in self._kept_texts and known.item.family is Family.BINDING:
            return Fate.VERBATIM
        rank = (
            Origin(known.item.attributes["origin"]).rank if known.item.family is Family.CONSTRAINT else Origin.RETRIEVED.rank
        )
        if any(self._result.after[message].origin.rank <= rank for message in self._stays.find(text)):
            return Fate.VERBATIM
        return Fate.TEXT if self._is_new(text) else None

    def _told(self, known: Known) -> bool:
        """Whether new text tells it in other words, with every exact value in them."""
        if known.item.family is Family.EFFECT:
            return self._effect_told(known)
        words = content_words(known.item.text)
        lead = LEAD.match(known.item.text)
        if lead and self._is_new(lead[1].strip(" :")):
            return True
        if len(words) > LONG and (said := [sentence.text for sentence in prose_sentences(known.item.text)]):
            words = content_words(" ".join(said))  # what somebody said, without the log that they pasted
        exact = frozenset(word for word in words if any(character.isdigit() for character in word))
        _, share = self._new.nearest(words)
        enough = share >= TOLD or (len(words) > LONG and self._new.share(words) >= RULE_TOLD)
        return bool(words) and enough and self._new.share(exact or words) >= (1.0 if exact else 0.0)

    def _effect_told(self, known: Known) -> bool:
        """By its key and target, where it has them; by an id that it gave and some words of the call; else by most of its words."""
        names = [name for name in (known.item.attributes.get("key"), known.item.attributes.get("target")) if name]
        if names and all(self._is_new(name) or self._path_told(name) for name in names):
            return True
        call, _, answer = known.item.text.partition(" → ")
        words = content_words(KEY.sub(" ", call.partition(" ")[2]))
        given = [value.text for value in scan_values(answer) if value.type in GIVEN]
        if any(map(self._is_new, given)) and self._new.share(words) >= SOME:
            return True
        return bool(words) and self._new.nearest(words)[1] >= (SURELY_TOLD if names else TOLD)

    def _is_mentioned(self, known: Known) -> bool:
        """Whether new text says that something of the kind was done, but not this: `pushed` of one of eight `git push`."""
        operation = known.item.attributes.get("operation", "") if known.item.family is Family.EFFECT else ""
        verbs = [word for word in operation.casefold().split()[1:] if word.isalpha() and len(word) >= SHORTEST]
        return bool(verbs) and self._new.has_prefix(verbs[-1][:STEM])

    def _path_told(self, name: str) -> bool:
        """A path by its last two steps, for the working directory is known; by its last one where no other path ends in it."""
        steps = name.split("/")
        if len(steps) > 2 and self._is_new("/".join(steps[-2:])):
            return True
        return len(steps) > 1 and "." in steps[-1] and self._names[steps[-1]] == 1 and self._is_new(steps[-1])

    def _is_new(self, value: str) -> bool:
        """Whether new text has a value: what a kept message says of it is no word about the effect."""
        return self._told_in.holds(value)

    def _rule(self, known: Known) -> Witness:
        """A rule in other words holds where they demand the same, as strictly."""
        sentence, share = self._new.nearest(content_words(known.item.text))
        if sentence is None or share < RULE_TOLD:
            return Witness(fate=Fate.GONE)
        if sentence.narrows(known.item.text):
            return Witness(fate=Fate.TEXT, sentence=sentence)
        if sentence.opposes(known.item.text, known.item.kind):
            return Witness(fate=Fate.CONTRADICTED, sentence=sentence)
        alike = [fact for fact in sentence.rules if (known.item.kind, str(fact.get("polarity"))) not in OPPOSED]
        hard = known.item.attributes.get("strength") == "hard"
        if not alike or (hard and all(fact.get("strength") == "soft" for fact in alike)):
            return Witness(fate=Fate.WEAKENED, sentence=sentence)
        return Witness(fate=Fate.TEXT, sentence=sentence)
