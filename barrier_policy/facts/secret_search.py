"""The search for secrets: by an issuer's prefix, by form, and by a label in words (`secret_words.json`).

Labels are found in one pass over the text. A label's family says how its value may be told (`secret_told`) and what it may be
(`secret_values`, `secret_digits`, `secret_codes`); labels alone decide nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from barrier_policy.facts.secret_codes import codes_at, keypad_codes, opened_before, opened_with
from barrier_policy.facts.secret_digits import find_numbers, number_before
from barrier_policy.facts.secret_forms import Secret, by_form, by_prefix
from barrier_policy.facts.secret_labels import (
    ABOUT_AFTER,
    ABOUT_HEAD,
    ABOUT_NAME,
    KEY_OWNERS,
    KEY_OWNERS_AFTER,
    NETWORK_AFTER,
    NETWORKS,
    OTHER_TOKEN_WORDS,
    OTHER_TOKENS,
    SecretType,
)
from barrier_policy.facts.secret_shapes import is_placeholder, is_random, is_scrambled, is_signed, is_strong
from barrier_policy.facts.secret_told import How, Told, beside, told
from barrier_policy.facts.secret_values import (
    answer,
    ends_clause,
    is_distinct,
    is_distinct_beside,
    is_keyish,
    is_mixed,
    is_predicate,
    may_be_password,
    may_be_word,
    phrase,
    plain_words,
    seed,
)
from barrier_policy.facts.secret_words import WORDS, Family, Label, any_of, find_labels, words_of

REACH: Final = 100
"""How far from its label a secret may stand in a sentence, in characters."""
IDENTIFIER: Final = re.compile(r"[\w.-]*\Z")
WORD: Final = re.compile(r"[^\s\"'`<>(),;，。、：“”「」\\]+")
COMMON_NUMBERS: Final = frozenset(("tan", "pin", "pins", "пин", "พิน", "ピン"))
"""Labels of numbers that mean other things as well."""
PASS_NAME: Final = re.compile(r"[Pp]ass(?:(?=[A-Z])(?!Word|Phrase|Wd)|_[a-z])")
"""`PassState`, `passThrough`: names of other things."""
SAME_CASE: Final = frozenset(("PASS", "TAN", "PIN"))
LOGIN: Final = any_of(words_of("login"))
NAMED_BEFORE: Final = re.compile(
    rf"(?i)(?<![^\W_])(?:{LOGIN})[\"'`)]{{0,2}}(?:[\s:=\"'`]{{1,3}}|\s(?:is|ist|est|es|è|é|to|je|は|as|als)\s)(?!(?:and|or|und|oder|et|ou|y|o|e|i|lub|и|или)\s)[\w.@+-]{{2,40}}[\s,;/|]{{1,3}}"
    r"(?:(?:and|with|mit|und|et|avec|y|con|e|com|en|met|i|a|s|och|med|og|ja|ve|и|с|та|і)\s)?(?:the |das |la |le |el |il |a |o )?\Z"
)
"""A login word and a name right before a label: what stands beside the label is the password."""
NAMED: Final = re.compile(
    r"(?ix)(?:(?<![^\W_])(?:use|using|used|with|set|enter|type|try|take|put|nimm|nimmt|benutze|verwende|utilise|utiliser|usa|usar|użyj|gebruik)[ ][\"'`]?(?P<used>[^\s\"'`]{4,40})[\"'`]?[ ](?:as|als|comme|como|come|jako)"
    r"|(?:^|[\n.,;:!?(]\s?|\b(?:and|und|et|y|e|i)[ ])[\"'`]?(?P<called>[^\s\"'`]{4,40})[\"'`]?[ ](?:is|was|ist|war|est|es|è|é|to|je|är|er))"
    r"[ ](?:the|our|my|your|his|her|their|das|mein|unser|dein|le|mon|notre|votre|la|mi|nuestra|tu|su|mia|nostra|a|minha|nossa|het|mijn|ons|moje|nasze)"
    r"(?:[ ](?:new|neue|nouveau|nueva|nuova|nova|nieuwe|nowe|[\w-]{2,12})){0,2}[ ]\Z"
)
STRICT_COPULAS: Final = {
    copula: tuple(
        word.strip("*")
        for language in languages
        for family in ("password", "loose")
        for word in WORDS[language].get(family, ())
    )
    for copula, languages in (
        ("to", ("pl",)),
        ("on", ("fi", "et")),
        ("e", ("ro",)),
        ("a", ("hu",)),
        ("az", ("hu",)),
        ("de", ("zh",)),
    )
}
"""Words like `is` of some languages that are something else in others: they count after a label of their own language."""
CHANGING: Final = re.compile(
    r"(?i)(?<![^\W_])(?:change|changed|changing|set|reset|update|updated|switch|switched|rename|make)[^\W\d_]*\b[^\n.;!?]{0,60}\Z"
)
ZERO_COPULA: Final = {
    word.strip("*"): tuple(words["verbal"].split())
    for words in WORDS.values()
    if "verbal" in words
    for family in ("password",)
    for word in words.get(family, ())
}
"""Labels of languages that need no word like `is`, and how the words end there that say what happened to a password."""
BARE_SEEDS: Final = frozenset(("seed", "phrase", "words", "wörter", "mots", "palabras", "palavras", "woorden", "słowa", "слова", "单词", "mnemonic"))
"""Labels of a recovery phrase that mean other lists of words too."""
FURTHER_ON: Final = re.compile(r"[^\n:.]{1,48}:\s")
SETTING: Final = re.compile(
    r"(?i)(?<![^\W_])(?:set|use|using|with|enter|type|try|mit|avec|con|com|met|z)\s(?:the |a |new |my |our |dem |le |la )?(?:[\w-]{2,12} )?\Z"
)
ADDRESS: Final = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+[\s,;/|]{1,3}(?:(?:and|with|mit|und|et|y|e|i|и)\s)?\Z")
SAME_LINE_NETWORK: Final = re.compile(r"(?i)(?:wi-?fi|wlan|hotspot|ssid|network)\b[^\n]{0,40}\Z")
CODE_NETWORK: Final = re.compile(
    r"(?i)[ -](?:du |de |del |do |da |van |van de |vom |fürs |for the |for )?(?:wi-?fi|wlan|hotspot)\b"
)
SECURITY_ANSWER: Final = re.compile(
    r"(?i)[^\n]{0,80}?(?:(?:answer|antwort|réponse|respuesta|risposta|resposta|odpowiedź|ответ)(?:\s(?:is|ist|est|es|è|é|to))?\s?:?\s|->\s?|→\s?|\?\s?[-–—:]\s|\?\s)[\"'“]?"
)
NETWORK: Final = re.compile(r"(?i)(?:wi-?fi|wlan|hotspot|ssid|wpa[23]?)\b[^\n.:;=]{0,16}\Z")
PAIR: Final = re.compile(
    r"(?P<sign>[\"'`*)]{0,3}(?:[ ]?[(][^()\n]{1,30}[)])?(?:[ ][^\W\d_]{1,12}){0,3}?(?:[:：=]\s?|\s))(?P<name>[\w.@+-]*[^\W\d_][\w.@+-]*)(?P<join>\s?[/|]\s?|:)(?P<value>[^\s,;\"'`|/<>]{4,60})"
)
OWNER: Final = re.compile(
    r"(?:[ ][^\W\d_]{2,14}){1,3}?(?=[ ]?[:：=]|[ ](?:is|was|ist|war|est|es|è|é|is|to|je|är|er|on|este)[ ])"
)
UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
NON_LATIN: Final = re.compile("[^\u0000-\u024f\u1e00-\u1eff]")


def search_secrets(text: str) -> Iterator[Secret]:
    """Every finding, in no order; findings may overlap."""
    yield from by_prefix(text)
    yield from by_form(text)
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


def _name(text: str, label: Label) -> str:
    """The whole label: the identifier around the word."""
    before = IDENTIFIER.search(text, max(0, label.start - 40), label.start)
    return (before[0] if before else "") + text[label.start : label.end]


def _speaks_about(text: str, label: Label, name: str) -> bool:
    """Whether a label is about a secret without giving one."""
    return any(
        pattern is not None
        for pattern in (ABOUT_AFTER.match(text, label.end), ABOUT_NAME.search(name), ABOUT_HEAD.match(name))
    )


def _found(place: tuple[int, int], kind: SecretType, name: str) -> Secret:
    return Secret(start=place[0], end=place[1], type=kind, name=name)


def _password(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    word = text[label.start : label.end]
    name = _name(text, label)
    if (
        _speaks_about(text, label, name)
        or PASS_NAME.match(text, label.start)
        or (word in SAME_CASE and text[label.start - 1 : label.start] != "_")
    ):
        return
    value = told(text, label.end)
    if value is not None and value.copula in STRICT_COPULAS and not _is_of_language(text, lowered, label, value):
        value = None
    if value is not None:
        if may_be_password(text, value) and not (_is_verb(text, label) and not _is_told_clearly(text, label, value)):
            yield _found((value.start, value.end), SecretType.PASSWORD, name)
            return
        if not value.quoted and not _is_verb(text, label) and (place := plain_words(text, value)) is not None:
            yield _found(place, SecretType.PASSWORD, name)
            return
    if value is None and (value := beside(text, label.end)) is not None and _is_password_beside(text, label, value):
        yield _found((value.start, value.end), SecretType.PASSWORD, name)
        return
    if (place := _named_password(text, label)) is not None:
        yield _found(place, SecretType.PASSWORD, name)
    yield from _nearby(text, label, SecretType.PASSWORD, name)


def _is_of_language(text: str, lowered: str, label: Label, value: Told) -> bool:
    """Whether a word like `to` or `on`, which is no copula in English, is one here."""
    stems = STRICT_COPULAS[value.copula]
    return lowered.startswith(stems, label.start) or (
        value.copula == "to" and CHANGING.search(text, max(0, label.start - 60), value.start) is not None
    )


def _named_password(text: str, label: Label) -> tuple[int, int] | None:
    """`use X as the password`, `X is our wifi password`."""
    match = NAMED.search(text, max(0, label.start - 90), label.start) if ends_clause(text, label.end) else None
    if match is None:
        return None
    start, end = match.span("used") if match["used"] else match.span("called")
    value = Told(start=start, end=end, how=How.SIGN)
    word = text[start:end]
    plain = len(word) >= 4 and word.isalpha() and not is_predicate(word) and not is_placeholder(word)
    return (start, end) if plain or is_distinct(word) else None


def _is_verb(text: str, label: Label) -> bool:
    """`pass` by itself: to hand on, to get through."""
    return text[label.start : label.end].lower() == "pass" and text[label.start - 1 : label.start] not in ("_", "-")


def _is_told_clearly(text: str, label: Label, value: Told) -> bool:
    word = text[value.start : value.end]
    if value.how is How.SIGN:
        return not (word.isdigit() or text[label.end : value.start].strip(" :=\"'`*\\->\n") or word.endswith("pass"))
    return value.how is How.COPULA and is_distinct(word)


def _is_password_beside(text: str, label: Label, value: Told) -> bool:
    """Whether a word right beside a label is the password: by its form, as an option's value, after a login word and a name, in another script."""
    word = text[value.start : value.end]
    if is_placeholder(word) or is_predicate(word):
        return False
    if is_distinct_beside(word) and not _is_verb(text, label):
        return True
    if _is_option(text, label):
        return not word.startswith("-")
    before = text[max(0, label.start - 90) : label.start].rsplit("\n", 1)[-1]
    if NAMED_BEFORE.search(before) or ADDRESS.search(before):
        return may_be_word(text, value) or is_distinct(word)
    if value.quoted:
        return may_be_password(text, value) and not _is_verb(text, label) and text[max(0, label.start - 1)] not in "\"'`_"
    if NETWORK.search(before) and is_distinct(word):
        return True
    if (
        NETWORK.search(before)
        or NETWORK.search(text[label.end : value.start])
        or SETTING.search(before)
        or (NON_LATIN.match(text, label.start) and word.isascii() and len(word) >= 6)
    ):
        return len(word) >= 5 and may_be_word(text, value)
    endings = next(
        (endings for stem, endings in ZERO_COPULA.items() if text[label.start : label.end].lower().startswith(stem)), None
    )
    if endings is not None and len(word) >= 4 and not word.lower().endswith(endings or "\n"):
        return may_be_word(text, value)
    if UNSPACED.match(text, label.start) and UNSPACED.match(word):
        return may_be_word(text, value)
    return False


def _loose(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    """A label that means other things too: its value is a secret where it can't be a word of the language."""
    name = _name(text, label)
    if _speaks_about(text, label, name) or text[label.start - 1 : label.start] in (":", "/"):  # a piece of a resource's name
        return
    value = told(text, label.end) or beside(text, label.end)
    if value is not None and not is_random(text[value.start : value.end]):
        word = text[value.start : value.end]
        if _is_pin_like(text, label, value) or (
            is_distinct(word) and (value.how is not How.BESIDE or is_distinct_beside(word))
        ):
            yield _found((value.start, value.end), SecretType.PASSWORD, name)
            return
    yield from _token(text, lowered, label)


def _is_pin_like(text: str, label: Label, value: Told) -> bool:
    word = text[value.start : value.end]
    return word.isdigit() and 4 <= len(word) <= 8 and _owner_before(text, label)


def _owner_before(text: str, label: Label) -> bool:
    """`mi clave 4471`: somebody's."""
    return (
        re.search(
            r"(?i)(?<![^\W_])(?:mi|tu|su|mis|sus|my|your|our|her|his|secreta|mein|meine|mon|ma|mio|mia|meu|minha)\s\Z",
            text[: label.start][-12:],
        )
        is not None
    )


def _phrase(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    yield from _words(text, label, phrase, SecretType.PHRASE)


def _seed(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    yield from _words(text, label, seed, SecretType.PHRASE)


def _answer(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    if (
        "question" in lowered[label.start : label.end]
        or "frage" in lowered[label.start : label.end]
        or "pregunta" in lowered[label.start : label.end]
    ):
        lead = SECURITY_ANSWER.match(text, label.end)
        if lead is not None and (place := answer(text, Told(start=lead.end(), end=lead.end(), how=How.SIGN))) is not None:
            yield _found(place, SecretType.ANSWER, _name(text, label))
            return
    yield from _words(text, label, answer, SecretType.ANSWER)


def _words(
    text: str, label: Label, read: Callable[[str, Told], tuple[int, int] | None], kind: SecretType
) -> Iterator[Secret]:
    """What several words tell, or one where no more stand there."""
    name = _name(text, label)
    if kind is not SecretType.ANSWER and _speaks_about(text, label, name):
        return
    value = told(text, label.end)
    if value is None and kind is SecretType.ANSWER:
        owner = OWNER.match(text, label.end)
        value = told(text, owner.end()) if owner and not any(map(is_predicate, owner[0].split())) else None
    if read is seed and (value is None or read(text, value) is None) and (further := FURTHER_ON.match(text, label.end)) is not None:
        place = seed(text, Told(start=further.end(), end=further.end(), how=How.SIGN), least=8)
        if place is not None:
            yield _found(place, kind, name)
            return
    if value is None and read is seed:
        value = beside(text, label.end)
    if value is None:
        return
    place = read(text, value)
    if (
        place is not None
        and read is seed
        and text[label.start : label.end].lower() in BARE_SEEDS
        and len(text[place[0] : place[1]].split()) < 8
    ):
        place = None
    if place is None and kind is SecretType.PHRASE and read is phrase and may_be_password(text, value):
        place = value.start, value.end
    if place is not None:
        yield _found(place, kind, name)


def _number(kind: SecretType) -> Callable[[str, str, Label], Iterator[Secret]]:
    def find(text: str, lowered: str, label: Label) -> Iterator[Secret]:
        name = _name(text, label)
        if _speaks_about(text, label, name):
            return
        found = False
        if (place := number_before(text, label.start)) is not None and ends_clause(text, label.end):
            found = True
            yield _found(place, kind, name)
        common = label.family is Family.ONE_TIME and lowered[label.start : label.word_end] in COMMON_NUMBERS
        for place in find_numbers(text, label.end, label.family, common=common):
            found = True
            yield _found(place, kind, name)
        if not found:
            yield from _code(text, lowered, label)

    return find


def _code(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    name = _name(text, label)
    if CODE_NETWORK.match(text, label.end) or (
        label.family is Family.CODE_WORD and _before(lowered, label.start).endswith(NETWORKS)
    ):
        yield from _password(text, lowered, label)
        return
    found = False
    for start, end in codes_at(text, lowered, label):
        found = True
        yield _found((start, end), SecretType.CODE, name)
    if (
        not found
        and label.family is not Family.BOX
        and any(word in lowered[max(0, label.start - 16) : label.end + 16] for word in CODE_OWNERS)
    ):
        yield from _nearby(text, label, SecretType.CODE, name)


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


def _key(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    """The key of a service or a licence."""
    name = _name(text, label)
    if _speaks_about(text, label, name):
        return
    value = told(text, label.end) or beside(text, label.end)
    if value is not None:
        word = text[value.start : value.end]
        if is_random(word) or is_keyish(word):
            yield _found((value.start, value.end), SecretType.API_KEY, name)
            return
    yield from _nearby(text, label, SecretType.API_KEY, name)


def _key_word(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    """A key that is called a secret one, or one to a network."""
    before = _before(lowered, label.start)
    if (
        before.endswith(NETWORKS)
        or SAME_LINE_NETWORK.search(text, max(0, label.start - 60), label.start)
        or NETWORK_AFTER.match(text, label.end)
    ):
        yield from _password(text, lowered, label)
    elif before.endswith(KEY_OWNERS) or KEY_OWNERS_AFTER.match(text, label.end):
        yield from _named(text, label, SecretType.API_KEY)


def _token(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    before = _before(lowered, label.start)
    if not (before.endswith(OTHER_TOKENS) or before[before.rfind(" ") + 1 :] in OTHER_TOKEN_WORDS):
        yield from _named(text, label, SecretType.TOKEN)


def _named(text: str, label: Label, kind: SecretType) -> Iterator[Secret]:
    name = _name(text, label)
    if _speaks_about(text, label, name):
        return
    value = told(text, label.end)
    if value is None and _is_option(text, label):
        value = beside(text, label.end)
    word = text[value.start : value.end] if value else ""
    if value is not None and (is_random(word) or is_scrambled(word, 3) or (value.how is How.SIGN and (is_keyish(word) or (value.quoted and is_mixed(word))))):
        yield _found((value.start, value.end), kind, name)
    else:
        yield from _nearby(text, label, kind, name)


def _before(lowered: str, start: int) -> str:
    """What stands before a label, up to the sign that joins them."""
    return lowered[max(0, start - 24) : start].rstrip(" _-.'’の用")


def _login(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    """The second half of `login: anna / Xy12!abc`."""
    match = PAIR.match(text, label.end)
    if match is None or text[match.end() : match.end() + 1] == "/":  # a path
        return
    value = match["value"].rstrip(".)!")
    place = match.start("value"), match.start("value") + len(value)
    spaced = match["join"] == " / "
    named = not is_predicate(match["name"]) or match["name"].lower() in ("admin", "root", "user", "guest", "test")
    plain = spaced and named and match["sign"].strip()[-1:] in (":", "=", "：")
    candidate = Told(start=place[0], end=place[1], how=How.COPULA)
    if (
        is_strong(value)
        or (is_distinct(value) and len(value) >= 5 and ends_clause(text, place[1]))
        or (plain and may_be_word(text, candidate))
    ):
        yield _found(place, SecretType.PASSWORD, "login")


def _opens(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    for place in opened_before(text, label.start):
        yield _found(place, SecretType.CODE, _name(text, label))


def _open_with(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    for place in opened_with(text, label.start, label.end):
        yield _found(place, SecretType.CODE, _name(text, label))


def _none(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    return iter(())


def _is_option(text: str, label: Label) -> bool:
    """Whether the label is a command-line option: `--db-password X`."""
    head = IDENTIFIER.search(text, max(0, label.start - 40), label.start)
    return head is not None and head[0].startswith("--")


def _nearby(text: str, label: Label, kind: SecretType, name: str) -> Iterator[Secret]:
    """A word of the same line that looks like nothing but a secret: `use X as the password`, `a key for tests: X`."""
    if text[label.end : label.end + 1] == "-":  # `token-free` names no token
        return
    left = max(text.rfind("\n", 0, label.start) + 1, label.start - REACH)
    right = text.find("\n", label.end, label.end + REACH)
    right = right if right >= 0 else min(len(text), label.end + REACH)
    for match in WORD.finditer(text, left, right):
        word = match[0].rstrip(".:!?")
        cut = text[match.start() - 1 : match.start()].isalnum() or text[match.end() : match.end() + 1].isalnum()
        looks = is_scrambled(word, 3 if kind is SecretType.CODE else 4) or (kind is SecretType.PASSWORD and is_signed(word))
        if not cut and looks and not is_placeholder(word):
            yield Secret(start=match.start(), end=match.start() + len(word), type=kind, name=name)


FINDERS: Final[dict[Family, Callable[[str, str, Label], Iterator[Secret]]]] = {
    Family.PASSWORD: _password,
    Family.LOOSE: _loose,
    Family.PHRASE: _phrase,
    Family.SEED: _seed,
    Family.PIN: _number(SecretType.PIN),
    Family.ONE_TIME: _number(SecretType.ONE_TIME),
    Family.CARD: _number(SecretType.CARD_CODE),
    Family.KEY: _key,
    Family.KEY_WORD: _key_word,
    Family.TOKEN: _token,
    Family.CODE_WORD: _code,
    Family.SELF_CODE: _code,
    Family.COMBINATION: _code,
    Family.BOX: _code,
    Family.ANSWER: _answer,
    Family.LOGIN: _login,
    Family.OPENS: _opens,
    Family.OPEN_WITH: _open_with,
    Family.OTHERS: _none,
}
