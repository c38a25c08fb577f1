"""Lists of words and phrases, and where a text holds one of them."""

from __future__ import annotations

from importlib.resources import files

import msgspec
import pytest
from barrier_policy_plugins.state_words import read_languages

from barrier_policy.facts.phrases import Phrases, spell_entry, words_of

LISTS = Phrases(
    (
        (["not approved", "abgelehnt"], "no"),
        (["approved", "genehmig*", "承認", "in attes* di"], "yes"),
    )
)


def found(text: str) -> list[tuple[str, str]]:
    return [(text[hit.start : hit.end], hit.value) for hit in LISTS.find(text, words_of(text, 100))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Approved.", [("Approved", "yes")]),
        ("not approved", [("not approved", "no")]),
        ("wurde genehmigt, nicht abgelehnt", [("genehmigt", "yes"), ("abgelehnt", "no")]),
        ("ordine in attesa di firma", [("in attesa di", "yes")]),
        ("部長が承認しました", [("承認", "yes")]),
        ("disapproved", []),
        ("approved_by", []),
        ("not yet (approved)", [("approved", "yes")]),
        ("", []),
    ],
)
def test_the_longest_entry_counts_at_each_place(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


def test_words_are_found_with_marks_that_people_leave_out() -> None:
    points = Phrases([(["אושר"], "yes")])
    text = "אוּשר"
    assert [hit.value for hit in points.find(text, words_of(text, 9))] == ["yes"]


def test_an_entry_of_two_lists_belongs_to_the_first() -> None:
    both = Phrases([(["open"], "first"), (["open"], "second")])
    assert [hit.value for hit in both.find("open", words_of("open", 9))] == ["first"]


def test_a_text_of_nothing_but_beginnings_is_read_in_time_linear_in_it() -> None:
    hostile = Phrases([([f"a* a* a* a* b{number}" for number in range(50)], 1)])
    text = "aaaa " * 20_000
    assert hostile.find(text, words_of(text, 20_000)) == []


def lists_of_all_languages() -> list[tuple[str, str]]:
    found = []
    for package, folder in (("barrier_policy_plugins", "result_languages"), ("barrier_policy.ledger", "dialogue")):
        lists = (file for file in (files(package) / folder).iterdir() if file.name.endswith(".json"))
        for file in sorted(lists, key=lambda file: file.name):
            for name, text in msgspec.json.decode(file.read_bytes(), type=dict[str, str]).items():
                found.append((f"{file.name} {name}", text))
    return found


@pytest.mark.parametrize(
    ("place", "text"), lists_of_all_languages(), ids=lambda value: value if len(str(value)) < 40 else ""
)
def test_every_entry_is_spelled_as_it_is_looked_up(place: str, text: str) -> None:
    wrong = [entry for entry in text.split(", ") if text and spell_entry(entry) != entry]
    assert not wrong, f"{place}: {wrong}"


def test_weak_entries_are_pending_ones() -> None:
    for language in read_languages():
        assert set(language.of("weak")) <= set(language.of("pending"))
