"""What an answer of a summarizer has to pass before it may stand for the turns that leave.

All checks are linear in the answer and its source. None of them reads what the answer says: that is the audit's business.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

from barrier_policy.digest import stable_json
from barrier_policy.errors import SummaryError, SummaryTooLongError
from barrier_policy.gate.summary_request import SummaryRequest
from barrier_policy.transcript.builder import CARRIER_MARK, SUMMARY_MARK
from barrier_policy.transcript.model import MessageKind, PartType
from barrier_policy.transcript.tokens import Counter, estimate_tokens

COPIED = 200
"""Letters and digits of a verbatim copy that count as an echo: a copy of twice that length is always seen, a shorter one than this never."""
MAX_PER_TOKEN = 64
"""An answer with more characters than this for each token of its source is not looked at."""

_JOINERS = "\u200c\u200d"
_BETWEEN = re.compile(r"[\W_]+")
_ESCAPED_ANGLE = re.compile(r"&(?:lt|#0{0,9}60|#x0{0,9}3c);?", re.IGNORECASE)
_ANGLES = "<＜﹤‹〈⟨〈«˂ᐸ❮"


def check_summary(
    answer: str,
    request: SummaryRequest,
    *,
    count: Counter = estimate_tokens,
    holds_secret: Callable[[str], bool] | None = None,
) -> str:
    """The answer, cleaned, where it may be used.

    Raises SummaryTooLongError where the source has to stay instead, and SummaryError for what is empty, an echo of its source, or holds a
    block like the gate's own or (by `holds_secret`) a secret. No message shows the answer.
    """
    if len(answer) > MAX_PER_TOKEN * max(request.tokens, 1_000):
        raise SummaryTooLongError(f"the summary has {len(answer):,} characters, for a source of {request.tokens:,} tokens")
    text = clean(answer)
    if not any(map(str.isalnum, text)):
        raise SummaryError("the summary is empty (the summarizer has to answer with text)")
    if has_mark(text):
        raise SummaryError(
            "the summary holds a block that looks like a carrier or summary of the gate (only the gate writes them)"
        )
    if is_echo(text, request):
        raise SummaryError("the summary is an echo of its source (the summarizer has to answer in its own words)")
    if holds_secret is not None and holds_secret(text):
        raise SummaryError(
            "the summary holds a secret of the transcript (it was not told it; the summarizer must not look elsewhere)"
        )
    _check_size(count(text), request)
    return text


def _check_size(tokens: int, request: SummaryRequest) -> None:
    if tokens >= request.tokens:
        raise SummaryTooLongError(f"the summary has {tokens:,} tokens, its source {request.tokens:,} (it has to be shorter)")
    if tokens > request.max_tokens:
        raise SummaryTooLongError(f"the summary has {tokens:,} tokens, at most {request.max_tokens:,} were asked for")


def clean(text: str) -> str:
    """The text without characters that hide, reorder or control text, and without lone surrogates; line ends are line feeds."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    if text.isascii() and text.replace("\n", "").isprintable():
        return text.strip()
    return "".join(filter(_is_harmless, text)).strip()


def _is_harmless(character: str) -> bool:
    return character in "\n\t" or character in _JOINERS or unicodedata.category(character) not in ("Cc", "Cf", "Cs")


def has_mark(text: str) -> bool:
    """Whether a text holds the opening or closing tag of a carrier or summary, in any case and with anything but letters inserted."""
    kept = (character for character in _ESCAPED_ANGLE.sub("<", text) if character.isalnum() or character in _ANGLES)
    decomposed = unicodedata.normalize("NFKD", "".join(kept)).casefold()
    letters = "".join(
        "<" if character in _ANGLES else character for character in decomposed if not unicodedata.combining(character)
    )
    return any(mark.replace("-", "") in letters for mark in (CARRIER_MARK, SUMMARY_MARK))


def is_echo(text: str, request: SummaryRequest) -> bool:
    """Whether a summary is its source again. White space, punctuation and case do not count; earlier summaries may be taken over.

    It is, where it stands in its source as a whole and is half of it or `COPIED` letters long, where it stands so in the JSON of the
    request, and where more than half of it is copied in stretches of at least `COPIED` letters.
    """
    summary, source = _letters(text), _letters("\n".join(_texts(request, earlier=False)))
    if summary in source:
        return len(summary) >= COPIED or 2 * len(summary) >= len(source)
    if summary in _letters("\n".join(_texts(request, earlier=True))):
        return False
    if len(summary) >= COPIED and summary in _letters(stable_json(request.to_dict()).decode()):
        return True
    return 2 * _copied(summary, source) > len(summary)


def _copied(summary: str, source: str) -> int:
    """How many letters of a summary are copied in stretches that hold one of the blocks into which the source is cut."""
    blocks = {source[at : at + COPIED] for at in range(0, len(source) - COPIED + 1, COPIED)}
    copied = at = 0
    while at + COPIED <= len(summary):
        found = summary[at : at + COPIED] in blocks
        copied += COPIED * found
        at += COPIED if found else 1
    return copied


def _letters(text: str) -> str:
    return _BETWEEN.sub("", text).casefold()


def _texts(request: SummaryRequest, *, earlier: bool) -> Iterator[str]:
    """The texts of earlier summaries, or of all other messages."""
    for message in request.messages:
        if (message.kind is MessageKind.SUMMARY) == earlier:
            yield from (part.text for part in message.parts if part.type is not PartType.BLOB)
