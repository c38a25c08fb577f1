"""Secrets of a message: fact kind `secret`, with a keyed digest and never the value (design section 5, bindings)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Final

from barrier_policy.facts.context import Context
from barrier_policy.facts.model import Attribute, Fact, FactKind
from barrier_policy.facts.secret_replies import find_replied
from barrier_policy.facts.secrets import SecretType, find_secrets, secret_digest
from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.model import Message, Origin, Part, PartType

KEEPER: Final = re.compile(
    r"(?i)(?<![a-z])(?:vaults?|keychain|keyring|keystore|keepass|bitwarden|1password|lastpass|passwords?|passwort|secrets?|credentials?|sejf|tresor|kluis|clauer|llavero|"
    r"portachiavi|trousseau|coffre|cofre|cassaforte|schlüsselbund|schluesselbund|sleutelbos|skarbiec|trezor|széf|сейф|sekretny?|wachtwoorden|"
    r"contraseñas?|contrasenas?|senhas?|hasła|hasla|пароли|paroli)(?![a-z])"
)
"""Words in the name of a tool that keeps secrets."""
KEPT: Final = (
    "value",
    "secret",
    "password",
    "data",
    "content",
    "token",
    "wert",
    "valor",
    "valeur",
    "valore",
    "waarde",
    "wartosc",
    "значение",
)
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
ASKERS: Final = re.compile(
    r"(?i)(?<![a-z])(?:ask\w*|prompt\w*|question\w*|elicit\w*|input|inquire|form|human|user|confirm)(?![a-z])"
)
"""Words in the name of a tool that puts a question to somebody."""
MAX_ASKED: Final = 400
MAX_FIELDS: Final = 16
SPEAKERS: Final = {Origin.USER, Origin.AGENT}
"""Those of whom one replies to the other."""


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
    return _secrets(message, context)


def _secrets(message: Message, context: Context) -> Iterator[Fact]:
    for index, part in enumerate(message.parts):
        if part.type is PartType.BLOB or not part.text:
            continue
        found = find_secrets(part.text)
        for secret in found:
            yield _fact(message, index, secret.start, secret.end, str(secret.type), secret.name)
        for start, end in _kept(part):
            yield _fact(message, index, start, end, str(SecretType.PASSWORD), "kept")
        for secret in find_replied(_question(message, index, context), part.text):
            if not any(secret.start < known.end and known.start < secret.end for known in found):
                yield _fact(message, index, secret.start, secret.end, str(secret.type), secret.name)


def _question(message: Message, index: int, context: Context) -> str:
    """What a part may reply to: the text of the other side before it, or the question that a call puts to somebody."""
    part, previous = message.parts[index], context.previous
    if part.type is PartType.TOOL_RESULT:
        call = context.calls.get(index)
        return "\n".join(_asked(call.arguments)) if call is not None and ASKERS.search(_words(call.name)) else ""
    if part.type is not PartType.TEXT or previous is None or {message.origin, previous.origin} != SPEAKERS:
        return ""
    return "\n".join(said.text for said in previous.parts if said.type is PartType.TEXT)


def _asked(arguments: object) -> Iterator[str]:
    """The texts that a call puts to somebody, of a form field by field."""
    if isinstance(arguments, str):
        yield arguments[-MAX_ASKED:]
    elif isinstance(arguments, dict):
        for value in list(arguments.values())[:MAX_FIELDS]:
            yield from _asked(value)
    elif isinstance(arguments, list):
        for value in arguments[:MAX_FIELDS]:
            yield from _asked(value)


def _words(name: str) -> str:
    return CAPITAL.sub(" ", name).replace("_", " ")


def _kept(part: Part) -> Iterator[tuple[int, int]]:
    """Places of what a call hands to a keeper of secrets, or to a lock, whatever it looks like."""
    if part.type is not PartType.TOOL_CALL or not isinstance(part.arguments, dict):
        return
    tool = _words(part.name)
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
