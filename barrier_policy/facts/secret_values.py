"""What may be a value: a word where a password is told, digits, groups, several words of a phrase (design section 5, bindings).

A plain word counts where label and lead are strong, it ends its clause, says nothing about the password (`required`, `falsch`) and is
no code.
"""

from __future__ import annotations

import re
from typing import Final
from unicodedata import category

from barrier_policy.facts.secret_labels import GENERATED_NAME, PLAIN_WORDS
from barrier_policy.facts.secret_shapes import (
    ATTRIBUTE,
    DATE,
    HEX,
    is_password,
    is_placeholder,
    is_scrambled,
    is_signed,
    is_strong,
)
from barrier_policy.facts.secret_told import How, Told
from barrier_policy.facts.secret_words import any_of, is_label, words_of

PREDICATES: Final = frozenset(words_of("predicates")) | PLAIN_WORDS
_NATIVE_PREDICATES: Final = tuple(
    word for word in sorted(PREDICATES) if re.match("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]", word)
)
_NATIVE: Final = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_PARTICIPLES: Final = ("ed", "iert", "é", "ée", "owane", "owany", "owana")
"""Endings of words that say what was done to a password; a language's other words of the kind are among its predicates."""
_SPACED: Final = tuple(word for word in words_of("closing") if not _NATIVE.match(word))
_CLAUSE_END: Final = re.compile(
    rf"""(?xi)[ \t]*(?:\Z|\\[nrt"']|[\n.,;!?)\]}}|"'`”’»」』。、，！？；…*_）]|[ \t](?:[-–—/+&(\[]|[^\w\s:=<>\\]|(?:{any_of((*words_of("after"), *_SPACED))})(?![^\W_]))|[ \t]+[A-Za-z_][\w.-]*[=:]|[ \t]*[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|</)"""
)
_GOES_ON: Final = re.compile(r"\.\w|\(|\[")
_CODE_LINE: Final = re.compile(
    r"""(?x)^\s*(?:\d+[:|→\t]\s*)?[+-]?\s*(?:
      (?:def|class|import|from|return|const|let|var|func|fn|if|elif|else|for|while|try|with|async|await|public|private|protected|static|package|use|using
        |type|interface|assert|raise|throw|export[ ](?:const|default|function|class|type|interface|async)|function|case|switch|struct|enum|\})\b[^\n]*[(){}=\[\];]
      |[^\n]*(?:[;{]|\)[,:]?)\s*$ | [^\n]*\w\([^\n]*\) | [^\n]*[{(]\s*$ | @\w+ | // | /\* | \#include | [^\n]*\bself\. | [^\n]*\bthis\. | [^\n]*=>)"""
)
_CONNECTION: Final = re.compile(r"\w=[^;=\n]+;\s*[\w ]+=")
"""A connection string: `Server=x;User Id=sa;Password=…`."""
_VARIABLE: Final = re.compile(r"(?:\b[A-Z][A-Z0-9_]*|--[\w-]+)=[\"']?\Z")
"""What is set in an environment or on a command line ends at the next blank."""
_ARGUMENT: Final = re.compile(r"[A-Za-z_][\w.]*[=\[(]")
_DIGIT_GROUPS: Final = re.compile(r"\d{4,6}(?:-\d{4,6}){3,7}")
_BASE32: Final = re.compile(r"(?=[A-Z]*\d)[A-Z2-7]{16,64}")
"""The seed of one-time codes."""
_TIMESTAMP: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:")
_IDENTIFIER: Final = re.compile(r"[^\W\d]\w*")
_TYPED: Final = re.compile(r"[A-Z][A-Za-z]*[<\[].*|(?:[A-Z][a-z]+){2,}|[a-z]+(?:[A-Z][a-z]+)+")
_ARTICLES: Final = frozenset(
    [
        "the",
        "a",
        "an",
        "my",
        "our",
        "le",
        "la",
        "les",
        "un",
        "une",
        "mon",
        "ma",
        "mes",
        "der",
        "die",
        "das",
        "ein",
        "eine",
        "mein",
        "meine",
        "el",
        "los",
        "las",
        "mi",
        "il",
        "lo",
        "i",
        "gli",
        "o",
        "os",
        "as",
        "um",
        "uma",
        "meu",
        "minha",
        "het",
        "de",
        "een",
        "mijn",
    ]
)
_PHRASE: Final = re.compile(r"[^\n.;!?,。，、！？；\"“”„«»()<>{}|\\]{2,240}")
_SEED_WORD: Final = r"(?:\(?\d{1,2}[.):]?[ ]?)?[^\s\d,.;:!?，、。/|\"()-]{1,24}"
_SEED: Final = re.compile(
    rf"{_SEED_WORD}(?:[ \t]*[,，、/|-]?(?:[ \t]+|\n(?=\(?\d)){_SEED_WORD}|[,，、]{_SEED_WORD}){{2,29}}"
)
_PLAIN_WORDS: Final = re.compile(r"[^\W\d_]{3,14}(?: [^\W\d_]{2,14}){1,4}(?=[ \t]*(?:\Z|\n|\\n|[\"'.]))")
_ANSWER: Final = re.compile(r"[^\n.;!?,。，、！？；\"“”„«»()<>{}|\\]{2,60}")


def may_be_password(text: str, value: Told) -> bool:
    """Whether what a sign or a word like `is` leads to is a password."""
    word = text[value.start : value.end]
    if value.quoted:
        return _is_quoted_password(word)
    if is_password(word, quoted=False) and not _is_wordlike(word):
        if value.how is How.SIGN and _IDENTIFIER.fullmatch(word) and not _is_variable(text, value) and is_code(text, value):
            return False
        return not (
            _ARGUMENT.match(word)
            or _TIMESTAMP.match(word)
            or ("_" in word and _IDENTIFIER.fullmatch(word) and is_label(word.lower()))
        )
    return may_be_word(text, value)


def _is_wordlike(word: str) -> bool:
    return is_letters(word.replace("_", "").replace("-", "").replace("'", ""))


def is_letters(word: str) -> bool:
    """Whether a word is letters alone, with the vowel signs that some scripts set beside them."""
    return word.isalpha() or (bool(word) and all(sign.isalpha() or category(sign)[0] == "M" for sign in word))


def _is_quoted_password(value: str) -> bool:
    words = value.split()
    if (
        len(value) < 3 or value[0] in ",}]):;" or _TIMESTAMP.match(value) or is_placeholder(value) or DATE.fullmatch(value)
    ):  # a quote that closed something
        return False
    return len(words) <= 12 and not any(is_predicate(word) or _names_a_secret(word) for word in words)


def _names_a_secret(word: str) -> bool:
    """Whether a word is the name of a field, a form or a variable for a secret: `new_password`."""
    return _is_wordlike(word) and is_label(word.lower())


def may_be_word(text: str, value: Told) -> bool:
    """Whether a plain word is a password and no statement about one, no name of a type and no piece of code."""
    word = text[value.start : value.end]
    native = _NATIVE.match(word)
    if (
        len(word) < (2 if native else 3)
        or not word[0].isalpha()
        or not _is_wordlike(word)
        or is_placeholder(word)
        or is_predicate(word)
    ):
        return False
    if value.how is How.COPULA and word.islower() and word.endswith(_PARTICIPLES):
        return False
    variable = _is_variable(text, value)
    if not (variable or ends_clause(text, value.end)) or _names_a_secret(word):
        return False
    if native:
        return len(word) <= 12
    return value.how is not How.SIGN or variable or not is_code(text, value)


def _is_variable(text: str, value: Told) -> bool:
    return value.how is How.SIGN and _VARIABLE.search(text, max(0, value.start - 60), value.start) is not None


def ends_clause(text: str, end: int) -> bool:
    """Whether a clause ends here."""
    return _CLAUSE_END.match(text, end) is not None and _GOES_ON.match(text, end) is None


def is_predicate(word: str) -> bool:
    """Whether a word says something about a password: `expired`, `falsch`."""
    bare = word.lower().strip("\"'’.,:;!?()*_")
    if bare in PREDICATES:
        return True
    return bare.startswith(_NATIVE_PREDICATES) if _NATIVE.match(bare) else False


def is_code(text: str, value: Told) -> bool:
    """Whether a bare word after a sign is a name in code rather than a value of a file or a sentence."""
    word = text[value.start : value.end]
    if ATTRIBUTE.match(word) or ("_" in word and word.islower()):
        return True
    if not _IDENTIFIER.fullmatch(word):
        return False
    before, after = text[max(0, value.start - 400) : value.start], text[value.end : value.end + 400]
    above, below = before.replace("\\n", "\n").split("\n"), after.replace("\\n", "\n").split("\n")
    line = above[-1] + word + below[0]
    if _CONNECTION.search(line):
        return False
    return any(_CODE_LINE.match(line) for line in (*above[-3:-1], line, *below[1:3]))


def is_distinct_beside(word: str) -> bool:
    """Whether a word right after `password` is one although no sign or `is` says so: a number, or letters with digits."""
    if word.isdigit():
        return 4 <= len(word) <= 8 and not word.startswith(("19", "20"))
    mixed = word.isalnum() and not word.isalpha() and len(word) >= 7
    allowed = not is_placeholder(word) and word.lower() not in PLAIN_WORDS and HEX.fullmatch(word) is None
    return is_strong(word) or ((mixed or is_signed(word)) and allowed)


def is_distinct(value: str) -> bool:
    """Whether a value can't be a word of the language: digits with letters, or letters with signs."""
    return (
        len(value) >= 4
        and any(map(str.isdigit, value))
        and any(map(str.isalpha, value))
        and not is_placeholder(value)
        and not ATTRIBUTE.match(value)
        and not _ARGUMENT.match(value)
        and not DATE.fullmatch(value)
        and "/" not in value
        and not value.isdigit()
        and value.lower() not in PLAIN_WORDS
        and not HEX.fullmatch(value)
        and GENERATED_NAME.fullmatch(value) is None
    )


def is_mixed(value: str) -> bool:
    """Whether a value joins capitals, small letters and digits in one run without blanks, as what a service hands out does."""
    kinds = (str.isdigit, str.isupper, str.islower)
    return (
        len(value) >= 12
        and not is_placeholder(value)
        and not re.search(r"\s", value)
        and all(any(map(kind, value)) for kind in kinds)
    )


def is_keyish(value: str) -> bool:
    """Whether a value after `api key` can be one: letters and digits in one run or in groups, no version, path or date."""
    if len(value) < 8 or is_placeholder(value) or "/" in value or ATTRIBUTE.match(value) or GENERATED_NAME.fullmatch(value):
        return False
    if _DIGIT_GROUPS.fullmatch(value) or _BASE32.fullmatch(value):
        return True
    digits = sum(map(str.isdigit, value))
    letters = sum(map(str.isalpha, value))
    if not digits or not letters or not value.replace("-", "").replace("_", "").replace(".", "").isalnum():
        return False
    return digits >= 3 or is_scrambled(value, 3) or (value == value.upper() and "-" in value)


def phrase(text: str, value: Told) -> tuple[int, int] | None:
    """The several words that a label for a phrase leads to."""
    if value.quoted:
        inner = text[value.start : value.end]
        return (value.start, value.end) if _is_phrase(inner) and not is_placeholder(inner) else None
    match = _PHRASE.match(text, value.start)
    return _checked(text, match, least=2) if match else None


def _is_phrase(words: str) -> bool:
    """Whether words begin as a phrase does: not as a statement about one does (`required for all keys`), but maybe with an article."""
    first, *rest = words.split() or [""]
    if first.lower() in _ARTICLES:
        return len(rest) >= 3
    return bool(first) and (not is_predicate(first) or (len(rest) >= 2 and not any(map(is_predicate, rest))))


def seed(text: str, value: Told, least: int = 3) -> tuple[int, int] | None:
    """The words of a recovery phrase, numbered or not."""
    match = _SEED.match(text, value.start)
    if match is None or is_predicate(match[0].split()[0]):
        return None
    words = re.split(r"[\s,，、/|]+", match[0])
    return match.span() if len(words) >= least and 4 * sum(map(is_predicate, words)) <= len(words) else None


def plain_words(text: str, value: Told) -> tuple[int, int] | None:
    """Two to five plain words that a sign leads to, alone at the end of their line: `Password: purple monkey`."""
    match = _PLAIN_WORDS.match(text, value.start)
    if (
        match is None
        or value.how is not How.SIGN
        or any(is_predicate(word) or _names_a_secret(word) for word in match[0].split())
    ):
        return None
    return None if is_code(text, Told(start=match.start(), end=match.end(), how=How.SIGN)) else match.span()


def answer(text: str, value: Told) -> tuple[int, int] | None:
    """The name or the few words that answer a security question."""
    if value.quoted:
        return phrase(text, value)
    match = _ANSWER.match(text, value.start)
    return _checked(text, match, least=1) if match and len(match[0].split()) <= 6 else None


def _checked(text: str, match: re.Match[str], *, least: int) -> tuple[int, int] | None:
    bare = match[0].rstrip(" -–—:")
    if len(bare.split()) < least or not _is_phrase(bare) or is_placeholder(bare):
        return None
    return match.start(), match.start() + len(bare)
