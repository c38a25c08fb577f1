"""What a result is read against, the call that it answers, and what the reading gives."""

from __future__ import annotations

import re
from typing import Final

import msgspec
from barrier_policy_plugins.calls import CallEffect
from barrier_policy_plugins.effect_classes import Basis, word_set
from barrier_policy_plugins.result_words import ResultState
from barrier_policy_plugins.tool_names import name_tokens

LINE: Final = 300
MIN_VERB: Final = 3

_ENDING_WORDS: Final = word_set("cancel cancels stop abort kill terminate end close void revoke cancelar annuler storniere")
_BEGINS: Final = word_set(
    "start launch begin initiate trigger schedule plan queue enqueue request propose kick run spawn job jobs task tasks batch build "
    "workflow pipeline agent worker"
)
_SHORT: Final = {"ack": "acknowledge"}
"""Verbs as names of tools shorten them."""
_NUMBER: Final = re.compile(r"\d[\d.,]*\d|\d")
_SAID: Final = re.compile(r"(\w+)(?! ?:)(?![,.]? (?:you|insufficient|no |not |by policy|because))")
_LIMIT: Final = re.compile(
    r"(?<![^\W_])(?:n|limit|count|max|top|first|take|num|qty|quantity)[\"']?\s{0,2}[:= ]\s{0,2}[\"']?(\d[\d.,]*\d|\d)"
)
"""How many a call asks for; a batch or page of so many is one of several."""
_MAIL_WORDS: Final = word_set("mail email smtp sendmail mailx sms")
_TEXT_BASES: Final = (Basis.SHELL, Basis.SQL, Basis.TABLE)
_ENDED: Final = ("cancel", "abort", "kill", "terminat", "stop")


class ResultReading(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The state of a result, what it follows from, and the verbatim place that shows it.

    `reports` is the state that the payload speaks of, None where it speaks of none: of the call itself for an effect, of
    whatever was looked at for a read. `fails`: it is the call itself that failed.
    """

    state: ResultState
    basis: str
    reports: ResultState | None = None
    start: int = 0
    end: int = 0
    fails: bool = False


class Question(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The call that a result answers: what was asked for is no news in the answer."""

    tool: str
    text: str
    effect: CallEffect | None

    @property
    def changes(self) -> bool:
        """Whether the call is known and is no read."""
        return self.effect is not None and not self.effect.reads

    @property
    def runs_commands(self) -> bool:
        """Whether the result is the output of commands or statements: a log, not a message."""
        return self.effect is not None and self.effect.judgement.basis in (Basis.SHELL, Basis.SQL)

    @property
    def looks_at_text(self) -> bool:
        """Whether it reads files, logs or search results, whose words are about anything."""
        return self.effect is not None and self.effect.reads and self.effect.judgement.basis in _TEXT_BASES

    @property
    def several(self) -> bool:
        """Whether it has more than one effect."""
        return self.effect is not None and self.effect.judgement.effects > 1

    def echoes(self, words: str) -> bool:
        """Whether the call itself holds these words: `{"status": "pending"}` set and told back, a commit message."""
        return len(words) > 2 and words.lower() in self.text

    def asked_for(self, ratio: str) -> bool:
        """Whether a share is as much as the call asked for, or words of it: `50 of 131` answers `{"limit": 50}`."""
        done, *whole = _NUMBER.findall(ratio)
        asked = {match[1] for match in _LIMIT.finditer(self.text)}
        return self.echoes(ratio) or (done in asked and asked.isdisjoint(whole))

    def did(self, word: str) -> bool:
        """Whether a word is what the tool's verb says, done: `defer` is answered by `deferred`.

        Not where the verb or what it acts on is the beginning of something that goes on.
        """
        tokens = name_tokens(self.tool)
        return _BEGINS.isdisjoint(tokens) and any(_is_participle(word.lower(), token) for token in tokens)

    def names(self, words: str) -> bool:
        """Whether the tool's name holds one of these words: `modify_pending_order` answers with the order's own state."""
        return not set(name_tokens(self.tool)).isdisjoint(word for word in re.split(r"\W+", words.lower()) if len(word) > 4)


def _is_participle(word: str, verb: str) -> bool:
    """`place` and `placed`, `assign` and `assigned`, `submit` and `submitted`, `ack` and `acknowledged`."""
    verb = _SHORT.get(verb, verb)
    return len(verb) > MIN_VERB and word in (verb + "ed", verb.removesuffix("e") + "ed", verb + verb[-1] + "ed")


def in_context(state: ResultState, value: str, question: Question) -> ResultState:
    """`cancelled` is what a cancelling call wanted, `declined` what one that declines did, and a mail server's acceptance is the last answer that there is."""
    tokens = name_tokens(question.tool)
    lowered = value.lower()
    if state in (ResultState.UNKNOWN, ResultState.REJECTED) and (said := _SAID.match(lowered)) and question.did(said[1]):
        return ResultState.DONE
    if state is ResultState.UNKNOWN and lowered.startswith(_ENDED) and not _ENDING_WORDS.isdisjoint(tokens):
        return ResultState.DONE
    if state is ResultState.PENDING and "accepted" in lowered and not _MAIL_WORDS.isdisjoint(tokens):
        return ResultState.DONE
    return state


def line_end(text: str, start: int) -> int:
    """Where the line at `start` ends, at most 300 characters on."""
    end = text.find("\n", start)
    return min(len(text) if end < 0 else end, start + LINE)
