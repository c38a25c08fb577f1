"""Secrets of a message: fact kind `secret`, with a keyed digest and never the value (design section 5, bindings)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Final

from barrier_policy.facts.context import Context
from barrier_policy.facts.model import Attribute, Fact, FactKind
from barrier_policy.facts.secrets import SecretType, find_secrets, secret_digest
from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.model import Message, Part, PartType

KEEPER: Final = re.compile(
    r"(?i)(?<![a-z])(?:vaults?|keychain|keyring|keystore|keepass|bitwarden|1password|lastpass|passwords?|passwort|secrets?|credentials?|sejf|tresor|kluis)(?![a-z])"
)
"""Words in the name of a tool that keeps secrets."""
KEPT: Final = ("value", "secret", "password", "data", "content", "token", "wert", "valor", "valeur", "wartosc")
"""Arguments by which such a tool is given one."""
MIN_KEPT: Final = 6
LOCKS: Final = re.compile(
    r"(?i)(?<![a-z])(?:locks?|smartlock|doors?|gates?|alarms?|safes?|keypads?|intercoms?|schloss|türen?|serrure|cerradura|serratura|fechadura|slot|zamek|zámek|kilit)(?![a-z])"
)
"""Words in the name of a tool that sets what opens something."""
CAPITAL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
ENTRANCES: Final = re.compile(
    r"(?i)(?<![a-z])(?:log(?:in|on)|sign ?in|auth\w*|unlock|join|connect\w*|pair\w*|wi ?fi|wlan|vpn|session|anmeld\w*|connexion|acceso|accesso|logowanie|giriş)(?![a-z])"
)
"""Words in the name of a tool that gets in somewhere."""
ENTERED: Final = (
    "pin",
    "psk",
    "otp",
    "totp",
    "mfa",
    "passcode",
    "pw",
    "pass",
    "code",
    "kod",
    "codigo",
    "codice",
    "mdp",
    "clave",
    "senha",
    "haslo",
)
"""Arguments by which it is given what lets it in."""
OPENS: Final = ("code", "pin", "passcode", "combination", "kod", "codigo", "codice")
MIN_CODE: Final = 4


@hookimpl
def barrier_fact_kinds() -> Iterable[FactKind]:
    """`secret`."""
    return (
        FactKind(
            name="secret",
            doc="A secret stands at this place. `text` is always empty.",
            attributes=(
                Attribute(
                    name="type", type="string", doc="what kind of secret", values=tuple(kind.value for kind in SecretType)
                ),
                Attribute(name="name", type="string", doc="the label that gave it away"),
                Attribute(name="digest", type="string", doc="`hmac:` and 12 hex digits, equal for equal secrets"),
            ),
        ),
    )


@hookimpl
def barrier_extract_facts(message: Message, context: Context) -> Iterable[Fact]:
    """Secrets of all parts, also of summaries and of the gate's own records: what is masked there was a secret before."""
    return _secrets(message)


def _secrets(message: Message) -> Iterator[Fact]:
    for index, part in enumerate(message.parts):
        if part.type is PartType.BLOB or not part.text:
            continue
        for secret in find_secrets(part.text):
            yield _fact(message, index, secret.start, secret.end, str(secret.type), secret.name)
        for start, end in _kept(part):
            yield _fact(message, index, start, end, str(SecretType.PASSWORD), "kept")


def _kept(part: Part) -> Iterator[tuple[int, int]]:
    """Places of what a call hands to a keeper of secrets, or to a lock, whatever it looks like."""
    if part.type is not PartType.TOOL_CALL or not isinstance(part.arguments, dict):
        return
    tool = CAPITAL.sub(" ", part.name).replace("_", " ")
    names = [(name, MIN_KEPT) for name in KEPT] if KEEPER.search(tool) else []
    names += [(name, MIN_CODE) for name in OPENS] if LOCKS.search(tool) else []
    names += [(name, MIN_CODE) for name in ENTERED] if ENTRANCES.search(tool) else []
    for name, least in names:
        value = part.arguments.get(name)
        if isinstance(value, str | int) and len(str(value).strip()) >= least:
            yield from _spellings(part.text, str(value))


def _spellings(text: str, value: str) -> Iterator[tuple[int, int]]:
    for spelling in dict.fromkeys((value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1])):
        start = text.find(spelling)
        if start >= 0:
            yield start, start + len(spelling)


def _fact(message: Message, part: int, start: int, end: int, kind: str, name: str) -> Fact:
    value = message.parts[part].text[start:end]
    return Fact(
        kind="secret",
        message=message.index,
        part=part,
        start=start,
        end=end,
        attributes={"type": kind, "name": name, "digest": secret_digest(value, label=f"{kind} {name}")},
    )
