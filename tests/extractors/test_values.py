"""Exact values are found with their types, names and places, and words of a sentence are not."""

from __future__ import annotations

import json

import pytest
from barrier_policy_plugins import values as plugin
from hypothesis import given
from hypothesis import strategies as st

from barrier_policy import Context, Fact, Message, MessageKind, Origin, Part, PartType
from barrier_policy.facts.values import Value, scan_values

CONTEXT = Context(calls={}, tools={}, now="2026-01-01T00:00:00Z")


def _message(*parts: Part, kind: MessageKind = MessageKind.MESSAGE) -> Message:
    return Message(index=3, role="assistant", origin=Origin.AGENT, parts=parts, kind=kind)


def _facts(part: Part, kind: str = "value") -> list[Fact]:
    return [fact for fact in plugin.barrier_extract_facts(_message(part), CONTEXT) if fact.kind == kind]


def _found(text: str) -> list[tuple[str, str]]:
    return [(value.type, value.text) for value in scan_values(text)]


@pytest.mark.parametrize(
    "text, kind, value",
    [
        ("see RR-50166 please", "resource_id", "RR-50166"),
        ("order #W123 came", "resource_id", "#W123"),
        ("ticket gt-5581.", "resource_id", "gt-5581"),
        ("merged as !412 today", "resource_id", "!412"),
        ("fixed in shop-api#87", "resource_id", "shop-api#87"),
        ("id 01972f3a-7c1e-7d2b-9a54-0f3e2d1c4b5a ok", "resource_id", "01972f3a-7c1e-7d2b-9a54-0f3e2d1c4b5a"),
        ("write to ana@mail.example.test now", "resource_id", "ana@mail.example.test"),
        ("host db-2.int.example.test is up", "resource_id", "db-2.int.example.test"),
        ("bind 127.0.0.1:15432 locally", "resource_id", "127.0.0.1:15432"),
        ("flash from 0x0805C000 on", "resource_id", "0x0805C000"),
        ("agent 007 knows", "resource_id", "007"),
        ("tag notice:n4:20260503 it", "resource_id", "notice:n4:20260503"),
        ("注文A-123を確認", "resource_id", "A-123"),
        ("at commit 9f2e4d1", "hash", "9f2e4d1"),
        ("base image sha256:7a3d91c0be", "hash", "sha256:7a3d91c0be"),
        ("pin numpy==1.26.4 there", "version_pin", "numpy==1.26.4"),
        ("needs react@18.2.0", "version_pin", "react@18.2.0"),
        ("only oracledb<2.5 works", "version_pin", "oracledb<2.5"),
        ("released v1.2 today", "version_pin", "v1.2"),
        ("on 1.31.1 everywhere", "version_pin", "1.31.1"),
        ("zod 3.x until then", "version_pin", "3.x"),
        ("edit src/app/main.py first", "path", "src/app/main.py"),
        ("log is /var/log/a-1.log now", "path", "/var/log/a-1.log"),
        ("in ~/src/relay today", "path", "~/src/relay"),
        ("see .goreleaser.yaml there", "path", ".goreleaser.yaml"),
        ("off by one at queue.go:58", "path", "queue.go:58"),
        ("hit app/x.go-141- in a search", "path", "app/x.go"),
        ("open https://a.example.test/c?d=1,2 then", "url", "https://a.example.test/c?d=1,2"),
        ("clone git@git.example.test:org/repo.git now", "url", "git@git.example.test:org/repo.git"),
        ("paid 300 EUR so far", "amount", "300 EUR"),
        ("costs € 45.00 each", "amount", "€ 45.00"),
        ("that is $18.40", "amount", "$18.40"),
        ("USD 1,250.00 in all", "amount", "USD 1,250.00"),
        ("needs 12 GB of it", "quantity", "12 GB"),
        ("wait 45 days at most", "quantity", "45 days"),
        ("warte 30 Minuten", "quantity", "30 Minuten"),
        ("blocks of 64k only", "quantity", "64k"),
        ("canary at 5% first", "quantity", "5%"),
        ("port 5439 is taken", "quantity", "5439"),
        ("with 1,204,551 rows", "quantity", "1,204,551"),
        ("lot de 884 213 lignes", "quantity", "884 213"),
        ("done 4 of 10 charts", "quantity", "4 of 10"),
        ("they are 14 resources", "quantity", "14 resources"),
        ("offset stored: -11", "quantity", "-11"),
        ("due 2026-04-03 07:20", "timestamp", "2026-04-03 07:20"),
        ("at 2026-08-11T22:05:00+02:00 sharp", "timestamp", "2026-08-11T22:05:00+02:00"),
        ("by 10:30Z", "timestamp", "10:30Z"),
        ("on 3 May 2026", "timestamp", "3 May 2026"),
        ("le 3 mars 2026", "timestamp", "3 mars 2026"),
        ("invoices 5100 to 5160", "sequence", "5100 to 5160"),
        ("order b7, 0d, f4, 91 it is", "sequence", "b7, 0d, f4, 91"),
        ("first eu-1 -> us-2 -> ap-3", "sequence", "eu-1 -> us-2 -> ap-3"),
        ("columns dist_km, slope, wind_cos", "column_set", "dist_km, slope, wind_cos"),
        ("create index on ride(driver_id, started_at)", "column_set", "driver_id, started_at"),
        ("INSERT INTO orders (id, name, total) VALUES", "column_set", "id, name, total"),
        ("say `cargo test` again", "literal", "cargo test"),
        ("er sagte „keine Tiere“ dazu", "literal", "keine Tiere"),
        ("set mode=fast there", "literal", "fast"),
        ("call parseDocument there", "symbol", "parseDocument"),
        ("drop ix_ride_city then", "symbol", "ix_ride_city"),
        ("turn on ff.new_ledger", "symbol", "ff.new_ledger"),
        ("Idempotency-Key: run-7", "idempotency_key", "run-7"),
    ],
)
def test_a_value_has_its_type_and_is_taken_whole(text: str, kind: str, value: str) -> None:
    assert (kind, value) in _found(text)


@pytest.mark.parametrize(
    "text",
    [
        "12",
        "about 12",
        "the 3",
        "yes and/or no",
        "A plain sentence, with words; and nothing else.",
        "well-known read-only helper",
        "Hello there, way, please",
        "#fff",
        "#6b7280",
        "…",
        "",
    ],
)
def test_words_and_bare_short_numbers_are_no_values(text: str) -> None:
    assert _found(text) == []


@pytest.mark.parametrize(
    "text, name, value",
    [
        ("port: 22", "port", "22"),
        ("port=22", "port", "22"),
        ("row 12", "row", "12"),
        ("--block 64k", "block", "64k"),
        ("--version 4.11.3", "version", "4.11.3"),
        ('{"port":22}', "port", "22"),
        ('{"payment":"P-66"}', "payment", "P-66"),
        ("'timeout': 30", "timeout", "30"),
        ("max_age=90", "max_age", "90"),
        ("order 7301", "order", "7301"),
        ("cols: a_b, c_d", "cols", "a_b, c_d"),
        ("DATABASE_URL=postgres://db-1/x", "DATABASE_URL", "postgres://db-1/x"),
    ],
)
def test_a_value_is_named_by_its_key_option_or_word(text: str, name: str, value: str) -> None:
    assert (name, value) in [(found.name, found.text) for found in scan_values(text)]


@pytest.mark.parametrize("text, value", [("a.py:12: x", "12"), ("for 12 of them", "12")])
def test_a_line_number_and_a_number_after_a_function_word_have_no_name(text: str, value: str) -> None:
    assert value not in [found.text for found in scan_values(text)]


@pytest.mark.parametrize(
    "payload, expected",
    [
        ({"order_id": 7301}, ("resource_id", "7301", "order_id", "order_id")),
        ({"createdAt": "2026-01-02"}, ("timestamp", "2026-01-02", "createdAt", "createdAt")),
        ({"refund": {"amount": 12.5}}, ("amount", "12.5", "amount", "refund.amount")),
        ({"items": [{"sku": "K-118"}]}, ("resource_id", "K-118", "sku", "items.sku")),
        ({"state": "queued"}, ("literal", "queued", "state", "state")),
        ({"dedupe_key": "a b"}, ("literal", "a b", "dedupe_key", "dedupe_key")),
        ({"idempotencyKey": "run-1"}, ("idempotency_key", "run-1", "idempotencyKey", "idempotencyKey")),
        ({"columns": ["a", "b"]}, ("column_set", '["a", "b"]', "columns", "columns")),
        ({"ids": [3, 1, 2]}, ("sequence", "[3, 1, 2]", "ids", "ids")),
        ({"a": "caf\u00e9/x.py"}, ("path", "café/x.py", "a", "a")),
        ({"cmd": "cat src/a.py\nls b/c.py"}, ("path", "b/c.py", "", "cmd")),
        ({"port": "22"}, ("quantity", "22", "port", "port")),
        ({"variants": {"7706410293": {}}}, ("quantity", "7706410293", "variants", "variants")),
        ({"changed": {"src/app.py": 3}}, ("path", "src/app.py", "changed", "changed")),
        ({"body": json.dumps({"id": "Z-9"})}, ("resource_id", "Z-9", "id", "id")),
    ],
)
def test_leaves_of_json_are_values_under_their_keys(payload: object, expected: tuple[str, ...]) -> None:
    text = json.dumps(payload)
    found = [(value.type, value.text, value.name, value.leaf) for value in scan_values(text)]
    assert expected in found


def test_places_in_json_point_to_the_text_as_written() -> None:
    text = json.dumps({"cmd": 'echo "caf\u00e9"\ncat src/a.py'})
    (value,) = [value for value in scan_values(text) if value.text == "src/a.py"]
    assert text[value.start : value.end] == "src/a.py"


def test_a_listing_yields_ids_and_paths_but_no_plain_code_names() -> None:
    text = 'def load_rows(name): return open("data/rows.csv"), "some words", 12 things\n' * 3
    found = {value.text for value in scan_values(text, listing=True)}
    assert "data/rows.csv" in found
    assert not found & {"load_rows", "some words", "12 things"}


@given(st.text(max_size=300))
def test_every_value_of_free_text_stands_where_it_says(text: str) -> None:
    if text.lstrip()[:1] in ("{", "["):
        text = "x " + text
    assert all(text[value.start : value.end] == value.text and value.text for value in scan_values(text))


@given(
    st.recursive(
        st.text(max_size=20) | st.integers() | st.booleans() | st.none(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=8), inner),
    )
)
def test_any_json_can_be_scanned(payload: object) -> None:
    text = json.dumps(payload)
    assert all(0 <= value.start <= value.end <= len(text) for value in scan_values(text))


@pytest.mark.parametrize(
    "unit", ["a=", "a.", "1,", "a, ", "a->", '"', "`a", "/a", "x_1,", "12 of ", "[", '{"a":', "a@", "%2F", "\\"]
)
def test_hostile_repetition_does_not_blow_up(unit: str) -> None:
    values = scan_values(unit * 2_000)
    assert len(values) <= 10_000


def test_scanning_is_independent_of_what_was_scanned_before() -> None:
    first = scan_values("order 7301 and a_b, c_d")
    scan_values("7301 a_b")
    assert scan_values("order 7301 and a_b, c_d") == first


@pytest.mark.parametrize(
    "part_type, role",
    [
        (PartType.TEXT, "prose"),
        (PartType.REASONING, "prose"),
        (PartType.TOOL_CALL, "argument"),
        (PartType.TOOL_RESULT, "result"),
    ],
)
def test_the_role_of_a_fact_is_that_of_its_part(part_type: PartType, role: str) -> None:
    (fact,) = _facts(Part(type=part_type, text="RR-50166"))
    assert (fact.text, fact.get("role"), fact.get("type"), fact.message, fact.part) == (
        "RR-50166",
        role,
        "resource_id",
        3,
        0,
    )


def test_one_fact_for_each_distinct_value_and_the_named_one_wins() -> None:
    (fact,) = _facts(Part(type=PartType.TEXT, text="7301 then order 7301 then 7301"))
    assert (fact.text, fact.get("name")) == ("7301", "order")


def test_every_attribute_is_declared_and_of_its_type() -> None:
    kinds = {
        kind.name: {attribute.name: attribute.type for attribute in kind.attributes} for kind in plugin.barrier_fact_kinds()
    }
    for fact in plugin.barrier_extract_facts(
        _message(Part(type=PartType.TEXT, text="a " * 40_000 + "RR-50166 port=22")), CONTEXT
    ):
        assert {name: {str: "string", int: "int"}[type(value)] for name, value in fact.attributes.items()} == kinds[
            fact.kind
        ]


def test_a_secret_is_no_value() -> None:
    text = "user=wh_admin\npassword=hT9!vale-44-orchid\nport=5439"
    found = {fact.text for fact in _facts(Part(type=PartType.TOOL_RESULT, text=text))}
    assert "5439" in found and "wh_admin" in found
    assert not any("vale" in value or "orchid" in value for value in found)


def test_a_very_long_part_is_searched_at_both_ends_and_says_what_was_left_out() -> None:
    text = "HEAD-1 " + "x " * plugin.MAX_PART + " MID-2 " + "x " * plugin.MAX_PART + " TAIL-3"
    part = Part(type=PartType.TOOL_RESULT, text=text)
    assert [fact.text for fact in _facts(part)] == ["HEAD-1", "TAIL-3"]
    (left_out,) = _facts(part, "unscanned")
    assert left_out.get("characters") == len(text) - plugin.MAX_PART
    assert left_out.start < text.index("MID-2") < left_out.end


def test_a_part_with_too_many_values_says_so() -> None:
    text = " ".join(f"i{number}" for number in range(plugin.MAX_VALUES + 500))
    part = Part(type=PartType.TOOL_RESULT, text=text)
    assert len(_facts(part)) == plugin.MAX_VALUES
    assert len(_facts(part, "unscanned")) == 1


@pytest.mark.parametrize("kind", [MessageKind.SUMMARY, MessageKind.CARRIER])
def test_summaries_and_carriers_are_not_mined(kind: MessageKind) -> None:
    message = _message(Part(type=PartType.TEXT, text="RR-50166"), kind=kind)
    assert list(plugin.barrier_extract_facts(message, CONTEXT)) == []


def test_values_are_plain_records() -> None:
    (value,) = scan_values("RR-50166")
    assert value == Value(type="resource_id", text="RR-50166", start=0, end=8)


def test_the_end_of_a_tag_is_no_path() -> None:
    assert _found("<b>seen</b> in <a>/srv/a.py</a>") == [("path", "/srv/a.py")]
