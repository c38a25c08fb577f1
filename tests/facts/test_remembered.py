"""What is remembered is found once, and hostile text can't fill the memory."""

from __future__ import annotations

from barrier_policy.facts.remembered import Remembered


def test_a_text_that_comes_again_is_not_looked_at_again() -> None:
    asked: list[str] = []
    lengths = Remembered(lambda text: asked.append(text) or len(text), 10)
    assert [lengths[text] for text in ("one", "three", "one")] == [3, 5, 3]
    assert asked == ["one", "three"]


def test_no_more_texts_are_remembered_than_allowed() -> None:
    lengths = Remembered(len, 3)
    assert [lengths["x" * number] for number in range(10)] == list(range(10))
    assert len(lengths) <= 3
