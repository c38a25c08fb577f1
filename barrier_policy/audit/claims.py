"""Checks of the sentences of new text: no rule or state in them that before does not have, nothing past as present."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from barrier_policy.audit.calls import retried
from barrier_policy.audit.claim_words import PARTIES, SPOKEN_TO, clauses
from barrier_policy.audit.consent import Claim, Consent, claims_of
from barrier_policy.audit.deeds import Deeds
from barrier_policy.audit.items import Known
from barrier_policy.audit.matter import matter
from barrier_policy.audit.model import Outcome
from barrier_policy.audit.notebook import Notebook
from barrier_policy.audit.orders import Orders, is_told
from barrier_policy.audit.records import add_about, as_record
from barrier_policy.audit.restated import Rules
from barrier_policy.audit.stale import Superseded
from barrier_policy.audit.text import LIKELY, NewText, Sentence, WordIndex, split_sentences
from barrier_policy.facts.token_index import TokenIndex
from barrier_policy.facts.values import QUOTED
from barrier_policy.facts.words import content_words
from barrier_policy.ledger.model import UNSETTLED, Family
from barrier_policy.transcript.model import Message, Origin

SAME = 0.5
"""A sentence with this share of the words of a rule speaks of it."""
HOW_MANY = re.compile(r"\d+ messages?\b")
"""How a summary begins that says how many messages it stands for: `27 messages of routine work`."""
COUNTED = re.compile(r"(?:- )?The agent (?:made|ran|read|got) (?:more than )?\d+ [a-z ]+(?:\([^()]*\))?[^.]*\.$")
"""What the extract of this project says of calls: it counts them, and demands nothing."""
IN_QUOTES = re.compile('[“„«「『"]([^“”„«»「」『』"\n]{12,2000})[”“»」』"]')
OMITTED = re.compile(r"\[…\]|[…*'\"]")
"""What the extract of this project leaves out of a quote, or writes otherwise."""
SIGNS = " \t.,;:!?()"
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
NAMED_SO = re.compile(
    r"\b(?:the|an?|this|that|our|its|der|die|das|dem|den|el|la|los|las|le|les|il|lo|o|os|het) (?:approved|agreed|authori[sz]ed|genehmigte\w*|freigegebene\w*|bewilligte\w*|abgestimmte\w*|approvat\w*|goedgekeurde) [\w`'\"]"
    r"|\bsigned(?:[/-]| (?!off|by|in|the|an?|it|this|that|up|to)\w)"
    r"|\b(?:el|la|los|las|le|les|il|o|a|os|as) \w+ (?:aprobad|autorizad|approuvé|validé|approvat|aprovad)\w*",
    re.IGNORECASE,
)
"""What something is called (`the approved plan`), which tells in passing that somebody went along with it."""
FEWEST = 4
"""A sentence of fewer words of content (`All 6 tasks completed`) tells the state of no one thing."""
SHORTEST_QUOTE = 20
"""Characters from which a quotation is told by its words."""


class Doubted(msgspec.Struct, frozen=True, kw_only=True):
    """What this audit can't hold against new text.

    Without `exact` a sentence is a rule that nobody made only where it surely is a rule, or speaks to its reader: a summary tells what was
    done, and what is next, in sentences that look like demands. What may be no rule (`is_rule` says no) can't be contradicted then. Without
    `is_whole` before lacks much of what was compacted, and nobody can say what was made up. What became of `waiting` calls, by message and
    part, the log does not say.
    """

    exact: bool
    is_whole: bool
    is_rule: Callable[[Known], bool]
    waiting: frozenset[tuple[int, int]]


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
        self._there = there
        self._notes = notes
        self._add = partial(add_about, notes, "new text", messages)
        self._doubted = doubted
        self._rules = [k for k in known if k.item.family is Family.CONSTRAINT]
        self._rule_words = WordIndex(content_words(k.item.text) for k in self._rules)
        effects = [k for k in known if k.item.family is Family.EFFECT]
        settled = frozenset() if doubted.exact else retried(effects)
        known_ends = (k for k in effects if (k.item.message, k.item.part) not in doubted.waiting)
        self._effects = [k for k in known_ends if k.item.id not in settled]
        self._effect_words = WordIndex(content_words(k.item.text) for k in self._effects)
        self._superseded = superseded
        self._deeds = Deeds(known, messages, exact=doubted.exact, waiting=doubted.waiting, settled=settled)
        self._consent = Consent(known, messages, kinds)
        self._orders = Orders(messages, self._deeds)
        self._restated = Rules(known, messages)
        said = zip(messages, kinds, strict=True)
        self._user_agreed = any(message.origin is Origin.USER and "approval" in found for message, found in said)
        self._said: WordIndex | None = None

    def check(self, new: NewText) -> None:
        """Check all of it."""
        for sentence in new.sentences:
            self._notes.count("new text")
            self._stale(sentence)
            self._rule(sentence)
            self._state(sentence)
            own = self._without_quotes(sentence)
            if not COUNTED.match(own.text):
                self._deed(own)
            self._consented(own)
            self._bent(own)
            count = HOW_MANY.match(own.text)
            if count is None or not new.counts(own.place, count[0]):
                self._ordered(own)

    def _without_quotes(self, sentence: Sentence) -> Sentence:
        """The sentence without what it quotes of before word for word: who said it answers for that."""

        def judge(match: re.Match[str]) -> str:
            pieces = [piece for piece in OMITTED.split(match[1]) if piece.strip(SIGNS)]
            return '""' if pieces and all(self._there.holds(piece.strip(SIGNS)) for piece in pieces) else match[0]

        text = IN_QUOTES.sub(judge, sentence.text)
        return msgspec.structs.replace(sentence, text=text) if text != sentence.text else sentence

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
            and not is_told(sentence.text)
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
        if not self._doubted.exact and not self._doubted.is_rule(known):
            return False
        if self._relieves(sentence, known):
            return True
        if is_told(sentence.text) and not any(map(claims_of, clauses(sentence.text))):
            return False
        if not self._doubted.exact and _quotes(sentence.text, known.item.text):
            return False
        return known.item.text not in sentence.text and sentence.opposes(known.item.text, known.item.kind)

    def _was_said(self, sentence: Sentence) -> bool:
        """Whether one line of before, whoever said or showed it, has most of the words."""
        if self._said is None:
            lines = (line for message in self._messages for part in message.parts for line in split_sentences(part.text))
            self._said = WordIndex(content_words(line) for _, line in lines)
        return self._said.nearest(sentence.words)[1] >= OWN or self._orders.share_said(matter(sentence.text)) >= OWN

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
        done, open_ = sentence.says("status_done"), sentence.says("status_pending") or sentence.says("status_failed")
        if done == open_ or (not self._doubted.exact and len(sentence.words) < FEWEST):
            return
        number, share = self._effect_words.nearest(sentence.words)
        if number < 0 or not self._speaks_of(sentence, self._effects[number], share):
            return
        known = self._effects[number]
        is_undone = (
            open_ and known.state == "confirmed" and share >= SAME and not self._deeds.is_under_way(matter(sentence.text))
        )
        if (done and known.state in UNSETTLED) or is_undone:
            self._add("audit.contradicted", known, sentence.place, sentence.text)

    def _stale(self, sentence: Sentence) -> None:
        """A superseded value, told as what holds and without the newer one. Words decide, so nobody can be sure."""
        found = self._superseded.told(sentence.text)
        if found is not None:
            expected = f"{found.old} is superseded: now {found.new}"
            self._add("audit.stale", found.known, sentence.place, sentence.text, expected, outcome=Outcome.INCONCLUSIVE)

    def _deed(self, sentence: Sentence) -> None:
        """A deed that it tells as done and that is open, or the other way round."""
        for deed, clause, sure in self._deeds.told_wrongly(sentence):
            self._notes.add(
                "audit.contradicted",
                "new text",
                deed.known.item.id if deed.known else f"asked:{deed.text}",
                deed.known.record if deed.known else "request",
                before=deed.place,
                after=sentence.place,
                expected=as_record(deed.known) if deed.known else deed.text,
                found=clause,
                outcome=Outcome.FAIL if sure else Outcome.INCONCLUSIVE,
            )

        for deed, clause, word in self._deeds.named_wrongly(sentence):
            if deed.known is not None:
                self._add("audit.misbound", deed.known, sentence.place, f"{word}: {clause}", outcome=Outcome.INCONCLUSIVE)

    def _consented(self, sentence: Sentence) -> None:
        """A release, a permission or an approval that nobody gave: of a rule that holds, or of anything else."""
        for clause, rule in self._consent.unfounded(sentence):
            exact = self._doubted.exact
            if not exact and (NAMED_SO.search(clause) or self._is_of_user(clause)):
                continue
            if rule is not None:
                outcome = Outcome.FAIL if exact or self._doubted.is_rule(rule) else Outcome.INCONCLUSIVE
                self._add("audit.contradicted", rule, sentence.place, clause, outcome=outcome)
            elif self._doubted.is_whole and self._is_serious(clause):
                self._unsupported("consent", clause, sentence, Outcome.FAIL if exact else Outcome.INCONCLUSIVE)

    def _is_of_user(self, clause: str) -> bool:
        """Whether it tells that the user agreed, who did at some time: people go along in words that name nothing (`ok, go`)."""
        return self._user_agreed and claims_of(clause) == {Claim.AGREED} and PARTIES.search(clause) is not None

    def _is_serious(self, clause: str) -> bool:
        """Whether it tells of consent, of rules, or of what somebody set limits to: other things are allowed and no longer needed in any text."""
        return (
            Claim.AGREED in claims_of(clause) or PARTIES.search(clause) is not None or self._consent.is_about_limit(clause)
        )

    def _bent(self, sentence: Sentence) -> None:
        """A rule as a wish, or what somebody said under another name; what else the result says of it does not mend that."""
        rule = self._restated.softened_by(sentence)
        if rule is not None:
            self._add("audit.weakened", rule, sentence.place, sentence.text, outcome=Outcome.INCONCLUSIVE)
        renamed = self._restated.renamed_by(sentence, self._there, exact=self._doubted.exact)
        if renamed is not None:
            place, said = renamed
            self._notes.add(
                "audit.altered",
                "new text",
                f"said:{said}",
                "name",
                before=place,
                after=sentence.place,
                expected=said,
                found=sentence.text,
            )

    def _ordered(self, sentence: Sentence) -> None:
        """An order that nobody gave. Words decide, so nobody can be sure."""
        if self._doubted.exact and not COUNTED.match(sentence.text):
            for clause in self._orders.unfounded(sentence):
                self._unsupported("rule", clause, sentence, Outcome.INCONCLUSIVE)

    def _unsupported(self, kind: str, text: str, sentence: Sentence, outcome: Outcome) -> None:
        self._notes.add(
            "audit.unsupported", "new text", f"{kind}:{text}", kind, after=sentence.place, found=text, outcome=outcome
        )

    def _speaks_of(self, sentence: Sentence, known: Known, share: float) -> bool:
        """By most of its own words, or by a key or target that the sentence names."""
        names = (known.item.attributes.get("key"), known.item.attributes.get("target"))
        return share >= 2 / 3 or any(name and name in sentence.text for name in names)


def _quotes(sentence: str, rule: str) -> bool:
    """Whether a sentence has a run of words of the rule in quotation marks."""
    quoted = (next(filter(None, match.groups())) for match in QUOTED.finditer(sentence))
    return any(len(words) >= SHORTEST_QUOTE and words.rstrip(" .…") in rule for words in quoted)
