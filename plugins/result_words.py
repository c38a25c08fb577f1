"""Words by which results tell their state, in several languages (`result_states.json`), and where they may be trusted.

In the value of a state key every word counts. In prose, file names, quoted text and negated words do not: `0 errors`,
`queue/pending.py` and `Created "Pending invoices"` say nothing about a state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final

import msgspec
from barrier_policy_plugins.effect_classes import read_table, word_set
from barrier_policy_plugins.state_words import read_languages

from barrier_policy.facts.phrases import Hit, Phrases, places_of, spell_entry, words_of

MAX_VALUE: Final = 160
MAX_WORDS: Final = 120
NEGATION_REACH: Final = 2
SUCCESS_REACH: Final = 3
"""Words between a negation and a success that it denies: `no completion event configured`."""
YET_REACH: Final = 4

_QUOTED: Final = re.compile(r"\"[^\"\n]{1,300}\"|`[^`\n]{1,300}`|«[^»\n]{1,300}»|“[^”\n]{1,300}”|„[^“”\n]{1,300}[“”]")
_ZERO_AFTER: Final = re.compile(r"\s*[:=]?\s*0(?!\d|[.,]\d)")
_CLAUSE_END: Final = re.compile(r"[.,;:!?\n]")
_VALUE_BREAK: Final = re.compile(r"[\s_,;:()/|.-]+")
_RATIO: Final = re.compile(
    r"(?<![\w./:,-])(?P<part>\d{1,3}(?:[,.’]\d{3}){1,2}|\d{1,9})(?:\s?/\s?|\s(?:of|von|vom|de|di|din|del|sur|su|van|z|ze|od|iz|из|з|із|av|af|ud af|dari|trên|trong|από|από τα|out of)\s"
    r"|\s?(?:מתוך|מ|من|از|में से|จาก)\s?)(?P<whole>\d{1,3}(?:[,.’]\d{3}){1,2}|\d{1,9})(?![\w/:-]|[.,]\d)",
    re.IGNORECASE,
)
_GROUPING: Final = str.maketrans("", "", ",.’")
_TWO_NUMBERS: Final = re.compile(r"\d\s?(?:/|[^\W\d_]{1,6}(?: of)?)\s?\d")
_ORDINAL_BEFORE: Final = re.compile(
    r"(?:page|section|part|chapter|try|attempt|retry|version|day|week|slide|room|seat|place|position|rank|platz|sitz|place n°|siège|asiento|puesto|posto|lugar|plaats|seite|abschnitt|teil|kapitel|página|sección|capítulo|pagina|capitolo|strana|strona|no|nr|#)\s?$",
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
    """A word or phrase that speaks for a state, at `[start, end)` of the text; `weak` pending gives way to done, and a
    `weak` failure (`not ticketed`) to pending."""

    state: ResultState
    start: int
    end: int
    weak: bool = False


START: Final = 3
"""Words with which a text begins."""


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


class Meaning(msgspec.Struct, frozen=True, gc=False):
    """What a phrase stands for; `weak` pending gives way to done."""

    state: ResultState
    weak: bool = False


CAUTION: Final = (
    ResultState.PARTIAL,
    ResultState.UNKNOWN,
    ResultState.REJECTED,
    ResultState.FAILED,
    ResultState.PENDING,
    ResultState.DONE,
)
"""The more cautious state wins where two are told."""


Lists = Iterator[tuple[list[str], Meaning]]


def _listed(lists: dict[str, str]) -> Lists:
    for name, text in lists.items():
        yield from _split(ResultState(name), [spell_entry(phrase) for phrase in _phrases(text)], _WEAK)


def _spoken() -> Lists:
    """The lists of each language, in order of caution."""
    languages = read_languages()
    for state in CAUTION:
        for language in languages:
            yield from _split(state, language.of(state), frozenset(language.of("weak")))


def _split(state: ResultState, entries: list[str], weak: frozenset[str]) -> Lists:
    yield [entry for entry in entries if entry in weak], Meaning(state, True)
    yield [entry for entry in entries if entry not in weak], Meaning(state)


_WEAK: Final = frozenset(spell_entry(phrase) for phrase in _phrases(WORDS.weak))
_PROSE: Final = (*_listed(WORDS.phrases), *_listed({"pending": WORDS.weak}), *_spoken())
_PHRASES: Final = Phrases(_PROSE)
_VALUES: Final = Phrases((*_listed(WORDS.phrases), *_listed(WORDS.values)))
_NEGATIONS: Final = frozenset(
    (*_phrases(WORDS.negations), *(word for language in read_languages() for word in language.of("negations")))
)
_NUMBER_AFTER: Final = re.compile(r"[.-] ?\d")
"""What makes a number or a name of `no`: `No. 7`, `NO-8`."""
_BEFORE: Final = re.compile(
    r"\((?:it )?(?:was|were|previously|formerly|before|vorher|zuvor|war|avant|était|antes|era|prima|eerst|wcześniej|раньше)[ :]{1,2}\Z",
    re.IGNORECASE,
)
"""What makes of a state one that held before: `CANCELLED (was PENDING)`."""
LONGEST_BEFORE: Final = 24
"""Characters of such words at the most."""
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
    words = words_of(plain, MAX_WORDS)
    hits = _PHRASES.find(plain, words)
    places = places_of(plain, MAX_WORDS) if hits or "yet" in words else []
    found = [_judged(plain, words, places, hit) for hit in hits]
    not_yet = (
        Saying(state=ResultState.PENDING, start=start, end=end)
        for number, (start, end) in enumerate(places)
        if words[number] == "yet" and not _NEGATIONS.isdisjoint(words[max(0, number - YET_REACH) : number])
    )
    return sorted([*(saying for saying in found if saying is not None), *not_yet], key=lambda saying: saying.start)


def _judged(text: str, words: Sequence[str], places: Sequence[tuple[int, int]], hit: Hit[Meaning]) -> Saying | None:
    """A phrase with what stands around it: a negated failure is none, a negated success or start is one."""
    state = hit.value.state
    reach = SUCCESS_REACH if state is ResultState.DONE else NEGATION_REACH
    negated = any(
        words[number] in _NEGATIONS
        and _NUMBER_AFTER.match(text, places[number][1]) is None
        and _CLAUSE_END.search(text, places[number][1], hit.start) is None
        for number in range(max(0, hit.word - reach), hit.word)
    )
    if (state is ResultState.FAILED and _ZERO_AFTER.match(text, hit.end)) or _BEFORE.search(
        text, max(0, hit.start - LONGEST_BEFORE), hit.start
    ):
        return None
    if negated:
        leads = hit.word < START or "\n" in text[: hit.start]  # an aside after what was done (`not scheduled`) is no outcome
        begun = state is ResultState.PENDING and hit.value.weak and leads  # `not started`
        if not (begun or state is ResultState.DONE) or words[hit.word - 1] == "0":
            return None
        return Saying(state=ResultState.FAILED, start=hit.start, end=hit.end, weak=True)
    return Saying(state=state, start=hit.start, end=hit.end, weak=hit.value.weak)


def value_state(value: str) -> tuple[ResultState, bool] | None:
    """The state that the value of a state key tells (`accepted_for_processing`, `closing, 40 %`), and whether it is weak."""
    text = _VALUE_BREAK.sub(" ", value[:MAX_VALUE].lower())
    words = words_of(text, MAX_WORDS)
    found = []
    for hit in _VALUES.find(text, words) or _PHRASES.find(text, words):
        if not (hit.word > 0 and words[hit.word - 1] in _NEGATIONS):
            found.append((hit.value.state, hit.value.weak))
        elif hit.value.state is ResultState.DONE:
            found.append((ResultState.PENDING, False))
    if "yet" in words and not _NEGATIONS.isdisjoint(words):
        return ResultState.PENDING, False
    if not found and (_PERCENT.search(value[:MAX_VALUE]) or any(map(_is_progressive, words[:2]))):
        return ResultState.PENDING, False
    return min(found, key=lambda entry: (CAUTION.index(entry[0]), entry[1]), default=None)


def denies(value: str) -> bool:
    """Whether a short value says no: `997: none`."""
    return not _NEGATIONS.isdisjoint(words_of(_VALUE_BREAK.sub(" ", value[:MAX_VALUE].lower()), MAX_WORDS))


def _is_progressive(word: str) -> bool:
    return _PROGRESSIVE.fullmatch(word) is not None and word not in _NOT_PROGRESSIVE


def _count(number: str) -> int:
    """A whole number, grouped by thousands or not."""
    return int(number.translate(_GROUPING))


def unfinished_ratio(text: str) -> tuple[int, int] | None:
    """Where a text says that only some of many are done (`4 of 10`, `210/2400`); None where the last word on it is all of them.

    Numbers of pages and years are no progress.
    """
    if _TWO_NUMBERS.search(text) is None:
        return None
    last: dict[int, re.Match[str]] = {}
    for match in _RATIO.finditer(text):
        part, whole = _count(match["part"]), _count(match["whole"])
        years = 1900 <= part <= 2100 and 1900 <= whole <= 2100
        if part <= whole and not years and not _ORDINAL_BEFORE.search(text[max(0, match.start() - 12) : match.start()]):
            last[whole] = match
    unfinished = next((match for match in last.values() if _count(match["part"]) < _count(match["whole"])), None)
    return None if unfinished is None else unfinished.span()
