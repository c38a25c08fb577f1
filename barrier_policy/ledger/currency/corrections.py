"""Values that a user puts in the place of others said before: "42, not 40", "use port 8081 instead" (design section 5, superseded).

A correction names both values, or only the new one; then the old one is the only value of the same form in the latest statement that
shares a word with it. A new value that was said before is no correction but a choice between two. In doubt both hold.

The agent corrects what it said itself, where it owns up to an error ("sorry, I misread: 5433, not 5432"), and nothing that a user said.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from barrier_policy.facts.words import AnyCase, content_words
from barrier_policy.ledger.model import Correction

MAX_SENTENCE = 400
MAX_TOLD = 160
"""Characters of two values that are told beside what they stand in; longer ones are texts."""
REACH = 300
"""Statements before a correction in which what it corrects is looked for by its form."""
MAX_CORRECTIONS = 100
"""The newest so many are weighed."""
SHORT = 8
"""Words up to which a correction that shares none with what it corrects may speak of the message before it."""

_VALUE = r"[€$£#]?(?:[^\W\d_][\w-]{0,40})?\d[\w./:%€$-]{0,60}"
VALUE = re.compile(rf"(?<![\w./:-]){_VALUE}")
DIGIT = re.compile(r"\d")
_UNIT = r"(?:[ ][^\W\d_]\w{0,20}){0,2}"
_ARTICLE = r"(?:(?:the|at|on|to|der|die|das|auf|um|le|la|les|à|el|los|il|o|de|het) )?"
_NOT = (
    r"(?:not|instead of|rather than|nicht|statt|anstatt|anstelle von|et pas|pas|au lieu de|plutôt que|no|en vez de|en lugar de|non|invece di"
    r"|não|em vez de|niet|in plaats van|inte|istället för|i stället för|nie|zamiast|не|вместо)"
)
_BUT = r"(?:but|sondern|mais|sino|ma|mas|maar|utan|lecz|а|но)"
_MOVED = (
    r"(?:moved|changed|raised|lowered|increased|reduced|bumped|updated|corrected|shifted|postponed|went|verschoben|geändert|erhöht|gesenkt"
    r"|changée?|déplacée?|cambiad[oa]|movid[oa]|spostat[oa]|cambiat[oa]|mudad[oa]|verplaatst|gewijzigd)"
)
PAIRS = (
    re.compile(rf"(?<![\w./:-])(?P<new>{_VALUE}){_UNIT},? (?:and |und |et |y |e |en )?{_NOT} {_ARTICLE}(?P<old>{_VALUE})", re.IGNORECASE),
    re.compile(rf"\b{_NOT} {_ARTICLE}(?P<old>{_VALUE}){_UNIT}[,;:]? {_BUT} {_ARTICLE}(?P<new>{_VALUE})", re.IGNORECASE),
    re.compile(
        rf"\b{_MOVED} .{{0,60}}?(?:from|von|vom|de|du|da|dal|van) {_ARTICLE}(?P<old>{_VALUE}){_UNIT} (?:to|auf|zu|à|au|a|al|para|naar) {_ARTICLE}(?P<new>{_VALUE})",
        re.IGNORECASE,
    ),
    re.compile(rf"(?P<old>{_VALUE})\S{{0,8}}(?:ではなく|じゃなくて)(?P<new>{_VALUE})|(?P<new2>{_VALUE})\S{{0,4}}(?:而不是|，不是)(?P<old2>{_VALUE})"),
)  # fmt: skip
"""Both values in one sentence."""
CUE = AnyCase(
    r"\b(?:actually|correction|corrected|sorry|my mistake|typo|i meant?|make (?:it|that)|instead|rather|scratch that|strike that|moved to|postponed to|changed to|(?:is|are) now"
    r"|korrektur|stattdessen|doch lieber|ich mein(?:t)?e|verschoben auf|geändert auf|(?:ist|sind) jetzt|tippfehler|entschuldigung|verzeihung"
    r"|plutôt|je voulais dire|désolée?|pardon|à la place|est maintenant|reportée? au|corrección|quise decir|perdón|en su lugar|ahora es"
    r"|correzione|piuttosto|volevo dire|scusa|invece|adesso è|ora è|correção|quis dizer|desculpe|em vez disso|agora é"
    r"|correctie|ik bedoel(?:de)?|in plaats daarvan|is nu|rättelse|i ?stället|jag menade|poprawka|zamiast tego|przepraszam|исправ\w+|вместо этого|извините|точнее)\b"
    r"|更正|应该是|不对|訂正"
)
"""Words by which somebody takes back what was said."""
OWN_ERROR = AnyCase(
    r"\b(?:sorry|apolog\w+|correction|erratum|typo|mistaken|i (?:misread|misspoke|mistyped|miscounted|was wrong|got (?:it|that|this) wrong|stand corrected)"
    r"|i made (?:a|an) (?:mistake|error)|my (?:mistake|bad|error)|korrektur|entschuldigung|verzeihung|tippfehler|mein fehler"
    r"|(?:ich )?habe? (?:ich )?mich (?:verlesen|vertan|verzählt|verschrieben|geirrt)|pardon|désolée?|je me suis trompée?|mon erreur"
    r"|perdón|lo siento|me equivoqué|mi error|corrección|scusa(?:te)?|mi sono sbagliat[oa]|mio errore|correzione"
    r"|desculpe|me enganei|meu erro|correção|ik heb me vergist|mijn fout|correctie|rättelse|förlåt|jag läste fel|pomyliłem|pomyłka|poprawka"
    r"|извин\w+|ошиб(?:ся|лась|ка)|исправлени\w+)\b|更正|看错|抱歉|訂正|読み間違え"
)
"""Words by which somebody owns up to an error."""
NO = re.compile(r"(?:no|nope|wait|nein|non|não|nee|nej|nie|нет)[,:–—-]", re.IGNORECASE)
BARE = 4
"""Words up to which a sentence that begins with `no,` says nothing but the new value."""
MORE = AnyCase(
    r"[?？]|\b(?:also|too|as well|another|additional\w*|extra|more|add|auch|zusätzlich\w*|weitere\w*|noch|mehr|aussi|autres?|encore|également|también|otr[oa]s?|más|anche|altr[oiae]|più|também"
    r"|outr[oa]s?|mais|ook|meer|nog|också|mer|też|więcej|также|ещё|еще)\b"
)
"""Words by which something is added or asked, and nothing taken back."""


class Statement(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Something said, known by `key`; `by_user` or by the agent. Several may come from one message."""

    key: str
    message: int
    text: str
    by_user: bool = True


class Replaced(msgspec.Struct, frozen=True, kw_only=True):
    """A value that no longer holds, since a message, and the one that holds; `statements` are the keys of what had said it."""

    old: str
    new: str
    message: int
    statements: frozenset[str]
    everywhere: bool
    """Whether nobody had said the old value of anything else."""
    by_user: bool = True
    old_name: str = ""
    new_name: str = ""
    """Both with the names behind them, where these differ: `12 Elm Street` and `8 Oak Lane`, of which the number alone says nothing."""

    @property
    def told(self) -> tuple[str, str]:
        """The old value and the new one as a line tells them."""
        return (self.old_name, self.new_name) if self.old_name and self.new_name else (self.old, self.new)


def may_correct(sentence: str) -> bool:
    """Whether a sentence has the form of a correction."""
    if len(sentence) > MAX_SENTENCE or DIGIT.search(sentence) is None or VALUE.search(sentence) is None:
        return False
    return _takes_back(sentence) or next(_pairs(sentence), None) is not None


def may_correct_itself(sentence: str) -> bool:
    """Whether a sentence of the agent has the form of a correction of what it said itself."""
    return len(sentence) <= MAX_SENTENCE and bool(values_in(sentence)) and OWN_ERROR.search(sentence) is not None


def _takes_back(sentence: str) -> bool:
    """Whether a sentence that has the new value alone takes back another one."""
    return CUE.search(sentence) is not None or (NO.match(sentence) is not None and len(sentence.split()) <= BARE)


def values_in(text: str) -> tuple[str, ...]:
    """The values with a digit in a text, in order, each as often as it stands there."""
    if DIGIT.search(text) is None:
        return ()
    return tuple(found.group().rstrip(".:-/") for found in VALUE.finditer(text))


def find_replaced(statements: Sequence[Statement], corrections: Sequence[Correction]) -> list[Replaced]:
    """What corrections put in the place of what statements said, in order, the newest value for each. Both are in order of messages.

    Costs time in the statements and, for each correction, in those that have its values or stand just before it.
    """
    said = _Said(statements)
    found: list[Replaced] = []
    for correction in corrections[-MAX_CORRECTIONS:]:
        for old, new in _pairs(correction.text) if not correction.by_user or may_correct(correction.text) else ():
            found += said.replaced(old, new, correction, found)
        if not any(entry.message == correction.message for entry in found):
            found += said.replaced_by_form(correction, found)
    held = [entry for entry in found if not said.is_said_again(entry, found)]
    return [replaced for entry in held if (replaced := _newest(entry, held)).old != replaced.new]


def _pairs(sentence: str) -> Iterator[tuple[str, str]]:
    for pattern in PAIRS:
        for match in pattern.finditer(sentence):
            groups = match.groupdict()
            old, new = groups["old"] or groups.get("old2"), groups["new"] or groups.get("new2")
            old, new = (str(value).rstrip(".:-/") for value in (old, new))
            if old != new:
                yield old, new


def _newest(entry: Replaced, entries: Sequence[Replaced]) -> Replaced:
    """The entry with the value that holds now: what replaced it may have been replaced itself."""
    new, name, at = entry.new, entry.new_name, entry.message
    for later in entries:
        if later.old == new and later.message > at:
            new, name, at = later.new, later.new_name, later.message
    return msgspec.structs.replace(entry, new=new, new_name=name)


class _Said:
    """Statements by the values in them."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._statements = statements
        self._values = [values_in(statement.text) for statement in statements]
        self._places: dict[str, list[int]] = {}
        for number, values in enumerate(self._values):
            for value in dict.fromkeys(values):
                self._places.setdefault(value, []).append(number)

    def replaced(self, old: str, new: str, by: Correction, before: Sequence[Replaced]) -> Iterator[Replaced]:
        """What a sentence that has both values replaces."""
        told = [number for number in self._places.get(old, ()) if self._statements[number].message < by.message]
        if not told or self._is_choice(old, new, by, before) or (not by.by_user and self._last_by_user(told)):
            return  # what a user has said the agent can't take back
        words = _about(by.text)
        near = [number for number in told if words & _about(self._statements[number].text)]
        chosen = near or self._like(self._last_by_user(told) or told[-1:], told)
        chosen += [number for number in told if number > chosen[0] and not self._statements[number].by_user]
        if any(self._values[number].count(old) > 1 for number in chosen):
            return
        by_user = {number for number in told if self._statements[number].by_user}
        old_name, new_name = _name(old, self._statements[chosen[0]].text), _name(new, by.text)
        is_named = old_name.removeprefix(old) != new_name.removeprefix(new)
        yield Replaced(
            old=old,
            new=new,
            message=by.message,
            statements=frozenset(self._statements[number].key for number in chosen),
            everywhere=by_user <= set(chosen) or bool(near and near == told),
            by_user=by.by_user,
            old_name=old_name if is_named else "",
            new_name=new_name if is_named else "",
        )

    def replaced_by_form(self, by: Correction, before: Sequence[Replaced]) -> Iterator[Replaced]:
        """What a sentence that has the new value only replaces."""
        values = set(values_in(by.text))
        if len(values) != 1 or MORE.search(by.text) or (by.by_user and not _takes_back(by.text)):
            return
        (new,) = values
        words = _about(OWN_ERROR.sub(" ", CUE.sub(" ", by.text)))
        end = bisect_left(self._statements, by.message, key=lambda said: said.message)
        earlier = [number for number in range(max(0, end - REACH), end) if self._values[number]]
        if not by.by_user:
            earlier = [number for number in earlier if not self._statements[number].by_user]
        least = 1 if by.by_user else max(1, len(words) / 2)  # the agent's prose has a number in every other sentence
        alike = [n for n in earlier if len(words & _about(self._statements[n].text)) >= least and self._alike(n, new)]
        if not alike and len(by.text.split()) <= SHORT:
            last = self._last_by_user(earlier) if by.by_user else earlier[-1:]
            alike = [n for n in last if self._alike(n, new)]
        olds = self._alike(alike[-1], new) if alike else []
        if len(olds) == 1:
            yield from self.replaced(olds[0], new, by, before)

    def _like(self, chosen: Sequence[int], told: Sequence[int]) -> list[int]:
        """The statements that say in about the same words what a chosen one does."""
        words = frozenset().union(*(_about(self._statements[number].text) for number in chosen))
        alike = {number for number in told if len(words & _about(self._statements[number].text)) * 2 > len(words)}
        return sorted({*chosen, *alike})

    def _last_by_user(self, numbers: Sequence[int]) -> list[int]:
        return next(([n] for n in reversed(numbers) if self._statements[n].by_user), [])

    def _alike(self, number: int, new: str) -> list[str]:
        """The values of a statement that have the form of a new one."""
        return [value for value in dict.fromkeys(self._values[number]) if _form(value) == _form(new) and value != new]

    def _is_choice(self, old: str, new: str, by: Correction, before: Sequence[Replaced]) -> bool:
        """Whether the new value had been said: then it is chosen, unless it comes back after it was replaced."""
        if any(entry.old == new and entry.new == old for entry in before):
            return False
        return any(self._statements[number].message < by.message for number in self._places.get(new, ()))

    def is_said_again(self, entry: Replaced, entries: Sequence[Replaced]) -> bool:
        """Whether a user has said the old value once more since, and corrected nothing with it."""
        corrected = {other.message for other in entries}
        later = (self._statements[number] for number in self._places.get(entry.old, ()))
        return any(said.message > entry.message and said.by_user and said.message not in corrected for said in later)


def _about(text: str) -> frozenset[str]:
    """What a sentence is about: its words of content without values."""
    return frozenset(word for word in content_words(text) if not any(character.isdigit() for character in word))


def _name(value: str, text: str) -> str:
    """A value with the capitalized words right behind it, "" where there are none."""
    found = re.search(rf"(?<![\w.]){re.escape(value)}(?: [^\W\d_a-z][^\W\d_]*[^\W\d_A-Z]\b){{1,3}}", text)
    return found[0] if found else ""


def _form(value: str) -> str:
    """The form of a value: `ORD-77120` and `ORD-881` are alike, `8080` and `8080/tcp` are not."""
    return re.sub(r"\d+", "0", value.casefold())


_TOLD = re.compile(r"(.+?) is superseded: now (.+?)(?:; |$)")


def replaced_in(told: str) -> dict[str, str]:
    """The present value by the old one, of what `told_as_replaced` says."""
    return dict(_TOLD.findall(told))


def told_as_replaced(replaced: Mapping[str, str]) -> str:
    """What a line says behind its words where values in them no longer hold; `replaced` gives the present value by the old one."""
    return "; ".join(f"{old} is superseded: now {new}" for old, new in replaced.items() if len(old + new) <= MAX_TOLD)
