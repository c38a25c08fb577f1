"""Words by which results tell their state, in several languages (`result_states.json`), and where they may be trusted.

In the value of a state key every word counts. In prose, file names, quoted text and negated words do not: `0 errors`,
`queue/pending.py` and `Created "Pending invoices"` say nothing about a state.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final

import msgspec
from barrier_policy_plugins.effect_classes import read_table, word_set

MAX_VALUE: Final = 160
MAX_WORDS: Final = 120
PHRASE_WORDS: Final = 4
NEGATION_REACH: Final = 2
YET_REACH: Final = 4

_TOKEN: Final = re.compile(r"\S+")
_EDGE: Final = " \t\r\n.,:;!?()[]{}<>\"'`*|#=…«»„“”‚‘’-–—"
_OPAQUE: Final = re.compile(r"[\d_/\\.@=:]")
_QUOTED: Final = re.compile(r"\"[^\"\n]{1,300}\"|`[^`\n]{1,300}`|«[^»\n]{1,300}»|“[^”\n]{1,300}”|„[^“”\n]{1,300}[“”]")
_UNSPACED: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ZERO_AFTER: Final = re.compile(r"\s*[:=]?\s*0(?!\d|[.,]\d)")
_CLAUSE_END: Final = re.compile(r"[.,;:!?\n]")
_VALUE_BREAK: Final = re.compile(r"[\s_,;:()/|.-]+")
_RATIO: Final = re.compile(
    r"(?<![\w./:,-])(?P<part>\d{1,9})\s?(?:/|of|von|de|di|sur|su|van|z|ze|из|out of)\s?(?P<whole>\d{1,9})(?![\w/:-]|[.,]\d)",
    re.IGNORECASE,
)
_TWO_NUMBERS: Final = re.compile(r"\d\s?(?:/|[^\W\d_]{1,6}(?: of)?)\s?\d")
_ORDINAL_BEFORE: Final = re.compile(
    r"(?:page|section|part|chapter|try|attempt|retry|version|day|week|slide|room|seite|abschnitt|teil|kapitel|página|sección|capítulo|pagina|capitolo|strana|strona|no|nr|#)\s?$",
    re.IGNORECASE,
)
_PERCENT: Final = re.compile(r"(?<![\d.])(\d{1,2}(?:[.,]\d+)?)\s?%")
_PROGRESSIVE: Final = re.compile(r"[a-z]{3,}ing$")
_NOT_PROGRESSIVE: Final = word_set(
    "missing existing nothing billing pricing listing warning training setting meeting booking string during including using matching "
    "remaining following incoming outgoing morning evening passing something anything everything rating rolling standing building "
    "shipping mailing routing mapping housing parking"
)


class ResultState(StrEnum):
    """What a result says about the call that it answers."""

    DONE = "done"
    PENDING = "pending"
    PARTIAL = "partial"
    FAILED = "failed"
    REJECTED = "rejected"
    UNKNOWN = "unknown"
    EMPTY = "empty"


class Saying(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A word or phrase that speaks for a state, at `[start, end)` of the text; `weak` pending gives way to done."""

    state: ResultState
    start: int
    end: int
    weak: bool = False


class Words(msgspec.Struct, frozen=True, kw_only=True):
    """`result_states.json` as it is."""

    about: str
    phrases: dict[str, str]
    values: dict[str, str]
    weak: str
    negations: str
    user_rejections: str
    state_keys: str
    message_keys: str
    error_keys: str
    eta_keys: str
    exit_keys: str
    job_keys: str
    pending_if_false: str
    failed_if_false: str
    pending_if_true: str
    partial_if_true: str
    unknown_if_true: str
    failed_if_true: str
    done_counts: str
    total_counts: str
    failed_counts: str


WORDS: Final = msgspec.json.decode(read_table("result_states.json"), type=Words)


def _phrases(text: str) -> Iterator[str]:
    return (phrase.strip() for phrase in text.split(",") if phrase.strip())


def _by_phrase(lists: dict[str, str]) -> dict[str, ResultState]:
    """Earlier states win where two lists hold the same phrase (an order of caution, as the file has it)."""
    found: dict[str, ResultState] = {}
    for name, text in lists.items():
        for phrase in _phrases(text):
            found.setdefault(phrase.replace("-", " "), ResultState(name))
    return found


_WEAK: Final = frozenset(_phrases(WORDS.weak))
_PHRASES: Final = {**_by_phrase({"pending": WORDS.weak}), **_by_phrase(WORDS.phrases)}
_VALUES: Final = {**_by_phrase(WORDS.values), **_PHRASES}
_NEGATIONS: Final = frozenset(_phrases(WORDS.negations))
_USER_REJECTIONS: Final = tuple(_phrases(WORDS.user_rejections))
_USER_WORDS: Final = (
    "user",
    "nutzer",
    "usuario",
    "usuário",
    "utilisateur",
    "utente",
    "gebruiker",
    "użytkownik",
    "пользовател",
    "用户",
    "ユーザー",
)
_STARTS: Final = frozenset(phrase.split(" ", 1)[0] for phrase in _VALUES)


def _unspaced(lists: Iterable[str]) -> re.Pattern[str]:
    """A pattern for the phrases of languages that are written without spaces."""
    phrases = sorted((phrase for phrase in lists if _UNSPACED.search(phrase)), key=lambda phrase: (-len(phrase), phrase))
    return re.compile("|".join(re.escape(phrase) for phrase in phrases))


_UNSPACED_PHRASES: Final = _unspaced(_PHRASES)
_UNSPACED_VALUES: Final = _unspaced(_VALUES)


class _Token(msgspec.Struct, frozen=True, gc=False):
    text: str
    start: int
    end: int


def rejects_as_user(text: str) -> tuple[int, int] | None:
    """Where the head of a result says that the user did not allow the call."""
    head = text[:400].lower().replace("’", "'")
    if not any(word in head for word in _USER_WORDS):
        return None
    for phrase in _USER_REJECTIONS:
        start = head.find(phrase)
        if start >= 0:
            return start, start + len(phrase)
    return None


def sayings(text: str) -> list[Saying]:
    """What prose says, in order; quoted text, names of files and negated words left out."""
    plain = _QUOTED.sub(lambda match: " " * len(match.group()), text)
    found = list(_spaced_sayings(plain, _tokens(plain)))
    if _UNSPACED.search(plain):
        found.extend(
            Saying(state=_PHRASES[match.group()], start=match.start(), end=match.end(), weak=match.group() in _WEAK)
            for match in _UNSPACED_PHRASES.finditer(plain)
        )
    return sorted(found, key=lambda saying: saying.start)


def _tokens(text: str) -> list[_Token]:
    tokens = []
    for match in _TOKEN.finditer(text):
        word = match.group()
        start = match.start() + len(word) - len(word.lstrip(_EDGE))
        bare = word.strip(_EDGE)
        if bare:
            known = "" if _OPAQUE.search(bare) and not bare.isdigit() else bare.lower().replace("’", "'").replace("-", " ")
            tokens.append(_Token(known, start, start + len(bare)))
        if len(tokens) >= MAX_WORDS:
            break
    return tokens


def _spaced_sayings(text: str, tokens: Sequence[_Token]) -> Iterator[Saying]:
    index = 0
    while index < len(tokens):
        length, phrase = _longest(tokens, index)
        if length == 0:
            index += 1
            continue
        saying = _judged(text, tokens, index, length, phrase)
        if saying is not None:
            yield saying
        index += length


def _longest(tokens: Sequence[_Token], index: int) -> tuple[int, str]:
    """The longest known phrase that begins at a token: how many tokens it takes, and the phrase."""
    if tokens[index].text == "yet" and any(token.text in _NEGATIONS for token in tokens[max(0, index - YET_REACH) : index]):
        return 1, "not yet"
    if tokens[index].text.split(" ", 1)[0] not in _STARTS:
        return 0, ""
    for length in range(min(PHRASE_WORDS, len(tokens) - index), 0, -1):
        phrase = " ".join(token.text for token in tokens[index : index + length])
        if phrase in _PHRASES:
            return length, phrase
    return 0, ""


def _judged(text: str, tokens: Sequence[_Token], index: int, length: int, phrase: str) -> Saying | None:
    """A phrase with what stands around it: a negated failure is none, a negated success is one."""
    state = _PHRASES[phrase]
    start, end = tokens[index].start, tokens[index + length - 1].end
    negated = any(
        token.text in _NEGATIONS and _CLAUSE_END.search(text, token.end, start) is None
        for token in tokens[max(0, index - NEGATION_REACH) : index]
    )
    if state is ResultState.FAILED and _ZERO_AFTER.match(text, end):
        return None
    if negated and phrase != "not yet":
        if state is not ResultState.DONE or tokens[index - 1].text == "0":
            return None
        state = ResultState.FAILED
    return Saying(state=state, start=start, end=end, weak=phrase in _WEAK)


def value_state(value: str) -> tuple[ResultState, bool] | None:
    """The state that the value of a state key tells (`accepted_for_processing`, `closing, 40 %`), and whether it is weak."""
    text = value[:MAX_VALUE].lower()
    words = [word for word in _VALUE_BREAK.split(text) if word]
    found: list[tuple[ResultState, bool]] = []
    index = 0
    while index < len(words):
        for length in range(min(PHRASE_WORDS, len(words) - index), 0, -1):
            phrase = " ".join(words[index : index + length])
            if phrase in _VALUES:
                if not (index and words[index - 1] in _NEGATIONS):
                    found.append((_VALUES[phrase], phrase in _WEAK))
                elif _VALUES[phrase] is ResultState.DONE:
                    found.append((ResultState.PENDING, False))
                index += length - 1
                break
        index += 1
    if _UNSPACED.search(text):
        found.extend((_VALUES[match.group()], match.group() in _WEAK) for match in _UNSPACED_VALUES.finditer(text))
    if "yet" in words and not _NEGATIONS.isdisjoint(words):
        return ResultState.PENDING, False
    if not found and (_PERCENT.search(text) or any(_is_progressive(word) for word in words[:2])):
        return ResultState.PENDING, False
    return found[0] if len(found) == 1 else _strongest(found)


def _strongest(found: Sequence[tuple[ResultState, bool]]) -> tuple[ResultState, bool] | None:
    order = (
        ResultState.PARTIAL,
        ResultState.UNKNOWN,
        ResultState.REJECTED,
        ResultState.FAILED,
        ResultState.PENDING,
        ResultState.DONE,
    )
    return min(found, key=lambda entry: (order.index(entry[0]), entry[1]), default=None)


def _is_progressive(word: str) -> bool:
    return _PROGRESSIVE.fullmatch(word) is not None and word not in _NOT_PROGRESSIVE


def unfinished_ratio(text: str) -> tuple[int, int] | None:
    """Where a text says that only some of many are done (`4 of 10`, `210/2400`); None where the last word on it is all of them.

    Numbers of pages and years are no progress.
    """
    if _TWO_NUMBERS.search(text) is None:
        return None
    last: dict[int, re.Match[str]] = {}
    for match in _RATIO.finditer(text):
        part, whole = int(match["part"]), int(match["whole"])
        years = 1900 <= part <= 2100 and 1900 <= whole <= 2100
        if part <= whole and not years and not _ORDINAL_BEFORE.search(text[max(0, match.start() - 12) : match.start()]):
            last[whole] = match
    unfinished = next((match for match in last.values() if int(match["part"]) < int(match["whole"])), None)
    return None if unfinished is None else unfinished.span()
