"""Edits of one file are one receipt with the last state, as long as nothing is lost with the earlier ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from barrier_policy import Compaction, Decider, Gate
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


def compacted(store: Path, messages: Messages) -> Compaction:
    """The edits of some messages after a compaction, with talk behind them."""
    talk = (
        ("assistant", "Done. " * 200),
        ("user", "Thanks."),
        ("assistant", "You are welcome."),
        ("user", "Bye."),
    )
    followed = [*messages, *({"role": role, "content": text} for role, text in talk)]
    return Gate(store=store, summarizer=lambda request: "It was done.").compact(followed, keep_last=2, now=NOW)


def receipts(store: Path, name: str, edits: list[dict[str, Any]]) -> list[str]:
    messages: Messages = [{"role": "user", "content": "Raise it step by step."}]
    for number, arguments in enumerate(edits):
        messages += tool(number, name, arguments, "The file has been updated.")
    done = compacted(store, messages)
    return [entry.text for entry in parse_block(done.carrier.text).entries if entry.kind == "receipt"]


def whole(number: int) -> dict[str, Any]:
    return {"path": FILE, "content": f"x = {number}\n" * 3}


def short(number: int) -> dict[str, Any]:
    return {"file_path": FILE, "old_string": f"x = {number}", "new_string": f"x = {number + 1}"}


def old_and_new(*names: str) -> Callable[[int], dict[str, Any]]:
    """An edit with the new value, by the names of its arguments: file, old text, new text."""
    return lambda number: dict(zip(names, (FILE, f"x = {number}", f"x = {number + 1}"), strict=True))


def listed(number: int) -> dict[str, Any]:
    return {"path": FILE, "edits": [{"oldText": f"x = {number}", "newText": f"x = {number + 1}"}]}


@pytest.mark.parametrize(
    ("name", "edit"),
    [
        ("write_file", whole),
        ("Edit", short),
        ("edit", old_and_new("path", "oldText", "newText")),
        ("edit", old_and_new("filePath", "oldString", "newString")),
        ("edit_file", old_and_new("path", "old", "new")),
        ("edit_file", listed),
        ("MultiEdit", listed),
    ],
)
def test_forty_edits_of_one_file_are_one_receipt_with_the_last_state(
    tmp_path: Path, name: str, edit: Callable[[int], dict[str, Any]]
) -> None:
    (line,) = receipts(tmp_path, name, [edit(number) for number in range(40)])
    assert "x = 39" in line or "x = 40" in line


def places(number: int) -> dict[str, Any]:
    return {"file_path": FILE, "old_string": f"key_{number} = 1", "new_string": f"key_{number} = 2"}


def test_forty_short_edits_of_different_places_are_one_receipt_that_counts_them(tmp_path: Path) -> None:
    (line,) = receipts(tmp_path, "Edit", [*(places(number) for number in range(39)), whole_text("y = 0", 39)])
    assert "the last of 40 edits of this file" in line
    assert "key_38 = 2" in line


def test_the_receipt_of_the_last_edit_says_what_the_short_ones_before_wrote(tmp_path: Path) -> None:
    (line,) = receipts(tmp_path, "Edit", [places(1), places(2), whole_text("…", 3)])
    assert "key_1 = 2" in line and "key_2 = 2" in line


def test_what_a_later_edit_replaced_is_not_told(tmp_path: Path) -> None:
    (line,) = receipts(tmp_path, "Edit", [short(1), places(7), short(2)])
    assert "key_7 = 2" in line
    assert "earlier ones wrote: key_7 = 2)" in line


def whole_text(old: str, number: int) -> dict[str, Any]:
    return {"file_path": FILE, "old_string": old, "new_string": f"y = {number}\n" * 200}


def test_a_failed_edit_is_not_counted(tmp_path: Path) -> None:
    messages: Messages = [{"role": "user", "content": "Raise it."}]
    for number, answer in enumerate(["The file has been updated.", "Error: string to replace not found in file."] * 2):
        messages += tool(number, "Edit", places(number), answer)
    lines = [
        item.text for item in Decider().analyse(messages, keep_last=0, now=NOW).join.ledger.items if item.family == "effect"
    ]
    assert sum("the last of 2 edits of this file" in line for line in lines) == 1


def test_what_is_no_file_keeps_every_receipt(tmp_path: Path) -> None:
    moves = [{"account": "A-7", "from": f"pot {number}", "to": f"pot {number + 1}"} for number in range(3)]
    assert len(receipts(tmp_path, "transfer", moves)) == 3


def test_what_edits_took_out_is_no_value_that_holds(tmp_path: Path) -> None:
    messages: Messages = [{"role": "user", "content": "Raise it step by step."}]
    for number in range(3):
        messages += tool(number, "Edit", places(number), "The file has been updated.")
    ledger = Decider().analyse(messages, keep_last=0, now=NOW).join.ledger
    values = {item.text for item in ledger.items if item.family == "binding"}
    assert "key_1 = 2" in values
    assert "key_1 = 1" not in values


def values_after(store: Path, answers: list[str]) -> str:
    """The carrier after a file was written as a whole once for each answer, with other numbers each time."""
    messages: Messages = [{"role": "user", "content": "Tune the config until the test passes."}]
    for number, answer in enumerate(answers):
        content = f"workers: {100 + number}\ntimeout: {30 + number}s\n"
        messages += tool(number, "write_file", {"path": FILE, "content": content}, answer)
    done = compacted(store, messages)
    return json.dumps([message["content"] or message.get("tool_calls") for message in done.messages])


def test_what_a_file_no_longer_holds_is_shown_as_no_value(tmp_path: Path) -> None:
    text = values_after(tmp_path, ["wrote it"] * 40)
    assert "139" in text and "69s" in text
    assert "138" not in text and "68s" not in text


def test_a_write_that_failed_has_overwritten_nothing(tmp_path: Path) -> None:
    text = values_after(tmp_path, ["wrote it", "error: disk full, nothing was written"])
    assert "100" in text and "30s" in text
