"""`barrier-policy carrier show`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from barrier_policy.carrier.archive import records_json
from barrier_policy.carrier.block import Entry, render_block
from barrier_policy.carrier.record import Source, make_record
from barrier_policy.provenance.file_store import FileStore
from barrier_policy.provenance.names import object_name

Runner = Callable[..., Any]
PAID = make_record(
    id="receipt:1",
    kind="receipt",
    subject="pay 418",
    items=[{"id": "effect:1.0", "tool": "pay", "state": "confirmed", "text": "pay → 418"}],
    source=Source(message=1, pointer=""),
    version=3,
)


def test_a_transcript_without_a_carrier_is_said_to_have_none(run: Runner, talk: str) -> None:
    done = run("carrier", "show", talk)
    assert (done.code, done.out) == (
        0,
        f"{talk} holds no carrier (--planned shows the records that a compaction would write)\n",
    )


def test_planned_records_are_those_of_the_decision(run: Runner, deploy: str) -> None:
    options = ("--keep-last", "0", "--now", "2026-06-01T00:00:00Z", "--no-store")
    decided = json.loads(run("decide", deploy, *options, "--format", "json").out)["carrier"]
    (planned,) = json.loads(run("carrier", "show", deploy, "--planned", *options, "--format", "json").out)["carriers"]
    assert planned["state"] == "planned"
    assert sorted(record["id"] for record in planned["records"]) == sorted(record["id"] for record in decided)


def test_records_are_shown_by_kind_with_their_tokens(run: Runner, chat: Callable[..., str]) -> None:
    text = render_block([Entry(kind="receipt", text="done: pay → 418"), Entry(kind="constraint", text="never on Fridays")])
    done = run("carrier", "show", chat(("user", text), ("user", "Hello.")))
    assert done.out.splitlines()[0] == "carrier in message 0, intact: 2 records, 9 tokens"
    assert [line.split()[:2] for line in done.out.splitlines()[3:5]] == [["constraint", "4"], ["receipt", "5"]]


def test_the_store_adds_what_the_typed_records_say(run: Runner, chat: Callable[..., str], tmp_path: Path) -> None:
    pointer = FileStore(tmp_path / "store").put(records_json((PAID,)))
    name = chat(("user", render_block([PAID], archived=pointer.uri)))
    (found,) = json.loads(run("carrier", "show", name, "--store", tmp_path / "store", "--format", "json").out)["carriers"]
    assert (found["state"], found["problem"]) == ("intact", "")
    assert found["records"][0]["version"] == 3 and found["records"][0]["fields"] == PAID.fields
    (bare,) = json.loads(run("carrier", "show", name, "--format", "json").out)["carriers"]
    assert bare["records"] == [{"kind": "receipt", "tokens": 5, "text": "done: pay → 418"}]


def test_a_store_without_the_typed_records_is_said_so(run: Runner, chat: Callable[..., str], tmp_path: Path) -> None:
    name = chat(("user", render_block([PAID], archived="store:sha256:" + "0" * 64)))
    assert "the store does not have its typed records" in run("carrier", "show", name, "--store", tmp_path / "none").out


def test_typed_records_that_are_damaged_in_the_store_are_said_to_be(
    run: Runner, chat: Callable[..., str], tmp_path: Path
) -> None:
    store = FileStore(tmp_path / "store")
    pointer = store.put(records_json((PAID,)))
    (store.root / "objects" / object_name(pointer.digest)).write_bytes(b"{}")
    name = chat(("user", render_block([PAID], archived=pointer.uri)))
    done = run("carrier", "show", name, "--store", store.root)
    assert f"its typed records {pointer.digest} are damaged in the store" in done.out.replace("\n", " ")
    (store.root / "objects" / object_name(pointer.digest)).unlink()
    other = store.put(records_json((PAID, PAID)))
    name = chat(("user", render_block([PAID], archived=other.uri)))
    assert "are not those that it shows" in run("carrier", "show", name, "--store", store.root).out.replace("\n", " ")


def test_a_changed_carrier_is_shown_and_said_to_be_changed(run: Runner, chat: Callable[..., str]) -> None:
    done = run("carrier", "show", chat(("user", render_block([PAID]).replace("418", "419"))))
    assert (done.code, done.out.splitlines()[0]) == (0, "carrier in message 0, changed: 1 records, 5 tokens")
    assert "was changed since it was written" in done.out and "done: pay → 419" in done.out


def test_an_unreadable_carrier_is_named_with_the_reason(run: Runner, chat: Callable[..., str]) -> None:
    done = run("carrier", "show", chat(("user", "<barrier-policy-carrier>\ncut")))
    assert (done.code, done.out.splitlines()[0]) == (0, "carrier in message 0, unreadable: 0 records, 0 tokens")
    assert "not a carrier of barrier_policy" in done.out


def test_json_lines_have_one_record_each(run: Runner, chat: Callable[..., str]) -> None:
    done = run("carrier", "show", chat(("user", render_block([PAID]))), "--format", "jsonl")
    assert json.loads(done.out) == {"message": 0, "kind": "receipt", "tokens": 5, "text": "done: pay → 418"}
