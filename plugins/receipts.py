"""The short verbatim pieces of a result that are worth keeping, and the handles by which later turns speak of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from barrier_policy_plugins.effect_classes import first_distinct
from barrier_policy_plugins.result_json import JOB_KEYS, STATE_KEYS, key_name

SHORT: Final = 200
MAX_PIECES: Final = 12
MAX_PAIRS: Final = 400
MAX_OWN: Final = 6
ENOUGH: Final = 2
"""Ids of a record itself from which on those inside it say little of the outcome."""
MAX_LENGTH: Final = 160
MAX_TOTAL: Final = 700
MAX_HANDLES: Final = 24
WINDOW: Final = 12_000
HANDLE_WINDOW: Final = 4_000

_PAIR: Final = re.compile(
    r'"(?P<key>[^"\\\n]{1,60})"\s*:\s*(?P<value>"(?:[^"\\]|\\.){0,200}"|-?\d[\d.eE+-]{0,30}|true|false)'
)
_HANDLE_WORDS: Final = (
    "id|ids|iid|uuid|guid|no|nr|number|ref|reference|sha|commit|etag|pid|key|ticket|job|task|order|session|run|build|handle|invite|invoice|"
    "booking|reservation|transaction|payment|message|bid|quote|draft|event|batch|campaign|release|snapshot|tracking|confirmation|receipt|"
    "operation|request|execution|agent|helper|crawl|entry|change|undo|as|seq"
)
_HANDLE_KEY: Final = re.compile(rf"(?:^|_)(?:{_HANDLE_WORDS})$")
_ID_KEY: Final = re.compile(
    rf"(?:^|_)(?:{_HANDLE_WORDS}|num|hash|digest|url|uri|link|href|code|name|path|file|version|rev|revision|tag|branch|slug|serial|count|total|"
    r"amount|currency|at|date|time|timestamp|until|expires|offset|offsets|cursor)$"
)
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_AMOUNT_KEY: Final = re.compile(r"(?:^|_)(?:amount|total|count|currency)$")
_PERSON: Final = re.compile(r"(?:^|_)(?:first|last|middle|given|family|display)_name$")
_TOO_MANY: Final = frozenset({
    "node_id", "gravatar_id", "avatar_url", "html_url_template", "_links", "followers_url", "following_url", "gists_url", "starred_url",
    "subscriptions_url", "organizations_url", "repos_url", "events_url", "received_events_url",
})  # fmt: skip
_DECISIVE: Final = re.compile(
    r"\b[0-9a-f]{7,64}\b|\b[A-Za-z]{1,12}[-_#]\d[\w-]*|#\d+|https?://\S+|\b\d[\d.,]*\s+(?:files?|rows?|records?|items?|entries|lines?|passed|failed|"
    r"errors?|changed|replacements?|insertions?|deletions?|of|objects?|packages?|messages?)\b|"
    r"\b(?:INSERT|UPDATE|DELETE|COPY|CREATE|ALTER|DROP)\b|->|→|\b(?:error|fatal|failed|denied|rejected|refused|timeout|timed out|conflict)\b|"
    r"\b(?:created|updated|deleted|removed|sent|written|wrote|saved|stored|installed|applied|deployed|published|pushed|merged|moved|copied|"
    r"started|queued|pending|scheduled|completed|finished|succeeded|successfully|done|exit|total|version)\b",
    re.IGNORECASE,
)
_LISTED: Final = re.compile(r"\s*\d+\s?[\t→│|]")  # a numbered line of a listing (`cat -n`) shows a file, not an outcome
_LABELLED: Final = re.compile(
    r"\b(?:job|task|ticket|session|run|order|id|ref|reference|pid|process|handle|build|batch|agent|agentid|request|transaction|booking|invoice|"
    r"message|campaign|change set|pull request|pr|issue|commit|auftrag|vorgang|nummer|pedido|commande|ordine|bestelling|zlecenie|заказ|задача)\b"
    r"\s{0,2}(?:id|nr|no|number|nummer)?\.?\s{0,2}[:#=]?\s{0,2}(?P<value>[A-Za-z0-9][\w./:-]{0,60}[A-Za-z0-9]|\d)",
    re.IGNORECASE,
)
_SHAPED: Final = re.compile(
    r"(?<![\w./-])(?P<value>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[A-Za-z]{1,12}[-_]\d[\w-]{0,40}|[A-Za-z]{1,6}\d{3,12}|"
    r"#[A-Z]?\d{1,12}|<[^<>\s@]{3,60}@[^<>\s]{3,60}>|[0-9a-f]{7,40}(?=[^\w-]|$))(?![\w/-])"
)


def receipt_pieces(text: str) -> tuple[str, ...]:
    """Verbatim pieces: a short result whole, of JSON the id- and status-like pairs, of long text the decisive lines."""
    stripped = text.strip()
    if not stripped:
        return ()
    if len(stripped) <= SHORT:
        return (stripped,)
    pairs = _pair_pieces(stripped) if stripped[:1] in "{[" else ()
    return pairs or _within(_decisive_lines(stripped))


def _pair_pieces(text: str) -> tuple[str, ...]:
    """States and amounts wherever they stand; ids of the record itself, and those inside it only where it has hardly any."""
    states, others = [], []
    for match, depth in islice(_pairs_with_depth(text), MAX_PAIRS):
        key = _CAMEL.sub("_", match["key"]).lower()
        if key in _TOO_MANY or _PERSON.search(key) or len(match.group()) > MAX_LENGTH:
            continue
        if key_name(key) in STATE_KEYS or match["value"] in ("true", "false"):
            states.append((match.start(), match.group()))
        elif _ID_KEY.search(key) or key_name(key) in JOB_KEYS:
            others.append((match.start(), match.group(), 0 if _AMOUNT_KEY.search(key) else depth))
    own = min((depth for *_, depth in others if depth), default=0)
    outer = [piece for piece in others if piece[2] <= own]
    is_record = text.startswith("{") and sum(piece[2] == own for piece in outer) >= ENOUGH
    ids = outer[:MAX_OWN] if is_record else others[:MAX_PIECES]
    chosen = sorted([*states[: MAX_PIECES // 2], *((start, piece) for start, piece, _ in ids)])
    return _within(piece for _, piece in chosen)


def _pairs_with_depth(text: str) -> Iterator[tuple[re.Match[str], int]]:
    """The pairs of keys and scalars, and in how many brackets each stands."""
    depth = end = 0
    for match in _PAIR.finditer(text, 0, WINDOW):
        between = _STRING.sub("", text[end : match.start()])
        depth += sum(map(between.count, "{[")) - sum(map(between.count, "}]"))
        end = match.end()
        yield match, depth


def _decisive_lines(text: str) -> Iterator[str]:
    """Of the head and the tail: the first line, lines with ids, hashes, counts or states, and the last line."""
    window = text if len(text) <= 2 * WINDOW else f"{text[:WINDOW]}\n{text[-WINDOW:]}"
    lines = window.split("\n")
    plain = [line.strip() for line in lines if line.strip() and not _LISTED.match(line)] or [text[:MAX_LENGTH]]
    chosen = [line for line in plain if len(line) <= 2 * MAX_LENGTH and _DECISIVE.search(line)]
    half = MAX_PIECES // 2
    yield from (plain[0][:MAX_LENGTH], *chosen[:half], *chosen[half:][-half:], plain[-1][:MAX_LENGTH])


def _within(pieces: Iterable[str]) -> tuple[str, ...]:
    """Distinct pieces, at most twelve and 700 characters of them."""
    kept: list[str] = []
    room = MAX_TOTAL
    for piece in first_distinct((piece[:MAX_LENGTH] for piece in pieces), MAX_PIECES):
        room -= len(piece)
        if room < 0:
            break
        kept.append(piece)
    return tuple(kept)


def find_handles(text: str, *, reads: bool) -> tuple[str, ...]:
    """Ids of jobs, tasks, messages and effects that a result names; of a read only where it is short or structured."""
    stripped = text.strip()
    if stripped[:1] in ("{", "["):
        return first_distinct(_pair_handles(stripped[: HANDLE_WINDOW // (4 if reads else 1)]), MAX_HANDLES)
    if reads and len(stripped) > 2 * SHORT:
        return ()
    head = stripped[:HANDLE_WINDOW]
    labelled = (match["value"] for match in _LABELLED.finditer(head) if any(letter.isdigit() for letter in match["value"]))
    shaped = (match["value"] for match in _SHAPED.finditer(head) if any(letter.isdigit() for letter in match["value"]))
    return first_distinct((*labelled, *shaped), MAX_HANDLES)


def _pair_handles(text: str) -> Iterator[str]:
    for match in islice(_PAIR.finditer(text), 200):
        key = _CAMEL.sub("_", match["key"]).lower()
        value = match["value"].strip('"')
        if not _HANDLE_KEY.search(key) and key_name(key) not in JOB_KEYS:
            continue
        if 0 < len(value) <= 80 and (any(letter.isdigit() for letter in value) or "-" in value):
            yield value
            label, space, rest = value.partition(" ")
            if space and label.isalpha() and " " not in rest and any(letter.isdigit() for letter in rest):
                yield rest
