"""Releases, permissions and approvals that new text tells and nobody gave (design sections 2 and 5: only the creditor releases).

What says that a rule has ended, that something may be done now or that somebody agreed must have been said before in words of which
it has most, or the ledger must know that the rule has ended. What tells a condition (`until Dana agrees`) claims nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from itertools import chain

from barrier_policy.audit.claim_words import AGREED, ALLOWED, CONDITION, ENDED, IF, LATER, clauses
from barrier_policy.audit.items import Known
from barrier_policy.audit.matter import Matters, matter
from barrier_policy.audit.text import Sentence, split_sentences
from barrier_policy.ledger.model import Family
from barrier_policy.transcript.model import Message, MessageKind, Origin, PartType

MOST = 0.6
"""The share of a claim's words that what supports it must have; more than half, so that of two things both are the same."""
ABOUT = 1 / 3
"""The share of a claim's words by which it is about a rule."""
MAX_TEXT = 8_000
"""Characters of a text that are searched for what supports a claim."""
MAX_ANSWERED = 600
"""Characters at the end of what the agent said that a user's consent answers."""
AGREES = re.compile(
    r"approve|sign(?!al|up|in)|authori[sz]e|accept|consent|grant|confirm|freigeb|genehmig|aprob|autoriz|firm", re.IGNORECASE
)
"""Names of tools by which somebody consents."""
CLAIM_WORDS = matter(
    "approved approve approval agreed agree consent consented authorized signed sign okayed gave give permission lifted lift released release revoked waived"
    " withdrawn longer apply applies required requires necessary needed need allowed permitted fine may can free rule anybody anyone"
    " freigegeben freigabe genehmigt zugestimmt unterschrieben aufgehoben mehr nötig darf dürfen kann können jetzt wieder sofort"
    " aprobó aprobado autorizó firmó visto bueno hace falta necesita vale puede pueden permitido permiso"
)
"""Words that make the claim, and say nothing of what it is about."""


class Claim(StrEnum):
    """What a clause claims of a rule or a wish."""

    AGREED = "agreed"
    ENDED = "ended"
    ALLOWED = "allowed"


LETS_GO = frozenset({Claim.ENDED, Claim.ALLOWED})
"""Claims that stand for each other: what has ended is allowed, and the other way round."""


class Consent:
    """What was agreed to and what was let go in before. `kinds` are those of each message's facts."""

    def __init__(self, known: Sequence[Known], messages: Sequence[Message], kinds: Sequence[frozenset[str]]) -> None:
        self._rules = [k for k in known if k.item.family is Family.CONSTRAINT]
        self._rule_words = Matters(matter(k.item.text) for k in self._rules)
        self._acts = Matters(_acts(messages))
        self._limits = Matters(_limits(messages))
        said: dict[Claim, list[frozenset[str]]] = {claim: [] for claim in Claim}
        for words, claims in chain(_said(messages), _consented(messages, kinds)):
            for claim in claims:
                said[claim].append(words)
        self._said = {claim: Matters(words) for claim, words in said.items()}

    def unfounded(self, sentence: Sentence) -> Iterator[tuple[str, Known | None]]:
        """The clauses with a claim that nothing supports, each with the live rule that it is about, if it is about one."""
        for clause in clauses(sentence.text):
            claims = frozenset() if LATER.match(clause) else claims_of(clause)
            if claims and not self._is_supported(clause, claims):
                yield clause, self._rule(clause)

    def _is_supported(self, clause: str, claims: Collection[Claim]) -> bool:
        words = _about(clause)
        kinds = {*claims, *(LETS_GO if LETS_GO & set(claims) else ())}
        if any(self._said[kind].best(words)[0] >= MOST for kind in sorted(kinds)):
            return True
        if Claim.AGREED in claims and self._acts.best(words)[1]:
            return True
        share, numbers = self._rule_words.best(words)
        return share >= ABOUT and any(not self._rules[number].current for number in numbers)

    def is_about_limit(self, clause: str) -> bool:
        """Whether a user or the instructions said something of the kind with a condition or a ban in it, though it may be no rule."""
        return self._limits.best(_about(clause))[0] >= MOST

    def _rule(self, clause: str) -> Known | None:
        """The live rule that a clause is about."""
        share, numbers = self._rule_words.best(_about(clause))
        live = [self._rules[number] for number in numbers if self._rules[number].current]
        return live[-1] if live and share >= ABOUT else None


def claims_of(clause: str) -> frozenset[Claim]:
    """What a clause claims without a condition."""
    found = set()
    ended = ENDED.search(clause)
    if ended and not CONDITION.search(clause[: ended.start()]) and not IF.match(clause[ended.end() :]):
        found.add(Claim.ENDED)
    if not CONDITION.search(clause):
        found.update(
            claim for claim, pattern in ((Claim.ALLOWED, ALLOWED), (Claim.AGREED, AGREED)) if pattern.search(clause)
        )
    return frozenset(found)


def _about(clause: str) -> frozenset[str]:
    words = matter(clause)
    return words - CLAIM_WORDS or words


def _acts(messages: Sequence[Message]) -> Iterator[frozenset[str]]:
    """Calls that are consent themselves: `approve_timesheet`, `sign_contract`."""
    for message in messages:
        for part in message.parts:
            if part.type is PartType.TOOL_CALL and AGREES.search(part.name):
                yield _about(f"{part.name} {part.text[:MAX_TEXT]}")


def _limits(messages: Sequence[Message]) -> Iterator[frozenset[str]]:
    """What users and instructions say with a condition or a ban in it, sentence by sentence."""
    for message in messages:
        for part in message.parts:
            if part.type is PartType.TEXT and message.origin.rank <= Origin.USER.rank:
                for _, sentence in split_sentences(part.text[:MAX_TEXT]):
                    if CONDITION.search(sentence):
                        yield _about(sentence)


def _said(messages: Sequence[Message]) -> Iterator[tuple[frozenset[str], frozenset[Claim]]]:
    """What anybody says, or a tool shows, that makes such a claim; with the words of its sentence, and of a user's with those of all he says."""
    for message in messages:
        for part in message.parts:
            if part.type is PartType.TOOL_CALL or message.kind is MessageKind.CARRIER:
                continue
            for _, sentence in split_sentences(part.text[:MAX_TEXT]):
                if claims := frozenset(claim for clause in clauses(sentence) for claim in claims_of(clause)):
                    yield _about(sentence), claims


def _consented(
    messages: Sequence[Message], kinds: Sequence[frozenset[str]]
) -> Iterator[tuple[frozenset[str], frozenset[Claim]]]:
    """A user's consent or release, with what the agent had said just before."""
    before = ""
    for message, found in zip(messages, kinds, strict=True):
        text = " ".join(part.text for part in message.parts if part.type is PartType.TEXT)
        if message.origin is Origin.USER and len(text) <= MAX_TEXT:
            if "approval" in found:
                yield _about(f"{text} {before[-MAX_ANSWERED:]}"), frozenset({Claim.AGREED})
            if "release" in found:
                yield _about(text), LETS_GO
        elif message.origin is Origin.AGENT and text:
            before = text
