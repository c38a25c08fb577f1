"""What the arguments of a tool call say: what it acts on, under which key, for real or as a rehearsal, and where it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from barrier_policy_plugins.effect_classes import MAX_TARGETS, first_distinct

MAX_LEAVES: Final = 400
MAX_DEPTH: Final = 6
MAX_TARGET_LENGTH: Final = 160

_SEPARATORS: Final = re.compile(r"[\W_]+")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

KEY_NAMES: Final = frozenset(
    "idempotencykey idempotencytoken idempotenttoken idempotencyid idempotentkey xidempotencykey clientrequestid "
    "clientrequesttoken clienttoken clientreference clientmutationid dedupekey dedupkey dedupeid dedupid deduplicationid "
    "deduplicationkey messagededuplicationid requestid requesttoken requestkey operationkey".split()
)
REHEARSAL_FLAGS: Final = frozenset(
    "dryrun dryrunonly preview previewonly simulate simulation checkonly validateonly whatif noop planonly readonly testmode countonly".split()
)
REAL_FLAGS: Final = frozenset("confirm confirmed apply execute commit forreal".split())
MODE_NAMES: Final = frozenset("mode runmode executionmode".split())
REHEARSAL_MODES: Final = frozenset("plan preview read readonly dry dryrun check simulate simulation validate test inspect".split())
BACKGROUND_FLAGS: Final = frozenset("runinbackground background isbackground detach detached async isasync inbackground nonblocking".split())
FOREGROUND_FLAGS: Final = frozenset("wait blocking block foreground".split())
SELECTORS: Final = frozenset(
    "q query expr expression search pattern regex glob filter filters where range since until window limit top n tail lines "
    "fields columns metric metrics agg aggregate groupby group sort orderby offset cursor page pagesize perpage maxresults "
    "select unread verifiedonly keywords topk what".split()
)
TEXT_NAMES: Final = frozenset(
    "content contents text body message prompt description thought thoughts reason reasoning explanation summary note notes "
    "comment instructions oldstring newstring oldstr newstr oldtext newtext find replace replacement replacementtext filetext "
    "code script command cmd sql query q statement patch diff data payload html markdown title subject caption todos edits "
    "analysis question questions options tx input template json".split()
)
MODIFIER_NAMES: Final = frozenset(
    "format fmt mode type kind level lang language encoding unit units tz timezone outputmode securityrisk timeout limit n "
    "offset start end action op operation method verb attr fields columns sort orderby group currency priority status state".split()
)
ID_NAMES: Final = re.compile(r"(?:^|_)(?:id|ids|iid|no|nr|num|number|pid|pr|issue|port|key|ref|rev|job|task|ticket|order|entry|build|run|session|line|lot)s?$")
SECRET_NAMES: Final = re.compile(r"passw|passphrase|secret|token|api_?key|apikey|credential|authorization|auth$|cookie|private_?key|pin$|otp|bearer")
_IDENTIFIER_END: Final = re.compile(r"[\[\]{}<>|;\n\r\t]")


def argument_key(name: str) -> str:
    """An argument's name as the tables spell it: `Idempotency-Key` gives `idempotencykey`."""
    return _SEPARATORS.sub("", name[:80]).lower()


def leaves(arguments: Any) -> Iterator[tuple[str, Any]]:
    """Scalars with the name of the argument that holds them, in order; at most 400 of them, six levels deep.

    The items of a list go by the list's name.
    """
    stack: list[tuple[str, Any, int]] = [("", arguments, 0)]
    budget = MAX_LEAVES
    while stack and budget:
        name, value, depth = stack.pop()
        budget -= 1
        if isinstance(value, Mapping):
            if depth < MAX_DEPTH:
                stack.extend((str(key), item, depth + 1) for key, item in reversed(tuple(islice(value.items(), MAX_LEAVES))))
        elif isinstance(value, list | tuple):
            if depth < MAX_DEPTH:
                stack.extend((name, item, depth + 1) for item in reversed(value[:MAX_LEAVES]))
        else:
            yield name, value


def targets_of(arguments: Any) -> tuple[str, ...]:
    """What a call acts on, as written: short values that name something, not its texts, switches or secrets."""
    return first_distinct((str(value) for name, value in leaves(arguments) if _names_something(name, value)), MAX_TARGETS)


def _names_something(name: str, value: Any) -> bool:
    key = argument_key(name)
    if key in TEXT_NAMES or key in MODIFIER_NAMES or key in KEY_NAMES or holds_secret(name):
        return False
    if isinstance(value, bool) or value is None or isinstance(value, float):
        return False
    if isinstance(value, int):
        return ID_NAMES.search(_CAMEL.sub("_", name).lower()) is not None
    return isinstance(value, str) and 0 < len(value) <= MAX_TARGET_LENGTH and _IDENTIFIER_END.search(value) is None


def holds_secret(name: str) -> bool:
    """Whether an argument of this name holds a secret, whose value never enters a record."""
    lowered = name.lower()
    return SECRET_NAMES.search(lowered) is not None and argument_key(name) not in KEY_NAMES and not lowered.endswith("_name")


def idempotency_keys(arguments: Any) -> tuple[str, ...]:
    """Values of arguments that make a repeated call harmless (`idempotency_key`, `dedupe_key`, `clientToken` …)."""
    found = (str(value) for name, value in leaves(arguments) if argument_key(name) in KEY_NAMES and _is_key(value))
    return first_distinct(found, MAX_TARGETS)


def _is_key(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and 0 < len(str(value)) <= 200


def is_rehearsal(arguments: Any) -> bool:
    """Whether the arguments ask for a rehearsal only: `dry_run: true`, `confirm: false`, `mode: plan`."""
    if not isinstance(arguments, Mapping):
        return False
    for name, value in islice(arguments.items(), MAX_LEAVES):
        key = argument_key(str(name))
        if key in REHEARSAL_FLAGS and (value is True or _says_yes(value)):
            return True
        if key in REAL_FLAGS and (value is False or _says_no(value)):
            return True
        if key in MODE_NAMES and isinstance(value, str) and argument_key(value) in REHEARSAL_MODES:
            return True
    return False


def runs_in_background(arguments: Any) -> bool:
    """Whether the arguments ask for an answer before the work is done: `run_in_background: true`, `wait: false`."""
    if not isinstance(arguments, Mapping):
        return False
    for name, value in islice(arguments.items(), MAX_LEAVES):
        key = argument_key(str(name))
        if (key in BACKGROUND_FLAGS and (value is True or _says_yes(value))) or (key in FOREGROUND_FLAGS and value is False):
            return True
    return False


def only_selects(arguments: Any) -> bool:
    """Whether an argument only narrows down what is reported (`q`, `filter`, `range`, `limit`)."""
    return isinstance(arguments, Mapping) and any(argument_key(str(name)) in SELECTORS for name in islice(arguments, MAX_LEAVES))


def _says_yes(value: Any) -> bool:
    return isinstance(value, str) and value.lower() in ("true", "yes", "on", "1")


def _says_no(value: Any) -> bool:
    return isinstance(value, str) and value.lower() in ("false", "no", "off", "0")
