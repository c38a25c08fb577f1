"""One record of the log: what was decided, from what, by what, as one line of canonical JSON (RFC 8785), chained to the one before.

Names are those of OPA's decision log. INVARIANT: no text of the transcript and no secret is in a record, only digests, places, lengths
and counts; explanations too only where a team asked for them, masked.
"""

from __future__ import annotations

from typing import Any

import msgspec

from barrier_policy.decision.model import PluginVersion, Totals
from barrier_policy.digest import DIGEST, SAFE_INTEGER, digest_bytes, stable_json
from barrier_policy.errors import LogError

SCHEMA = "barrier_policy/log/v1"
GENESIS = "sha256:" + "0" * 64
"""What the first record names as the one before it."""


class Fingerprint(msgspec.Struct, frozen=True, kw_only=True):
    """What is said of bytes or of a text in UTF-8 without saying them: digest, and length in bytes."""

    digest: str
    length: int


def fingerprint_of(data: bytes) -> Fingerprint:
    """Digest and length of bytes."""
    return Fingerprint(digest=digest_bytes(data), length=len(data))


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """The policies in force, as the decision names them."""

    name: str
    digest: str


class TranscriptInput(msgspec.Struct, frozen=True, kw_only=True):
    """The bytes that were decided about; `digest` is the decision's `transcript.digest`."""

    digest: str
    length: int
    format: str
    messages: int
    turns: int


class PackageInput(msgspec.Struct, frozen=True, kw_only=True):
    """The code that decided: version of this package, and digest of its modules and data."""

    version: str
    digest: str


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What the caller of a decision asked for; None means what the profile says. `now` is ISO 8601, `ranges` message indices."""

    now: str
    keep_last: int | None = None
    target_tokens: int | None = None
    ranges: tuple[tuple[int, int], ...] = ()


class Inputs(msgspec.Struct, frozen=True, kw_only=True):
    """What the decision was derived from.

    `archive` is the digest of the object in the store that names all of it (`ArchivedInputs`), "" where nothing was archived. `policies` is
    the digest of the policy files, `profile` that of the settings which decide.
    """

    archive: str
    asked: Asked
    transcript: TranscriptInput
    policies: str
    profile: str
    engine: str
    plugins: tuple[PluginVersion, ...]
    package: PackageInput


class LoggedRule(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A rule that made a verdict. `evidence` are ids of items: they say where, in message and part, never what. `text` see `include_text`."""

    rule: str
    version: str
    effect: str
    severity: str
    explanation: Fingerprint
    evidence: tuple[str, ...]
    text: str = ""


class LoggedSpan(msgspec.Struct, frozen=True, kw_only=True):
    """What may happen to one span. `errors` are rules that could not be evaluated."""

    id: str
    messages: tuple[int, int]
    tokens: int
    digest: str
    verdict: str
    action: str
    rules: tuple[LoggedRule, ...]
    errors: tuple[str, ...]


class LoggedCarrier(msgspec.Struct, frozen=True, kw_only=True):
    """A carrier record that the planned repairs would write."""

    id: str
    kind: str
    digest: str


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What was decided. `decision` is the fingerprint of the decision's bytes, as `Decision.to_json` gives them."""

    outcome: str
    decision: Fingerprint
    tail: int
    spans: tuple[LoggedSpan, ...]
    carrier: tuple[LoggedCarrier, ...]
    blocking: int
    totals: Totals


class Metrics(msgspec.Struct, frozen=True, kw_only=True):
    """`timers_us` are microseconds by stage, as the caller took them; `counts` are spans by action, reasons and errors."""

    timers_us: dict[str, int]
    counts: dict[str, int]


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One decision. `erased` and `masked` are JSON pointers: what was left out, and where a secret was put out of sight.

    `sequence` counts from 1. `previous` is the digest of the record before, `digest` that of this record without `digest`. The three are
    the log's to give; before that they are empty.
    """

    decision_id: str
    timestamp: str
    labels: dict[str, str]
    bundle: Bundle
    inputs: Inputs
    result: Result
    metrics: Metrics
    erased: tuple[str, ...]
    masked: tuple[str, ...]
    schema: str = SCHEMA
    sequence: int = 0
    previous: str = ""
    digest: str = ""


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a log: how many records it has, and the digest of the last one. Kept elsewhere, it is an anchor."""

    count: int = 0
    digest: str = GENESIS

    def __str__(self) -> str:
        return f"{self.count}:{self.digest}"


def seal(record: Record, head: Head) -> Record:
    """The record that follows a head."""
    placed = msgspec.structs.replace(record, sequence=head.count + 1, previous=head.digest, digest="")
    return msgspec.structs.replace(placed, digest=digest_of(msgspec.to_builtins(placed)))


def digest_of(fields: dict[str, Any]) -> str:
    """The digest of a record, given as builtins: of its canonical JSON without `digest`."""
    return digest_bytes(stable_json({name: value for name, value in fields.items() if name != "digest"}))


def to_line(record: Record) -> bytes:
    """The record as canonical JSON, without a line feed. Equal to RFC 8785, because it has no floats and its keys are ASCII."""
    return stable_json(record)


def read_record(line: bytes) -> Record:
    """A record from its line. Raises LogError with what is wrong; the chain is not checked here."""
    try:
        return msgspec.json.decode(line, type=Record)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise LogError(f"the line is no record ({str(error).splitlines()[0].lower()})") from None


def says_more(line: bytes, record: Record) -> bool:
    """Whether a line says something that the record which was read from it does not, as one of a later version may."""
    written = to_line(record)
    return line != written and not _is_part(msgspec.json.decode(line), msgspec.json.decode(written))


def _is_part(one: Any, whole: Any) -> bool:
    if isinstance(one, dict) and isinstance(whole, dict):
        return all(name in whole and _is_part(value, whole[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(whole, list):
        return len(one) == len(whole) and all(map(_is_part, one, whole))
    return bool(one == whole)


def head_of(line: bytes) -> Head:
    """The head of a log that ends with this line. Raises LogError where it is no intact record."""
    fields = intact_fields(line)
    return Head(count=fields["sequence"], digest=fields["digest"])


def intact_fields(line: bytes) -> dict[str, Any]:
    """The fields of a line that is canonical and has the digest of what it says. Raises LogError else."""
    try:
        fields = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise LogError("the line is no JSON") from None
    if not isinstance(fields, dict) or fields.get("schema") != SCHEMA:
        raise LogError(f"the line is no record of a decision log (`schema` must be `{SCHEMA}`)")
    if (
        not _is_place(fields.get("sequence"))
        or not _is_digest(fields.get("previous"))
        or not _is_digest(fields.get("digest"))
    ):
        raise LogError("the record has no place in a chain (`sequence`, `previous` or `digest` is missing or malformed)")
    if _canonical(fields) != line:
        raise LogError("the record is not written as it was (its JSON is not canonical)")
    if digest_of(fields) != fields["digest"]:
        raise LogError("the record was changed (it does not have the digest that it names)")
    return fields


def _canonical(fields: dict[str, Any]) -> bytes:
    try:
        return stable_json(fields)
    except (OverflowError, ValueError, RecursionError):  # numbers that no record of ours has
        return b""


def _is_place(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= SAFE_INTEGER


def _is_digest(value: Any) -> bool:
    return isinstance(value, str) and DIGEST.fullmatch(value) is not None
