"""Edits of one file are one receipt with the last state, as long as nothing is lost with the earlier ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from barrier_policy import Gate
from barrier_policy.carrier.block import parse_block

Messages = list[dict[str, Any]]
NOW = "2026-06-01T00:00:00Z"
FILE = "/srv/app/config.py"


def tool(number: int, name: str, arguments: dict[str, Any], answer: str) -> Messages:
    call = {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": answer},
    ]


def receipts(store: Path, name: str, edits: list[dict[str, Any]]) -> list[str]:
    messages: Messages = [{"role": "user", "content": "Raise it step by step."}]
    for number, arguments in enumerate(edits):
        messages += tool(number, name, arguments, "The file has been updated.")
    for role, text in (
        ("assistant", "Done. " * 200),
        ("user", "Thanks."),
        ("assistant", "You are welcome."),
        ("user", "Bye."),
    ):
        messages.append({"role": role, "content": text})
    done = Gate(store=store, summarizer=lambda request: "It was raised.").compact(messages, keep_last=2, now=NOW)
    return [entry.text for entry in parse_block(done.carrier.text).entries if entry.kind == "receipt"]


def whole(number: int) -> dict[str, Any]:
    return {"path": FILE, "content": f"x = {number}\n" * 3}


def short(number: int) -> dict[str, Any]:
    return {"file_path": FILE, "old_string": f"x = {number}", "new_string": f"x = {number + 1}"}


@pytest.mark.parametrize(
    ("name", "edit"), [("write_file", whole), ("Edit", short)], ids=["the whole file", "what the last one wrote"]
)
def test_forty_edits_of_one_file_are_one_receipt_with_the_last_state(
    tmp_path: Path, name: str, edit: Callable[[int], dict[str, Any]]
) -> None:
    (line,) = receipts(tmp_path, name, [edit(number) for number in range(40)])
    assert "x = 39" in line or "x = 40" in line


def test_short_edits_of_other_places_keep_their_receipts(tmp_path: Path) -> None:
    edits = [{"file_path": FILE, "old_string": f"{key} = 1", "new_string": f"{key} = 2"} for key in ("x", "y", "z")]
    assert len(receipts(tmp_path, "Edit", edits)) == 3


def test_what_is_no_file_keeps_every_receipt(tmp_path: Path) -> None:
    moves = [{"account": "A-7", "from": f"pot {number}", "to": f"pot {number + 1}"} for number in range(3)]
    assert len(receipts(tmp_path, "transfer", moves)) == 3
