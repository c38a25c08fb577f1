"""What a result in prose, or the output of commands, says of its call.

A short text speaks as a whole, a long one with its head; of the output of commands the lines that begin with a failure count
as well. Output is a log: a heading (`Running formatting …`) and a count that was overtaken are no states.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec
from barrier_policy_plugins.result_json import STATE_KEYS, error_state, exit_state, http_state, key_name
from barrier_policy_plugins.result_model import Question, ResultReading, in_context, line_end
from barrier_policy_plugins.result_words import ResultState, Saying, sayings, unfinished_ratio, value_state

from barrier_policy.transcript.model import Part

SHORT: Final = 400
HEAD: Final = 300
WINDOW: Final = 4_000
EDGE: Final = 600
STATED: Final = 1_000
WORD: Final = 40
"""Output of this size can be the answer to a question for a state (`active`), beyond it it is text that happens to hold words."""

_EXIT: Final = re.compile(
    r"\bexit(?:ed)?(?: with)?(?: exit)?(?: code| status)\s*[:=]?\s*(-?\d{1,4})\b|(?:^\W{0,3}|[,;]\s*)exit\s*[:=]?\s*(-?\d{1,4})\s*$|"
    r"\bwith (?:exit )?code\s*[:=]?\s*(-?\d{1,4})\b|<returncode>\s*(-?\d{1,4})|\breturn(?:ed)? ?code\s*[:=]?\s*(-?\d{1,4})\b",
    re.IGNORECASE | re.MULTILINE,
)
_HTTP_HEAD: Final = re.compile(
    r"\s*(?:http/[\d.]+\s+|http\s+|(?:http[ _-]?)?status(?:[ _-]?code)?\s*[:=]?\s*)([1-5]\d\d)\b|"
    r"\s*([1-5]\d\d)\b[\s:,-]{0,3}(?:\{|ok|created|accepted|no content|multi|partial|moved|found|not |bad|"
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
    r"^CONFLICT \(|^\[[\w./-]+ [0-9a-f]{7,}\]|\b[0-9a-f]{7,}\.\.[0-9a-f]{7,}\b|^ [*+-] \[(?:new (?:branch|tag|reference)|deleted)\]",
    re.MULTILINE,
)
_ROLLED_BACK: Final = re.compile(
    r"^\s*ROLLBACK\b|\brolled back\b|\bno changes (?:were )?made\b|\bnothing (?:was )?(?:changed|done)\b",
    re.MULTILINE | re.IGNORECASE,
)
_STATE_LINE: Final = re.compile(r"(?:^\W{0,4}|[\s(,;|.–—-])(\w{2,16})\W{0,3}[:=]\s*([^\n,;(]{1,60})", re.MULTILINE)
_VISIBLE: Final = re.compile(r"\S")
_GOES_ON: Final = re.compile(r" [\w`'\"./-]")
_HANGS_ON: Final = re.compile(r"\b(?:of|by|while|when|after|before|from|for|without|on) $", re.IGNORECASE)
_NOT_BEFORE: Final = re.compile(
    r"\b(?:once|when|until|till|as soon as|wenn|sobald|bis|quand|lorsque|une fois|dès que|cuando|una vez|quando|appena|una volta|assim que|zodra|wanneer|gdy|kiedy|když"
    r"|jakmile|когда|как только|när|så snart|når)(?: [\w']+){0,3} $",
    re.IGNORECASE,
)
"""What is told after it has yet to happen."""
_YET: Final = re.compile(r"(?: [\w']+){0,3} (?:yet|so far|until now|as of now)\b", re.IGNORECASE)
_UNDER_WAY: Final = re.compile(
    r"(?<![^\W_])(?:"
    r"(?!heating|cooling|lighting|rating|pricing|billing|saving)[a-zà-ÿ]{3,}(?:ing|ando|iendo|yendo|endo|indo)(?: (?!to |at |by |of |al? |em |in )[\w.-]+){0,3}"
    r"|(?:copied|uploaded|downloaded|written|imported|exported|synced|migrated|restored|indexed|reindexed|transferred|processed|kopiert|hochgeladen|geschrieben"
    r"|übertragen|importiert|copié|importé|transféré|copiad[oa]|importad[oa]|indexad[oa]|reindexad[oa]|copiat[oa]|importat[oa]|gekopieerd|geüpload|skopiowano|скопировано)"
    r"(?: al| zu| à| a)?)[ ,:(]{1,3}(?P<share>\d{1,2}(?:[.,]\d+)? ?%)",
    re.IGNORECASE,
)
"""What is being done, and how much of it: `draining node 5: 37%`, `copied 61 %`."""
_BROKE_OFF: Final = re.compile(r"(?<![\d.])\d{1,2}(?:[.,]\d+)? ?% ?(?:\.{2,}|…)")
"""A bar of progress that never reached its end."""
_STOPPED: Final = re.compile(
    r"(?:^|[\n;(]) ?(stopped|halted|paused|angehalten|gestoppt|abgebrochen|arrêté|interrompu|detenido|parado|fermato|interrotto|gestopt|zatrzymano|остановлено)(?:\)|: )",
    re.IGNORECASE,
)
"""What stopped by itself is not at its end."""
_ERROR_TAG: Final = re.compile(r"\s*<(?:tool_use_|tool_)?error>", re.IGNORECASE)
_ERROR_HEAD: Final = re.compile(
    r"\W{0,3}(?:\w+ )?(?:error|err|failed|failure|fatal|invalid|fehler|erreur|errore|erro)\b(?!s?\s*[:=]?\s*0\b)",
    re.IGNORECASE,
)
_UNAPPLIED: Final = re.compile(r"\W{0,3}(?:apply_)?patch verification failed\b", re.IGNORECASE)
"""What is said of a patch that was looked over before any of it was written; the file that it quotes is no word about it."""
_TIMED: Final = re.compile(r"\W{0,4}(?:\d{4}-\d\d-\d\d[T ])?\d{1,2}:\d\d\b")
_ARROW: Final = re.compile("->|=>|→|⇒")
_NUMBER: Final = re.compile(r"\b(?=[\w-]{0,20}\d)[\w-]{4,24}\b")
"""What was done goes by this from now on."""
_UNBEGUN: Final = re.compile(r"\(not (?:yet )?(?:started|begun|run|triggered)\)", re.IGNORECASE)
"""A step that is still to come, whatever the steps before it came to."""
_LEGEND: Final = re.compile(
    r"[(\[](?:\d{1,3}[ =:-]{1,3}[^\d,;()\[\]]{2,30}[,;|/] ?){2,12}\d{1,3}[ =:-]{1,3}[^\d()\[\]]{2,30}[)\]]"
)
"""What may tell what numbers stand for: `(10 received, 20 priced, 30 done)`; counts look the same: `(10 passed, 2 failed, 1 skipped)`."""
_MEANING: Final = re.compile(r"(\d{1,3})[ =:-]{1,3}([^\d,;()\[\]|/]{2,30})")
_LOG_WORDS: Final = frozenset({"running", "processing", "waiting", "awaiting", "starting"})


def read_text(part: Part, question: Question) -> ResultReading:
    """Read a result that is prose or the output of commands: exit code, error flag, HTTP status, failure lines, words."""
    text = _without_legends(part.text)
    code = _exit_code(text)
    if code is not None and code[0] is not ResultState.DONE:
        line = _failure_line(text)
        state = code[0] if code[0] is not ResultState.FAILED else error_state(line.group() if line else text[-HEAD:])
        return _failing(text, question, state, code[1], code[2], basis="exit_code")
    if part.is_error is True or _ERROR_TAG.match(text, 0, HEAD):
        return _failing(text, question, error_state(_head(text)), 0, line_end(text, 0), basis="flag")
    if unapplied := _UNAPPLIED.match(text, 0, HEAD):
        failed, end = ResultState.FAILED, line_end(text, unapplied.end())
        return ResultReading(state=failed, basis="text", reports=failed, start=unapplied.start(), end=end, fails=True)
    match = _HTTP_HEAD.match(text, 0, HEAD)
    if match is not None:
        status = int(match[1] or match[2])
        state, end = http_state(status), line_end(text, match.end())
        return ResultReading(state=state, basis="text", reports=state, start=match.start(), end=end, fails=status >= 400)
    if question.runs_commands and question.changes:
        line = _failure_line(text)
        if line is not None:
            return _failing(text, question, error_state(line.group()), line.start(), line.end(), basis="text")
    return _read_prose(text, question)


def _without_legends(text: str) -> str:
    """A text in whose head legends of numbers, which tell no state, are blank: those that explain what stands beside them (`state 10 / received`)."""
    head = text[:STATED]
    return _LEGEND.sub(lambda legend: " " * len(legend[0]) if _explains(legend) else legend[0], head) + text[STATED:]


def _explains(legend: re.Match[str]) -> bool:
    rest = legend.string[: legend.start()] + legend.string[legend.end() :]
    return any(
        re.search(rf"(?i)(?<![\d.,]){number} ?[/=:–-] ?{re.escape(word.strip())}(?!\w)", rest)
        for number, word in _MEANING.findall(legend[0])
    )


def _exit_code(text: str) -> tuple[ResultState, int, int] | None:
    """The exit code that stands at the head or the end of a result."""
    for offset, piece in ((0, text[:EDGE]), (max(0, len(text) - EDGE), text[-EDGE:])):
        lowered = piece.lower()
        match = _EXIT.search(piece) if "exit" in lowered or "code" in lowered else None
        if match is not None:
            code = next(group for group in match.groups() if group is not None)
            return exit_state(int(code)), offset + match.start(), offset + match.end()
    return None


def _failure_line(text: str) -> re.Match[str] | None:
    """The first line of the head, else of the tail, that says that something failed."""
    if len(text) <= 2 * WINDOW:
        return _FAILURE_LINE.search(text)
    return _FAILURE_LINE.search(text, 0, WINDOW) or _FAILURE_LINE.search(text, len(text) - WINDOW)


def _failing(text: str, question: Question, state: ResultState, start: int, end: int, *, basis: str) -> ResultReading:
    """A failed call: partial where its text shows progress as well, unknown where only some of its effects may have failed."""
    if question.changes and question.runs_commands and state is not ResultState.PARTIAL:
        window = text[:WINDOW] + "\n" + text[-WINDOW:] if len(text) > 2 * WINDOW else text
        if _ROLLED_BACK.search(window):
            state = ResultState.FAILED
        elif _shows_progress(window):
            state = ResultState.PARTIAL
        elif question.several:
            state = ResultState.UNKNOWN
    return ResultReading(state=state, basis=basis, reports=state, start=start, end=end, fails=True)


def _shows_progress(window: str) -> bool:
    rest = _FAILURE_LINE.sub("", window)
    return _PROGRESS.search(rest) is not None or any(saying.state is ResultState.DONE for saying in sayings(rest))


def _read_prose(text: str, question: Question) -> ResultReading:
    """Words of a short text or of the head of a long one; what a read finds in files and logs is not about any call."""
    if question.looks_at_text and _ERROR_HEAD.match(text, 0, HEAD) is None and len(text) > WORD:
        return ResultReading(state=ResultState.DONE, basis="shape")
    stated = None if question.runs_commands else _stated(text, question)
    if stated is not None:
        return stated
    head = text if len(text) <= SHORT else _head(text)
    told = [_as_meant(head, saying) for saying in sayings(head) if not _is_no_news(head, saying, question)]
    found = _still_true(head, told)
    chosen = _choose(found, _part_done(head, question))
    if chosen is None:
        return ResultReading(state=ResultState.DONE, basis="shape", start=0, end=line_end(text, 0))
    state, start = chosen
    state = in_context(state, head[start : start + 40], question)
    fails = state not in (ResultState.DONE, ResultState.PENDING) and _ERROR_HEAD.match(text, 0, HEAD) is not None
    begin = text.rfind("\n", 0, start) + 1
    return ResultReading(state=state, basis="text", reports=state, start=begin, end=line_end(text, start), fails=fails)


def _part_done(head: str, question: Question) -> tuple[int, int] | None:
    """Where a text shows that only a part was done: a share, a bar that broke off, or a word that it stopped."""
    counted = _tail_start(head) if question.runs_commands else 0
    ratio = unfinished_ratio(head[counted:])
    if ratio is not None:
        start, end = ratio[0] + counted, ratio[1] + counted
        return None if question.asked_for(head[start:end]) else (start, end)
    if not question.changes:
        return None
    bar, stop = _BROKE_OFF.search(head, counted), _STOPPED.search(head)
    if bar is not None and "100" not in head[bar.end() :]:
        return bar.span()
    share = _UNDER_WAY.search(head, counted)
    if share is not None and "100" not in head[share.end() :] and not question.asked_for(share["share"]):
        return share.span("share")
    return stop.span() if stop is not None and not question.did(stop[1].lower()) else None


def _stated(text: str, question: Question) -> ResultReading | None:
    """A line like `Status: queued` near the head, unless the call itself asked for that state."""
    for match in _STATE_LINE.finditer(text, 0, STATED):
        told = value_state(match[2]) if key_name(match[1]) in STATE_KEYS and not question.echoes(match[2].strip()) else None
        if told is not None and told[0] is ResultState.DONE and (step := _UNBEGUN.search(text, 0, STATED)):
            return ResultReading(
                state=ResultState.PENDING, basis="text", reports=ResultState.PENDING, start=step.start(), end=step.end()
            )
        if told is not None:
            return ResultReading(state=told[0], basis="key", reports=told[0], start=match.start(1), end=match.end(2))
    return None


def _tail_start(text: str) -> int:
    """Where the last two lines of a log begin: a count before them has been overtaken."""
    end = len(text.rstrip())
    last = text.rfind("\n", 0, end)
    return text.rfind("\n", 0, max(last, 0)) + 1


def _is_no_news(head: str, saying: Saying, question: Question) -> bool:
    """A word that the call itself holds, or the heading of a log (`Running formatting …`), says nothing about the outcome."""
    word = head[saying.start : saying.end].lower()
    if saying.state is not ResultState.DONE and (question.echoes(word) or question.names(word)):
        return True
    if saying.state is ResultState.PENDING and question.did(word) and _NUMBER.search(head) is not None:
        return True
    if question.runs_commands and word.endswith("ing") and _is_overtaken(head, saying):
        return True
    if word not in _LOG_WORDS:
        return False
    hangs = _HANGS_ON.search(head, max(0, saying.start - 12), saying.start) is not None
    return hangs or (question.runs_commands and _GOES_ON.match(head, saying.end) is not None)


def _as_meant(head: str, saying: Saying) -> Saying:
    """`once finished` is said while it is not, and `not accepted yet` is no refusal."""
    if saying.state in (ResultState.REJECTED, ResultState.FAILED) and _YET.match(head, saying.end) is not None:
        return msgspec.structs.replace(saying, state=ResultState.PENDING, weak=False)
    if saying.state is not ResultState.DONE or _NOT_BEFORE.search(head, max(0, saying.start - 60), saying.start) is None:
        return saying
    return msgspec.structs.replace(saying, state=ResultState.PENDING, weak=True)


def _is_overtaken(head: str, saying: Saying) -> bool:
    """Whether a word opens a line of a log that goes on after it: `Uploading …`, and then `Published …`."""
    begin, end = head.rfind("\n", 0, saying.start) + 1, head.find("\n", saying.end)
    opens = _VISIBLE.search(head, begin, saying.start) is None and end >= 0
    return opens and any(later.state is ResultState.DONE for later in sayings(head[end:]))


def _still_true(head: str, found: Sequence[Saying]) -> Sequence[Saying]:
    """Without what waited before it was done: `queued -> delivered`, or a line of a log whose last line says that it is done."""
    done = max((saying.start for saying in found if saying.state is ResultState.DONE), default=-1)
    last = head.rstrip().rfind("\n")
    if last >= 0 and done > last and all(_TIMED.match(line) for line in head.splitlines() if line.strip()):
        return [saying for saying in found if saying.state is not ResultState.PENDING or saying.start > last]
    arrows = [arrow.start() for arrow in _ARROW.finditer(head, 0, done)] if done >= 0 else []
    return [
        saying
        for saying in found
        if saying.state is not ResultState.PENDING or not any(_is_between(head, saying.end, arrow, done) for arrow in arrows)
    ]


def _is_between(head: str, start: int, arrow: int, end: int) -> bool:
    return start <= arrow < end and "\n" not in head[start:end]


def _head(text: str) -> str:
    """The first line that is not empty, at most 300 characters."""
    first = _VISIBLE.search(text)
    return text[: line_end(text, first.start())] if first is not None else ""


def _choose(found: Sequence[Saying], ratio: tuple[int, int] | None) -> tuple[ResultState, int] | None:
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
    if failing is not None and failing.weak:
        if ResultState.PENDING in by_state:
            failing = None
        elif weak is not None and weak.state is ResultState.PENDING and weak.start < failing.start:
            return ResultState.PENDING, weak.start  # `started (no completion event)` has begun
    done = by_state.get(ResultState.DONE)
    if failing is not None:
        return (ResultState.PARTIAL if done is not None and done.start < failing.start else failing.state), failing.start
    if ResultState.PENDING in by_state:
        return ResultState.PENDING, by_state[ResultState.PENDING].start
    if done is not None:
        return ResultState.DONE, done.start
    return (ResultState.PENDING, weak.start) if weak is not None else None
