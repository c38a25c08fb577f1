"""Arguments that are something else than was meant: refused with a message that shows no more of them than is needed."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from barrier_policy import BarrierPolicyError, Gate, decide, extract_facts
from barrier_policy.cli.app import app
from barrier_policy.errors import StoreError

TEXT = json.dumps([{"role": "user", "content": "my password is Tulip77Q"}] * 30)


@pytest.mark.parametrize(
    "call",
    [
        lambda: decide(TEXT, store=False),
        lambda: decide(TEXT[:90], store=False),
        lambda: decide("user: hello\nmy password is Tulip77Q", store=False),
        lambda: decide("my password is Tulip77Q", store=False),
        lambda: extract_facts(TEXT),
        lambda: Gate(store=False).audit(TEXT, TEXT),
        lambda: Gate(store=False).compact_file(TEXT, "out.json"),
        lambda: decide([], store=False, now=TEXT),
        lambda: decide([], store=False, profile=TEXT),
    ],
)
def test_a_text_in_the_place_of_a_path_is_not_shown_in_the_error(call: Callable[[], Any]) -> None:
    with pytest.raises(BarrierPolicyError) as caught:
        call()
    assert "Tulip77Q" not in str(caught.value)
    assert len(str(caught.value)) < 160


def test_the_error_for_a_transcript_as_text_says_what_to_pass() -> None:
    with pytest.raises(BarrierPolicyError, match="is no path \\(give bytes, a list of messages, or a path\\)"):
        decide(TEXT, store=False)


@pytest.mark.parametrize("store", ["", " "])
def test_a_store_without_a_name_is_refused(store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    messages = [{"role": "user", "content": "Hello."}]
    with pytest.raises(StoreError, match="says no store"):
        decide(messages, store=store)
    with pytest.raises(StoreError, match="says no store"):
        Gate(store=store)


@pytest.mark.parametrize(
    "command", [["decide", "chat.json"], ["compact", "chat.json", "-o", "out.json"], ["store", "verify"]]
)
def test_a_store_option_from_an_unset_variable_writes_nothing(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chat.json").write_text('[{"role": "user", "content": "Hello."}]', encoding="utf-8")
    done = CliRunner().invoke(app, [*command, "--store", ""])
    assert done.exit_code == 2
    assert "an empty name says no store" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["chat.json"]


@pytest.mark.parametrize(
    "now", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "0050-01-01", "1899-12-31T23:59:59Z"]
)
def test_a_time_that_nothing_can_be_counted_from_is_no_time(now: str) -> None:
    for time in (now, datetime.fromisoformat(now.replace("Z", "+00:00"))):
        with pytest.raises(BarrierPolicyError, match="is no time"):
            decide([{"role": "user", "content": "Hello."}], store=False, now=time)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no endless device")
def test_an_endless_device_is_refused_and_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("barrier_policy.transcript.source.MAX_BYTES", 1_000)
    for path in ("/dev/zero", Path("/dev/zero")):
        with pytest.raises(BarrierPolicyError, match="/dev/zero: the file has 1,001 bytes"):
            decide(path, store=False)
        with pytest.raises(BarrierPolicyError, match="/dev/zero: the file has 1,001 bytes"):
            Gate(store=False).compact_file(path, "out.json")


def test_a_path_that_is_no_file_name_is_refused() -> None:
    with pytest.raises(BarrierPolicyError, match=r"can't be read \(not a file name\)"):
        decide(Path("a\0b"), store=False)
