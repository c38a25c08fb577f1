"""Checks of the exact values in new text: none that before does not have, none under another name, none but for one digit, no secret."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import islice

from barrier_policy.audit.items import Known
from barrier_policy.audit.likeness import Likes
from barrier_policy.audit.model import Outcome, Place, Unproven
from barrier_policy.audit.needs import IDS, MANY_DIGITS, is_particular
from barrier_policy.audit.notebook import Notebook
from barrier_policy.audit.records import add_about
from barrier_policy.audit.text import NewText
from barrier_policy.facts.masking import Masker
from barrier_policy.facts.token_index import TokenIndex
from barrier_policy.facts.value_context import explicit_name
from barrier_policy.facts.values import Value, scan_values
from barrier_policy.transcript.model import Message

AROUND = 100
"""Characters before and after a secret that are shown."""
MAX_PLACES = 20
MAX_READ = 20_000
"""Messages, and characters of each text, that are read again for the names of a value."""
MAX_HELD = 500
SIGN = r"""\W{0,3}[:=]\W{0,3}"""
"""What stands between a name and its value where the one is surely the name of the other."""
MAX_GAP = 40
"""Messages that hold both a name and a value, and characters from the one to the other, in which they are looked for."""
PLACES_IN_TEXT = frozenset({"line", "lines", "offset", "row", "start", "start_line", "startline"})
"""Names of one and the same thing: where in a text something stands."""
PUT_TOGETHER = frozenset({"literal", "symbol", "sequence", "column_set"})
"""Types whose values a summary may put together itself: quoted words, code names, lists."""
NAMED = frozenset({"resource_id", "idempotency_key", "hash", "version_pin", "amount", "quantity"})
"""Types whose values are told apart by what they are called."""
ROUGH = re.compile(r"…|\.\.\.|≈|~(?!=|/)|\d(?:st|nd|rd|th)$|[*]|^[\d.]+[-–][\d.]+\D*$")
"""Signs that a value is not meant exactly, patterns, ranges and ordinals."""
THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
CUT = re.compile(r"[`'\"]?(?:\.\.\.|…)")
"""Who cuts a value says so."""
FEW = 20
"""Up to so many things a summary counts itself."""
UNITS = frozenset(
    [
        "s",
        "sec",
        "secs",
        "second",
        "seconds",
        "ms",
        "min",
        "mins",
        "minute",
        "minutes",
        "h",
        "hour",
        "hours",
        "day",
        "days",
        "week",
        "weeks",
        "month",
        "months",
        "b",
        "kb",
        "mb",
        "gb",
        "tb",
        "kib",
        "mib",
        "gib",
        "%",
        "€",
        "$",
        "£",
        "usd",
        "eur",
        "kg",
        "g",
        "t",
        "m",
        "km",
        "cm",
        "mm",
        "px",
        "k",
        "°c",
    ]
)
NUMBER = re.compile(r"\d[\d.,]*")
MORE = re.compile(r"[`'\"]?\s*(?:,|/|\+|&|and\b|und\b|et\b|y\b)\s*[`'\"]?[\w~./]*[\d/-]")
"""What goes on so is a list, and the name before it is that of the list."""
RANGE = re.compile(r"([A-Za-z_.-]*?)(\d+)(?:-|–|\.\.)\1?\d+")
"""The first and the last of things with numbers: `WP3-WP9`."""
SPECIFIER = re.compile(r"(?:\S+\s+)?((?:[<>]=?|[=~!^]=?)\s*\d.*)")
"""A limit of versions or of anything else, behind the name of what has it."""
PLACE_IN_FILE = re.compile(r"(.+?\.\w+):(\d+)(?:[-:]\d+)*")
CURRENCIES = frozenset({"€", "$", "£", "usd", "eur"})


class ValueChecks:
    """What is wrong with the values of new text. `reported` are items whose finding says already what became of them.

    `exact`: the text is a gate's. A summary of a foreign runtime may shorten paths and count things, and speaks in compound words: of its
    ids those count that nobody meets by chance, and of its names those with a sign (`name: value`). What tools show in `later` is not made up.
    `unseen`: the log lacks the result of the last call, which the summary may tell.
    """

    def __init__(
        self,
        known: Sequence[Known],
        missing: Sequence[Known],
        before: TokenIndex,
        messages: Sequence[Message],
        notes: Notebook,
        *,
        exact: bool,
        later: TokenIndex,
        unseen: bool,
    ) -> None:
        self._later = later
        self._unseen = unseen
        self._before = before
        self._messages = messages
        self._notes = notes
        self._add = partial(add_about, notes, "new text", messages)
        self._exact = exact
        self._values = {k.item.text: k for k in known if k.is_value}
        self._named = {(k.item.kind, k.item.attributes.get("name", "")) for k in known if k.is_value}
        self._missing = {k.item.id: k for k in missing if k.is_value}
        self._likes = Likes((k.item.id, k.item.text) for k in missing if k.is_value)
        self._found: dict[str, bool] = {}
        self.reported: set[str] = set()

    def check(self, new: NewText) -> None:
        """Check all of it."""
        for place, text in new.texts:
            for value in scan_values(text):
                self._notes.count("new text")
                if not self._was_there(value.text):
                    is_cut = not self._exact and CUT.match(text, value.end) is not None
                    if not is_cut and not new.counts(place, value.text):
                        self._unsupported(place, value)
                elif self._is_named(text, value):
                    self._name(place, value)

    def check_secrets(self, new: NewText, maskers: Sequence[Masker]) -> None:
        """No secret of either transcript is shown."""
        for place, text in new.texts:
            masked = text
            for masker in maskers:
                masked = masker.text(masked, -1) if masker else masked
            if masked != text:
                at = next((n for n, (a, b) in enumerate(zip(text, masked, strict=False)) if a != b), 0)
                found = ("…" if at > AROUND else "") + masked[max(0, at - AROUND) : at + AROUND]
                self._notes.add(
                    "audit.secret-shown", "new text", f"text:{place.message}", "secret", after=place, found=found
                )

    def _is_named(self, text: str, value: Value) -> bool:
        if not value.name or ROUGH.match(text, value.start - 1):
            return False
        return self._exact or (bool(explicit_name(text, value.start)) and not MORE.match(text, value.end))

    def _was_there(self, value: str) -> bool:
        """Whether before has a value; each is looked for once."""
        if value not in self._found:
            self._found[value] = self._before.holds(value)
        return self._found[value]

    def _unsupported(self, place: Place, value: Value) -> None:
        outcome = self._doubt(value)
        known = self._missing.get(self._likes.same_but(value.text))
        if not self._exact and (self._later.holds(value.text) or self._is_reworded(value)):
            return
        if known is not None and (self._exact or self._is_alteration(known, outcome)):
            self.reported.add(known.item.id)
            self._add("audit.altered", known, place, value.text)
        elif outcome is not None and self._unseen:
            self._notes.reclaim("new text", value.type, Unproven.UNSEEN)
        elif outcome is not None:
            item = f"value:{value.text}"
            self._notes.add(
                "audit.unsupported", "new text", item, value.type, after=place, found=value.text, outcome=outcome
            )

    def _is_alteration(self, known: Known, outcome: Outcome | None) -> bool:
        """Whether a near miss of a value that is gone is meant to be it: an id that nobody writes by chance, or what nobody may word anew."""
        if "*" in known.item.text:
            return False
        return outcome is not None or (known.item.kind in IDS and is_particular(known.item.kind, known.item.text))

    def _doubt(self, value: Value) -> Outcome | None:
        """What a value that before does not have makes of the check; None where a summary may well say it."""
        if value.type in PUT_TOGETHER or ROUGH.search(value.text):
            return None
        if value.type == "quantity" and (number := NUMBER.match(value.text)):
            return self._doubt_of_number(value.text, number.group())
        if value.type == "path":
            return Outcome.FAIL if self._is_new_path(value.text) else None
        if value.type in IDS and not self._exact and not self._is_new_id(value):
            return None
        return Outcome.FAIL

    def _is_reworded(self, value: Value) -> bool:
        """Whether before has it in another spelling: a range by its ends, a limit without its name, a version with more digits, a number
        without commas; or it is a difference (`+13`), which a summary may count."""
        text = value.text.removeprefix("+")
        if text != value.text or (THOUSANDS.fullmatch(text) and self._was_there(text.replace(",", ""))):
            return True
        if (span := RANGE.fullmatch(text)) and self._was_there(span[1] + span[2]):
            return True
        if value.type == "version_pin" and (limit := SPECIFIER.fullmatch(text)):
            return self._was_there(limit[1])
        is_version = value.type in ("quantity", "version_pin") and text.count(".") == 1
        return is_version and any(self._was_there(f"{sign}{text}.0") for sign in ("", "v", "^", "~", "="))

    def _is_new_id(self, value: Value) -> bool:
        """Whether nobody writes it by chance, and it is not put together of what before has (`host:5001/8080`)."""
        pieces = re.split(r"[:/]", value.text)
        put_together = len(pieces) > 1 and all(map(self._was_there, filter(None, pieces)))
        many = sum(map(str.isdigit, value.text)) > MANY_DIGITS
        return many and is_particular(value.type, value.text) and not put_together

    def _is_new_path(self, path: str) -> bool:
        """Whether nothing in before says it: neither its place in a file, nor a longer path that ends in it, nor all its steps one by one.

        The name of a file alone is known from anywhere, and says of no file where it is.
        """
        if not self._exact:
            path = path.removeprefix("./").rstrip("/")
            if self._was_there(path) or self._was_there(f"{path}/"):
                return False
        located = PLACE_IN_FILE.fullmatch(path)
        if located and self._was_there(located[1]):
            return False
        if path[0] not in "/~." and "." not in path.rsplit("/", 1)[-1]:
            return False  # `lint/test` is no path
        if self._exact:
            return True
        return path.strip("/").count("/") > 0 and not (self._ends_another(path) or self._is_joined(path))

    def _ends_another(self, path: str) -> bool:
        """Whether before has a longer name that ends in it: `hooks.go` of `commit_hooks.go`, `/cli/a.go` of `/home/me/cli/a.go`."""
        end = re.compile(rf"{re.escape(path)}(?!\w)")
        return any(end.search(part.text) for message in self._messages for part in message.parts if path in part.text)

    def _is_joined(self, path: str) -> bool:
        """Whether before has every step: code puts paths together, and so may who reads it."""
        steps = [step for step in path.split("/") if step]
        return len(steps) > 1 and all(map(self._was_there, steps))

    def _doubt_of_number(self, text: str, number: str) -> Outcome | None:
        unit = text[len(number) :].strip().casefold()
        small = number.isdigit() and len(number) < 4 and int(number) <= FEW
        if not small and not self._was_there(number.rstrip(".,")):
            return Outcome.FAIL
        if unit not in UNITS or any(self._was_there(form) for form in (f"{number}{unit}", f"{number} {unit}")):
            return None
        return Outcome.INCONCLUSIVE if self._exact or unit in CURRENCIES else None

    def _name(self, place: Place, value: Value) -> None:
        """A value under a name that it never had and that other values of its type have."""
        known = self._values.get(value.text)
        name = known.item.attributes.get("name", "") if known else ""
        if known is None or not name or name.casefold() == value.name.casefold() or value.type not in NAMED:
            return
        if (value.type, value.name) not in self._named or {name.casefold(), value.name.casefold()} <= PLACES_IN_TEXT:
            return
        if not self._exact and not self._stands_under(name, value.text, SIGN):
            return
        if value.name.casefold() not in self._names_of(value.text) and not self._stands_under(value.name, value.text):
            self._add("audit.misbound", known, place, f"{value.name} {value.text}", expected=f"{name} {value.text}")

    def _names_of(self, value: str) -> set[str]:
        """What a value is called where it stands in before."""
        texts = [part.text for n in islice(self._before.find(value), MAX_PLACES) for part in self._messages[n].parts]
        found = (entry for text in texts if len(text) <= MAX_READ for entry in scan_values(text))
        return {entry.name.casefold() for entry in found if entry.text == value}

    def _stands_under(self, name: str, value: str, between: str = rf"\W{{1,{MAX_GAP}}}") -> bool:
        """Whether before has the value right behind this name anywhere, with nothing but signs and blanks between them."""
        pair = re.compile(rf"(?<!\w){re.escape(name)}{between}{re.escape(value)}(?!\w)", re.IGNORECASE)
        named = set(self._before.find(name))
        held = (n for n in self._before.find(value) if n in named)
        return any(pair.search(part.text) for n in islice(held, MAX_HELD) for part in self._messages[n].parts)
