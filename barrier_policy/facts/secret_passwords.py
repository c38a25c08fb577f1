"""Passwords: any word where label and lead are strong, a distinct one where they are weak (design section 5, bindings)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from barrier_policy.facts.secret_around import WORD, found_at, is_option, name_of, nearby, speaks_about
from barrier_policy.facts.secret_forms import Secret
from barrier_policy.facts.secret_labels import SecretType
from barrier_policy.facts.secret_shapes import is_leet, is_placeholder, is_signed, is_strong, shape
from barrier_policy.facts.secret_told import How, Told, beside, told
from barrier_policy.facts.secret_values import (
    ends_clause,
    is_distinct,
    is_distinct_beside,
    is_predicate,
    may_be_password,
    may_be_word,
    plain_words,
)
from barrier_policy.facts.secret_words import WORDS, Label, any_of, words_of

PASS_NAME: Final = re.compile(r"[Pp]ass(?:(?=[A-Z])(?!Word|Phrase|Wd)|_[a-z])")
"""`PassState`, `passThrough`: names of other things."""
FORWARDS: Final = frozenset(("proxy_pass", "fastcgi_pass", "uwsgi_pass", "scgi_pass", "grpc_pass", "memcached_pass"))
UPSTREAM: Final = re.compile(r"[ \t]+(?:\w+:|[\w.-]+(?::\d+)?(?:/[^\s;]*)?;)")
"""Directives of a web server, and where they pass requests on to."""
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
SETTING: Final = re.compile(
    r"(?i)(?<![^\W_])(?:set|use|using|with|enter|type|try|mit|avec|con|com|met|z)\s(?:the |a |new |my |our |dem |le |la )?(?:[\w-]{2,12} )?\Z"
)
CHANGED_TO: Final = re.compile(
    rf"(?i)(?:(?<![^\W_])(?:{any_of(words_of('changed_to'))})|->|→)[ ][\"'`“„«]?(?P<value>[^\s\"'`“”„«»,;|/<>()]{{4,40}}?)(?=[\"'`”»]?[.!?]?(?:[\s,;)]|\Z))"
)
"""Words after a password that lead to the one which takes its place."""
ADDRESS: Final = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+[\s,;/|]{1,3}(?:(?:and|with|mit|und|et|y|e|i|и)\s)?\Z")
NETWORK: Final = re.compile(
    r"(?i)(?:wi-?fi|wlan|hotspot|ssid|wpa[23]?|network|netzwerk|réseau|wifi-netz)\b[^\n.:;=]{0,16}\Z"
)
PAIR: Final = re.compile(
    r"(?P<sign>[\"'`*)]{0,3}(?:[ ]?[(][^()\n]{1,30}[)])?(?:[ ][^\W\d_]{1,12}){0,3}?(?:[:：=]\s?|\s))(?P<name>[\w.@+-]{0,60}?[^\W\d_][\w.@+-]{0,60})(?P<join>\s?[/|]\s?|:)(?P<value>[^\s,;\"'`|/<>]{4,60})"
)
AS_WITH: Final = re.compile(
    r"(?:[ ](?:as|als|en tant que|como|come|jako|som)[ ](?P<name>[\w.@+-]{2,40}))?[ ](?:with|using|mit|avec|con|com|met|z|med|s)[ ][\"'`]?(?P<value>[^\s\"'`,;|/<>()]{6,60})"
)
"""`log in as bob with X`."""
LISTED: Final = re.compile(
    r"(?:(?:[ ][^\s:,;]{1,16}){0,4}(?P<sign>:))?[ ](?P<name>[\w.@+-]{2,40}),[ ](?P<value>[^\s,;\"'`|/<>:.]{6,40})(?=[ \t]*(?:[.!]?[ \t]*(?:$|\n|\\n|\Z)|[.!][ ]))"
)
"""`access for the shop: anna, X`, at the end of its line or sentence."""
UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
NON_LATIN: Final = re.compile("[^\u0000-\u024f\u1e00-\u1eff]")


def find_password(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    """The password that a label tells: after a sign or a word like `is`, beside it, or before it."""
    word = text[label.start : label.end]
    name = name_of(text, label)
    if (
        speaks_about(text, label, name)
        or (name.lower() in FORWARDS and UPSTREAM.match(text, label.end))
        or PASS_NAME.match(text, label.start)
        or (word in SAME_CASE and text[label.start - 1 : label.start] != "_")
    ):
        return
    value = told(text, label.end)
    if value is not None and value.copula in STRICT_COPULAS and not _is_of_language(text, lowered, label, value):
        value = None
    if value is not None:
        if may_be_password(text, value) and not (_is_verb(text, label) and not _is_told_clearly(text, label, value)):
            yield found_at((value.start, value.end), SecretType.PASSWORD, name)
            yield from _changed(text, label, value, name)
            return
        if not value.quoted and not _is_verb(text, label) and (place := plain_words(text, value)) is not None:
            yield found_at(place, SecretType.PASSWORD, name)
            return
    if value is None and (value := beside(text, label.end)) is not None and _is_password_beside(text, label, value):
        yield found_at((value.start, value.end), SecretType.PASSWORD, name)
        yield from _changed(text, label, value, name)
        return
    if (place := _named_password(text, label)) is not None:
        yield found_at(place, SecretType.PASSWORD, name)
    yield from nearby(text, label, SecretType.PASSWORD, name)


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
    if is_option(text, label):
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


def _is_listed(value: str, *, signed: bool) -> bool:
    """Whether a word after a name and a comma is a password: without a sign before them only one that no name looks like."""
    letters = sum(map(str.isalpha, value))
    return is_distinct(value) and letters >= 4 and (signed or (len(value) >= 8 and is_leet(value) and not value.islower()))


def _changed(text: str, label: Label, value: Told, name: str) -> Iterator[Secret]:
    """The password before or after the one that is told, where it looks the same: `Old-55 no longer works, I use New-56 now`."""
    word = text[value.start : value.end]
    if not is_distinct(word):
        return
    form = shape(word)
    for match in WORD.finditer(text, label.end, value.start):
        if shape(match[0]) == form:
            yield found_at(match.span(), SecretType.PASSWORD, name)
    for match in CHANGED_TO.finditer(text, value.end, min(len(text), value.end + 80)):
        if "\n" in text[value.end : match.start()]:
            return
        if shape(match["value"]) == form:
            yield found_at(match.span("value"), SecretType.PASSWORD, name)


def find_login(text: str, lowered: str, label: Label) -> Iterator[Secret]:
    """The second half of `login: anna / Xy12!abc`."""
    match = AS_WITH.match(text, label.end)
    if match is not None:
        value = match["value"].rstrip(".)!")
        plain = match["name"] is not None and sum(map(str.isdigit, value)) >= 2
        if is_distinct(value) and len(value) >= 6 and (plain or is_leet(value) or is_signed(value)):
            yield found_at((match.start("value"), match.start("value") + len(value)), SecretType.PASSWORD, "login")
        return
    match = LISTED.match(text, label.end)
    if match is not None and _is_listed(match["value"], signed=match["sign"] is not None):
        yield found_at(match.span("value"), SecretType.PASSWORD, "login")
        return
    match = PAIR.match(text, label.end) if not lowered.startswith("access", label.start) else None
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
        yield found_at(place, SecretType.PASSWORD, "login")
