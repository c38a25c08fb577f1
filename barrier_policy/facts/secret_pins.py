"""`pin` means other things too: to fix something at a number (`pin seed 1337`), and a contact of a part (`GPIO pin 1822`).

Capitals (`PIN 4471`), a sign, a word like `is` and whose it is (`my card pin 4471`) say that it is a secret one.
"""

from __future__ import annotations

import re
from typing import Final

from barrier_policy.facts.secret_told import told
from barrier_policy.facts.secret_values import ends_clause
from barrier_policy.facts.secret_words import Label, words_of


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PARTS: Final = re.compile(
    r"(?i)(?<![^\W_])(?:gpio\d*|connectors?|headers?|breakout|relays?|sockets?|jumpers?|solder\w*|ground(?:ed)?|gnd|vcc|pull-?(?:ups?|downs?)|pinouts?|mcu|microcontroller|arduino|raspberry|esp32"
    r"|pcb|i2c|spi|uart|adc|pwm|interrupt|voltage|volts?|led|leds|ic|fpga|bga|dac|multiplexer|input pins?|output pins?|digital|analog|steckverbinder|stiftleiste|masse)(?![^\W_])"
)
"""What has pins of the other kind, or is done with them."""
FIXES: Final = re.compile(
    r"(?i)(?<![^\W_])(?:we|i|you|they|he|she|it|to|and|or|then|can|could|must|should|shall|will|would|may|might|let['’]?s|let us|please|don['’]t|not|never|always)[ ]\Z"
)
"""Words before `pin` where it is a verb."""
OWNED: Final = _words(
    "atm card debit credit visa mastercard amex bank account sim phone mobile tablet laptop ipad voicemail door gate safe alarm locker garage karte karty kartę kartě kartu kaart kort carte tarjeta carta cartão"
    " bancomat cajero konto handy tür porte puerta porta deur saya"
    " my our your his her their mi tu su mein meine mon ma mio meu mijn min mój moja ec girocard"
)
"""What is opened by a secret one, and whose it is."""
COUNTED: Final = re.compile(r"[ ][^\W\d_]")
GOES_ON: Final = re.compile(
    r"[ ](?:to|at|in|on|for|from|when|if|again|works?|worked|opens?|opened|unlocks?|doesn['’]t|did|does|was|is|and|or|please|thanks|an|am|auf|für|zum|um|bei)\b"
)
"""How a sentence goes on after a number that is told, other than with what is counted."""
FIXED: Final = _words(
    "seed seeds version versions port ports build builds release releases commit commits thread threads worker workers node nodes"
    " replica replicas cpu cpus core cores job jobs revision snapshot count index offset size timeout"
)
"""What is fixed at a number."""
_CAPITALS: Final = "PIN"
_OF: Final = frozenset(words_of("of"))
_LETTERS: Final = re.compile(r"[^\W\d_]+")


def is_other_pin(text: str, label: Label, place: tuple[int, int]) -> bool:
    """Whether a number after the bare word `pin` is no secret one, but what is pinned or a contact of a part."""
    if text[label.start : label.word_end].lower() != "pin":
        return False
    if _is_part(text, label, place):
        return True
    if text[label.start : label.word_end] == _CAPITALS or label.end != label.word_end:
        return False
    before, between = text[max(0, label.start - 32) : label.start], text[label.end : place[0]]
    words = _LETTERS.findall(between.lower())
    if any(word in OWNED for word in (*_LETTERS.findall(before.lower())[-2:], *words)) or (
        words and words[0] in _OF - {"to", "on", "at"}
    ):
        return False
    if words:
        return _is_told_by_none(text, label, place, words)
    if between.strip():
        return False
    return FIXES.search(before) is not None or (
        COUNTED.match(text, place[1]) is not None and not (ends_clause(text, place[1]) or GOES_ON.match(text, place[1]))
    )


def _is_part(text: str, label: Label, place: tuple[int, int]) -> bool:
    """Whether the line names a part with contacts, and no sign or word like `is` tells the number."""
    value = told(text, label.end)
    near = text[max(0, label.start - 16) : label.start].rsplit("\n", 1)[-1]
    if value is not None and value.start <= place[0] < value.end and not PARTS.search(near):
        return False
    line = (
        text[max(0, label.start - 60) : label.start].rsplit("\n", 1)[-1]
        + text[label.start : place[1] + 60].split("\n", 1)[0]
    )
    return PARTS.search(line) is not None


def _is_told_by_none(text: str, label: Label, place: tuple[int, int], words: list[str]) -> bool:
    """Whether words stand between `pin` and the number, and none of them tells it: `pin seed 1337`, `pin the seed to 1337`."""
    value = told(text, label.end)
    if value is not None and value.start <= place[0] < value.end:
        return (value.copula == "to" and len(words) > 1) or words[0] in FIXED
    return True
