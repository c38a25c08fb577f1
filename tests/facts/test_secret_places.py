"""Nothing inside a secret is a fact of another kind: no rule, no note, no value; and no output shows a piece of a private key."""

from __future__ import annotations

import base64
import json
import random
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from barrier_policy import decide, extract_facts
from barrier_policy.cli.app import app
from barrier_policy.facts.secrets import find_secrets, redact

LINE = 64


def _key(name: str, bytes_of_it: int) -> str:
    """A block that looks like a private key: the same for the same name, and the key of nothing."""
    body = base64.b64encode(random.Random(name).randbytes(bytes_of_it)).decode()
    lines = [body[place : place + LINE] for place in range(0, len(body), LINE)]
    return "\n".join([f"-----BEGIN {name}PRIVATE KEY-----", *lines, f"-----END {name}PRIVATE KEY-----"]) + "\n"


KEYS = [_key("", 1218), _key("RSA ", 1190), _key("OPENSSH ", 290), _key("EC ", 121)]


def _lines(key: str) -> list[str]:
    return [line for line in key.splitlines() if len(line) > 8 and not line.startswith("-----")]


def _messages(key: str) -> list[dict[str, object]]:
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "write", "arguments": json.dumps({"path": "k.pem", "text": key})},
    }
    return [
        {"role": "user", "content": "Please use this key for the box:\n" + key + "Never deploy on Fridays."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": key},
        {"role": "assistant", "content": "The line " + key.splitlines()[2] + " is in the file, which is done."},
        {"role": "user", "content": "Thanks."},
        {"role": "assistant", "content": "You are welcome."},
    ]


@pytest.mark.parametrize("key", KEYS)
def test_no_output_of_a_decision_shows_a_line_of_a_private_key(key: str) -> None:
    decision = decide(_messages(key), keep_last=2, store=False, excerpts=True, now="2026-06-01T12:00:00Z")
    shown = json.dumps(decision.to_dict())
    assert [line for line in _lines(key) if line in shown] == []
    assert "PRIVATE KEY-----" not in shown


@pytest.mark.parametrize("key", KEYS)
def test_no_fact_stands_inside_a_private_key_and_the_sentence_after_it_is_one(key: str) -> None:
    facts = [fact for fact in extract_facts(_messages(key), now="2026-06-01T12:00:00Z") if fact.message == 0]
    text = str(_messages(key)[0]["content"])
    start, end = text.index("-----BEGIN"), text.rindex("-----") + 5
    assert [fact for fact in facts if fact.kind != "secret" and start <= fact.start and fact.end <= end] == []
    assert any("Never deploy on Fridays" in fact.text for fact in facts)


@pytest.mark.parametrize("key", KEYS[:1])
@pytest.mark.parametrize(
    "command",
    [
        ["decide"],
        ["decide", "--format", "json", "--excerpts"],
        ["facts", "--format", "json"],
        ["facts"],
        ["ledger"],
        ["ledger", "--format", "json"],
        ["report"],
        ["explain", "0"],
        ["explain", "1"],
    ],
)
def test_no_command_shows_a_line_of_a_private_key(
    key: str, command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    file = tmp_path / "t.json"
    file.write_text(json.dumps(_messages(key)), encoding="utf-8")
    rest = [] if command[0] in ("facts", "ledger") else ["--keep-last", "2"]
    shown = CliRunner().invoke(app, [command[0], str(file), *command[1:], *rest]).stdout
    assert shown
    assert [line for line in _lines(key) if line[:24] in shown] == []


def test_a_private_key_is_masked_with_its_first_and_last_line() -> None:
    assert redact(f"a\n{KEYS[2]}b").startswith("a\n[secret private_key hmac:")
    assert redact(f"a\n{KEYS[2]}b").endswith("]\nb")


def test_a_key_whose_last_line_is_missing_ends_where_it_looks_like_none_any_more() -> None:
    cut = KEYS[0][:900] + "\nNever deploy on Fridays, and ask me before you touch the database of the customers.\n"
    assert redact(cut).endswith("Never deploy on Fridays, and ask me before you touch the database of the customers.\n")
    assert _lines(KEYS[0])[5] not in redact(cut)


def test_the_name_of_a_key_block_in_a_sentence_hides_no_sentence() -> None:
    text = (
        "Redact every -----BEGIN PRIVATE KEY----- block. Never deploy on Fridays, and ask me before you touch the database."
    )
    assert find_secrets(text) == ()


def test_a_private_key_written_in_base64_is_masked_to_its_end() -> None:
    encoded = base64.b64encode(KEYS[1].encode()).decode()
    shown = redact(f"client-key-data: {encoded}\nserver: x")
    assert shown.startswith("client-key-data: [secret ")
    assert shown.endswith("]\nserver: x")
    certificate = base64.b64encode(KEYS[1].replace("RSA PRIVATE KEY", "CERTIFICATE").encode()).decode()
    assert find_secrets(f"authority: {certificate}") == ()


def test_many_first_lines_of_keys_are_read_in_time_linear_in_the_text() -> None:
    begin = time.process_time()
    find_secrets("-----BEGIN PRIVATE KEY-----" * 8_000)
    assert time.process_time() - begin < 20
