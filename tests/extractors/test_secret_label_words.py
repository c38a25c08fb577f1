"""Labels are found by their first letters: the longest word that stands there, as if all words were looked for."""

from __future__ import annotations

import re

import pytest

from barrier_policy.facts.secret_words import _ENTRIES, HEAD, Family, any_of, find_labels

WORDS = sorted(_ENTRIES)


def starts(text: str) -> set[int]:
    return {label.start for label in find_labels(text, text)}


def test_every_word_of_the_lists_is_found_as_all_that_it_speaks_of() -> None:
    for word in WORDS:
        families = {label.family for label in find_labels(f"· {word} ·", f"· {word} ·")}
        assert families == (set() if Family.OTHERS in _ENTRIES[word].families else set(_ENTRIES[word].families)), word


def test_the_longest_word_that_stands_at_a_place_is_the_one() -> None:
    whole = re.compile(any_of(WORDS))
    longer = [(word, other) for word in WORDS if len(word) < HEAD for other in WORDS if other.startswith(word + " ")]
    assert longer
    for short, long in longer:
        for text in (f"{short} qq", f"{long[:-1]}q", long):
            match = whole.match(text)
            assert match is not None
            named = Family.OTHERS not in _ENTRIES[match[0]].families
            found = {label.word_end for label in find_labels(text, text) if label.start == 0}
            assert found in ({match.end()}, set()) if named else not found, text


@pytest.mark.parametrize("text", ["securty", "the toke", "crede", ""])
def test_what_only_begins_like_a_word_is_none(text: str) -> None:
    assert not starts(text)


def test_a_word_right_after_something_that_only_begins_like_one_is_found() -> None:
    assert starts("toke token") == {5}
