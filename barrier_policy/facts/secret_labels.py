"""Types of secrets, how issuers mark their keys, and what only looks like a secret. Labels are in `secret_words.json`."""

from __future__ import annotations

import re
from enum import StrEnum


class SecretType(StrEnum):
    """What kind of secret it is."""

    PASSWORD = "password"
    TOKEN = "token"
    API_KEY = "api_key"
    PIN = "pin"
    CODE = "access_code"
    CARD = "card_number"
    CARD_CODE = "card_check_number"
    ONE_TIME = "one_time_code"
    PHRASE = "passphrase"
    ANSWER = "security_answer"
    PRIVATE_KEY = "private_key"
    JWT = "jwt"
    NATIONAL_ID = "national_id"


VENDOR_KEYS: tuple[tuple[str, str], ...] = (
    ("sk-", r"sk-[A-Za-z0-9_-]{20,}"),
    ("sk-", r"sk-(?:[a-z]{2,8}-)?(?=[A-Za-z]*\d)[A-Za-z0-9]{10,}"),
    ("sk_", r"sk_(?:live|test)_[A-Za-z0-9]{10,}"),
    ("rk_", r"rk_(?:live|test)_[A-Za-z0-9]{10,}"),
    ("ghp_", r"ghp_[A-Za-z0-9]{30,}"),
    ("gho_", r"gho_[A-Za-z0-9]{30,}"),
    ("ghu_", r"ghu_[A-Za-z0-9]{30,}"),
    ("ghs_", r"ghs_[A-Za-z0-9]{30,}"),
    ("ghr_", r"ghr_[A-Za-z0-9]{30,}"),
    ("github_pat_", r"github_pat_\w{30,}"),
    ("glpat-", r"glpat-[\w-]{16,}"),
    ("glrt-", r"glrt-[\w-]{16,}"),
    ("AKIA", r"AKIA[A-Z0-9]{16}"),
    ("ASIA", r"ASIA[A-Z0-9]{16}"),
    ("xox", r"xox[abceoprs]-[\w.-]{10,}"),
    ("xapp-", r"xapp-[\w-]{16,}"),
    ("hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows|triggers)/[\w/-]{16,}"),
    ("discord", r"discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{15,}/[\w-]{30,}"),
    ("webhook.office.com/", r"[\w-]+\.webhook\.office\.com/webhookb2/[\w@/-]{40,}"),
    ("AIza", r"AIza[\w-]{35}"),
    ("ya29.", r"ya29\.[\w-]{20,}"),
    ("GOCSPX-", r"GOCSPX-[\w-]{20,}"),
    ("npm_", r"npm_[A-Za-z0-9]{30,}"),
    ("pypi-", r"pypi-[\w-]{40,}"),
    ("hf_", r"hf_[A-Za-z0-9]{20,}"),
    ("dop_v1_", r"dop_v1_[a-f0-9]{40,}"),
    ("SG.", r"SG\.[\w-]{8,}\.[\w-]{12,}"),
    ("shpat_", r"shpat_[a-fA-F0-9]{20,}"),
    ("hvs.", r"hvs\.[\w-]{20,}"),
    ("dckr_pat_", r"dckr_pat_[\w-]{20,}"),
    ("AGE-SECRET-KEY-", r"AGE-SECRET-KEY-[0-9A-Z]{50,}"),
    ("whsec_", r"whsec_[\w+/=-]{16,}"),
    ("gsk_", r"gsk_[A-Za-z0-9]{30,}"),
    ("nvapi-", r"nvapi-[\w-]{30,}"),
    (":AA", r"(?<!\d)\d{8,10}:AA[\w-]{30,}"),
)
"""Prefixes that issuers give to their keys, and the form of the whole."""

KEY_OWNERS = (
    "api", "access", "secret", "private", "signing", "encryption", "encrypt", "master", "auth", "service", "account", "admin", "deploy",
    "root", "session", "shared", "license", "licence", "throw-away", "throwaway", "wi-fi", "wifi", "wpa", "unlock", "recovery", "client",
    "webhook", "ssh", "storage", "sas", "zugangs", "zugriffs", "geheim", "toegangs", "stripe", "payment", "sandbox", "署名", "秘密", "暗号",
    "本番", "接続", "アクセス", "接口", "签名", "서명", "비밀", "gizli", "подписи", "доступа",
)  # fmt: skip
"""What a `key` must be called before it opens anything: a sort key or an idempotency key does not."""
KEY_OWNERS_AFTER = re.compile(
    r"(?i)[\s_-]{0,2}(?:de l['’]|d['’]|de\s|di\s|da\s|k\s)?(?:api|acceso|acesso|accesso|accès|secreta|privada|доступа|dostępu|přístupu|for (?:the|our|my) [\w-]{2,16})\b"
)
NETWORKS = ("wifi", "wi-fi", "wlan", "wpa", "wpa2", "hotspot")
NETWORK_AFTER = re.compile(
    r"(?i)[^\W\d_]{0,3} (?:(?:of|for|de|del|du|des|di|do|da|der|das|dem|vom|fürs?|zum|van|voor|od|do|от|к|для|the|our|my|la|le|el|het|notre|nuestro|guest|gäste) ?){1,4}[^\W\d_]{0,10}-?(?:wi-?fi|wlan|hotspot|вай-?фа|network|netz|réseau|nätverk|netværk|nettverk)"
)
"""The key to a wireless network is a password, whatever it looks like."""
OTHER_TOKENS = (
    "page", "next", "continuation", "cursor", "sync", "resume", "delta", "total", "input", "output", "prompt", "completion", "count",
    "idempotency", "idempotence", "dedup", "deduplication", "correlation", "trace", "task", "tracking", "token", "tokens", "byte", "word",
    "reasoning", "cache", "cached", "context", "budget", "public", "primary", "foreign", "sort", "partition", "unique", "special",
)  # fmt: skip
OTHER_TOKEN_WORDS = frozenset(("max", "min", "num", "per", "csrf", "xsrf", "stop", "pad", "eos", "bos", "unk", "mask"))
"""Words before `token` or `key` that make it something else."""
ABOUT_SECRETS = (
    r"name|ref|id|arn|path|file|type|hash|count|len|length|limit|url|uri|endpoint|policy|field|env|var|expiry|expires?|ttl|version|usage|"
    r"budget|window|size|prompt|reset|manager|store|provider|scope|rotation|error|hint|input|label|strength|rules?|changes?|history|protected|protection|recovery|prompts|sticker|question|age|requirements?|last|verifier|char"
)
ABOUT_AFTER = re.compile(rf"(?i)(?:s\b(?!\s*[=:]\s*[\"'])|[\s-](?:{ABOUT_SECRETS})\b)")
ABOUT_NAME = re.compile(
    rf"(?:[_-]|(?<=[a-z])(?=[A-Z]))(?i:{ABOUT_SECRETS}|enabled|used|changed|updated|created)(?i:[_-]\w+)?\Z"
)
"""Labels that speak about a secret and give none: `password reset`, `secretName`, `TOKEN_TTL`, `tokens`."""

ABOUT_HEAD = re.compile(
    r"(?:(?:[a-z.]*[._-])?(?:forgot|forget|reset|change|show|hide|toggle|invalid|wrong|no|without|missing|has|is|validate|check|verify|hash|encrypt|compare"
    r"|update|set|get|generate|require|need)(?:[_-]|(?=[A-Z])))"
)
"""Names of what is done with a secret: `resetPassword`, `has_token`."""

STANDS_IN = r"redacted|masked|removed|placeholder|changeme|change[-_]?me|changeit|replaceme|replace[-_]?me|examples?|dummy|sample|hidden|fake"
FILLS = (
    r"your|my|the|an?|new|old|some|any|this|is|to|be|by|for|only|not|real|here|with|insert|enter|put|use|test|demo|dev|local|value|string|text|password|passwd|pass|pwd|passphrase"
    r"|secret|token|key|api|access|auth|client|user|username|name|id|db|database|app|admin|root|service|account|bot|please|now|later|first|before|production|policy|credentials?"
)
PLACEHOLDER = re.compile(
    rf"""(?ix)
      [<\[{{(].*|[a-z_.-]*[>\]}})]+|[\w.]+[<\[{{(].*[>\]}})]|%[\w.]+%?     # <token>, {{{{ token }}}}, %TOKEN%
    | \$[a-z_]\w*|\$[({{].*|.*\$\{{.*|.*\{{\{{.*                             # $TOKEN, ${{TOKEN}}
    | [*x•.…_#?-]+|.*\*{{3,}}.*|.*•{{2,}}.*|.*\.{{3}}.*|.*….*|.*x{{5,}}.*     # ****, xxxxx, sk-...
    | (?:your|my|the|a|an|new|old|some|any|dein|ihr|votre|tu|su)[ ].*
    | (?:your|dein|ihr|votre|tu|su)(?:[-_][a-z]+)+[-_]?\d{{0,3}}
    | (?:my|the|an?|new|old|some|any)(?:[-_](?:{FILLS}))+[-_]?\d{{0,3}}
    | [\W_]*(?:(?:{FILLS}|\d{{1,4}})[-_. ]{{1,3}})*(?:{STANDS_IN})\d{{0,4}}(?:[-_. ]{{1,3}}(?:{FILLS}|{STANDS_IN}|\d{{1,4}}))*[\W_]*   # your-example-key
    | (?:[\w.+-]+@)?(?:[\w-]+\.)*example(?:\.[a-z]{{2,}})+(?:[:/].*)?|(?:[\w.+-]+@)?(?:[\w-]+\.)+example(?:[:/].*)?   # domains for examples
    | (?:test|password|passwort|passwd|secret|token|foo|bar|admin|user)\d{{0,4}}              # fixtures of tests
    | (?:os|process|env|config|settings|self|this|args|options|secrets?|vars?|data|request|ctx|cfg|params|props|state)\.[\w.\[\]'"]+
    | (?:env|file|vault|op|ssm|arn|keyring|aws|gcp|azure|kms|sops|sm|secretsmanager|projects?|ref)[:/].*
    | (?:~|\.{{1,2}})?/[\w./-]*|[a-z_-]+(?:/[a-z._-]+)+|\w+://.*
    | [\w.]+\(.*
    """
)
"""References to a secret kept elsewhere, and what stands in its place in examples. A secret may hold such a word: the whole has to be one."""
PLAIN_WORDS = frozenset(
    word
    for line in (
        "string str text bytes int integer number bool boolean object array list dict none null nil undefined true false yes no",
        "password passwort passwd secret token key value required optional missing invalid incorrect wrong expired unknown empty",
        "disabled enabled reset default test user pass username login admin root public private basic bearer auth oauth plain hashed",
        "sha256 sha512 argon2id pbkdf2 base64 oauth2 encrypted field input label form prompt header cookie session hidden changed updated rotated stored saved set unset valid",
    )
    for word in line.split()
)
GENERATED_NAME = re.compile(
    r"(?:toolu|call|chatcmpl|msg|req|run|resp|fc|item|step)[_-].*|[a-z][a-z0-9]*(?:-[a-z0-9]+)*-[a-z0-9]{6,10}-[a-z0-9]{5}"
)
"""Ids that runtimes and orchestrators make up, which look as random as a secret."""
