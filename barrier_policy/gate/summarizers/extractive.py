"""The embedded summarizer: a deterministic extract that reports who said and did what, turn by turn, without a model.

It quotes the first telling sentence of what the user wrote and the last of what the agent said, and counts the calls between them.
Everything is reported speech in the past tense, inside quotation marks that no quote can close. Exact values are left out of quotes:
those that matter stand in the carrier, and a superseded one must not come back through a summary.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

import msgspec

from barrier_policy.facts.prose import prose_sentences
from barrier_policy.facts.words import content_words
from barrier_policy.gate.summarizers.activity import Activity
from barrier_policy.gate.summary_check import clean, has_mark
from barrier_policy.gate.summary_request import SummaryRequest
from barrier_policy.transcript.model import Message, MessageKind, Origin, PartType
from barrier_policy.transcript.tokens import Counter, estimate_tokens

MAX_QUOTE = 180
"""Characters of one quote. A longer sentence is not cut, since half a sentence can say the opposite; another one is taken."""
LOOKED_AT = 6
"""Sentences of a text, from its start or its end, among which the quote is chosen."""
SHARE = 8
LEAST = 60
"""An extract takes this share of its source, and at least so many tokens."""
READ = 8_000
"""Characters of a text, at its start or its end, that are read for a quote."""
MIN_WORDS = 2
"""Words of content that make a sentence telling; one that ends with a colon only announces."""
MIN_LETTERS = 6
"""Letters that do, in scripts that put no space between words."""

VALUE = re.compile(r"`[^`\n]*`|<[^<>\n]*>|\S*(?:\d|://|/|\\|_|@|=|\w\.\w)\S*")
"""An exact value, or a word that may be one: with a digit, or a sign of paths, names in code and addresses. Inline code and tags are, too."""
OMITTED = "[…]"
MARKS = str.maketrans(dict.fromkeys('“”„«»"', "'") | {"*": None})
ASKS = ("?", "？", "؟")
OWN_LINE = re.compile(r"- (?:The user (?:asked|wrote)|The agent (?:said|made|ran|read)|An earlier summary said)\b.*")


class Extractive(msgspec.Struct, frozen=True, kw_only=True):
    """`count` counts tokens as the gate does."""

    count: Counter = estimate_tokens

    @property
    def name(self) -> str:
        """`extractive`."""
        return "extractive"

    def __call__(self, request: SummaryRequest) -> str:
        """An eighth of the source, and what a sentence or two need: the first entry, then the newest ones that there is room for."""
        head = "Earlier turns of this conversation were summarized here."
        entries = list(_entries(request.messages))
        room = min(request.max_tokens, request.tokens // 2, max(LEAST, request.tokens // SHARE)) - self.count(head)
        return "\n".join([head, *self._fitting(entries, room)])

    def _fitting(self, entries: Sequence[str], room: int) -> list[str]:
        costs = [self.count(entry + "\n") for entry in entries]
        if sum(costs) <= max(room, 0):
            return list(entries)
        gap = "- Further exchanges were left out."
        room -= self.count(gap + "\n")
        if room < 0:
            return []
        first = 1 if costs[0] <= room else 0
        left = room - sum(costs[:first])
        newest = sum(total <= left for total in accumulate(reversed(costs[first:])))
        return [*entries[:first], gap, *entries[len(entries) - newest :]]


def _entries(messages: Iterable[Message]) -> Iterator[str]:
    """The lines of the summary, in order: what was asked, what was done, what was said."""
    activity, answers = Activity(), list[str]()
    for message in messages:
        if message.kind is MessageKind.SUMMARY:
            yield from _earlier(message)
        elif message.kind is not MessageKind.MESSAGE:
            continue
        elif message.origin is Origin.USER:
            yield from _done(activity, answers)
            activity, answers = Activity(), []
            yield from _asked(message)
        else:
            activity.add(message)
            if message.origin is Origin.AGENT:
                answers += _texts(message)
    yield from _done(activity, answers)


def _asked(message: Message) -> Iterator[str]:
    texts = _texts(message)
    quote = next(filter(None, (_quote(text) for text in texts)), "")
    if quote:
        yield f"- The user {'asked' if quote.endswith(ASKS) else 'wrote'}: “{quote}”"
    elif texts:
        yield "- The user wrote a message that can't be told in a sentence."


def _done(activity: Activity, answers: Sequence[str]) -> Iterator[str]:
    if found := activity.told():
        yield f"- The agent {found}."
    quote = next(filter(None, (_quote(text, last=True) for text in reversed(answers[-LOOKED_AT:]))), "")
    if quote:
        yield f"- The agent said: “{quote}”"


def _earlier(message: Message) -> Iterator[str]:
    """What an earlier extract told is told again; of other summaries, one sentence."""
    lines = [line for text in _texts(message) for line in text[:READ].splitlines()]
    own = [line for line in lines if OWN_LINE.fullmatch(line) and line == clean(line) and not has_mark(line)]
    yield from own
    if not own and (quote := _quote("\n".join(line for line in lines if not has_mark(line)))):
        yield f"- An earlier summary said: “{quote}”"


def _texts(message: Message) -> list[str]:
    return [part.text for part in message.parts if part.type is PartType.TEXT and part.text.strip()]


def _quote(text: str, *, last: bool = False) -> str:
    """The first or the last telling sentence of a text that may be quoted whole, without its exact values; "" for none."""
    sentences = prose_sentences(text[-READ:] if last else text[:READ])
    near = sentences[-LOOKED_AT:][::-1] if last else sentences[:LOOKED_AT]
    quotes = [_plain(sentence.text) for sentence in near if len(sentence.text) <= 2 * MAX_QUOTE]
    return next((quote for quote in quotes if _is_telling(quote)), "")


def _plain(sentence: str) -> str:
    return " ".join(VALUE.sub(OMITTED, clean(sentence)).translate(MARKS).split())


def _is_telling(quote: str) -> bool:
    if len(quote) > MAX_QUOTE or quote.endswith(":") or has_mark(quote):
        return False
    words = quote.replace(OMITTED, "")
    return (
        len(content_words(words)) >= MIN_WORDS
        or sum(not letter.isascii() for letter in filter(str.isalpha, words)) >= MIN_LETTERS
    )
