"""JSON text cut at its values: what is copied stays as it was written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barrier_policy.transcript.splice import (
    Item,
    children,
    find_value,
    list_text,
    new_text,
    remove_member,
    replace_items,
    replace_list,
    replace_value,
    select_items,
)

ODD = ' { "a/b" : 1e5 , "x" :[ 1.0,\t2 ,"\\ud800" ] , "x": {"y":[ ]} }\n'

values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4), st.just("\ud800")),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=2), inner, max_size=3)),
    max_leaves=8,
)
styles = st.sampled_from([{}, {"indent": 2}, {"separators": (",", ":")}, {"ensure_ascii": False}])
steady = settings(max_examples=100, deadline=None, database=None, derandomize=True)


def same(text: str, value: object) -> bool:
    return json.dumps(json.loads(text), sort_keys=True) == json.dumps(value, sort_keys=True)


def test_values_are_found_by_pointer_and_the_last_of_a_repeated_key_counts() -> None:
    def at(pointer: str) -> str | None:
        place = find_value(ODD, pointer)
        return None if place is None else ODD[place.start : place.end]

    assert at("/a~1b") == "1e5"
    assert at("/x") == '{"y":[ ]}'
    assert at("") == ODD.strip()
    assert at("/x/z") is at("/a~1b/0") is at("/x/y/0") is None


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([Item(index=0), Item(index=1), Item(index=2)], "[ 1.0,\t2 ,3 ]"),
        ([Item(index=0), Item(index=2)], "[ 1.0 ,3 ]"),
        ([Item(text="9"), Item(index=1), Item(text="8")], "[ 9,\t2,\t8 ]"),
        ([Item(index=1, text="7")], "[ 7 ]"),
        ([], "[]"),
    ],
)
def test_elements_keep_what_stands_between_them(items: list[Item], expected: str) -> None:
    assert replace_items("[ 1.0,\t2 ,3 ]", "", items) == expected


def test_an_empty_list_and_a_list_of_one_can_grow() -> None:
    assert replace_items("[ ]", "", [Item(text="1"), Item(text="2")]) == "[1,2]"
    assert replace_items("[\n  1\n]", "", [Item(index=0), Item(text="2")]) == "[\n  1,\n  2\n]"


def test_a_member_leaves_with_its_comma() -> None:
    text = '{"a": 1, "b": 2, "c": 3}'
    assert [remove_member(text, f"/{key}") for key in "abcd"] == [
        '{"b": 2, "c": 3}', '{"a": 1, "c": 3}', '{"a": 1, "b": 2}', text,
    ]  # fmt: skip


def test_a_list_as_json_text_is_found_and_put_back_as_text() -> None:
    text = json.dumps({"m": json.dumps([1, "é"], ensure_ascii=False), "n": "no list"}, ensure_ascii=False)
    assert list_text(text, "/m") == '[1, "é"]'
    assert list_text(text, "/n") is None
    assert replace_list(text, "/m", '["é"]') == '{"m": "[\\"é\\"]", "n": "no list"}'


def test_a_new_value_looks_like_its_neighbours() -> None:
    value = {"a": "é\ud800", "b": [1]}
    assert new_text(value, like='{"x":1}') == '{"a":"é\\ud800","b":[1]}'
    assert new_text(value, like='{"x": 1}') == '{"a": "é\\ud800", "b": [1]}'
    assert new_text({"a": 1}, like='{\n\t\t"x": 1\n\t}', base="\t") == '{\n\t\t"a": 1\n\t}'


@steady
@given(st.lists(values, max_size=5), styles, st.data())
def test_any_selection_of_elements_decodes_to_that_selection(items: list[object], style: dict, data: st.DataObject) -> None:  # type: ignore[type-arg]
    text = json.dumps({"before": items, "list": items}, **style)
    chosen = data.draw(st.sets(st.integers(0, len(items) - 1))) if items else set()
    assert same(select_items(text, "/list", chosen), {"before": items, "list": [items[index] for index in sorted(chosen)]})
    assert select_items(text, "/list", range(len(items))) == text


@steady
@given(st.dictionaries(st.text(max_size=2), values, max_size=4), styles)
def test_any_member_can_be_found_replaced_and_removed(members: dict[str, object], style: dict) -> None:  # type: ignore[type-arg]
    text = json.dumps(members, **style)
    assert [child.key for child in children(text, 0)] == list(members)
    for key in members:
        pointer = "/" + key.replace("~", "~0").replace("/", "~1")
        assert same(replace_value(text, pointer, "[0]"), {**members, key: [0]})
        assert same(remove_member(text, pointer), {other: value for other, value in members.items() if other != key})
