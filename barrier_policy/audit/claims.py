"""Checks of the sentences of new text: no rule or state in them that before does not have, nothing past as present."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec

from barrier_policy.audit.claim_words import DONE, HANGING, REPORTED
from barrier_policy.audit.consent import Consent
from barrier_policy.audit.deeds import Deeds
from barrier_policy.audit.items import Known
from barrier_policy.audit.matter import Matters, matter
from barrier_policy.audit.model import Outcome, Place
from barrier_policy.audit.notebook import Notebook
from barrier_policy.audit.records import as_record, place_before
from barrier_policy.audit.restated import Restated, Rules
from barrier_policy.audit.stale import Superseded
from barrier_policy.audit.text import LIKELY, NewText, Sentence, WordIndex, split_sentences
from barrier_policy.audit.unfinished import Unfinished
from barrier_policy.facts.token_index import TokenIndex
from barrier_policy.facts.values import QUOTED
from barrier_policy.facts.words import content_words
from barrier_policy.ledger.model import UNSETTLED, Family
from barrier_policy.transcript.model import Message, Origin, PartType

SAME = 0.5
"""A sentence with this share of the words of a rule speaks of it."""
SPOKEN_TO = re.compile(
    r"\b(?:you|your|du|dir|ihr|vous|tu|usted(?:es)?|lei|voi|você|vocês|jij|jullie|ты|вы|siz|sen)\b|您|你|あなた|당신",
    re.IGNORECASE,
)
"""Words by which a sentence speaks to its reader."""
COUNTED = re.compile(r"- The agent (?:made|ran|read|got) (?:more than )?\d+ [a-z ]+(?:\([^()]*\))?[^.]*\.$")
"""What the extract of this project says of calls: it counts them, and demands nothing."""
ORDERED = 0.7
"""Of the words of an order, the share that one line of what somebody said must have."""
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
FEWEST = 4
"""A sentence of fewer words of content (`All 6 tasks completed`) tells the state of no one thing."""
SHORTEST_QUOTE = 20
"""Characters from which a quotation is told by its words."""


class Doubted(msgspec.Struct, frozen=True, kw_only=True):
    """What this audit can't hold against new text.

    Without `exact` a sentence is a rule that nobody made only where it surely is a rule, or speaks to its reader: a summary tells what was
    done, and what is next, in sentences that look like demands. What may be no rule (`is_rule` says no) can't be contradicted then. Without
    `is_whole` before lacks much of what was compacted, and nobody can say what was made up.
    """

    exact: bool
    is_whole: bool
    is_rule: Callable[[Known], bool]


class ClaimChecks:
    """What is wrong with the sentences of new text."""

    def __init__(
        self,
        known: Sequence[Known],
        messages: Sequence[Message],
        kinds: Sequence[frozenset[str]],
        there: TokenIndex,
        superseded: Superseded,
        notes: Notebook,
        doubted: Doubted,
    ) -> None:
        self._messages = messages
        self._notes = notes
        self._doubted = doubted
        self._rules = [k for k in known if k.item.family is Family.CONSTRAINT]
        self._rule_words = WordIndex(content_words(k.item.text) for k in self._rules)
        self._effects = [k for k in known if k.item.family is Family.EFFECT]
        self._effect_words = WordIndex(content_words(k.item.text) for k in self._effects)
        promises = {k.item.text for k in known if k.item.family is Family.OBLIGATION}
        self._superseded = superseded
        self._unfinished = Unfinished(messages, promises)
        self._deeds = Deeds(known, messages)
        self._consent = Consent(known, messages, kinds)
        self._restated = Rules(known, there)
        self._said: WordIndex | None = None
        self._orders: Matters | None = None

    def check(self, new: NewText) -> None:
        """Check all of it."""
        for sentence in new.sentences:
            self._notes.count("new text")
            self._stale(sentence)
            self._rule(sentence)
            self._state(sentence)
            self._asked(sentence)
            self._deed(sentence)
            self._consented(sentence)
            self._bent(sentence)
            self._ordered(sentence)

    def _rule(self, sentence: Sentence) -> None:
        """Rules that the sentence contradicts, that it brings back, or that nobody made."""
        facts = sentence.rules
        number, share = self._nearest_rule(sentence)
        if number >= 0 and share >= SAME:
            known = self._rules[number]
            if not known.current:
                if facts and not self._relieves(sentence, known):
                    self._add("audit.stale", known, sentence.place, sentence.text)
            elif self._contradicts(sentence, known):
                self._add("audit.contradicted", known, sentence.place, sentence.text)
        elif (
            self._doubted.is_whole
            and any(int(fact.get("confidence", 0)) >= LIKELY for fact in facts)
            and not (COUNTED.match(sentence.text) or self._was_said(sentence))
        ):
            # what is only told (`then the user asked to push`) may look like a demand or a condition: only a bar is surely a rule
            sure = any(not fact.get("proposed") and fact.get("polarity") == "must_not" for fact in facts)
            if not (sure or self._doubted.exact or SPOKEN_TO.search(sentence.text)):
                return
            name, outcome = f"rule:{sentence.text}", Outcome.FAIL if sure else Outcome.INCONCLUSIVE
            self._notes.add(
                "audit.unsupported", "new text", name, "rule", after=sentence.place, found=sentence.text, outcome=outcome
            )

    def _contradicts(self, sentence: Sentence, known: Known) -> bool:
        """Whether it says that the rule has ended, or demands the opposite. Who quotes a rule, even cut short, does not contradict it."""
        if self._relieves(sentence, known):
            return True
        if not self._doubted.exact and (not self._doubted.is_rule(known) or _quotes(sentence.text, known.item.text)):
            return False
        return known.item.text not in sentence.text and sentence.opposes(known.item.text, known.item.kind)

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
        if done == open_ or (not self._doubted.exact and len(sentence.words) < FEWEST):
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

    def _deed(self, sentence: Sentence) -> None:
        """A deed that it tells as done and that is open, or the other way round."""
        for deed, clause, sure in self._deeds.told_wrongly(sentence, exact=self._doubted.exact):
            self._notes.add(
                "audit.contradicted",
                "new text",
                deed.known.item.id if deed.known else f"deed:{deed.text}",
                deed.known.record if deed.known else "request",
                before=deed.place,
                after=sentence.place,
                expected=as_record(deed.known) if deed.known else deed.text,
                found=clause,
                outcome=Outcome.FAIL if sure else Outcome.INCONCLUSIVE,
            )

    def _consented(self, sentence: Sentence) -> None:
        """A release, a permission or an approval that nobody gave: of a rule that holds, or of anything else."""
        for clause, rule in self._consent.unfounded(sentence):
            if rule is not None:
                self._add("audit.contradicted", rule, sentence.place, clause)
            elif self._doubted.is_whole:
                outcome = Outcome.FAIL if self._doubted.exact else Outcome.INCONCLUSIVE
                self._unsupported("consent", clause, sentence, outcome)

    def _bent(self, sentence: Sentence) -> None:
        """A rule under another name, or as a wish; what else the result says of it does not mend that."""
        for rule, how in self._restated.bent_by(sentence):
            if how is Restated.RENAMED:
                self._add("audit.altered", rule, sentence.place, sentence.text)
            else:
                self._add("audit.weakened", rule, sentence.place, sentence.text, outcome=Outcome.INCONCLUSIVE)

    def _ordered(self, sentence: Sentence) -> None:
        """An order that nobody gave. Words decide, so nobody can be sure."""
        if not self._doubted.exact or not demands(sentence) or self._was_ordered(sentence):
            return
        self._unsupported("rule", sentence.text, sentence, Outcome.INCONCLUSIVE)

    def _was_ordered(self, sentence: Sentence) -> bool:
        """Whether somebody said it, in most of its words: what tools show gives no orders."""
        if self._orders is None:
            said = (message for message in self._messages if message.origin.rank <= Origin.AGENT.rank)
            self._orders = Matters(
                matter(line)
                for message in said
                for part in message.parts
                if part.type is PartType.TEXT
                for _, line in split_sentences(part.text)
            )
        return self._orders.best(matter(sentence.text))[0] >= ORDERED

    def _unsupported(self, kind: str, text: str, sentence: Sentence, outcome: Outcome) -> None:
        self._notes.add(
            "audit.unsupported", "new text", f"{kind}:{text}", kind, after=sentence.place, found=text, outcome=outcome
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


def demands(sentence: Sentence) -> bool:
    """Whether a sentence surely or likely asks for something, and tells neither a state nor what somebody wanted."""
    if REPORTED.search(sentence.text) or DONE.search(sentence.text) or HANGING.search(sentence.text):
        return False
    return sentence.says("request") or (sentence.hints("request") and not sentence.says("status_done"))


def _quotes(sentence: str, rule: str) -> bool:
    """Whether a sentence has a run of words of the rule in quotation marks."""
    quoted = (next(filter(None, match.groups())) for match in QUOTED.finditer(sentence))
    return any(len(words) >= SHORTEST_QUOTE and words.rstrip(" .…") in rule for words in quoted)
