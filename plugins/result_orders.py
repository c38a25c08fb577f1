"""Orders that were taken under a number: the acceptance is the outcome of the ordering (design section 5, effects).

`accepted` alone discharges nothing: it may stand for a job that has only begun, or for a message that nobody has read. Where the
result of an order, booking or report gives the number under which the other side holds it, and speaks of nothing that is still to be
decided or done, the ordering is over. What was ordered is owed by the other side; to order it again would make two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from barrier_policy_plugins.calls import CallEffect
from barrier_policy_plugins.effect_classes import Basis, EffectClass
from barrier_policy_plugins.receipts import find_handles
from barrier_policy_plugins.result_json import JOB_KEYS, key_name, signs
from barrier_policy_plugins.result_words import ResultState, is_taken, sayings, unfinished_ratio
from barrier_policy_plugins.tool_arguments import leaves

from barrier_policy.facts.phrases import UNSPACED

MAX_TEXT: Final = 400
MAX_UNKNOWN: Final = 4
"""Words of a result that nobody knows: a unit, a day, a name."""
_BASES: Final = (Basis.NAME, Basis.NOUN, Basis.UNKNOWN, Basis.HTTP)
_WORD: Final = re.compile(r"[^\W_]+")
_OPEN: Final = re.compile(r"\d\s?%|\.\.\.|…|\b(?:202|102)\b|[?？]")


def is_taken_order(text: str, payload: Any, effect: CallEffect | None, asked: str) -> bool:
    """Whether a result says that an order was taken, gives its number, and leaves nothing else open.

    `payload` is the JSON in it, or None, `asked` the call in lower case. A result with much in it that neither lists nor call know may
    say that something is awaited in words that no list has: it is left as it is.
    """
    if effect is None or effect.subagent or effect.interactive or len(text) > MAX_TEXT:
        return False
    judgement = effect.judgement
    if judgement.basis not in _BASES or judgement.background or judgement.effect_class is EffectClass.IRREVERSIBLE:
        return False
    said = text if payload is None else "; ".join(_said(payload))
    if _OPEN.search(said) or unfinished_ratio(said) is not None or _names_job(text, payload):
        return False
    if _unknown_words(said, asked) > MAX_UNKNOWN:
        return False
    return _only_takes(said, payload) and any(map(_is_number, find_handles(text, reads=False)))


def _said(payload: Any) -> Iterator[str]:
    return (str(value) for _, value in leaves(payload) if isinstance(value, str))


def _names_job(text: str, payload: Any) -> bool:
    """A job goes on somewhere; so does whatever is named by a key or word of that kind."""
    names = (key_name(name) for name in payload) if isinstance(payload, dict) else map(str.lower, _WORD.findall(text))
    return not JOB_KEYS.isdisjoint(names)


def _only_takes(said: str, payload: Any) -> bool:
    """Whether words say that it was taken, and no word or key says that something is awaited, in doubt, half done or refused."""
    found = [saying for saying in sayings(said) if saying.state is not ResultState.DONE]
    taken = [saying for saying in found if saying.state is ResultState.PENDING and is_taken(said[saying.start : saying.end])]
    if len(taken) < len(found):
        return False
    if payload is None:
        return bool(taken)
    open_signs = [sign for sign in signs(payload) if sign.state is not ResultState.DONE]
    return bool(open_signs) and all(sign.state is ResultState.PENDING and is_taken(sign.value) for sign in open_signs)


def _unknown_words(said: str, asked: str) -> int:
    """How many words neither belong to a state nor come from the call; two signs of a script without spaces count as a word."""
    known = bytearray(len(said))
    for saying in sayings(said):
        known[saying.start : saying.end] = b"\1" * (saying.end - saying.start)
    unknown = (
        match[0] for match in _WORD.finditer(said) if not known[match.start()] and not any(map(str.isdigit, match[0]))
    )
    return sum(-(-len(word) // 2) if UNSPACED.search(word) else 1 for word in unknown if word.lower() not in asked)


def _is_number(handle: str) -> bool:
    return any(map(str.isdigit, handle))
