"""Compactions that runtimes recorded in their own logs: found, cut out, audited."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from barrier_policy import BarrierPolicyError, Compaction, Decider, MessageKind, Source, Transcript
from barrier_policy.audit.audit import audit
from barrier_policy.audit.model import Outcome
from barrier_policy.transcript.reader import read_compactions

SHARED = Path(__file__).parents[3] / "shared" / "transcripts"
NOW = "2026-06-01T00:00:00Z"
RULE = "Never push to the main branch of billing-core."


def lines(*rows: dict[str, Any]) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


def said(row_type: str, uuid: str, content: Any, **more: Any) -> dict[str, Any]:
    """A row of a Claude Code session."""
    message = {"role": row_type, "content": content, **({"id": f"m-{uuid}"} if row_type == "assistant" else {})}
    return {"type": row_type, "uuid": uuid, "sessionId": "s", "message": message, **more}


def words(transcript: Transcript) -> list[str]:
    return [part.text for message in transcript.messages for part in message.parts]


@pytest.fixture
def found(decider: Decider) -> Callable[[bytes], list[Compaction]]:
    return lambda data: list(read_compactions(Source(data, path="run"), decider.plugins.readers))


CLAUDE_CODE = lines(
    said("user", "u1", RULE),
    said("assistant", "a1", [{"type": "text", "text": "Got it."}]),
    said("user", "u2", "And keep this one."),
    {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": "b1",
        "compactMetadata": {"preservedMessages": {"uuids": ["u2"]}},
    },
    said("user", "u3", "Summary: the user set a rule.", isCompactSummary=True),
    said("user", "u4", "A caveat.", isMeta=True),
    said("assistant", "a2", [{"type": "text", "text": "Going on."}]),
    said("user", "u5", "Thanks."),
    {"type": "system", "subtype": "compact_boundary", "uuid": "b2"},
    said("user", "u6", f"Summary: {RULE}", isCompactSummary=True),
)
CODEX = lines(
    {"type": "session_meta", "payload": {"id": "1", "cwd": "/w"}},
    {
        "type": "response_item",
        "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": RULE}]},
    },
    {
        "type": "response_item",
        "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Got it."}]},
    },
    {
        "type": "compacted",
        "payload": {
            "message": "The user set a rule.",
            "replacement_history": [
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "The user set a rule."}]}
            ],
        },
    },
    {
        "type": "response_item",
        "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go on."}]},
    },
)
PI = lines(
    {"type": "session", "id": "s", "cwd": "/w"},
    {"type": "message", "id": "e1", "message": {"role": "user", "content": [{"type": "text", "text": RULE}]}},
    {"type": "message", "id": "e2", "message": {"role": "user", "content": [{"type": "text", "text": "Keep me."}]}},
    {"type": "compaction", "id": "e3", "summary": "The user set a rule.", "firstKeptEntryId": "e2"},
    {"type": "message", "id": "e4", "message": {"role": "user", "content": [{"type": "text", "text": "Go on."}]}},
)


def test_claude_code_boundaries_give_the_live_view_before_and_after(found: Callable[..., list[Compaction]]) -> None:
    first, second = found(CLAUDE_CODE)
    assert (first.line, second.line) == (4, 9)
    assert words(first.before) == [RULE, "Got it.", "And keep this one."]
    assert words(first.after) == ["Summary: the user set a rule.", "And keep this one.", "A caveat."]
    assert first.after.messages[0].kind is MessageKind.SUMMARY
    assert words(second.before) == [*words(first.after), "Going on.", "Thanks."]
    assert words(second.after) == [f"Summary: {RULE}"]


def test_codex_compacted_rows_give_the_items_and_their_replacement(found: Callable[..., list[Compaction]]) -> None:
    (only,) = found(CODEX)
    assert only.line == 4
    assert words(only.before) == [RULE, "Got it."]
    assert words(only.after) == ["The user set a rule."]
    assert only.after.messages[0].kind is MessageKind.SUMMARY


def test_pi_compaction_entries_give_the_summary_and_what_they_keep(found: Callable[..., list[Compaction]]) -> None:
    (only,) = found(PI)
    assert only.line == 4
    assert words(only.before) == [RULE, "Keep me."]
    assert words(only.after) == ["The user set a rule.", "Keep me."]


@pytest.mark.parametrize("data", [CLAUDE_CODE, CODEX, PI], ids=["claude_code", "codex", "pi"])
def test_a_rule_that_the_summary_only_mentions_is_found(
    data: bytes, found: Callable[..., list[Compaction]], decider: Decider
) -> None:
    first = found(data)[0]
    report = audit(first.before, first.after, now=NOW, decider=decider)
    assert report.outcome is Outcome.FAIL
    assert "constraint" in {f.kind for f in report.findings if f.rule in ("audit.severed", "audit.weakened")}


def test_a_format_without_a_record_of_compactions_says_so(found: Callable[..., list[Compaction]]) -> None:
    with pytest.raises(BarrierPolicyError, match="keeps no record of compactions"):
        found(b'[{"role": "user", "content": "hello"}]')


def sessions() -> list[Path]:
    names = (
        "claude_code/cd_95adddad32_0",
        "claude_code/91_b42542f24f_0",
        "claude_code/as_small",
        "claude_code/4c_ff5845d5a2_0",
    )
    names += ("claude_code/72_0c20f08988_0", "claude_code/ed_51f6581660_0", "codex/as_codex__small")
    return [SHARED / f"{name}.jsonl" for name in names]


@pytest.mark.parametrize("path", sessions(), ids=lambda path: path.stem)
def test_the_compactions_of_real_sessions_are_audited(path: Path, decider: Decider) -> None:
    if not path.is_file():
        pytest.skip("the shared transcripts are not here")
    compactions = list(read_compactions(Source(path.read_bytes(), path=path.name), decider.plugins.readers))
    assert compactions
    for found in compactions:
        report = audit(found.before, found.after, now=NOW, decider=decider)
        text = "\n".join(words(found.after))
        gone = [f.expected for f in report.findings if f.rule == "audit.value-severed" and f.kind in ("hash", "url")]
        assert [value for value in gone if not value.endswith("…") and f" {value} " in text] == []
