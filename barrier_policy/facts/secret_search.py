"""The search for secrets: by an issuer's prefix, by form, and by a label in words (`secret_words.json`).

Labels are found in one pass over the text. A label's family says how its value may be told (`secret_told`) and what it may be
(`secret_values`, `secret_digits`, `secret_codes`); labels alone decide nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from barrier_policy.facts.secret_around import found_at, name_of, nearby, speaks_about, word_before
from barrier_policy.facts.secret_codes import CODE_NETWORK, codes_at, keypad_codes, opened_before, opened_with
from barrier_policy.facts.secret_commands import by_command
from barrier_policy.facts.secret_digits import find_numbers, number_before
from barrier_policy.facts.secret_entries import by_entry
from barrier_policy.facts.secret_forms import FOUR_DIGITS, Secret, by_form, by_prefix
from barrier_policy.facts.secret_keys import find_key, find_key_word, find_loose, find_token
from barrier_policy.facts.secret_labels import NETWORKS, SecretType
from barrier_policy.facts.secret_passwords import find_login, find_password
from barrier_policy.facts.secret_pins import is_other_pin
from barrier_policy.facts.secret_told import How, Told, beside, told
from barrier_policy.facts.secret_values import answer, ends_clause, is_predicate, may_be_password, phrase, seed
from barrier_policy.facts.secret_words import Family, Label, find_labels

COMMON_NUMBERS: Final = frozenset(("tan", "pin", "pins", "пин", "พิน", "ピン"))
"""Labels of numbers that mean other things as well."""
BARE_SEEDS: Final = frozenset(
    ("seed", "phrase", "words", "wörter", "mots", "palabras", "palavras", "woorden", "słowa", "слова", "单词", "mnemonic")
)
"""Labels of a recovery phrase that mean other lists of words too."""
FURTHER_ON: Final = re.compile(r"[^\n:.]{1,48}:\s")
SECURITY_ANSWER: Final = re.compile(
    r"(?i)[^\n]{0,80}?(?:(?:answer|antwort|réponse|respuesta|risposta|resposta|odpowiedź|ответ)(?:\s(?:is|ist|est|es|è|é|to))?\s?:?\s|->\s?|→\s?|\?\s?[-–—:]\s|\?\s)[\"'“]?"
)
OWNER: Final = re.compile(
    r"(?:[ ][^\W\d_]{2,14}){1,3}?(?=[ ]?[:：=]|[ ](?:is|was|ist|war|est|es|è|é|is|to|je|är|er|on|este)[ ])"
)
CODE_OWNERS: Final = (
    "claim",
    "activation",
    "pairing",
    "recovery",
    "backup",
    "unlock",
    "access",
    "one-time",
    "verification",
    "zugangs",
    "aktivierungs",
)


def search_secrets(text: str) -> Iterator[Secret]:
    """Every finding, in no order; findings may overlap."""
    yield from by_prefix(text)
    has_number = FOUR_DIGITS.search(text) is not None
    yield from by_form(text, has_number=has_number)
    yield from by_entry(text, has_number=has_number)
    yield from by_command(text)
    yield from _by_label(text)


def _by_label(text: str) -> Iterator[Secret]:
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters have longer lower-case forms, which would shift the places
        lowered = "".join(letter if len(letter.lower()) != 1 else letter.lower() for letter in text)
    for label in find_labels(text, lowered):
        yield from FINDERS[label.family](text, lowered, label)
    if "#" in text:
        for start, end in keypad_codes(text, lowered):
            yield Secret(start=start, end=end, type=SecretType.CODE, name="keypad")


def _phrase(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    """What several words tell, or one that may be a password."""
    name, value = name_of(text, label), told(text, label.end)
    if value is None or speaks_about(text, label, name):
        return
    place = phrase(text, value)
    if place is None and may_be_password(text, value):
        place = value.start, value.end
    if place is not None:
        yield found_at(place, SecretType.PHRASE, name)


def _seed(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    """The words of a recovery phrase: told, further on in the line, or beside the label."""
    name = name_of(text, label)
    if speaks_about(text, label, name):
        return
    value = told(text, label.end)
    if _is_symbol(text, label) and (value is None or value.how is not How.SIGN):
        return
    place = seed(text, value) if value is not None else None
    if place is None and (further := FURTHER_ON.match(text, label.end)) is not None:
        listed = seed(text, Told(start=further.end(), end=further.end(), how=How.SIGN), least=8)
        if listed is not None:
            yield found_at(listed, SecretType.PHRASE, name)
            return
    if value is None and (value := beside(text, label.end)) is not None:
        place = seed(text, value)
    if place is not None and not (_is_bare(text, label) and len(text[place[0] : place[1]].split()) < 8):
        yield found_at(place, SecretType.PHRASE, name)


def _is_symbol(text: str, label: Label) -> bool:
    """Whether a bare word for a phrase ends a name of code: `ColorWords returns …` tells what something does."""
    return _is_bare(text, label) and text[label.start].isupper() and text[label.start - 1 : label.start].islower()


def _is_bare(text: str, label: Label) -> bool:
    return text[label.start : label.end].lower() in BARE_SEEDS


def _answer(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    """The answer to a security question, after the question or after whose answer it is."""
    name, word = name_of(text, label), lowered[label.start : label.end]
    if "question" in word or "frage" in word or "pregunta" in word:
        lead = SECURITY_ANSWER.match(text, label.end)
        if lead is not None and (place := answer(text, Told(start=lead.end(), end=lead.end(), how=How.SIGN))) is not None:
            yield found_at(place, SecretType.ANSWER, name)
            return
    value = told(text, label.end)
    if value is None and (owner := OWNER.match(text, label.end)) and not any(map(is_predicate, owner[0].split())):
        value = told(text, owner.end())
    if value is not None and (place := answer(text, value)) is not None:
        yield found_at(place, SecretType.ANSWER, name)


def _number(kind: SecretType) -> Callable[[str, str, Label], Iterator[Secret]]:
    def find(text: str, lowered: str, label: Label) -> Iterator[Secret]:
        name = name_of(text, label)
        if speaks_about(text, label, name):
            return
        found = False
        if (place := number_before(text, label.start)) is not None and ends_clause(text, label.end):
            found = True
            yield found_at(place, kind, name)
        common = label.family is Family.ONE_TIME and lowered[label.start : label.word_end] in COMMON_NUMBERS
        for place in find_numbers(text, label.end, label.family, common=common):
            if label.family is Family.PIN and is_other_pin(text, label, place):
                return
            found = True
            yield found_at(place, kind, name)
        if not found:
            yield from _code(text, lowered, label)

    return find


def _code(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    name = name_of(text, label)
    if CODE_NETWORK.match(text, label.end) or (
        label.family is Family.CODE_WORD and word_before(lowered, label.start).endswith(NETWORKS)
    ):
        yield from find_password(text, lowered, label)
        return
    found = False
    for start, end in codes_at(text, lowered, label):
        found = True
        yield found_at((start, end), SecretType.CODE, name)
    if (
        not found
        and label.family is not Family.BOX
        and any(word in lowered[max(0, label.start - 16) : label.end + 16] for word in CODE_OWNERS)
    ):
        yield from nearby(text, label, SecretType.CODE, name)


def _opens(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    for place in opened_before(text, lowered, label):
        yield found_at(place, SecretType.CODE, name_of(text, label))


def _open_with(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    for place in opened_with(text, label.start, label.end):
        yield found_at(place, SecretType.CODE, name_of(text, label))


def _none(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    return iter(())


FINDERS: Final[dict[Family, Callable[[str, str, Label], Iterator[Secret]]]] = {
    Family.PASSWORD: find_password,
    Family.LOOSE: find_loose,
    Family.PHRASE: _phrase,
    Family.SEED: _seed,
    Family.PIN: _number(SecretType.PIN),
    Family.ONE_TIME: _number(SecretType.ONE_TIME),
    Family.CARD: _number(SecretType.CARD_CODE),
    Family.KEY: find_key,
    Family.KEY_WORD: find_key_word,
    Family.TOKEN: find_token,
    Family.CODE_WORD: _code,
    Family.SELF_CODE: _code,
    Family.COMBINATION: _code,
    Family.BOX: _code,
    Family.ANSWER: _answer,
    Family.LOGIN: find_login,
    Family.OPENS: _opens,
    Family.OPEN_WITH: _open_with,
    Family.OTHERS: _none,
}
