"""The state that a result reports, in the light of the call that it answers (design section 5).

Pending comes from a state key, a short result or the head of a long one, never from a word somewhere in it. A read has done
its job whatever it reports; what it reports is kept beside its state, because it may settle an earlier call. An error of a
call that may have acted before it is `unknown`, never `failed`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from barrier_policy_plugins.calls import CallEffect
from barrier_policy_plugins.result_json import Sign, decode, error_state, names_job, signs, unwrap
from barrier_policy_plugins.result_model import Question, ResultReading, in_context, line_end
from barrier_policy_plugins.result_text import HEAD, WINDOW, read_text
from barrier_policy_plugins.result_words import ResultState, rejects_as_user, unfinished_ratio

from barrier_policy.transcript.model import Part

MAX_CALL: Final = 20_000
MAX_FIELDS: Final = 400
LEAD: Final = 80
ENVELOPE: Final = 6
"""An error report has few fields; what a read returns with more of them is content that happens to have such a key."""

_EMPTY: Final = re.compile(
    r"\W*(?:no output|none|null|nil|undefined|empty|tool ran without output(?: or errors)?|no content|\{\}|\[\])?\W*",
    re.IGNORECASE,
)
_VALUE: Final = re.compile(r'\s*:\s*(?:"(?:[^"\\]|\\.){0,300}"?|[^\s,}\]]{1,100})')
_BACKGROUND: Final = re.compile(
    r"\b(?:running|started|launched|moved|continues|sent|put) (?:in|to) (?:the )?background\b|\bbackgrounded\b|\basync agent launched\b",
    re.IGNORECASE,
)


def read_result(part: Part, call: Part | None, effect: CallEffect | None) -> ResultReading:
    """Read a result part; `call` is the call that it answers and `effect` its judgement, both None for an orphan."""
    text = part.text
    place = rejects_as_user(text)
    if place is not None and (part.is_error is not False or place[0] < 80):
        return ResultReading(state=ResultState.REJECTED, basis="text", start=place[0], end=line_end(text, place[1]))
    if _EMPTY.fullmatch(text[:80]) and len(text) <= 80:
        if part.is_error is True:
            return ResultReading(state=ResultState.FAILED, basis="flag", fails=True)
        return ResultReading(state=ResultState.EMPTY, basis="shape")
    reads = effect is not None and (effect.reads or effect.interactive or effect.plan)
    started = _background_start(text)
    if started is not None and (started.start() < LEAD or (effect is not None and effect.judgement.background)):
        return ResultReading(
            state=ResultState.PENDING, basis="text", reports=ResultState.PENDING, start=started.start(), end=started.end()
        )
    question = Question(
        tool=call.name if call else part.name, text=call.text[:MAX_CALL].lower() if call else "", effect=effect
    )
    reading = _read_structured(part, question) or read_text(part, question)
    if effect is not None and effect.judgement.background and not reads and reading.basis == "shape":
        return ResultReading(
            state=ResultState.PENDING, basis="shape", reports=ResultState.PENDING, start=0, end=line_end(text, 0)
        )
    return _as_read(reading) if reads else reading


def _background_start(text: str) -> re.Match[str] | None:
    """Where the head of a result says that the work goes on in the background."""
    head = text[:HEAD]
    return _BACKGROUND.search(head) if "ackground" in head or "sync agent" in head else None


def _as_read(reading: ResultReading) -> ResultReading:
    """A read is done, or it failed; the state that it speaks of is somebody else's."""
    return ResultReading(
        state=ResultState.FAILED if reading.fails else ResultState.DONE,
        basis=reading.basis,
        reports=None if reading.fails else reading.reports,
        start=reading.start,
        end=reading.end,
        fails=reading.fails,
    )


def _read_structured(part: Part, question: Question) -> ResultReading | None:
    value = decode(part.text)
    if not isinstance(value, dict | list):
        return None
    payload = unwrap(value)
    budget = MAX_FIELDS if question.changes else MAX_FIELDS // 4
    found = [
        sign
        for sign in (*signs(payload, budget=budget), *_outer_exit(value, payload))
        if not _is_about_object(sign, question) and (question.changes or not sign.rest)
    ]
    sign = strongest(found, payload)
    if part.is_error is True and (sign is None or sign.state is ResultState.DONE):
        return ResultReading(state=error_state(part.text[:WINDOW]), basis="flag", fails=True)
    if sign is None:
        return ResultReading(state=ResultState.DONE, basis="shape")
    state = in_context(sign.state, sign.value, question)
    start, end = _pair_place(part.text, sign)
    content = not question.changes and isinstance(payload, dict) and len(payload) > ENVELOPE
    fails = (sign.fails and state is not ResultState.DONE and not content) or part.is_error is True
    told = None if sign.weak and state is ResultState.DONE else state  # a value that no list knows tells nothing
    return ResultReading(state=state, basis=sign.basis, reports=told, start=start, end=end, fails=fails)


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
    accepted = next(
        (sign for sign in keys if sign.key.lower() in ("accepted", "acknowledged") and sign.value == "true"), None
    )
    if accepted is not None and names_job(payload):
        return Sign(state=ResultState.PENDING, key=accepted.key, value=accepted.value, basis="flag")
    return next(iter((*certain, *keys, *prose)), None)


def _is_about_object(sign: Sign, question: Question) -> bool:
    """A state that the call asks for, by its name or its arguments, is that of the object, not of the call."""
    if sign.basis == "flag" or sign.fails or sign.state is ResultState.DONE or not sign.value:
        return False
    if sign.state is ResultState.PARTIAL and (share := unfinished_ratio(sign.value)) is not None:
        return question.asked_for(sign.value[slice(*share)])
    return question.names(sign.value) or (sign.basis == "key" and question.echoes(f'"{sign.value}"'))


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


def _unescaped(text: str) -> str:
    return text.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")
