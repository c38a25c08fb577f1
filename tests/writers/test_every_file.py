"""Every file in a format that can be written, written again: whole, and with whole spans gone."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest

from barrier_policy import Source
from barrier_policy.transcript.writer import find_mismatch


def loaded(path: Path) -> Source:
    return Source(path.read_bytes(), path=path.name)


def rows_without_parents(data: bytes) -> list[str]:
    """The lines of a session, glued ones apart, each without the link to its parent, which may be repaired."""
    rows = []
    for line in data.decode("utf-8").splitlines():
        position = 0
        while position < len(line.rstrip()):
            try:
                row, position = json.JSONDecoder().raw_decode(line, position)
            except ValueError:
                break
            rows.append(json.dumps({**row, "parentUuid": ""} if isinstance(row, dict) else row))
    return rows


def test_all_messages_kept_read_as_before(written_file: Path, kit: ModuleType) -> None:
    source = loaded(written_file)
    kit.check_written(source, kit.everything(kit.read(source)))


def test_all_messages_kept_give_the_same_bytes(written_file: Path, kit: ModuleType) -> None:
    source = loaded(written_file)
    transcript = kit.read(source)
    data = kit.write(source, kit.everything(transcript))
    if transcript.format == "claude_code":  # only what is live is written
        assert set(rows_without_parents(data)) <= {
            *rows_without_parents(source.data),
            *(
                row.replace('"dequeue"', '"remove"').replace('"enqueue"', '"remove"')
                for row in rows_without_parents(source.data)
            ),
        }
    else:
        assert data == source.data


@pytest.mark.parametrize("first", [0, 1, 2])
@pytest.mark.parametrize("keep_last", [0, 3])
def test_every_third_span_leaves_with_a_summary_in_its_place(
    written_file: Path, first: int, keep_last: int, kit: ModuleType
) -> None:
    source = loaded(written_file)
    pieces = kit.every_third_span_dropped(kit.read(source), first=first, keep_last=keep_last)
    kit.check_written(source, pieces)


def test_the_check_that_a_gate_makes_agrees(written_file: Path, kit: ModuleType) -> None:
    source = loaded(written_file)
    transcript = kit.read(source)
    pieces = kit.every_third_span_dropped(transcript)
    again = kit.read(kit.source_of(kit.write(source, pieces)), transcript.format)
    assert find_mismatch(transcript, pieces, again) == ""


def test_the_messages_of_real_sessions_as_an_anthropic_request(shared_session: Path, kit: ModuleType) -> None:
    rows = [json.loads(row) for row in rows_without_parents(shared_session.read_bytes())]
    said = [row["message"] for row in rows if isinstance(row, dict) and isinstance(row.get("message"), dict)]
    text = json.dumps({"model": "m", "system": "s", "messages": said}, indent=2, ensure_ascii=False)
    source = kit.source_of(text.encode("utf-8", "backslashreplace"))
    transcript = kit.read(source, "anthropic_messages")
    assert kit.check_written(source, kit.everything(transcript), "anthropic_messages") == source.data
    for first in range(3):
        pieces = kit.every_third_span_dropped(transcript, first=first)
        kit.check_written(source, pieces, "anthropic_messages")
