"""What a name says a tool, a script or a sub-command does: the weakest basis, used last and always as an assumption.

Names of tools are verbs and objects in any order and spelling: `get_order`, `order_get`, `orderGet`, `order.get`,
`mcp__shop__order-get`. A verb that only changes things, or only reports, decides; a word that is a verb or a noun (`order`,
`log`) acts where it stands like a verb; a noun for something that is reported (`order_history`) reads.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import msgspec
from barrier_policy_plugins.effect_classes import Basis, Judgement, judge, read_table, word_set, worst

from barrier_policy.facts.effect_class import EffectClass

RUNTIME_PREFIX: Final = re.compile(
    r"^(?:mcp__[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*?__|(?:functions|default_api|tools?|multi_tool_use|container|browser)[.:])(?=.)"
)
HTTP_NAME: Final = re.compile(r"^(get|head|options|post|put|patch|delete)[_:. ]+(/\S*)", re.IGNORECASE)

_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SPLIT: Final = re.compile(r"[\W_]+")
_NAMESPACE: Final = re.compile(r"[.:/]|__")
_MAX_NAME: Final = 200
_MAX_TOKENS: Final = 12


class Verbs(msgspec.Struct, frozen=True):
    """The word lists of `tool_verbs.json`."""

    about: str
    read: str
    write: dict[str, str]
    acts: dict[str, str]
    deeds: str
    states: str
    bookers: str
    ordered: str
    reports: str
    phrases: dict[str, str]
    starters: str
    assistants: str


def _by_class(lists: dict[str, str], separator: str | None = None) -> dict[str, EffectClass]:
    return {word.strip(): EffectClass(name) for name in sorted(lists) for word in lists[name].split(separator)}


_VERBS: Final = msgspec.json.decode(read_table("tool_verbs.json"), type=Verbs)
_READ: Final = word_set(_VERBS.read)
_WRITE: Final = _by_class(_VERBS.write)
_ACTS: Final = _by_class(_VERBS.acts)
_DEEDS: Final = word_set(_VERBS.deeds)
_STATES: Final = word_set(_VERBS.states)
_BOOKERS: Final = word_set(_VERBS.bookers)
_ORDERED: Final = word_set(_VERBS.ordered)
_REPORTS: Final = word_set(_VERBS.reports)
_STARTERS: Final = word_set(_VERBS.starters)
_PHRASES: Final = _by_class(_VERBS.phrases, ",")
ASSISTANTS: Final = word_set(_VERBS.assistants)


@lru_cache(maxsize=256)
def bare_name(name: str) -> str:
    """The tool's own name, without the prefix that a runtime puts before it (`mcp__server__`, `functions.`)."""
    return RUNTIME_PREFIX.sub("", name[:_MAX_NAME], count=1)


@lru_cache(maxsize=256)
def name_key(name: str) -> str:
    """A name as tables spell it: lower case, letters and digits only."""
    return _SPLIT.sub("", name[:_MAX_NAME]).lower()


@lru_cache(maxsize=2048)
def name_tokens(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case: `webFetch`, `web_fetch` and `web.fetch` all give `web`, `fetch`."""
    words = _SPLIT.split(_CAMEL.sub("_", name[:_MAX_NAME]))
    return tuple(word.lower() for word in words if word)[:_MAX_TOKENS]


def judge_name(name: str, *, carries: bool = False) -> Judgement | None:
    """What a name says, None where it holds no known word.

    `carries`: the call's arguments carry a value to be stored, so that nouns alone (`heating_level`) do not make it a read.
    """
    bare = bare_name(name)
    words = name_tokens(bare)
    spoken = class_of_words(words)
    deed = _class_of_deed(bare) if spoken in (None, EffectClass.READ_ONLY) else None
    effect_class = deed or spoken
    if effect_class is None and words and _is_plural(words[-1]):
        effect_class = EffectClass.READ_ONLY
    has_verb = deed is not None or class_of_verbs(words) is not None
    if effect_class is EffectClass.READ_ONLY and carries and not has_verb:
        effect_class = None
    basis = Basis.NAME if has_verb else _basis_of_nouns(words)
    return None if effect_class is None else judge(effect_class, bare, assumed=True, basis=basis)


def _class_of_deed(name: str) -> EffectClass | None:
    """The class of a change that a name begins with, behind a namespace or without one: `move_card`, `bank.raise_limit`, `audit.freeze`.

    A verb of many languages says so where the name goes on with what it is done to (`sync_contacts`), not with what is known of it
    (`sync_status`); `order_test` orders what alone would be a look.
    """
    namespace = _NAMESPACE.search(name) is not None
    first, *others = name_tokens(_NAMESPACE.split(name)[-1]) or ("",)
    if namespace and first in _WRITE:
        return _WRITE[first]
    last = others[-1] if others else ""
    acts = first in _DEEDS and last not in _STATES and (namespace or bool(others))
    if acts or (first in _BOOKERS and last in _ORDERED):
        return EffectClass.NON_IDEMPOTENT
    return None


def class_of_words(words: tuple[str, ...]) -> EffectClass | None:
    """The class that the words of a name speak for, None where none of them is known.

    The order of the questions is the rule: outer words before inner ones, plain verbs before words that are also nouns,
    a reading last word before an acting first one. A name with `and` in it does the worse of the two.
    """
    if "and" in words[1:-1]:
        place = words.index("and", 1)
        return worst(found for half in (words[:place], words[place + 1 :]) if (found := class_of_words(half)) is not None)
    return class_of_verbs(words) or _class_of_nouns(words)


def class_of_verbs(words: tuple[str, ...]) -> EffectClass | None:
    """The class that plain verbs speak for, None where there are none."""
    if not words:
        return None
    first, last = words[0], words[-1]
    phrase = _PHRASES.get(" ".join(words[:2])) or _PHRASES.get(" ".join(words[-2:]))
    if phrase is not None:
        return phrase
    if first in _WRITE or last in _WRITE:
        return _WRITE.get(first) or _WRITE[last]
    if last in _STARTERS:
        return EffectClass.NON_IDEMPOTENT
    if _reads(first) or _reads(last):
        return EffectClass.READ_ONLY
    return _class_of_inner_words(words[1:-1])


def _class_of_inner_words(words: tuple[str, ...]) -> EffectClass | None:
    written = next((_WRITE[word] for word in words if word in _WRITE), None)
    return written or (EffectClass.READ_ONLY if any(word in _READ for word in words) else None)


def _class_of_nouns(words: tuple[str, ...]) -> EffectClass | None:
    if not words:
        return None
    first, last = words[0], words[-1]
    if last in _REPORTS:
        return EffectClass.READ_ONLY
    acts = [_ACTS[word] for word in (first, last) if word in _ACTS]
    if acts:
        return worst(acts)
    inner = next((_ACTS[word] for word in words if word in _ACTS), None)
    known = len(words) == 1 or words[-1].isdigit()
    return inner or (EffectClass.READ_ONLY if first in _REPORTS and known else None)


def _basis_of_nouns(words: tuple[str, ...]) -> Basis:
    """Whether a name without a verb can't mean a deed: no word of it may be one, and the last is a thing that is looked at."""
    return Basis.REPORT if words[-1:] and words[-1] in _REPORTS and _ACTS.keys().isdisjoint(words) else Basis.NOUN


def _reads(word: str) -> bool:
    return word in _READ or (_is_plural(word) and word[:-1] in _READ)


def _is_plural(word: str) -> bool:
    """A name without a verb whose last word is a plural names what it lists (`pr_comments`)."""
    return len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
