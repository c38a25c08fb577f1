"""Which summarizer a team uses, and what of its settings can be checked without running it (profile section `summarizer`)."""

from __future__ import annotations

import re
from enum import StrEnum
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

import msgspec

DEFAULT_TIMEOUT = 60.0
MAX_TIMEOUT = 3_600
"""Seconds: nobody waits longer for a summary."""


class SummarizerKind(StrEnum):
    """Who writes the summary: a fixed extract, a command, a Python function, or an OpenAI-compatible endpoint."""

    EXTRACTIVE = "extractive"
    COMMAND = "command"
    PYTHON = "python"
    ENDPOINT = "endpoint"


KEYS = {
    SummarizerKind.EXTRACTIVE: (),
    SummarizerKind.COMMAND: ("command",),
    SummarizerKind.PYTHON: ("function",),
    SummarizerKind.ENDPOINT: ("url", "model"),
}
"""The settings that each kind needs."""
OPTIONAL_KEYS = {SummarizerKind.ENDPOINT: ("api_key_env",)}


class SummarizerSpec(msgspec.Struct, frozen=True, kw_only=True):
    """The summarizer of a profile.

    `command` is a program with its arguments, never a shell line. `function` is `module:name`. `url` is the base URL of an
    OpenAI-compatible API with its `/v1`, `model` what it is asked for, and `api_key_env` names the environment variable that holds the key
    ("": none is sent). `timeout_seconds` bounds one summary, retries included.
    """

    kind: SummarizerKind = SummarizerKind.EXTRACTIVE
    command: tuple[str, ...] = ()
    function: str = ""
    url: str = ""
    model: str = ""
    api_key_env: str = ""
    timeout_seconds: float = DEFAULT_TIMEOUT


def function_problem(name: str) -> str:
    """What is wrong with the name of a function, "" for nothing."""
    part = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
    return "" if re.fullmatch(f"{part}:{part}", name) else f"`{name}` names no function (write it as module:name)"


def variable_problem(name: str) -> str:
    """What is wrong with the name of the key's environment variable, "" for nothing. It is not shown: it may be the key itself."""
    if not name or re.fullmatch(r"[A-Z_][A-Z0-9_]{0,60}", name):
        return ""
    return "`api_key_env` is no name of an environment variable (capital letters, digits and `_`; never the key itself)"


def url_problem(url: str, *, with_key: bool) -> str:
    """What is wrong with a base URL, "" for nothing. A URL that may hold a password or a key is not shown."""
    try:
        found = urlsplit(url)
        found.port  # noqa: B018  (a port that is no number is found only when it is asked for)
    except ValueError:
        return "the url can't be read (write it as https://host/v1)"
    if "@" in found.netloc or found.query or found.fragment:
        return "the url holds a user, a query or a fragment (name the key's environment variable in `api_key_env`)"
    if found.scheme not in ("http", "https") or not found.hostname or re.search(r"[\s\x00-\x1f\\]", url):
        return f"`{url}` is no base url (write it as https://host/v1)"
    if with_key and found.scheme == "http" and not _is_local(found):
        return f"`{url}` would carry the key in clear text (use https; http with a key is for this machine only)"
    return ""


def _is_local(url: SplitResult) -> bool:
    host = url.hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
