"""What the arguments of a tool call say: what it acts on, under which key, for real or as a rehearsal, and where it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, Final

import msgspec
from barrier_policy_plugins.effect_classes import MAX_TARGETS, first_distinct, word_set

MAX_LEAVES: Final = 400
MAX_DEPTH: Final = 6
MAX_TARGET_LENGTH: Final = 160
MAX_KEY_LENGTH: Final = 200

_SEPARATORS: Final = re.compile(r"[\W_]+")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


KEY_NAMES: Final = word_set(
    "idempotencykey idempotencytoken idempotenttoken idempotencyid idempotentkey xidempotencykey clientrequestid clientrequesttoken "
    "clienttoken clientreference clientmutationid dedupekey dedupkey dedupeid dedupid deduplicationid deduplicationkey "
    "messagededuplicationid requestid requesttoken requestkey operationkey"
)
_REHEARSALS: Final = word_set(
    "dryrun dryrunonly preview previewonly simulate simulation checkonly validateonly whatif noop planonly readonly testmode countonly"
)
_FOR_REAL: Final = word_set("confirm confirmed apply execute commit forreal")
_MODES: Final = word_set("mode runmode executionmode")
_REHEARSAL_MODES: Final = word_set("plan preview read readonly dry dryrun check simulate simulation validate test inspect")
_BACKGROUND: Final = word_set(
    "runinbackground background isbackground detach detached async isasync inbackground nonblocking"
)
_FOREGROUND: Final = word_set("wait blocking block foreground")
_SELECTORS: Final = word_set(
    "q query expr expression search pattern regex glob filter filters where range since until window limit top n tail lines fields "
    "columns metric metrics agg aggregate groupby group sort orderby offset cursor page pagesize perpage maxresults select unread "
    "verifiedonly keywords topk what"
)
_PAYLOADS: Final = word_set(
    "value values newvalue level amount content contents body text message weight percent on enabled set setpoint quantity payload "
    "data document record"
)
_TEXTS: Final = word_set(
    "content contents text body message prompt description thought thoughts reason reasoning explanation summary note notes comment "
    "instructions oldstring newstring oldstr newstr oldtext newtext find replace replacement replacementtext filetext code script "
    "command cmd sql query q statement patch diff data payload html markdown title subject caption todos edits analysis question "
    "questions options tx input template json"
)
_MODIFIERS: Final = word_set(
    "format fmt mode type kind level lang language encoding unit units tz timezone outputmode securityrisk timeout limit n offset "
    "start end action op operation method verb attr fields columns sort orderby group currency priority status state"
)
_NUMBERED: Final = re.compile(
    r"(?:^|_)(?:id|ids|iid|no|nr|num|number|pid|pr|issue|port|key|ref|rev|job|task|ticket|order|entry|build|run|session|line|lot)s?$"
)
_SECRETS: Final = re.compile(
    r"passw|passphrase|secret|token|api_?key|credential|authorization|auth$|cookie|private_?key|(?:^|_)pin$|otp|bearer"
)
_NO_NAME: Final = re.compile(r"[\[\]{}<>|;\n\r\t]")


class Arguments(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The arguments of a call, summed up.

    `targets` are short values that name something, as written; texts, switches and secrets are left out. `keys` are values
    that make a repeated call harmless (`idempotency_key`, `dedupe_key`, `clientToken` …). `rehearses`: nothing is to happen
    (`dry_run: true`, `confirm: false`, `mode: plan`). `background`: the answer comes before the work is done
    (`run_in_background: true`, `wait: false`). `selects`: an argument only narrows down what is reported (`filter`, `limit`).
    `carries`: an argument holds something to be stored or sent (`value`, `body`, `amount`).
    """

    targets: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    rehearses: bool = False
    background: bool = False
    selects: bool = False
    carries: bool = False


@lru_cache(maxsize=2048)
def argument_key(name: str) -> str:
    """An argument's name as the tables spell it: `Idempotency-Key` gives `idempotencykey`."""
    return _SEPARATORS.sub("", name[:80]).lower()


@lru_cache(maxsize=2048)
def holds_secret(name: str) -> bool:
    """Whether an argument of this name holds a secret, whose value never enters a record."""
    lowered = name[:80].lower()
    return (
        _SECRETS.search(lowered) is not None and argument_key(name[:80]) not in KEY_NAMES and not lowered.endswith("_name")
    )


@lru_cache(maxsize=2048)
def _is_numbered(name: str) -> bool:
    return _NUMBERED.search(_CAMEL.sub("_", name).lower()) is not None


def leaves(arguments: Any) -> Iterator[tuple[str, Any]]:
    """Scalars with the name of the argument that holds them, in order; at most 400 of them, six levels deep.

    The items of a list go by the list's name.
    """
    stack: list[tuple[str, Any, int]] = [("", arguments, 0)]
    budget = MAX_LEAVES
    while stack and budget:
        name, value, depth = stack.pop()
        budget -= 1
        if isinstance(value, dict):
            if depth < MAX_DEPTH:
                items = [(str(key)[:80], item, depth + 1) for key, item in islice(value.items(), MAX_LEAVES)]
                stack.extend(reversed(items))
        elif isinstance(value, list | tuple):
            if depth < MAX_DEPTH:
                stack.extend((name, item, depth + 1) for item in reversed(value[:MAX_LEAVES]))
        else:
            yield name, value


def sum_up(arguments: Any) -> Arguments:
    """Sum up the arguments of a call, in one walk through them."""
    found: list[tuple[str, str, Any]] = [(argument_key(name), name, value) for name, value in leaves(arguments)]
    top = (
        {argument_key(str(name)[:80]): value for name, value in islice(arguments.items(), MAX_LEAVES)}
        if isinstance(arguments, dict)
        else {}
    )
    return Arguments(
        targets=first_distinct(
            (str(value) for key, name, value in found if _names_something(key, name, value)), MAX_TARGETS
        ),
        keys=first_distinct((str(value) for key, _, value in found if key in KEY_NAMES and _is_key(value)), MAX_TARGETS),
        rehearses=any(_rehearses(key, value) for key, value in top.items()),
        background=any(
            (key in _BACKGROUND and _yes(value)) or (key in _FOREGROUND and _no(value)) for key, value in top.items()
        ),
        selects=not _SELECTORS.isdisjoint(top),
        carries=not _PAYLOADS.isdisjoint(top),
    )


def _names_something(key: str, name: str, value: Any) -> bool:
    if isinstance(value, str):
        if not 0 < len(value) <= MAX_TARGET_LENGTH or _NO_NAME.search(value) is not None:
            return False
    elif not isinstance(value, int) or isinstance(value, bool) or not _is_numbered(name):
        return False
    return key not in _TEXTS and key not in _MODIFIERS and key not in KEY_NAMES and not holds_secret(name)


def _is_key(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and 0 < len(str(value)) <= MAX_KEY_LENGTH


def _rehearses(key: str, value: Any) -> bool:
    if key in _REHEARSALS:
        return _yes(value)
    if key in _FOR_REAL:
        return _no(value)
    return key in _MODES and isinstance(value, str) and argument_key(value[:80]) in _REHEARSAL_MODES


def _yes(value: Any) -> bool:
    return value is True or (isinstance(value, str) and value.lower() in ("true", "yes", "on", "1"))


def _no(value: Any) -> bool:
    return value is False or (isinstance(value, str) and value.lower() in ("false", "no", "off", "0"))
