"""Secrets on command lines: what programs take as a password, and what is put into a store of secrets (design section 5, bindings)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from barrier_policy.facts.secret_forms import Secret
from barrier_policy.facts.secret_labels import SecretType
from barrier_policy.facts.secret_shapes import is_placeholder

_ARGUMENT: Final = r"(?:\\?[\"'])?([^\s\"'\\|;&<>]{3,200})"
_NEAR: Final = r"[^\n|;&]{0,120}?"
_REGISTRIES: Final = "|".join(
    f"(?<={program} login)" for program in ("docker", "podman", "nerdctl", "buildah", "skopeo", "oras", "registry", "auth")
)
COMMANDS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (mark, re.compile(pattern))
    for mark, pattern in (
        ("htpasswd", rf"\bhtpasswd\s+(?:-\w+\s+){{0,6}}-(?=\w*n)(?=\w*b)\w+\s+(?:-\w+\s+){{0,6}}[^\s-]\S*\s+{_ARGUMENT}"),
        ("htpasswd", rf"\bhtpasswd\s+(?:-\w+\s+){{0,6}}-(?!\w*n)(?=\w*b)\w+\s+(?:-\w+\s+){{0,6}}[^\s-]\S*\s+\S+\s+{_ARGUMENT}"),
        ("--from-literal", r"--from-literal[= ](?:\\?[\"'])?[\w.-]+=(?:\\?[\"'])?([^\s\"'\\|;&<>]{3,200})"),
        ("login", rf"login(?:{_REGISTRIES})\b{_NEAR}\s-p[= ]?{_ARGUMENT}"),
        ("openssl", rf"\bopenssl\s+enc\b{_NEAR}\s-(?:k|K|pass)\s+(?:pass:)?{_ARGUMENT}"),
        ("openssl", rf"\bopenssl\b{_NEAR}\s-pass(?:in|out)?\s+(?:\\?[\"'])?pass:{_ARGUMENT}"),
        ("openssl", rf"\bopenssl\s+passwd\b(?:\s+-(?:[156]|apr1|crypt|salt\s+\S+))*\s+(?!-){_ARGUMENT}"),
        ("ssh-keygen", rf"\bssh-keygen\b{_NEAR}\s-[NP]\s+{_ARGUMENT}"),
        ("gh secret set", rf"gh secret set\b{_NEAR}\s--body[= ]{_ARGUMENT}"),
        ("gh secret set", rf"gh secret set\b{_NEAR}\s-b[= ]?{_ARGUMENT}"),
        ("SecureString", rf"\bssm\s+put-parameter\b(?=[^\n|;&]{{0,300}}SecureString){_NEAR}\s--value[= ]{_ARGUMENT}"),
        ("--secret-string", rf"--secret-string[= ](?!file:){_ARGUMENT}"),
        ("ldap", rf"\bldap\w+\b{_NEAR}\s-w\s+{_ARGUMENT}"),
        ("wpa_passphrase", rf"\bwpa_passphrase\s+(?:\"[^\"\n]{{1,32}}\"|'[^'\n]{{1,32}}'|\S+)\s+{_ARGUMENT}"),
        ("keytool", rf"\b(?:keytool|jarsigner)\b{_NEAR}\s-(?:store|key|src\w*|dest\w*)pass\s+(?!-){_ARGUMENT}"),
        ("jarsigner", rf"\bjarsigner\b{_NEAR}\s-(?:store|key)pass\s+{_ARGUMENT}"),
        ("mosquitto", rf"\bmosquitto_\w+\b{_NEAR}\s-P\s+{_ARGUMENT}"),
        ("sqlcmd", rf"\b(?:sqlcmd|bcp|isql)\b{_NEAR}\s-P\s*{_ARGUMENT}"),
        ("net user", rf"\bnet\s+user\s+[\w.-]+\s+(?!/){_ARGUMENT}"),
        ("cmdkey", rf"\bcmdkey\b{_NEAR}/pass:{_ARGUMENT}"),
        ("lftp", rf"\blftp\b{_NEAR}\s-u\s+[^\s,]+,{_ARGUMENT}"),
        ("ipmitool", rf"\bipmitool\b{_NEAR}\s-P\s+{_ARGUMENT}"),
        ("passwd --stdin", rf"\becho\s+(?:-n\s+)?{_ARGUMENT}[\"']?\s*\|\s*(?:sudo\s+)?passwd\s+--stdin"),
        ("-stdin", rf"\b(?:echo|printf)\s+(?:-n\s+)?{_ARGUMENT}(?:\\n)?[\"']?\s*\|\s*(?:sudo\s+)?[\w.-]+\s+[^\n|;&]{{0,80}}--password-stdin"),
        ("cryptsetup", rf"\b(?:echo|printf)\s+(?:-n\s+)?{_ARGUMENT}(?:\\n)?[\"']?\s*\|\s*(?:sudo\s+)?cryptsetup"),
        ("kinit", rf"\b(?:echo|printf)\s+(?:-n\s+)?{_ARGUMENT}(?:\\n)?[\"']?\s*\|\s*(?:sudo\s+)?kinit"),
        ("--with-token", rf"\b(?:echo|printf)\s+(?:-n\s+)?{_ARGUMENT}(?:\\n)?[\"']?\s*\|\s*gh\s+auth\s+login"),
        ("community", rf"(?i:\bsnmp-server\s+community|\br[ow]community6?|\bcommunity[ _-]?string(?:\s+is\b|\s*[:=]))\s*(?!public\b){_ARGUMENT}"),
        ("community", rf"(?i:\bcommunity[ _-]string)\s+(?=\S*\d){_ARGUMENT}"),
        ("community", rf"(?i:\bsnmp)[^\n]{{0,80}}?(?i:\bcommunity)\s*[:=]\s*(?!public\b){_ARGUMENT}"),
        ("community", r"(?i:\bcommunity)=(?:\\?[\"'])?(?=[^\s\"'\\|;&<>]*\d)(?=[^\s\"'\\|;&<>]*[A-Za-z])([^\s\"'\\|;&<>:]{4,64})"),
        ("snmp", rf"\bsnmp(?:get|walk|set|bulk\w*|table|status|df|netstat|getnext)\b{_NEAR}\s-c\s*(?!public\b){_ARGUMENT}"),
        ("encrypt_string", rf"\bansible-vault\s+encrypt_string\s+(?!-){_ARGUMENT}"),
    )
)  # fmt: skip
"""A mark that a text must hold, and where the secret stands."""
VAULT_PUT: Final = re.compile(
    r"\bvault\s+(?:kv\s+(?:put|patch)|write)\b(?:\s+-[\w-]+(?:=\S+)?)*\s+([^\s=|;&]+)((?:\s+[\w.-]+=[^\s|;&]+){1,20})"
)
"""What is put into a vault: all values of the entry."""
VAULT_SETTING: Final = re.compile(r"(?:^|/)(?:sys|auth|config|roles?|policy|policies)(?:/|\Z)")
"""Paths of a vault under which it keeps its settings."""
VAULT_VALUE: Final = re.compile(r"=\\?[\"']?([^\s\"'\\]{3,})")
VAULT_TABLE: Final = re.compile(r"={2,} Data ={2,}(?:\r?\n|\\n)Key\s+Value\s*(?:\r?\n|\\n)-+\s+-+\s*(?:\r?\n|\\n)")
"""The head of what a vault prints of an entry."""
VAULT_ROW: Final = re.compile(r"([^\s\\]{1,80})[ \t]{1,60}([^\s\\\"]{3,400})[ \t]*(?:\r?\n|\\n|\Z|(?=\"))")
MAX_ROWS: Final = 200
NO_SECRETS: Final = frozenset(
    (
        "user",
        "username",
        "login",
        "host",
        "hostname",
        "port",
        "url",
        "uri",
        "endpoint",
        "region",
        "database",
        "db",
        "name",
        "email",
        "ttl",
    )
)
"""Rows of an entry that say where and as whom."""


def by_command(text: str) -> Iterator[Secret]:
    """What a command line hands to a program as a secret, and what a vault prints. Linear: each pattern needs its mark."""
    for mark, pattern in COMMANDS:
        if mark in text:
            for match in pattern.finditer(text):
                if not is_placeholder(match[1]):
                    yield Secret(start=match.start(1), end=match.end(1), type=SecretType.PASSWORD, name="option")
    if "vault " in text:
        yield from _put(text)
    if "= Data =" in text:
        yield from _printed(text)


def _put(text: str) -> Iterator[Secret]:
    for command in VAULT_PUT.finditer(text):
        if VAULT_SETTING.search(command[1]):
            continue
        for value in VAULT_VALUE.finditer(text, command.start(2), command.end(2)):
            if not is_placeholder(value[1]) and not value[1].startswith("@"):
                yield Secret(start=value.start(1), end=value.end(1), type=SecretType.PASSWORD, name="vault")


def _printed(text: str) -> Iterator[Secret]:
    for head in VAULT_TABLE.finditer(text):
        place = head.end()
        for _ in range(MAX_ROWS):
            row = VAULT_ROW.match(text, place)
            if row is None:
                break
            if row[1].lower() not in NO_SECRETS and not is_placeholder(row[2]):
                yield Secret(start=row.start(2), end=row.end(2), type=SecretType.PASSWORD, name="vault")
            place = row.end()
