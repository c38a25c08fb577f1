"""The index answers exactly what a search of every text would, and finds values in their escaped forms."""

from __future__ import annotations

import json
import re
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barrier_policy.facts.token_index import TokenIndex


def _index(*texts: str) -> TokenIndex:
    index = TokenIndex()
    for message, text in enumerate(texts):
        index.add(message, text)
    return index


@pytest.mark.parametrize(
    "value, text",
    [
        ("P-66", "pay P-66 now"),
        ("P-66", "P-66"),
        ("P-66", '{"payment":"P-66"}'),
        ("P-66", "payment=P-66."),
        ("7301", "curl /orders/7301/items"),
        ("src/app.py", "/home/u/src/app.py:88: x"),
        ("/etc/app", "/etc/app/conf.yaml"),
        ("session_id", "state.session_id = 1"),
        ("app/x.go", "app/x.go-141- code"),
        ("#W123", "(#W123)"),
        ("a_b, c_d", "select a_b, c_d from t"),
        ("no animations", 'he said "no animations"!'),
        ("café", "un café noir"),
        ("注文", "の注文 は"),
        ("007", "agent 007"),
        ("68", "rgb(68,88,9)"),
        ("A-123", "注文A-123を確認"),
    ],
)
def test_a_value_is_found_on_token_boundaries(value: str, text: str) -> None:
    assert _index("nothing", text).messages(value) == (1,)


@pytest.mark.parametrize(
    "value, text",
    [
        ("P-66", "P-661"),
        ("P-66", "XP-66"),
        ("P-66", "P-66-B"),
        ("66", "P-66"),
        ("v1.2", "v1.2.3"),
        ("7301", "7301.50"),
        ("1,204", "1,204,551"),
        ("551", "1,204,551"),
        ("src/app", "src/app.py"),
        ("/app.py", "src/app.py"),
        ("a_b, c_d", "a_b and c_d"),
        ("7", "007"),
        ("", "x"),
        ("...", "..."),
    ],
)
def test_a_value_is_not_found_inside_another_token(value: str, text: str) -> None:
    assert _index(text).messages(value) == ()


VALUE = 'a/b "x" é-1'


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"v": VALUE}),
        json.dumps({"v": VALUE}, ensure_ascii=False),
        json.dumps({"v": VALUE}).replace("/", "\\/"),
        json.dumps({"body": json.dumps({"v": VALUE})}),
        "https://x/?q=" + quote(VALUE, safe=""),
        "https://x/?q=" + quote(VALUE),
        json.dumps({"cmd": "run\n" + VALUE + "\tthen"}),
    ],
)
def test_a_value_is_found_in_json_and_in_a_url(text: str) -> None:
    assert _index("nothing", text).messages(VALUE) == (1,)


@pytest.mark.parametrize("width", [44, 80])
def test_a_value_broken_by_a_terminal_is_found(width: int) -> None:
    path = "/data/replay_2025/out/report_final_0814.html"
    line = "wrote the whole report for the customer, as he had asked, to " + path + " just now and stopped"
    broken = "\n".join(line[start : start + width] for start in range(0, len(line), width))
    assert path not in broken
    assert _index("first", broken).messages(path) == (1,)


def test_lines_of_different_lengths_are_not_joined() -> None:
    assert _index("x" * 50 + " RR-50\n166 and more").messages("RR-50166") == ()


def test_answers_grow_as_messages_are_added() -> None:
    index = TokenIndex()
    index.add(0, "order 7301")
    assert index.messages("7301") == (0,)
    index.add(4, "7301 again")
    index.add(4, "and 7301 once more")
    assert index.messages("7301") == (0, 4)
    index.add(9, "")
    assert index.messages("7301") == (0, 4)


def test_incremental_equals_from_scratch() -> None:
    texts = [f"message {number} has id-{number % 7} and a/b{number % 3}.py" for number in range(60)]
    growing = TokenIndex()
    for number, text in enumerate(texts):
        growing.add(number, text)
        growing.messages("id-3")
    fresh = _index(*texts)
    for value in ("id-3", "a/b2.py", "message 7", "nothing-1"):
        assert growing.messages(value) == fresh.messages(value)


def test_a_long_text_is_indexed_to_its_end() -> None:
    text = "word " * 40_000 + "LAST-1"
    assert _index(text, "x").messages("LAST-1") == (0,)
    assert _index("y" * 200_000 + " LAST-2").messages("LAST-2") == (0,)


@given(
    st.lists(st.text(alphabet="ab1-_./ ,\n", max_size=40), max_size=6), st.text(alphabet="ab1-_./", min_size=1, max_size=6)
)
def test_the_index_agrees_with_a_plain_search(texts: list[str], value: str) -> None:
    found = _index(*texts).messages(value)
    plain = {number for number, text in enumerate(texts) if value in text}
    assert set(found) <= plain
    if re.fullmatch(r"[ab1]+", value):
        apart = re.compile(rf"(?<![\w.,-]){value}(?![\w.,-])")
        assert {number for number, text in enumerate(texts) if apart.search(text)} <= set(found)
    assert list(found) == sorted(found)


def test_memory_stays_in_proportion_to_the_text() -> None:
    words = [f"tok{number:06d}" for number in range(20_000)]
    index = _index(*(" ".join(words[start : start + 100]) for start in range(0, len(words), 100)))
    assert sum(len(bucket) * bucket.itemsize for bucket in index._buckets) <= 8 * len(words)
