"""Every text that a report takes from a transcript is masked, cleaned and bounded, whichever way it is taken."""

from __future__ import annotations

import pytest

from barrier_policy.report.words import AFTER, BEFORE, Words
from barrier_policy.walk import Decider

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture(scope="module")
def words(decider: Decider) -> Words:
    idle = "The sky is blue. " * 20
    texts = (f"The token is {SECRET}.", f"{idle}Never touch prod-7781. {idle}")
    chat = [{"role": "user", "content": text} for text in texts]
    return Words(decider.analyse(chat, keep_last=0, now="2026-06-01T00:00:00Z"), {})


def test_no_way_lets_a_secret_through(words: Words) -> None:
    for shown in (
        words.line(f"x {SECRET}"),
        words.whole(f"x {SECRET}"),
        words.place(0, f"/{SECRET}").pointer,
        words.excerpt("no item", 0, "/content").after,
        words.item(f"rule:{SECRET}").id,
    ):
        assert SECRET[:20] not in shown


def test_what_stands_around_a_secret_is_shown(words: Words) -> None:
    assert words.excerpt("no item", 0, "/content").after.startswith("The token is [secret ")


def test_a_secret_is_not_parted_by_a_cut(words: Words) -> None:
    assert "ghp_" not in words.line("x" * 390 + SECRET)


def test_an_excerpt_has_the_words_and_a_little_around_them(words: Words) -> None:
    found = words.excerpt("constraint:1.0.0", 1, "/content")
    assert found.words == "Never touch prod-7781."
    assert found.before.startswith("…") and len(found.before) == BEFORE + 1
    assert found.after.endswith("…") and len(found.after) == AFTER + 1


def test_lines_stay_lines_and_are_clean(words: Words) -> None:
    assert words.whole("a\r\nb\x1b\n\u202ec") == "a\nb\\x1b\n\\u202ec"


def test_a_place_that_is_not_there_has_no_excerpt(words: Words) -> None:
    assert words.excerpt("constraint:1.0.0", 1, "/nowhere").words == ""
