"""The forms of exact values inside a token, in the order in which they are tried."""

from __future__ import annotations

import re

from barrier_policy.facts.value_words import CURRENCY_CODES, CURRENCY_SIGNS, FILE_TYPES, HOST_ENDS, UNITS

FORMS = {
    "url": r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]*://.+ | (?<![\w.-])[\w.-]+@[\w.-]+\.\w+:(?!\d+$)[\w./~-]+",
    "uuid": r"(?<![0-9A-Za-z])[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}(?![0-9A-Za-z])",
    "hash": r"sha\d+[:-][0-9a-f]{6,} | (?<![\w-])(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,128}(?![\w-])",
    "timestamp": r"""
        (?<![\w.-])(?:\d{4}-\d\d(?:-\d\d)?|\d{8})T\d\d:?\d\d(?::?\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?(?!\w)
      | (?<![\w.-])(?:\d{4}-\d\d-\d\d|\d{4}/\d\d?/\d\d?|\d\d?/\d\d?/\d{4}|\d\d?\.\d\d?\.\d{4})(?![\w-])
      | (?<![\w.:])(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?:Z|[ap]m|[+-]\d\d:?\d\d)?(?![\w:])""",
    "pin": r"""
        (?<![\w.\[\]@/-])[\w.\[\]@/-]+(?:[=~!<>]=|===)\d[\w.*+!-]*
      | (?<![\w./-])@?[\w./-]+@[v^~]?\d+(?:\.[\w*-]+)*(?![\w@])""",
    "email": r"(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]*\w",
    "ip": r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?:/\d\d?|:\d+)?(?![\w.])",
    "fraction": r"(?<![\w./])\d+/\d+(?![\w./])",
    "path": rf"""
        (?:~|\.{{1,2}}|\$\w+|[A-Za-z]:)?/(?:[\w@.+~%*-]+/)*[\w@.+~%*-]*\w
      | (?<![\w@.+~%*-])[\w@.~%][\w@.+~%*-]*/(?:[\w@.+~%*-]+/)*(?:[\w@.+~%*-]*[\w*])?
      | (?<!\w)(?:[A-Za-z]:|\.)?\\(?:[\w@.+~-]+\\)+[\w@.+~-]*
      | (?<![\w.])\.?[\w-]+(?:\.[\w-]+)*\.(?:{FILE_TYPES})(?![\w-])""",
    "address": r"(?<!\w)0[xX][0-9A-Fa-f]+(?!\w)",
    "amount": rf"""
        [{CURRENCY_SIGNS}]-?\d[\d.,]*(?:[kKmM]\b)?
      | (?<!\w)\d[\d.,]*(?:[{CURRENCY_SIGNS}]|(?:{CURRENCY_CODES})\b)""",
    "measure": rf"(?<![\w-])[+-]?\d+(?:[.,]\d+)?(?:{UNITS})(?![\w%-])",
    "version": r"""
        (?<![\w.-])(?:[vV]\d+(?:\.\d+)*(?:\.[x*])?|\d+\.\d+(?:\.\d+)+|\d+(?:\.\d+)*\.[x*])
        (?:[-.+]?(?:rc|a|b|alpha|beta|post|dev|pre|p|r|build)[\w.-]*|[-+]\w[\w.+-]*)?(?!\w)""",
    "issue": r"(?:(?<![\w.-])\w[\w.-]*)?[\#!]\d+(?!\w) | (?<![\w/.])\#[A-Z]+-?\d[\w-]*",
    "range": r"(?<![\w.-])\d{1,6}(?:-|–|\.\.)\d{1,6}(?![\w-])",
    "number": r"(?<![\w.-])[+-]?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?(?![\w-])",
    "host": rf"(?<![\w.-])(?:[\w-]+\.)+(?:{HOST_ENDS})(?::\d+)?(?![\w.-])",
    "word": r"\w[\w-]*",
}
WITHOUT_DIGITS = ("url", "email", "path", "host", "word")
"""The forms that a token without a digit can have."""

TYPES = {
    "url": "url",
    "uuid": "resource_id",
    "hash": "hash",
    "timestamp": "timestamp",
    "pin": "version_pin",
    "email": "resource_id",
    "ip": "resource_id",
    "fraction": "quantity",
    "address": "resource_id",
    "amount": "amount",
    "measure": "quantity",
    "version": "version_pin",
    "issue": "resource_id",
    "range": "sequence",
    "number": "quantity",
    "host": "resource_id",
}
"""The type of value that a form stands for; paths and words are looked at more closely."""


def _any_of(*forms: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{form}>{FORMS[form]})" for form in forms), re.VERBOSE)


PIECE = _any_of(*FORMS)
PLAIN_PIECE = _any_of(*WITHOUT_DIGITS)
