"""What is said in prose, sentence by sentence: rules, consent, requests, promises, states, values (design sections 3 and 5).

Who speaks decides what can be said: only users, systems and developers make rules, consent and ask; the agent promises and
reports; tools and retrieved content say nothing here, whatever they claim. A small model scores each sentence; what its words
can't mean is left out. A weakly supported fact is marked `proposed`: it may protect, and should not release anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, partial
from typing import Final

import msgspec
from barrier_policy_plugins.prose_cues import find_cues
from barrier_policy_plugins.prose_releases import Release, find_release
from barrier_policy_plugins.rule_polarity import ONLY_IF, POLARITIES, find_scope, judge_polarity, judge_strength
from barrier_policy_plugins.sentence_model import SentenceModel, shipped_model

from barrier_policy.facts.context import Context
from barrier_policy.facts.model import Attribute, Fact, FactKind, FactValue
from barrier_policy.facts.prose import prose_sentences, without_quotes
from barrier_policy.facts.remembered import Remembered
from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.model import Message, MessageKind, Origin, PartType

Read = tuple[tuple[str, dict[str, FactValue]], ...]

USER: Final = 0
AGENT: Final = 1
SYSTEM: Final = 2

STATUSES: Final = ("status_pending", "status_done", "status_failed")
RULES: Final = ("constraint", "approval_gate")


class Bar(msgspec.Struct, frozen=True, gc=False):
    """The scores, in hundredths of a logit, from which a kind counts as proposed and as sure."""

    proposed: int
    sure: int


CUE_WEIGHTS: Final[Mapping[str, int]] = {
    "approval_gate": 70,
    "approval": 140,
    "denial": 150,
    "release": 160,
    "correction": 90,
    "request": 130,
    "question": 80,
    "commitment": 60,
    "status_pending": 145,
    "status_done": 20,
    "status_failed": 140,
    "negation_evidence": 230,
    "plan_item": 110,
}
"""What a cue adds to the score of its kind, as measured on held-out folds."""
BARS: Final[Mapping[int, Mapping[str, Bar]]] = {
    USER: {
        "constraint": Bar(-105, 40),
        "approval_gate": Bar(-130, -30),
        "approval": Bar(0, 100),
        "denial": Bar(0, 100),
        "release": Bar(0, 100),
        "correction": Bar(0, 100),
        "request": Bar(-50, 50),
        "question": Bar(0, 100),
        "status_pending": Bar(80, 160),
        "status_done": Bar(80, 160),
        "status_failed": Bar(80, 160),
        "negation_evidence": Bar(80, 160),
        "binding": Bar(50, 120),
    },
    AGENT: {
        "commitment": Bar(0, 100),
        "question": Bar(0, 100),
        "status_pending": Bar(0, 100),
        "status_done": Bar(0, 100),
        "status_failed": Bar(0, 100),
        "negation_evidence": Bar(0, 100),
        "plan_item": Bar(0, 100),
        "correction": Bar(0, 100),
        "binding": Bar(100, 160),
    },
    SYSTEM: {
        "constraint": Bar(-60, 40),
        "approval_gate": Bar(-40, 40),
        "approval": Bar(50, 120),
        "denial": Bar(50, 120),
        "release": Bar(50, 120),
        "request": Bar(50, 120),
        "binding": Bar(100, 160),
    },
}
"""Set on labelled cases, between lost words and needless barriers: a user's missed rule is lost, a doubtful one costs a short line; in an
agent's long prose a doubtful one costs a barrier. How often a kind is found on held-out sentences: `benchmarks/prose_model`."""
NOTICE_BARS: Final[Mapping[str, Bar]] = {kind: BARS[AGENT][kind] for kind in STATUSES}
MAX_MEMO: Final = 1_000
NOT_A_RULE: Final[Mapping[str, int]] = {"approval": 60, "request": 35, "denial": 35}
"""What a cue of another kind takes off the score of a rule."""
TOLD: Final = 60
"""What a word by which users report something, or want to be told, takes off it."""
STANDING: Final = 80
"""What a sentence of some words that begins with `never`, `do not`, `always` gains as a rule, unless something is told or taken back in it."""
STANDING_SIZE: Final = 15
"""Bytes of the shortest such sentence: `never mind` and `always welcome` are no rules; scripts that say more in a letter take more bytes for it."""
DEONTIC: Final = 160
"""What a word that demands or forbids adds to the score of a rule: `must not`, `has to`, unless something is supposed, told or taken back by it.
Such a word makes a rule likely, never sure: what is pasted is full of them."""
NOT_DEONTIC: Final = frozenset({"no_rule", "supposed", "release"})
HELD: Final = 150
"""What telling to wait for somebody's word adds to the score of a gate: `wait for Ana's ok`, `only after the audit`."""
HELD_WORDS: Final = frozenset({"holds", "consent"})
LIKELY_GATE: Final = -180
"""Score of a gate from which such a word may belong to its condition: `not before I've seen it`."""
QUESTION_MARK: Final = 100
"""What a question mark adds to the score of a question, which it makes one in any case, and what being a question takes off that of a rule."""
QUESTION_BAR: Final = -120
GATE_MARGIN: Final = 40
"""A gate can't be much surer than that the sentence is a rule at all."""

ANNOUNCED: Final = frozenset(("commitment", "plan_item", "status_pending"))
"""What the agent seems to say where it only announces its next step: before a colon, or beside the call that is the step."""

_ASKS: Final = re.compile(
    r"(?:[?？؟]|(?:です|ます|ません|でした|ました|でしょう|ましょう|いい|よろしい)か[。．.]?"
    r"|(?:까요|나요|인가요|은가요|는가요|습니까|입니까|합니까|됩니까|십니까)[.。]?|[吗嗎][。．.]?)['\"”’»)」』]*$"
)
"""A question mark, or the ending by which Japanese, Korean and Chinese ask without one."""


@hookimpl
def barrier_fact_kinds() -> Iterable[FactKind]:
    """All kinds but `plan_item`, which the plans plugin declares."""
    confidence = Attribute(name="confidence", type="int", doc="how sure it is, 0 to 100")
    proposed = Attribute(name="proposed", type="bool", doc="weak evidence: it may protect, and should not release anything")
    rule = (
        Attribute(name="polarity", type="string", doc="what it demands", values=POLARITIES),
        Attribute(name="scope", type="string", doc="the words that say where or when it holds, empty where none do"),
        Attribute(name="strength", type="string", doc="how it is worded; both are protected", values=("hard", "soft")),
    )
    to = Attribute(name="to", type="string", doc="who is to answer", values=("user", "agent"))
    permits = Attribute(
        name="permits", type="bool", doc="it says that something may be done again, which ends a prohibition and no gate"
    )
    own = {"constraint": rule, "approval_gate": rule, "question": (to,), "release": (permits,)}
    return tuple(
        FactKind(name=name, doc=doc, attributes=(*own.get(name, ()), confidence, proposed)) for name, doc in DOCS.items()
    )


DOCS: Final[Mapping[str, str]] = {
    "constraint": "A rule of a user or higher that stays in force for later turns.",
    "approval_gate": "A rule by which something may not happen before somebody says so.",
    "approval": "Consent to one concrete thing.",
    "denial": "Consent refused, or a stop.",
    "release": "Lifts, narrows, replaces or ends an earlier rule or value.",
    "correction": "Corrects a fact or value given before.",
    "request": "Asks for work to be done now.",
    "question": "Expects an answer from the other side.",
    "commitment": "The agent undertakes to do something later.",
    "status_pending": "Something is started, queued, half done, not confirmed, or its outcome unknown.",
    "status_done": "Something is completed or confirmed.",
    "status_failed": "Something cleanly failed or was refused before it began.",
    "negation_evidence": "Something was not done or does not exist, as a fact that somebody may ask about.",
    "binding": "Gives an exact value that must be kept as it is, tied to a name or use.",
}


@hookimpl
def barrier_extract_facts(message: Message, context: Context) -> Iterable[Fact]:
    """The facts in a message's text; nothing in results, summaries and carriers, only states in notices."""
    speaker = _speaker(message)
    if speaker is None or message.kind in (MessageKind.SUMMARY, MessageKind.CARRIER):
        return ()
    return _facts(message, speaker)


@cache
def load_model() -> SentenceModel:
    """The shipped model, read once."""
    return shipped_model()


def _speaker(message: Message) -> int | None:
    if message.origin is Origin.USER:
        return USER
    if message.origin is Origin.AGENT:
        return AGENT
    return SYSTEM if message.origin in (Origin.SYSTEM, Origin.DEVELOPER) else None


def _facts(message: Message, speaker: int) -> Iterator[Fact]:
    sentences = read_sentences(speaker, message.kind is MessageKind.NOTICE)
    calls = max((index for index, part in enumerate(message.parts) if part.type is PartType.TOOL_CALL), default=-1)
    for index, part in enumerate(message.parts):
        if part.type is PartType.TEXT:
            for sentence in prose_sentences(part.text):
                announces = speaker == AGENT and (index < calls or sentence.text.endswith((":", "：")))
                for kind, attributes in sentences[sentence.text]:
                    if not (announces and kind in ANNOUNCED) and not (kind == "plan_item" and sentence.box):
                        yield Fact(
                            kind=kind,
                            message=message.index,
                            part=index,
                            start=sentence.start,
                            end=sentence.end,
                            text=sentence.text,
                            attributes=attributes,
                        )


@cache
def read_sentences(speaker: int, is_notice: bool) -> Remembered[Read]:
    """What sentences of a speaker state."""
    return Remembered(partial(read_sentence, speaker=speaker, is_notice=is_notice), MAX_MEMO)


def read_sentence(sentence: str, speaker: int, is_notice: bool) -> Read:
    """The kinds of facts that a sentence states, with their attributes."""
    bars = NOTICE_BARS if is_notice else BARS[speaker]
    scores = _scores(sentence, speaker)
    ends = "release" in bars and find_release(sentence) is not Release.NONE
    if ends:
        scores["release"] = max(scores["release"], bars["release"].sure)
    return tuple(
        (kind, _attributes(kind, sentence, score, speaker, score < bars[kind].sure))
        for kind, score in scores.items()
        if kind in bars and score >= (bars[kind].sure if ends and kind in RULES else bars[kind].proposed)
    )  # what lifts a rule is worded like one


def _scores(sentence: str, speaker: int) -> dict[str, int]:
    """How sure it is, in hundredths of a logit, that a sentence is of each kind."""
    model = load_model()
    scores = dict(zip(model.outputs, model.scores(sentence, speaker), strict=True))
    # a gate is a rule as well, and what says that a sentence is a rule says it of gates too
    rule = max(scores["constraint"], scores["rule"])
    cues = find_cues(sentence)
    for kind in cues & CUE_WEIGHTS.keys():
        scores[kind] += CUE_WEIGHTS[kind]
        rule -= NOT_A_RULE.get(kind, 0)
    if speaker == USER and "no_rule" in cues and scores["approval_gate"] < LIKELY_GATE:
        rule -= TOLD
    if "standing" in cues and cues.isdisjoint(NOT_DEONTIC) and len(sentence.encode()) >= STANDING_SIZE:
        rule += STANDING
    if "deontic" in cues and cues.isdisjoint(NOT_DEONTIC) and "deontic" in find_cues(without_quotes(sentence)):
        rule = max(rule, min(rule + DEONTIC, BARS[USER]["constraint"].sure - 1))
    if cues >= HELD_WORDS:
        scores["approval_gate"] += HELD
        rule += HELD
    if _ASKS.search(sentence):
        scores["question"] = max(scores["question"] + QUESTION_MARK, 0)
    if scores["question"] >= QUESTION_BAR:
        rule -= QUESTION_MARK
    scores["constraint"] = rule
    scores["approval_gate"] = min(scores["approval_gate"], rule + GATE_MARGIN)
    return scores


def _attributes(kind: str, sentence: str, score: int, speaker: int, proposed: bool) -> dict[str, FactValue]:
    if kind == "plan_item":
        return {"state": "open", "id": "", "source": "sentence", "whole": False}
    attributes: dict[str, FactValue] = {"confidence": 50 + score * 50 // (abs(score) + 100), "proposed": proposed}
    if kind in RULES:
        gate = kind == "approval_gate"
        attributes["polarity"] = ONLY_IF if gate else judge_polarity(sentence, load_model().sights(sentence))
        attributes["strength"] = judge_strength(sentence)
        attributes["scope"] = find_scope(sentence)
    elif kind == "release":
        attributes["permits"] = find_release(sentence) is Release.PERMITS
    elif kind == "question":
        attributes["to"] = "user" if speaker == AGENT else "agent"
    return attributes
