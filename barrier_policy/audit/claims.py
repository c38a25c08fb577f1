"""Checks of new text: no exact value, rule or state in it that before does not have, nothing past as present, no secret."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from barrier_policy.audit.items import Known
from barrier_policy.audit.likeness import Likes
from barrier_policy.audit.model import Outcome, Place
from barrier_policy.audit.notebook import Notebook
from barrier_policy.audit.records import as_record, place_before
from barrier_policy.audit.stale import Superseded
from barrier_policy.audit.text import LIKELY, NewText, Sentence, WordIndex, split_sentences
from barrier_policy.audit.unfinished import Unfinished
from barrier_policy.facts.masking import Masker
from barrier_policy.facts.token_index import TokenIndex
from barrier_policy.facts.values import Value, scan_values
from barrier_policy.facts.words import content_words
from barrier_policy.ledger.model import UNSETTLED, Family
from barrier_policy.transcript.model import Message

SAME = 0.5
"""A sentence with this share of the words of a rule speaks of it."""
MAX_PLACES = 20
MAX_READ = 20_000
"""Messages, and characters of each text, that are read again for the names of a value."""
MAX_HELD = 500
MAX_GAP = 40
"""Messages that hold both a name and a value, and characters from the one to the other, in which they are looked for."""
PLACES_IN_TEXT = frozenset({"line", "lines", "offset", "row", "start", "start_line", "startline"})
"""Names of one and the same thing: where in a text something stands."""
COUNTED = re.compile(r"- The agent (?:made|ran|read|got) (?:more than )?\d+ [a-z ]+(?:\([^()]*\))?[^.]*\.$")
"""What the extract of this project says of calls: it counts them, and demands nothing."""
OWN = 0.6
"""Of the words of a new rule, the share that one line of before must have."""
RELIEF = re.compile(
    r"\b(?:no longer|any ?more|lifted|revoked|withdrawn|waived|rescinded|dropped|obsolete|superseded|cancell?ed|void|not apply|n't apply"
    r"|(?:can|may) (?:now |safely )?(?:be )?(?:ignored?|skip(?:ped)?|disregard(?:ed)?)|is (?:now )?(?:allowed|permitted|fine|optional)|optional"
    r"|nicht mehr|aufgehoben|hinfällig|entfällt|ne s'applique plus|n'est plus|levée?|ya no|levantad[oa]|non vale più|non più|não vale mais|já não"
    r"|niet meer|vervallen|gäller inte längre|już nie|uchylon[aye]|již ne|artık|больше не|отменен\w*)\b|不再|取消|解除|もう|더 이상",
    re.IGNORECASE,
)
"""Words by which somebody says that a rule has ended."""
PUT_TOGETHER = frozenset({"literal", "symbol", "sequence", "column_set"})
"""Types whose values a summary may put together itself: quoted words, code names, lists."""
NAMED = frozenset({"resource_id", "idempotency_key", "hash", "version_pin", "amount", "quantity"})
"""Types whose values are told apart by what they are called."""
ROUGH = re.compile(r"…|\.\.\.|≈|~(?!=|/)|\d(?:st|nd|rd|th)$")
"""Signs that a value is not meant exactly, and ordinals."""
FEW = 20
"""Up to so many things a summary counts itself."""
UNITS = frozenset(
    [
        "s",
        "sec",
        "secs",
        "second",
        "seconds",
        "ms",
        "min",
        "mins",
        "minute",
        "minutes",
        "h",
        "hour",
        "hours",
        "day",
        "days",
        "week",
        "weeks",
        "month",
        "months",
        "b",
        "kb",
        "mb",
        "gb",
        "tb",
        "kib",
        "mib",
        "gib",
        "%",
        "€",
        "$",
        "£",
        "usd",
        "eur",
        "kg",
        "g",
        "t",
        "m",
        "km",
        "cm",
        "mm",
        "px",
        "k",
        "°c",
    ]
)
NUMBER = re.compile(r"\d[\d.,]*")
PLACE_IN_FILE = re.compile(r"(.+?\.\w+):(\d+)(?:[-:]\d+)*")


class ClaimChecks:
    """What is wrong with new text. `reported` are items whose finding says already what became of them."""

    def __init__(
        self,
        known: Sequence[Known],
        missing: Sequence[Known],
        before: TokenIndex,
        messages: Sequence[Message],
        superseded: Superseded,
        notes: Notebook,
    ) -> None:
        self._before = before
        self._messages = messages
        self._notes = notes
        self._rules = [k for k in known if k.item.family is Family.CONSTRAINT]
        self._rule_words = WordIndex(content_words(k.item.text) for k in self._rules)
        self._effects = [k for k in known if k.item.family is Family.EFFECT]
        self._effect_words = WordIndex(content_words(k.item.text) for k in self._effects)
        promises = {k.item.text for k in known if k.item.family is Family.OBLIGATION}
        self._superseded = superseded
        self._unfinished = Unfinished(messages, promises)
        self._values = {k.item.text: k for k in known if k.is_value}
        self._named = {(k.item.kind, k.item.attributes.get("name", "")) for k in known if k.is_value}
        self._missing = {k.item.id: k for k in missing if k.is_value}
        self._likes = Likes((k.item.id, k.item.text) for k in missing if k.is_value)
        self._said: WordIndex | None = None
        self._found: dict[str, bool] = {}
        self.reported: set[str] = set()

    def check(self, new: NewText, maskers: Iterable[Masker]) -> None:
        """Check all of it."""
        for place, text in new.texts:
            self._secrets(place, text, maskers)
            for value in scan_values(text):
                self._notes.count("new text")
                if not self._was_there(value.text):
                    if not new.counts(place, value.text):
                        self._unsupported(place, value)
                elif value.name and not ROUGH.match(text, value.start - 1):
                    self._name(place, value)
        for sentence in new.sentences:
            self._notes.count("new text")
            self._stale(sentence)
            self._rule(sentence)
            self._state(sentence)
            self._asked(sentence)

    def _secrets(self, place: Place, text: str, maskers: Iterable[Masker]) -> None:
        if any(masker and masker.text(text, -1) != text for masker in maskers):
            self._notes.add("audit.secret-shown", "new text", f"text:{place.message}", "secret", after=place, found=text)

    def _was_there(self, value: str) -> bool:
        """Whether before has a value; each is looked for once."""
        if value not in self._found:
            self._found[value] = self._before.holds(value)
        return self._found[value]

    def _unsupported(self, place: Place, value: Value) -> None:
        known = self._missing.get(self._likes.same_but(value.text))
        if known is not None:
            self.reported.add(known.item.id)
            self._add("audit.altered", known, place, value.text)
        elif (outcome := self._doubt(value)) is not None:
            item = f"value:{value.text}"
            self._notes.add(
                "audit.unsupported", "new text", item, value.type, after=place, found=value.text, outcome=outcome
            )

    def _doubt(self, value: Value) -> Outcome | None:
        """What a value that before does not have makes of the check; None where a summary may well say it."""
        if value.type in PUT_TOGETHER or ROUGH.search(value.text):
            return None
        if value.type == "quantity" and (number := NUMBER.match(value.text)):
            return self._doubt_of_number(value.text, number.group())
        if value.type == "path":
            located = PLACE_IN_FILE.fullmatch(value.text)
            if located and self._was_there(located[1]):
                return None
            if value.text[0] not in "/~." and "." not in value.text.rsplit("/", 1)[-1]:
                return None  # `lint/test` is no path
        return Outcome.FAIL

    def _doubt_of_number(self, text: str, number: str) -> Outcome | None:
        unit = text[len(number) :].strip().casefold()
        small = number.isdigit() and len(number) < 4 and int(number) <= FEW
        if not small and not self._was_there(number.rstrip(".,")):
            return Outcome.FAIL
        if unit not in UNITS or any(self._was_there(form) for form in (f"{number}{unit}", f"{number} {unit}")):
            return None
        return Outcome.INCONCLUSIVE

    def _name(self, place: Place, value: Value) -> None:
        """A value under a name that it never had and that other values of its type have."""
        known = self._values.get(value.text)
        name = known.item.attributes.get("name", "") if known else ""
        if known is None or not name or name.casefold() == value.name.casefold() or value.type not in NAMED:
            return
        if (value.type, value.name) not in self._named or {name.casefold(), value.name.casefold()} <= PLACES_IN_TEXT:
            return
        if value.name.casefold() not in self._names_of(value.text) and not self._stands_under(value.name, value.text):
            self._add("audit.misbound", known, place, f"{value.name} {value.text}", expected=f"{name} {value.text}")

    def _names_of(self, value: str) -> set[str]:
        """What a value is called where it stands in before."""
        texts = [part.text for n in islice(self._before.find(value), MAX_PLACES) for part in self._messages[n].parts]
        found = (entry for text in texts if len(text) <= MAX_READ for entry in scan_values(text))
        return {entry.name.casefold() for entry in found if entry.text == value}

    def _stands_under(self, name: str, value: str) -> bool:
        """Whether before has the value right behind this name anywhere, with nothing but signs and blanks between them."""
        pair = re.compile(rf"(?<!\w){re.escape(name)}\W{{1,{MAX_GAP}}}{re.escape(value)}(?!\w)", re.IGNORECASE)
        named = set(self._before.find(name))
        held = (n for n in self._before.find(value) if n in named)
        return any(pair.search(part.text) for n in islice(held, MAX_HELD) for part in self._messages[n].parts)

    def _rule(self, sentence: Sentence) -> None:
        """Rules that the sentence contradicts, that it brings back, or that nobody made."""
        facts = sentence.rules
        number, share = self._nearest_rule(sentence)
        if number >= 0 and share >= SAME:
            known = self._rules[number]
            if not known.current:
                if facts and not self._relieves(sentence, known):
                    self._add("audit.stale", known, sentence.place, sentence.text)
            elif self._relieves(sentence, known) or (
                known.item.text not in sentence.text and sentence.opposes(known.item.text, known.item.kind)
            ):
                self._add("audit.contradicted", known, sentence.place, sentence.text)
        elif any(int(fact.get("confidence", 0)) >= LIKELY for fact in facts) and not (
            COUNTED.match(sentence.text) or self._was_said(sentence)
        ):
            # what is only told (`then the user asked to push`) may look like a demand or a condition: only a bar is surely a rule
            sure = any(not fact.get("proposed") and fact.get("polarity") == "must_not" for fact in facts)
            name, outcome = f"rule:{sentence.text}", Outcome.FAIL if sure else Outcome.INCONCLUSIVE
            self._notes.add(
                "audit.unsupported", "new text", name, "rule", after=sentence.place, found=sentence.text, outcome=outcome
            )

    def _was_said(self, sentence: Sentence) -> bool:
        """Whether one line of before, whoever said or showed it, has most of the words."""
        if self._said is None:
            lines = (line for message in self._messages for part in message.parts for line in split_sentences(part.text))
            self._said = WordIndex(content_words(line) for _, line in lines)
        return self._said.nearest(sentence.words)[1] >= OWN

    def _nearest_rule(self, sentence: Sentence) -> tuple[int, float]:
        """The rule that the sentence speaks of, and which share of the rule's words it has."""
        number, _ = self._rule_words.nearest(sentence.words)
        words = content_words(self._rules[number].item.text) if number >= 0 else frozenset()
        return number, len(words & sentence.words) / len(words) if words else 0.0

    def _relieves(self, sentence: Sentence, known: Known) -> bool:
        """Whether it says that the rule has ended; words of the rule itself don't count."""
        rest = sentence.text.replace(known.item.text, "")
        if RELIEF.search(known.item.text):
            return known.item.text in sentence.text and RELIEF.search(rest) is not None
        return sentence.says("release") or RELIEF.search(rest) is not None

    def _state(self, sentence: Sentence) -> None:
        """A state of an effect that before does not know: done where it is open, open where it is done."""
        done, open_ = sentence.hints("status_done"), sentence.hints("status_pending") or sentence.hints("status_failed")
        if done == open_:
            return
        number, share = self._effect_words.nearest(sentence.words)
        if number < 0 or not self._speaks_of(sentence, self._effects[number], share):
            return
        known = self._effects[number]
        if (done and known.state in UNSETTLED) or (open_ and known.state == "confirmed" and share >= SAME):
            sure = any(map(sentence.says, ("status_done", "status_pending", "status_failed")))
            outcome = None if sure else Outcome.INCONCLUSIVE
            self._add("audit.contradicted", known, sentence.place, sentence.text, outcome=outcome)

    def _stale(self, sentence: Sentence) -> None:
        """A superseded value, told as what holds and without the newer one. Words decide, so nobody can be sure."""
        found = self._superseded.told(sentence.text)
        if found is not None:
            expected = f"{found.old} is superseded: now {found.new}"
            self._add("audit.stale", found.known, sentence.place, sentence.text, expected, outcome=Outcome.INCONCLUSIVE)

    def _asked(self, sentence: Sentence) -> None:
        """A part of a request that it tells as done and that nothing acts on. Words decide, so nobody can be sure."""
        asked = self._unfinished.told_as_done(sentence)
        if asked is not None:
            self._notes.add(
                "audit.contradicted",
                "new text",
                f"asked:{asked.text}",
                "request",
                before=asked.place,
                after=sentence.place,
                expected=asked.text,
                found=sentence.text,
                outcome=Outcome.INCONCLUSIVE,
            )

    def _speaks_of(self, sentence: Sentence, known: Known, share: float) -> bool:
        """By most of its own words, or by a key or target that the sentence names."""
        names = (known.item.attributes.get("key"), known.item.attributes.get("target"))
        return share >= 2 / 3 or any(name and name in sentence.text for name in names)

    def _add(
        self, rule: str, known: Known, place: Place, found: str, expected: str = "", outcome: Outcome | None = None
    ) -> None:
        self._notes.add(
            rule,
            "new text",
            known.item.id,
            known.record,
            before=place_before(known, self._messages),
            after=place,
            expected=expected or as_record(known),
            found=found,
            outcome=outcome,
        )
