"""Rules that a later rule replaces: the same words with another number behind the same comparison (design section 5, overridden).

"At most 3 replicas" and, later, "at most 5 replicas from now on" are one rule with a new threshold. Only a compared number may differ: a number
that names something ("door 3") makes another rule, and in doubt both hold.

A rule that says all of an older one, with a word that says that it takes its place, does: "Actually, deploy only on Mondays, Fridays are out".
"""

from __future__ import annotations

import re

from barrier_policy.facts.words import AnyCase, content_words

_COMPARED = re.compile(
    r"\b(?P<how>at (?:the )?(?:most|least)|no (?:more|less|fewer) than|(?:more|less|fewer|longer) than|up to|over|under|above|below|exceed(?:s|ing)?|max(?:imum)?(?: of)?|min(?:imum)?(?: of)?"
    r"|(?:limit(?:ed)?|capped?) (?:at|to|of|is)|höchstens|mindestens|maximal|bis zu|(?:mehr|weniger|länger) als|au (?:plus|moins)|(?:plus|moins) de|jusqu'à|como máximo|al menos|(?:más|menos) de|hasta"
    r"|al massimo|almeno|(?:più|meno) di|fino a|no máximo|pelo menos|(?:mais|menos) de|até|maximaal|minstens|(?:meer|minder) dan)"
    r" (?P<number>[€$£]? ?\d[\d.,]*\d|[€$£]?\d)(?![\w-])",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"\w+(?:[-'.]\w+)*")
_FILLERS = frozenset(
    "now instead rather from on then please ok okay actually again make it that a an the and so ab jetzt sofort stattdessen bitte désormais maintenant ahora ora adesso agora nu".split()  # noqa: SIM905
)
FEWEST = 3
"""Words that a rule must have besides the number: fewer don't say what is limited."""
MAX_RULE = 400
SAID = 3
"""Words of content of a rule that is told by being said anew."""
ANEW = AnyCase(
    r"^\W*(?:(?:ok(?:ay)?|no|hm+|oh|wait|and|but|yeah|well|so)\W+)*actually\b|\b(?:instead(?! of)|from now on|starting (?:now|today)|change of plans?|scratch that|correction|new rule"
    r"|ab (?:jetzt|sofort)|von nun an|stattdessen|planänderung|neue regel|désormais|dorénavant|à partir de maintenant|changement de plan"
    r"|a partir de ahora|de ahora en adelante|cambio de planes?|d'ora in (?:poi|avanti)|cambio di programma|a partir de agora|mudança de planos"
    r"|en su lugar|à la place|invece|em vez disso|in plaats daarvan|zamiast tego|вместо этого|vanaf nu|voortaan|från och med nu|od teraz|теперь|отныне|с этого момента)\b|从现在起|今后|これから(?:は)?|앞으로"
)
"""Words by which somebody says that what follows takes the place of what was said."""


def threshold(rule: str) -> tuple[frozenset[str], str] | None:
    """What a rule with one compared number is about, and the number; None for a rule without one, or with several."""
    found = list(_COMPARED.finditer(rule)) if len(rule) <= MAX_RULE and _DIGIT.search(rule) else []
    if len(found) != 1:
        return None
    start, end = found[0].span("number")
    words = frozenset(word.casefold() for word in _WORD.findall(f"{rule[:start]} {rule[end:]}")) - _FILLERS
    return (words, found[0]["number"].replace(" ", "")) if len(words) >= FEWEST else None


def says_anew(newer: str, older: str) -> bool:
    """Whether a rule says all that an older one says, and that it takes its place."""
    words = content_words(older)
    return len(words) >= SAID and newer != older and ANEW.search(newer) is not None and words <= content_words(newer)
