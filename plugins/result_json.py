"""What a structured result says: state keys, flags, exit codes, counts and errors, a few levels deep.

Every sign names the key and value that it rests on, so that a reader finds the pair in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, Final

import msgspec
from barrier_policy_plugins.effect_classes import word_set
from barrier_policy_plugins.result_words import WORDS, ResultState, denies, sayings, unfinished_ratio, value_state

MAX_TEXT: Final = 200_000
MAX_NODES: Final = 400
MAX_DEPTH: Final = 4
MAX_INNER: Final = 20_000

_SEPARATORS: Final = re.compile(r"[\W_]+")
_NO_ERROR: Final = frozenset({"", "none", "null", "nil", "no", "no error", "no errors", "ok", "false", "0"})
_CALL_FLAGS: Final = frozenset({"ok", "success", "successful", "succeeded", "iserror"})
_HTTP_KEYS: Final = frozenset({"status", "statuscode", "httpstatus", "httpcode", "httpstatuscode"})
_RETRIED_STATUS: Final = frozenset({408, 499})
_PROGRESS: Final = frozenset({"progress", "percent", "percentage", "percentcomplete", "pct", "cursor"})


STATE_KEYS: Final = word_set(WORDS.state_keys)
_ACKNOWLEDGEMENTS: Final = frozenset({"ack", "acknowledgement", "acknowledgment"})
"""Keys whose `none` says that nobody has taken note yet."""
_MESSAGE_KEYS: Final = word_set(WORDS.message_keys)
_ERROR_KEYS: Final = word_set(WORDS.error_keys)
_ANSWER_DUE: Final = re.compile(
    r"(?:decision|answer|reply|response|review|approval|verdict|antwort|entscheidung|r[ée]ponse|d[ée]cision|respuesta|risposta|resposta|antwoord)"
    r"(?:in|within|by|due|eta|expected|until|bis|sous|avant|entro|at[ée]|binnen|deadline)(?:days|hours|tage|jours|horas|giorni)?"
)
"""Keys that say when somebody will answer."""
_TAIL_STATE: Final = re.compile(r"[^\n]{1,60}[:(,–—-] ?([^:(\n]{3,40}?)\)?")
"""`claim 7: under review`: a name with its state."""
_ETA_KEYS: Final = word_set(WORDS.eta_keys)
_EXIT_KEYS: Final = word_set(WORDS.exit_keys) - _HTTP_KEYS
JOB_KEYS: Final = word_set(WORDS.job_keys)
_COUNTS: Final = tuple(map(word_set, (WORDS.done_counts, WORDS.total_counts, WORDS.failed_counts)))
_FLAGS: Final = {
    **{(key, False): ResultState.FAILED for key in word_set(WORDS.failed_if_false)},
    **{(key, False): ResultState.PENDING for key in word_set(WORDS.pending_if_false)},
    **{(key, True): ResultState.PENDING for key in word_set(WORDS.pending_if_true)},
    **{(key, True): ResultState.PARTIAL for key in word_set(WORDS.partial_if_true)},
    **{(key, True): ResultState.UNKNOWN for key in word_set(WORDS.unknown_if_true)},
    **{(key, True): ResultState.FAILED for key in word_set(WORDS.failed_if_true)},
    **{(key, True): ResultState.DONE for key in word_set(WORDS.failed_if_false) | word_set(WORDS.pending_if_false)},
}


_ANSWER_KEYS: Final = frozenset({"answer", "reply", "answeredby", "decision", "choice", "answeredat"})
"""Keys whose null says that somebody still has to answer."""
_DONE_KEYS: Final = frozenset(
    [
        "processed",
        "done",
        "completed",
        "updated",
        "written",
        "sent",
        "imported",
        "exported",
        "applied",
        "inserted",
        "migrated",
        "copied",
        "succeeded",
        "created",
        "deleted",
        "moved",
        "uploaded",
    ]
)
"""Keys that count what a call has done so far."""


_REST_KEYS: Final = frozenset(
    {"rest", "remaining", "remainder", "left", "leftover", "outstanding", "notdone", "unprocessed", "todo"}
)
"""Keys under which stands what has not been done."""
_REST_COUNTS: Final = frozenset(
    {"remaining", "left", "remainder", "pending", "outstanding", "unprocessed", "todo", "queued", "rest", "notdone"}
)
"""Keys that count what has not been done, with or without `count` behind them; beside one thing done it may be a quota."""
_NEXT_KEYS: Final = word_set(
    "next nextcursor cursor nextpage nextpagetoken nextpageurl nexttoken nextoffset nextbatch pagetoken continuation "
    "continuationtoken continuefrom resumefrom resumetoken resumeat startafter lastevaluatedkey"
)
"""Keys that say where the call would have to go on."""
_MORE_FLAGS: Final = frozenset({"hasmore", "more", "moreavailable", "hasnext", "hasnextpage", "istruncated"})


class Sign(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One thing that speaks for a state, by a key (or flag, exit code, text) and its value.

    `weak` signs give way to a certain done. `fails`: it is the call itself that failed, not what it speaks of.
    `rest`: a count of work beside what is left of it, which says something of calls that change something; a read has pages.
    """

    state: ResultState
    key: str
    value: str = ""
    basis: str = "key"
    weak: bool = False
    fails: bool = False
    rest: bool = False


def decode(text: str) -> Any:
    """The JSON value of a result, None where it is none, or too large to be looked into."""
    start = text[:64].lstrip()[:1]
    if start not in ("{", "[") or len(text) > MAX_TEXT:
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return None


def unwrap(value: Any) -> Any:
    """The payload inside the envelopes that runtimes put around it: MCP's `content`, `{"output": …}`, `{"result": {…}}`."""
    for _ in range(3):
        inner = value
        if isinstance(value, dict) and isinstance(value.get("content"), list):
            inner = value["content"]
        elif isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict) and value[0].get("type") == "text":
            inner = value[0].get("text")
        elif isinstance(value, dict) and len(value) == 1:
            (key, only), *_ = value.items()
            inner = only if key in ("output", "result", "response", "data") and isinstance(only, dict | str) else value
        if isinstance(inner, str):
            parsed = decode(inner) if len(inner) <= MAX_INNER else None
            return value if parsed is None else parsed
        if inner is value:
            return value
        value = inner
    return value


@lru_cache(maxsize=2048)
def key_name(name: str) -> str:
    """A key as the lists spell it: lower case, letters only."""
    return _SEPARATORS.sub("", name[:60]).lower()


def signs(value: Any, *, budget: int = MAX_NODES) -> list[Sign]:
    """All signs in a decoded result, outer ones first, four levels deep; `budget` is about how many fields are looked at."""
    found: list[Sign] = []
    level = [value]
    for _ in range(MAX_DEPTH):
        following: list[Any] = []
        for node in level:
            if budget <= 0:
                return found
            if isinstance(node, dict):
                budget -= len(node)
                found.extend(_signs_of(node))
                following.extend(item for item in islice(node.values(), MAX_NODES) if isinstance(item, dict | list))
            elif isinstance(node, list):
                budget -= len(node)
                found.extend(_mixture(node))
                following.extend(item for item in node[:MAX_NODES] if isinstance(item, dict | list))
        level = following
    return found


def _mixture(items: list[Any]) -> Iterator[Sign]:
    """Several outcomes of which some are good and some are not: the whole is partial."""
    states = {sign.state for item in items[:MAX_NODES] if isinstance(item, dict) for sign in _signs_of(item)}
    if ResultState.DONE in states and not states.isdisjoint((ResultState.FAILED, ResultState.REJECTED)):
        yield Sign(state=ResultState.PARTIAL, key="")


def _signs_of(node: Mapping[str, Any]) -> Iterator[Sign]:
    fields = [(name, key_name(name), value) for name, value in islice(node.items(), MAX_NODES)]
    for name, key, value in fields:
        if isinstance(value, bool):
            yield from _flag_signs(name, key, value)
        elif isinstance(value, int | float):
            yield from _number_signs(name, key, value)
        elif isinstance(value, str):
            yield from _string_signs(name, key, value)
        if key in _ERROR_KEYS and _is_filled(value):
            yield from _error_signs(name, value)
        if (key in _ETA_KEYS or _ANSWER_DUE.fullmatch(key)) and value not in (None, "", 0, False):
            yield Sign(state=ResultState.PENDING, key=name, value=str(value), weak=True)
        if key in _REST_KEYS and _is_filled(value):  # a number may be a quota
            yield Sign(state=ResultState.PARTIAL, key=name, value=str(value), weak=True)
    yield from _count_signs(fields)
    yield from _broken_off(fields)
    yield from _rest_signs(fields)
    if any(key in _ANSWER_KEYS and value is None for _, key, value in fields):
        yield Sign(state=ResultState.PENDING, key=next(name for name, key, value in fields if key in _ANSWER_KEYS))


def _broken_off(fields: Sequence[tuple[str, str, Any]]) -> Iterator[Sign]:
    """An error beside a count of what has been done: the call stopped on its way."""
    failing = any(key in _ERROR_KEYS and _is_filled(value) for _, key, value in fields)
    for name, key, value in fields if failing else ():
        if key in _DONE_KEYS and isinstance(value, int) and not isinstance(value, bool) and value > 0:
            yield Sign(state=ResultState.PARTIAL, key=name, value=str(value))
            return


def _flag_signs(name: str, key: str, value: bool) -> Iterator[Sign]:
    state = _FLAGS.get((key, value))
    if state is not None:
        yield Sign(state=state, key=name, value="true" if value else "false", basis="flag", fails=key in _CALL_FLAGS)


def _number_signs(name: str, key: str, value: float) -> Iterator[Sign]:
    if key in _EXIT_KEYS:
        yield Sign(state=exit_state(int(value)), key=name, value=str(value), basis="exit_code", fails=value != 0)
    elif key in _HTTP_KEYS and 100 <= value < 600:
        yield Sign(state=http_state(int(value)), key=name, value=str(value), fails=value >= 400)
    elif key in _PROGRESS and 0 <= value < (1 if isinstance(value, float) and value < 1 else 100):
        yield Sign(state=ResultState.PENDING, key=name, value=str(value), weak=True)


def _string_signs(name: str, key: str, value: str) -> Iterator[Sign]:
    if key in _ANSWER_KEYS and (state := value_state(value)) is not None and state[0] is ResultState.PENDING:
        yield Sign(state=state[0], key=name, value=value)
    elif key in STATE_KEYS or key.endswith(("status", "state")):
        told = value_state(value)
        if told is not None and (key in STATE_KEYS or told[0] is not ResultState.UNKNOWN):
            yield Sign(state=told[0], key=name, value=value, weak=told[1])
        elif key in _ACKNOWLEDGEMENTS and denies(value):
            yield Sign(state=ResultState.PENDING, key=name, value=value)
        elif key in STATE_KEYS:
            yield Sign(state=ResultState.DONE, key=name, value=value, weak=True)
    elif key in _MESSAGE_KEYS and len(value) <= 400:
        for saying in sayings(value):
            yield Sign(state=saying.state, key=name, value=value, basis="text", weak=saying.weak)
    elif len(value) <= 100 and (tail := _TAIL_STATE.fullmatch(value)) is not None:
        told = value_state(tail[1])
        if told is not None and told[0] is ResultState.PENDING:
            yield Sign(state=told[0], key=name, value=value, weak=True)
    if len(value) <= 60 and unfinished_ratio(value) is not None:
        yield Sign(state=ResultState.PARTIAL, key=name, value=value, weak=key not in STATE_KEYS)


def _error_signs(name: str, value: Any) -> Iterator[Sign]:
    text = value if isinstance(value, str) else _shallow_text(value)
    yield Sign(state=error_state(text), key=name, value=value if isinstance(value, str) else "", fails=True)


def _is_filled(value: Any) -> bool:
    """Whether a value says more than that there is nothing to say."""
    if isinstance(value, str):
        return value.strip().lower() not in _NO_ERROR
    return isinstance(value, dict | list) and bool(value)


def _shallow_text(value: Any) -> str:
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else (value,)
    return " ".join(str(item) for item in islice(items, 20) if isinstance(item, str | int))[:500]


def error_state(text: str) -> ResultState:
    """What an error says: unknown where the call may have acted before it (time-out, lost connection, 5xx), else failed."""
    head = text[:1_000]
    for saying in sayings(head):
        if saying.state in (ResultState.UNKNOWN, ResultState.PARTIAL, ResultState.REJECTED):
            return saying.state
    match = _STATUS_CODE.search(head)
    return http_state(int(match[1])) if match is not None and int(match[1]) >= 500 else ResultState.FAILED


_STATUS_CODE: Final = re.compile(r"(?:^|\bhttp\S*|\bstatus(?: code)?:?|\berror:?|\bcode:?)\s*([1-5]\d\d)\b", re.IGNORECASE)


def http_state(status: int) -> ResultState:
    """What an HTTP status says of the request: 202 is pending, 207 partial, a time-out or 5xx leaves the outcome open."""
    if status in (202, 102):
        return ResultState.PENDING
    if status in (206, 207):
        return ResultState.PARTIAL
    if status < 400:
        return ResultState.DONE
    return ResultState.UNKNOWN if status >= 500 or status in _RETRIED_STATUS else ResultState.FAILED


def exit_state(code: int) -> ResultState:
    """What an exit code says: 124 is `timeout`'s, above 128 the process was ended by a signal."""
    if code == 0:
        return ResultState.DONE
    return ResultState.UNKNOWN if code == 124 or code > 128 or code < 0 else ResultState.FAILED


def _count_signs(fields: Sequence[tuple[str, str, Any]]) -> Iterator[Sign]:
    """`{"sent": 12, "total": 20}`, `{"succeeded": 3, "failed": 2}`."""
    done, total, failed = (_first_count(fields, names) for names in _COUNTS)
    if failed is not None and failed[1] > 0:
        some = done is not None and done[1] > 0
        yield Sign(state=ResultState.PARTIAL if some else ResultState.FAILED, key=failed[0], value=str(failed[1]))
    elif done is not None and total is not None and done[1] < total[1]:
        yield Sign(state=ResultState.PARTIAL, key=done[0], value=str(done[1]))


def _rest_signs(fields: Sequence[tuple[str, str, Any]]) -> Iterator[Sign]:
    """`{"sent": 120, "remaining": 880}`, `{"archived": 200, "next_cursor": "cur_8821"}`: work was done, and there is more of it."""
    done = _first_count(fields, _COUNTS[0])
    if done is None or done[1] <= 0:
        return
    for name, key, value in fields:
        if _counts_rest(key, value, done[1]) or _goes_on(key, value):
            yield Sign(state=ResultState.PARTIAL, key=name, value="" if value is True else str(value), rest=True)
            return


def _counts_rest(key: str, value: Any, done: int) -> bool:
    counted = key.removesuffix("count")
    if counted not in _REST_COUNTS or not isinstance(value, int) or isinstance(value, bool):
        return False
    return value > 0 and (done > 1 or counted != key)


def _goes_on(key: str, value: Any) -> bool:
    if key in _MORE_FLAGS:
        return value is True
    if key not in _NEXT_KEYS or isinstance(value, bool):
        return False
    return value > 0 if isinstance(value, int | float) else _is_filled(value)


def _first_count(fields: Sequence[tuple[str, str, Any]], names: frozenset[str]) -> tuple[str, int] | None:
    for name, key, value in fields:
        if key in names and isinstance(value, int) and not isinstance(value, bool):
            return name, value
        if key in names and isinstance(value, list) and names is _COUNTS[2]:
            return name, len(value)
    return None


def names_job(value: Any) -> bool:
    """Whether the top of a result names a job that goes on somewhere else."""
    return isinstance(value, dict) and any(key_name(name) in JOB_KEYS for name in islice(value, MAX_NODES))
