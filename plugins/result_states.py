"""The state that a result reports, in the light of the call that it answers (design section 5).

Pending comes from a state key, a short result or the head of a long one, never from a word somewhere in it. A read has done
its job whatever it reports; what it reports is kept beside its state, because it may settle an earlier call. An error of a
call that may have acted before it is `unknown`, never `failed`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from barrier_policy.transcript.model import Part
from barrier_policy_plugins.calls import CallEffect
from barrier_policy_plugins.effect_classes import Basis
from barrier_policy_plugins.result_json import Sign, decode, error_state, exit_state, http_state, names_job, signs, unwrap
from barrier_policy_plugins.result_words import ResultState, Saying, rejects_as_user, sayings, unfinished_ratio
from barrier_policy_plugins.tool_names import name_tokens

SHORT: Final = 400
HEAD: Final = 300
WINDOW: Final = 4_000
EDGE: Final = 600

_EMPTY: Final = re.compile(
    r"\W*(?:no output|none|null|nil|undefined|empty|tool ran without output(?: or errors)?|no content|\{\}|\[\])?\W*", re.IGNORECASE
)
_BACKGROUND: Final = re.compile(
    r"\b(?:running|started|launched|moved|continues|sent|put) (?:in|to) (?:the )?background\b|\bbackgrounded\b|\basync agent launched\b", re.IGNORECASE
)
_EXIT: Final = re.compile(
    r"^\W{0,3}(?:the command )?(?:completed with |process )?(?:exited|exit)(?: with)?(?: code| status)?\s*[:=]?\s*(-?\d{1,4})\b|"
    r"<returncode>\s*(-?\d{1,4})|\b(?:with )?exit (?:code|status)\s*[:=]?\s*(-?\d{1,4})\b|^\W{0,3}return(?: |ed )?code\s*[:=]?\s*(-?\d{1,4})\b",
    re.IGNORECASE | re.MULTILINE,
)
_HTTP_HEAD: Final = re.compile(
    r"\s*(?:http/[\d.]+\s+|status:?\s+|http\s+)?([1-5]\d\d)\b[\s:,-]{0,3}(?:ok|created|accepted|no content|multi|partial|moved|found|not |bad|"
    r"unauthori[sz]ed|forbidden|method|conflict|gone|unprocessable|too many|internal|service|gateway|request)",
    re.IGNORECASE,
)
_FAILURE_LINE: Final = re.compile(
    r"^\W{0,4}(?:[\w./-]{1,80}:\d*:?\s*){0,3}(?:error|fatal|failed|failure|panic|traceback|exception|abort(?:ed|ing)?|remote rejected|rejected|"
    r"unable to|cannot|could not|permission denied|access denied|no such file|segmentation fault|killed)\b(?!s?\s*[:=]?\s*0\b)[^\n]*",
    re.IGNORECASE | re.MULTILINE,
)
_PROGRESS: Final = re.compile(
    r"\b(?:INSERT 0 [1-9]\d*|UPDATE [1-9]\d*|DELETE [1-9]\d*|COPY [1-9]\d*|CREATE (?:TABLE|INDEX|VIEW|SCHEMA)|ALTER TABLE|DROP TABLE)\b|"
    r"^\W{0,4}[^\n]{0,80}?\b(?:created|added|updated|deleted|removed|applied|copied|moved|sent|written|wrote|installed|uploaded|inserted|migrated|"
    r"committed|deployed|converted|renamed|imported|pushed)\b|^\[[\w./-]+ [0-9a-f]{7,}\]|\b[0-9a-f]{7,}\.\.[0-9a-f]{7,}\b",
    re.MULTILINE | re.IGNORECASE,
)
_ROLLED_BACK: Final = re.compile(r"^\s*ROLLBACK\b|\brolled back\b|\bno changes (?:were )?made\b|\bnothing (?:was )?(?:changed|done)\b", re.MULTILINE | re.IGNORECASE)
_STATE_LINE: Final = re.compile(r"^\W{0,4}(?:state|status|phase|result|outcome|zustand|estado|statut|stato|статус|状态)\W{0,3}[:=]\s*([^\n,;]{1,60})", re.IGNORECASE | re.MULTILINE)
_ENDING_WORDS: Final = frozenset("cancel cancels stop abort kill terminate end close void revoke cancelar annuler storniere".split())
_MAIL_WORDS: Final = frozenset("mail email smtp sendmail mailx sms".split())
_LOG_WORDS: Final = frozenset({"running", "processing", "waiting", "awaiting", "starting"})


class ResultReading(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The state of a result, what it follows from, and the verbatim place that shows it.

    `reports` is the state that the payload speaks of, None where it speaks of none: of the call itself for an effect, of
    whatever was looked at for a read.
    """

    state: ResultState
    basis: str
    reports: ResultState | None = None
    start: int = 0
    end: int = 0


def read_result(part: Part, call: CallEffect | None, *, tool: str = "") -> ResultReading:
    """Read a result part; `call` is the judged call that it answers, None for an orphan, `tool` the call's tool."""
    text = part.text
    place = rejects_as_user(text)
    if place is not None and (part.is_error is not False or place[0] < 80):
        return ResultReading(state=ResultState.REJECTED, basis="text", start=place[0], end=_line_end(text, place[1]))
    if _EMPTY.fullmatch(text[:80]) and len(text) <= 80:
        failed = part.is_error is True
        return ResultReading(state=ResultState.FAILED if failed else ResultState.EMPTY, basis="flag" if failed else "shape")
    started = _BACKGROUND.search(text[:HEAD])
    reads = call is not None and (call.reads or call.interactive or call.plan)
    if started is not None and not (reads and len(text) > 2 * SHORT):
        return ResultReading(
            state=ResultState.PENDING, basis="text", reports=ResultState.PENDING, start=started.start(), end=started.end()
        )
    reading = _read_structured(part, call, tool) or _read_text(part, call, tool)
    if call is not None and call.judgement.background and not reads and reading.basis == "shape":
        return ResultReading(state=ResultState.PENDING, basis="shape", reports=ResultState.PENDING, start=0, end=_line_end(text, 0))
    return _as_read(reading, part) if reads else reading


def _as_read(reading: ResultReading, part: Part) -> ResultReading:
    """A read is done, or it failed; the state that it speaks of is somebody else's."""
    failed = part.is_error is True or (reading.basis == "exit_code" and reading.state is not ResultState.DONE)
    failed = failed or (reading.basis in ("flag", "http") and reading.state in (ResultState.FAILED, ResultState.REJECTED, ResultState.UNKNOWN))
    return ResultReading(
        state=ResultState.FAILED if failed else ResultState.DONE,
        basis=reading.basis if reading.basis != "http" else "text",
        reports=None if failed or reading.basis == "http" else reading.reports,
        start=reading.start,
        end=reading.end,
    )


# structured results -------------------------------------------------------------------------------------------------


def _read_structured(part: Part, call: CallEffect | None, tool: str) -> ResultReading | None:
    value = decode(part.text)
    if not isinstance(value, dict | list):
        return None
    payload = unwrap(value)
    found = [sign for sign in (*signs(payload), *_outer_exit(value, payload)) if not _is_about_object(sign, tool)]
    sign = strongest(found, payload)
    if part.is_error is True and (sign is None or sign.state is ResultState.DONE):
        return ResultReading(state=error_state(part.text[:WINDOW]), basis="flag")
    if sign is None:
        return ResultReading(state=ResultState.DONE, basis="shape", start=0, end=0)
    state = _in_context(sign, tool)
    start, end = _pair_place(part.text, sign)
    basis = "http" if sign.key == "error" and call is not None and call.reads else sign.basis
    return ResultReading(state=state, basis=basis, reports=state, start=start, end=end)


def _outer_exit(value: Any, payload: Any) -> Iterable[Sign]:
    """The exit code that stands in the envelope around a payload (`metadata.exit_code`)."""
    return () if payload is value else [sign for sign in signs(value) if sign.basis == "exit_code"]


def strongest(found: Sequence[Sign], payload: Any) -> Sign | None:
    """The sign that decides: caution first, an inner state before the envelope's `ok`, keys before prose."""
    keys = [sign for sign in found if sign.basis != "text"]
    certain = [sign for sign in keys if not sign.weak and sign.state is ResultState.DONE]
    prose = [sign for sign in found if sign.basis == "text" and (not keys or sign.state is ResultState.PENDING)]
    for state in (ResultState.PARTIAL, ResultState.UNKNOWN, ResultState.REJECTED, ResultState.FAILED, ResultState.PENDING):
        for sign in (*keys, *prose):
            if sign.state is state and not (sign.weak and certain):
                return sign
    accepted = next((sign for sign in keys if sign.key.lower() in ("accepted", "acknowledged") and sign.value == "true"), None)
    if accepted is not None and names_job(payload):
        return Sign(state=ResultState.PENDING, key=accepted.key, value=accepted.value, basis="flag")
    return next(iter((*certain, *keys, *prose)), None)


def _is_about_object(sign: Sign, tool: str) -> bool:
    """`modify_pending_order` answers with the order's own state: a state that the tool's name asks for is the object's."""
    if sign.state is not ResultState.PENDING or not sign.value:
        return False
    return not set(name_tokens(tool)).isdisjoint(word for word in re.split(r"\W+", sign.value.lower()) if len(word) > 4)


def _in_context(sign: Sign, tool: str) -> ResultState:
    """`cancelled` is what a cancelling call wanted, and a mail server's acceptance is the last answer that there is."""
    words = set(name_tokens(tool))
    value = sign.value.lower()
    if sign.state is ResultState.UNKNOWN and value.startswith(("cancel", "abort", "kill", "terminat")) and words & _ENDING_WORDS:
        return ResultState.DONE
    if sign.state is ResultState.PENDING and "accepted" in value and words & _MAIL_WORDS:
        return ResultState.DONE
    return sign.state


def _pair_place(text: str, sign: Sign) -> tuple[int, int]:
    """Where the pair of a sign stands in the text; (0, 0) where it can't be found as written."""
    if not sign.key:
        return 0, 0
    start = -1
    quoted = f'"{sign.key}"'
    while (start := text.find(quoted, start + 1)) >= 0:
        match = _VALUE.match(text, start + len(quoted))
        if match is not None and (sign.value == "" or sign.value in match[0] or _unescaped(match[0]).find(sign.value) >= 0):
            return start, match.end()
        if start > WINDOW * 4:
            break
    return 0, 0


_VALUE: Final = re.compile(r'\s*:\s*(?:"(?:[^"\\]|\\.){0,300}"?|[^\s,}\]]{1,100})')


def _unescaped(text: str) -> str:
    return text.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")


# prose and logs -----------------------------------------------------------------------------------------------------


def _read_text(part: Part, call: CallEffect | None, tool: str) -> ResultReading:
    text = part.text
    shell = call is not None and call.judgement.basis in (Basis.SHELL, Basis.SQL)
    code = _exit_code(text)
    if code is not None and code[0] is not ResultState.DONE:
        return _failing(text, call, *code, basis="exit_code")
    if part.is_error is True:
        return _failing(text, call, error_state(text), 0, _line_end(text, 0), basis="flag")
    match = _HTTP_HEAD.match(text)
    if match is not None:
        state = http_state(int(match[1]))
        basis = "http" if call is not None and call.reads else "text"
        return ResultReading(state=state, basis=basis, reports=state, start=match.start(), end=_line_end(text, match.end()))
    if shell and call is not None and not call.reads:
        line = _failure_line(text)
        if line is not None:
            return _failing(text, call, error_state(line.group()), line.start(), line.end(), basis="text")
    return _read_prose(text, call, tool, shell=shell)


def _exit_code(text: str) -> tuple[ResultState, int, int] | None:
    """The exit code that stands at the head or the end of a result."""
    for offset, piece in ((0, text[:EDGE]), (max(0, len(text) - EDGE), text[-EDGE:])):
        match = next(iter(_EXIT.finditer(piece)), None)
        if match is not None:
            code = next(group for group in match.groups() if group is not None)
            return exit_state(int(code)), offset + match.start(), offset + match.end()
    return None


def _failure_line(text: str) -> re.Match[str] | None:
    """The first line of the head, else of the tail, that says that something failed."""
    if len(text) <= 2 * WINDOW:
        return _FAILURE_LINE.search(text)
    return _FAILURE_LINE.search(text, 0, WINDOW) or _FAILURE_LINE.search(text, len(text) - WINDOW)


def _failing(
    text: str, call: CallEffect | None, state: ResultState, start: int, end: int, *, basis: str
) -> ResultReading:
    """A failed call: partial where its text shows progress before, unknown where only some of its effects may have failed."""
    window = text[:WINDOW] + "\n" + text[-WINDOW:] if len(text) > 2 * WINDOW else text
    if call is not None and not call.reads and state in (ResultState.FAILED, ResultState.REJECTED):
        if _ROLLED_BACK.search(window):
            state = ResultState.FAILED
        elif call.judgement.effects > 1 or call.judgement.basis in (Basis.SHELL, Basis.SQL):
            progressed = _PROGRESS.search(_FAILURE_LINE.sub("", window)) is not None
            state = ResultState.PARTIAL if progressed else ResultState.UNKNOWN if call.judgement.effects > 1 else state
    return ResultReading(state=state, basis=basis, reports=state, start=start, end=end)


def _read_prose(text: str, call: CallEffect | None, tool: str, *, shell: bool) -> ResultReading:
    head = text if len(text) <= SHORT else _head(text)
    line = _STATE_LINE.search(head)
    found = [saying for saying in sayings(head) if not (shell and _is_log(head, saying))]
    ratio = unfinished_ratio(head)
    chosen = _choose(found, ratio, lines=shell)
    if chosen is None:
        end = _line_end(text, 0)
        return ResultReading(state=ResultState.DONE, basis="shape", start=0, end=end)
    state, start = chosen
    if line is not None and line.start() <= start < line.end():
        start = line.start()
    sign = Sign(state=state, key="", value=head[start:][:40])
    state = _in_context(sign, tool)
    begin = text.rfind("\n", 0, start) + 1
    return ResultReading(state=state, basis="text", reports=state, start=begin, end=_line_end(text, start))


def _head(text: str) -> str:
    """The first two lines that are not empty, at most 300 characters."""
    lines = [line for line in text[: 4 * HEAD].split("\n") if line.strip()][:2]
    end = text.find(lines[-1]) + len(lines[-1]) if lines else 0
    return text[: min(end, HEAD)]


def _is_log(text: str, saying: Saying) -> bool:
    """`Running formatting …` is the heading of a log, not the state of a job."""
    word = text[saying.start : saying.end].lower()
    return word in _LOG_WORDS and re.match(r" [\w`'\"./-]", text[saying.end :]) is not None


def _choose(found: Sequence[Saying], ratio: tuple[int, int] | None, *, lines: bool) -> tuple[ResultState, int] | None:
    """The state that a short text tells, and where: caution first; what begins with a failure has failed."""
    by_state: dict[ResultState, Saying] = {}
    for saying in found:
        if not saying.weak or saying.state is not ResultState.PENDING:
            by_state.setdefault(saying.state, saying)
    weak = next((saying for saying in found if saying.weak), None)
    for state in (ResultState.UNKNOWN, ResultState.PARTIAL):
        if state in by_state:
            return state, by_state[state].start
    if ratio is not None:
        pending = by_state.get(ResultState.PENDING)
        return (ResultState.PENDING, pending.start) if pending else (ResultState.PARTIAL, ratio[0])
    failing = by_state.get(ResultState.REJECTED) or by_state.get(ResultState.FAILED)
    done = by_state.get(ResultState.DONE)
    if failing is not None:
        return (ResultState.PARTIAL if done is not None and done.start < failing.start else failing.state), failing.start
    if ResultState.PENDING in by_state:
        return ResultState.PENDING, by_state[ResultState.PENDING].start
    if done is not None:
        return ResultState.DONE, done.start
    return (ResultState.PENDING, weak.start) if weak is not None else None


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return min(len(text) if end < 0 else end, start + HEAD)
