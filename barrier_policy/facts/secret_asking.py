"""Whether a text asks for a secret, and how sure that is (design section 5, bindings).

A label alone asks for nothing (`the password has expired`); a word like `what is` or `send me` before it does, unless another question
(`where`, `who`, `should I`) lies nearer. In languages that put these words last, they stand after the label.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec

from barrier_policy.facts.secret_around import name_of, speaks_about, word_before
from barrier_policy.facts.secret_codes import CODE_NETWORK, is_other_code, opens_something
from barrier_policy.facts.secret_labels import KEY_OWNERS, KEY_OWNERS_AFTER, NETWORK_AFTER, NETWORKS, OTHER_TOKENS
from barrier_policy.facts.secret_words import Family, Label, any_of, find_labels


class Sureness(StrEnum):
    """How surely a secret is asked for: in words, in a fragment (`And the PIN?`), or it is only spoken of last."""

    ASKED = "asked"
    FRAGMENT = "fragment"
    NAMED = "named"


class Asked(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What is asked for: the label that its value would have in a file, and where among several things it is asked for.

    `place` of `count` questions asks for it; `joined` says that something else is asked for in the same breath before it.
    """

    lead: str
    name: str
    family: Family
    sureness: Sureness
    place: int = 0
    count: int = 1
    joined: bool = False
    is_question: bool = True


MAX_QUESTION: Final = 600
"""How much of the end of a message may ask, in characters."""
REACH: Final = 56
"""How far from a label a word may stand that asks for it, in characters."""
MAX_ASKED: Final = 8
"""How many of the last questions are read."""
FRAGMENT_WORDS: Final = 5
WHICH_WORDS: Final = 2
"""Words that may stand between `which` and the label."""

_LEADS: Final[Mapping[Family, str]] = {
    Family.PASSWORD: "the password is ",
    Family.LOOSE: "secret: ",
    Family.PHRASE: "passphrase: ",
    Family.SEED: "recovery phrase: ",
    Family.PIN: "PIN: ",
    Family.ONE_TIME: "one-time code: ",
    Family.CARD: "cvv: ",
    Family.KEY: "api key: ",
    Family.TOKEN: "access token: ",
    Family.ANSWER: "security answer: ",
    Family.SELF_CODE: "door code: ",
    Family.COMBINATION: "door code: ",
}
_CODE: Final = "door code: "
_ASKED_FOR: Final = frozenset((*_LEADS, Family.CODE_WORD, Family.KEY_WORD))
"""What a reply can tell; other labels need no look at the words around them."""
_UNSPACED: Final = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_SENTENCE: Final = re.compile(r"(?:[^.!?？。！؟;\n]|[.!?;](?=[^\s\"'”»)\].!?]))+[.!?？。！؟;]*")
_QUESTION: Final = re.compile(r"[?？؟][\s\"'”»)*_]*\Z|[\u0370-\u03ff][^\n]*;\s*\Z")
_RECEIVED: Final = re.compile(
    r"(?i)[^?!\n]{0,40}?(?<![^\W_])(?:receiv\w*|texted|sent (?:to )?you|sms|erhalten|bekommen|geschickt|reçu\w*|recibi\w*|llegó|ricevut\w*|arrivato|recebe\w*|recebi\w*|chegou"
    r"|ontvangen|gekregen|otrzyma\w*|dostał\w*|přišel|obdržel\w*|fick|fått|modtog|modtaget|mottok|sait|kapott|primit\w*|aldı\w*|gelen|получил\w*|приш[её]л|отримал\w*|дошъл|dobili|dobio)(?![^\W_])"
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_SOCIAL: Final = re.compile(r"(?i)(?<![^\W_])(?:ssn|social security (?:number|no))(?![^\W_])")
_OF: Final = re.compile(
    r"(?i)(?<![^\W_])(?:of|for|to|about|do|with|zum|um|von|mit|für|du|des|pour|del|della|dello|para|per|con|da|do|van|voor|met|för|med|for)(?![^\W_])"
)
_AND: Final = re.compile(
    r"(?i)(?:(?<![^\W_])(?:and|und|et|y|e|i|en|och|og|ja|és|ve|и|та|και|și|dan|và|و|और)(?![^\W_])|[+&/]|,|和|と|そして|과|와)[^\n]{0,24}\Z"
)


def _load() -> Mapping[str, Mapping[str, list[str]]]:
    data = files("barrier_policy.facts").joinpath("secret_asking.json").read_text(encoding="utf-8")
    return {language: words for language, words in json.loads(data).items() if language != "about"}


ASKING: Final = _load()


def asking_words(kind: str) -> tuple[str, ...]:
    """The words of one kind, of all languages, in a fixed order and each once."""
    return tuple(dict.fromkeys(word for words in ASKING.values() for word in words.get(kind, ())))


def _whole_words(words: Iterable[str]) -> re.Pattern[str]:
    """Any of the words as a whole one, or anywhere in scripts that set no blanks."""
    words = tuple(words)
    spaced = [word for word in words if not _UNSPACED.match(word)]
    unspaced = [word for word in words if _UNSPACED.match(word)]
    return re.compile(rf"(?:(?<![^\W_])(?:{any_of(spaced)})(?![^\W_])|{any_of(unspaced)})")


@cache
def _cues(*kinds: str) -> re.Pattern[str]:
    """Any word of some kinds. Compiled once it is searched, for most transcripts ask for no secret."""
    return _whole_words(word for kind in kinds for word in asking_words(kind))


_UNSPACED_WHAT: Final = re.compile(any_of(word for word in asking_words("what") if _UNSPACED.match(word)))
"""Scripts that set no blanks often set no question marks either."""
_BACK: Final = frozenset(asking_words("back"))
"""Words of a question that leaves to the sentence before it what it asks for: `What is it?`, `Could you tell me?`."""


def find_asked(text: str) -> Iterator[Asked]:
    """The secrets that the end of a text asks for, or speaks of in its last sentence where it asks for nothing."""
    tail = text[-MAX_QUESTION:]
    lowered = tail.lower()
    if len(lowered) != len(tail):
        return
    labels = [label for label in find_labels(tail, lowered) if label.family in _ASKED_FOR]
    if not labels and not _names_social_security(tail, lowered):
        return
    sentences = [match for match in _SENTENCE.finditer(tail) if match[0].strip()]
    asking = [match for match in sentences if _asks(match[0])]
    for match in asking[-MAX_ASKED:] or sentences[-1:]:
        found = _asked_in(tail, lowered, match, labels)
        index = sentences.index(match)
        if found is None and index and match in asking and _asks_back(match[0].lower()):
            found = _asked_in(tail, lowered, sentences[index - 1], labels)
            found = msgspec.structs.replace(found, sureness=Sureness.ASKED) if found is not None else None
        if found is not None:
            place = asking.index(match) if match in asking else 0
            sureness = found.sureness if asking else Sureness.NAMED
            yield msgspec.structs.replace(
                found, sureness=sureness, place=place, count=max(len(asking), 1), is_question=bool(asking)
            )


def _names_social_security(text: str, lowered: str) -> bool:
    may = "ssn" in lowered or "social" in lowered or not lowered.isascii()  # beyond ASCII other letters are taken for an `s`
    return may and _SOCIAL.search(text) is not None


def _asks(sentence: str) -> bool:
    bare, lowered = sentence.strip(), sentence.lower()
    return (
        _QUESTION.search(bare) is not None
        or bare.endswith((":", "："))
        or _cues("requests").search(lowered) is not None
        or _UNSPACED_WHAT.search(lowered) is not None
    )


def _asks_back(sentence: str) -> bool:
    """Whether a question only takes up what the sentence before it names."""
    return _cues("what", "requests").search(sentence) is not None and _BACK.issuperset(
        _WORD.findall(_cues("what", "requests").sub(" ", sentence))
    )


def _asked_in(text: str, lowered: str, sentence: re.Match[str], labels: Iterable[Label]) -> Asked | None:
    """The last secret that a sentence names, as one that is asked for."""
    found = None
    for label in labels:
        if sentence.start() <= label.start and label.end <= sentence.end() and (lead := _lead(text, lowered, label)):
            sureness = _sureness(lowered, sentence, label)
            if sureness is not None:
                joined = _is_joined(lowered, sentence, label)
                found = Asked(lead=lead, name=name_of(text, label), family=label.family, sureness=sureness, joined=joined)
    if found is None and _SOCIAL.search(sentence[0]):
        return Asked(lead="ssn: ", name="ssn", family=Family.PIN, sureness=Sureness.ASKED)
    return found


def _is_received(text: str, lowered: str, label: Label) -> bool:
    """Whether a code is one that somebody was sent to sign in with."""
    return _RECEIVED.search(text, label.end, label.end + REACH) is not None and not is_other_code(lowered, label.start)


def _lead(text: str, lowered: str, label: Label) -> str:
    """The label that a value would have in a file; empty where what is asked for is no secret."""
    name, before = name_of(text, label), word_before(lowered, label.start)
    if speaks_about(text, label, name) or lowered[label.start : label.end] == "pass":
        return ""
    if label.family is Family.CODE_WORD:
        if before.endswith(NETWORKS) or CODE_NETWORK.match(text, label.end):
            return "the password is "
        return _CODE if opens_something(text, lowered, label) or _is_received(text, lowered, label) else ""
    if label.family is Family.KEY_WORD:
        if before.endswith(NETWORKS) or NETWORK_AFTER.match(text, label.end):
            return "the password is "
        return "secret key: " if before.endswith(KEY_OWNERS) or KEY_OWNERS_AFTER.match(text, label.end) else ""
    if label.family is Family.TOKEN and before.endswith(OTHER_TOKENS):
        return ""
    return _LEADS.get(label.family, "")


def _sureness(lowered: str, sentence: re.Match[str], label: Label) -> Sureness | None:
    """How surely the sentence asks for what the label names; None where it asks for something else."""
    before = lowered[max(sentence.start(), label.start - REACH) : label.start]
    after = lowered[label.end : min(sentence.end(), label.end + REACH)]
    joint = _AND.search(before)
    before = (
        before[: joint.start()]
        if joint is not None and _cues("what", "requests").search(before, 0, joint.start())
        else before
    )
    what, request, other = (_last(_cues(kind), before) for kind in ("what", "requests", "others"))
    if other is not None and (what is None or what.end() <= other.start()):
        return None
    if joint is not None and (what is not None or request is not None):
        return Sureness.ASKED
    if what is not None and _is_asked_by(before, what):
        return Sureness.ASKED
    if request is not None and not _OF.search(before, request.end()):
        return Sureness.ASKED
    if _cues("what").search(after) or _cues("requests").search(after):
        return Sureness.ASKED if _cues("others").search(after) is None or not before.strip() else Sureness.NAMED
    if _cues("others").search(after):
        return None
    words = sentence[0].split()
    return Sureness.FRAGMENT if len(words) <= FRAGMENT_WORDS else Sureness.NAMED


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found: re.Match[str] | None = None
    for match in pattern.finditer(text):
        found = match
    return found


def _is_asked_by(before: str, what: re.Match[str]) -> bool:
    """Whether `what` or `which` asks for the label, and for no other thing whose part or owner it is: `the name of the secret`."""
    between = before[what.end() :]
    if _OF.search(between):
        return False
    words = len(between.split())
    return words <= (5 if " " in what[0] or "'" in what[0] or "’" in what[0] else WHICH_WORDS)


def _is_joined(lowered: str, sentence: re.Match[str], label: Label) -> bool:
    """Whether something else is asked for before the label in the same sentence: `the customer number and the PIN`."""
    return _AND.search(lowered, max(sentence.start(), label.start - REACH), label.start) is not None
