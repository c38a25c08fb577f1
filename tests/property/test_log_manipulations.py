"""Whatever is done to a single record of a log is found, and the first bad line is the one that is named (design section 9, 19)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barrier_policy import Decider
from barrier_policy.log.chain import Anchor, Line, Verification, verify_chain
from barrier_policy.log.inputs import inputs_of
from barrier_policy.log.logged import record_of
from barrier_policy.log.record import Asked, Head, Record, digest_of, read_record, seal, to_line

EXAMPLES = Path(__file__).parents[2] / "examples"
NOW = "2026-06-01T12:00:00Z"
COUNT = 12
MANIPULATIONS = 1_000

Lines = list[bytes]


@pytest.fixture(scope="module")
def records() -> list[Record]:
    """Records of one decision as it might be made again and again; twice as many as a log has."""
    decider = Decider()
    data = (EXAMPLES / "conf-write.json").read_bytes()
    found = []
    for number in range(2 * COUNT):
        asked = Asked(now=NOW, keep_last=4 + number % 3)
        analysis = decider.analyse(data, now=NOW, keep_last=asked.keep_last)
        inputs = inputs_of(decider, analysis.decision, data, asked)
        found.append(record_of(analysis, inputs, timestamp=f"2026-06-01T12:00:{number:02}Z", labels={"n": str(number)}))
    return found


def chained(records: list[Record]) -> Lines:
    head, lines = Head(), []
    for record in records:
        sealed = seal(record, head)
        head = Head(count=sealed.sequence, digest=sealed.digest)
        lines.append(to_line(sealed))
    return lines


@pytest.fixture(scope="module")
def log(records: list[Record]) -> Lines:
    return chained(records[:COUNT])


def verified(lines: Lines, anchor: Anchor | None = None) -> Verification:
    found = (Line(file="log", number=number, data=line) for number, line in enumerate(lines, start=1))
    return verify_chain(found, anchor)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths to everything that stands in a JSON value and has no parts, empty lists among them."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [leaf for name, part in parts for leaf in leaves(part, (*path, name))]
    return found or [path]


def edited(line: bytes, draw: st.DataObject) -> bytes:
    """The record with one value changed, removed or added, written as records are."""
    fields = json.loads(line)
    *path, last = draw.draw(st.sampled_from(leaves(fields)))
    parent = fields
    for name in path:
        parent = parent[name]
    how = draw.draw(st.sampled_from(["change", "remove", "add"]))
    if how == "remove":
        del parent[last]
    elif how == "add" and isinstance(parent, dict):
        parent[draw.draw(st.text("abcxyz", min_size=1)) + "_new"] = draw.draw(VALUES)
    elif how == "add":
        parent.insert(last, draw.draw(VALUES))
    else:
        old = parent[last]
        parent[last] = draw.draw(VALUES.filter(lambda value: type(value) is not type(old) or value != old))
    return msgspec.json.encode(fields, order="sorted")


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**40), 2**40),
    st.text(max_size=8).filter(lambda text: text.isprintable()),
    st.just("sha256:" + "0" * 64),
    st.just([]),
)


def rehashed(line: bytes) -> bytes:
    """The line with the digest that it should have for what it says now."""
    fields = json.loads(line)
    return msgspec.json.encode(fields | {"digest": digest_of(fields)}, order="sorted")


def edit(lines: Lines, at: int, draw: st.DataObject, records: list[Record]) -> Lines:
    return [*lines[:at], edited(lines[at], draw), *lines[at + 1 :]]


def edit_and_rehash(lines: Lines, at: int, draw: st.DataObject, records: list[Record]) -> Lines:
    changed = rehashed(edited(lines[at], draw).replace(b'"digest_new"', b'"other"'))
    return [*lines[:at], changed, *lines[at + 1 :]]


def flip(lines: Lines, at: int, draw: st.DataObject, records: list[Record]) -> Lines:
    """One byte of the line becomes another one."""
    line = bytearray(lines[at])
    place = draw.draw(st.integers(0, len(line) - 1))
    line[place] ^= draw.draw(st.integers(1, 255))
    return [*lines[:at], bytes(line), *lines[at + 1 :]]


def respace(lines: Lines, at: int, draw: st.DataObject, records: list[Record]) -> Lines:
    """The same values in other bytes."""
    fields = json.loads(lines[at])
    other = draw.draw(st.sampled_from([b" " + lines[at], lines[at] + b"\r", json.dumps(fields).encode()]))
    return [*lines[:at], other, *lines[at + 1 :]]


def swap(lines: Lines, at: int, draw: st.DataObject, records: list[Record]) -> Lines:
    other = draw.draw(st.integers(0, len(lines) - 1).filter(lambda number: number != at))
    found = list(lines)
    found[at], found[other] = found[other], found[at]
    return found


def delete(lines: Lines, at: int, draw: st.DataObject, records: list[Record]) -> Lines:
    return [*lines[:at], *lines[at + 1 :]]


def duplicate(lines: Lines, at: int, draw: st.DataObject, records: list[Record]) -> Lines:
    place = draw.draw(st.integers(0, len(lines)))
    return [*lines[:place], lines[at], *lines[place:]]


def insert(lines: Lines, at: int, draw: st.DataObject, records: list[Record]) -> Lines:
    """A record that is intact and follows the one before it."""
    before = read_record(lines[at - 1]) if at else None
    head = Head(count=before.sequence, digest=before.digest) if before else Head()
    new = to_line(seal(draw.draw(st.sampled_from(records)), head))
    return [*lines[:at], new, *lines[at:]]


def replace(lines: Lines, at: int, draw: st.DataObject, records: list[Record]) -> Lines:
    """Another decision, intact and in the place of this one; those that follow are as they were."""
    return [*insert(lines, at, draw, records[COUNT:])[: at + 1], *lines[at + 1 :]]


def cut(lines: Lines, at: int, draw: st.DataObject, records: list[Record]) -> Lines:
    return lines[:at]


def cut_within(lines: Lines, at: int, draw: st.DataObject, records: list[Record]) -> Lines:
    return [*lines[:at], lines[at][: draw.draw(st.integers(0, len(lines[at]) - 1))], *lines[at + 1 :]]


WAYS: tuple[Callable[..., Lines], ...] = (
    edit,
    edit_and_rehash,
    flip,
    respace,
    swap,
    delete,
    duplicate,
    insert,
    replace,
    cut,
    cut_within,
)


def first_difference(one: Lines, other: Lines) -> int:
    """The number of the first line that is not the same."""
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False), start=1) if a != b), min(len(one), len(other)) + 1
    )


def test_the_log_is_good_as_it_is(log: Lines) -> None:
    assert verified(log, Anchor(digest=read_record(log[-1]).digest, count=COUNT)) == Verification(
        head=Head(count=COUNT, digest=read_record(log[-1]).digest)
    )


@settings(settings.get_profile("properties"), max_examples=MANIPULATIONS)
@given(draw=st.data(), way=st.sampled_from(WAYS), at=st.integers(0, COUNT - 1))
def test_every_manipulation_of_one_record_is_found_with_an_anchor(
    log: Lines, records: list[Record], draw: st.DataObject, way: Callable[..., Lines], at: int
) -> None:
    changed = way(log, at, draw, records)
    if changed == log:
        return
    anchor = Anchor(digest=read_record(log[-1]).digest, count=COUNT)
    place = first_difference(log, changed)
    grown = changed[: len(log)] == log
    found = verified(changed, anchor)
    if grown:  # a record at the end is what logs get: it is good or bad in itself
        assert found.problem or way is insert
        return
    assert found.problem
    assert found.head.count in (place - 1, place), (found, place)


@settings(settings.get_profile("properties"), max_examples=MANIPULATIONS)
@given(draw=st.data(), way=st.sampled_from([way for way in WAYS if way is not cut]), at=st.integers(0, COUNT - 2))
def test_every_manipulation_before_the_last_record_is_found_without_one(
    log: Lines, records: list[Record], draw: st.DataObject, way: Callable[..., Lines], at: int
) -> None:
    changed = way(log, at, draw, records)
    if changed == log:
        return
    assert verified(changed).problem


def test_all_records_from_one_on_written_anew_are_found_only_with_an_anchor(log: Lines, records: list[Record]) -> None:
    forged = chained([*records[:5], records[-1], *records[6:COUNT]])
    anchor = Anchor(digest=read_record(log[7]).digest, count=8)
    assert not verified(forged).problem
    assert verified(forged, anchor).problem.startswith("log:8: record 8 is not the anchored one")
    assert "the anchor is a record with that digest" in verified(forged, Anchor(digest=anchor.digest)).problem


@pytest.mark.parametrize(
    "line", [b"", b"null", b"[]", b"{}", b'"x"', b"\xff", b"[" * 100_000, b'{"a":1e400}', b'{"sequence":1}']
)
def test_a_line_that_is_no_record_is_named(log: Lines, line: bytes) -> None:
    found = verified([*log[:2], line, *log[3:]])
    assert found.head.count == 2 and found.problem.startswith("log:3: the line is no ")


@pytest.mark.parametrize(
    ("name", "value"),
    [("sequence", 10**400), ("sequence", 3.0), ("sequence", True), ("previous", None), ("digest", "sha256:0")],
)
def test_a_record_without_a_place_is_named(log: Lines, name: str, value: Any) -> None:
    line = json.dumps(json.loads(log[2]) | {name: value}, sort_keys=True, separators=(",", ":")).encode()
    assert verified([*log[:2], line]).problem.startswith("log:3: the ")


def test_a_record_that_follows_and_has_another_number_is_named(log: Lines) -> None:
    fields = json.loads(log[2]) | {"sequence": 4}
    line = msgspec.json.encode(fields | {"digest": digest_of(fields)}, order="sorted")
    assert verified([*log[:2], line]).problem.startswith("log:3: record 4 where 3 is next")
