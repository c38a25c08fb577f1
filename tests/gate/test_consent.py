"""No word that was said later becomes the answer to a question because what stood between them has left (design section 5, approvals)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from barrier_policy import Gate

NOW = "2026-06-01T00:00:00Z"
ASKED = [
    ("user", "What does the printer want for the cards?"),
    ("assistant", "Printo wants 714 € for 300, the price holds until 4 December. Shall I order?"),
    ("user", "how much were they last year?"),
    ("assistant", "About 640 €. " + "They had to raise their prices because of the paper, as all of them had to. " * 12),
]
TALK = [
    ("user", "tell me something about snails"),
    ("assistant", "Snails carry their house on their back and move on a foot of muscle. " * 20),
    ("user", "my tea got cold"),
    ("assistant", "Time for a new one!"),
]


def messages(turns: list[tuple[str, str]]) -> list[dict[str, Any]]:
    return [{"role": role, "content": text} for role, text in turns]


@pytest.mark.parametrize("word", ["go ahead", "yes", "ok", "sure"])
def test_a_later_word_never_answers_an_earlier_question(word: str, tmp_path: Path) -> None:
    gate = Gate(store=str(tmp_path), summarizer=lambda request: "They talked.")
    context = messages([*ASKED, *TALK])
    for _ in range(3):
        context = list(
            gate.compact(
                [*context, *messages([("user", word), ("assistant", "Good."), *TALK])], keep_last=2, now=NOW
            ).messages
        )
    text = "\n".join(str(message["content"]) for message in context)
    assert "Shall I order?" in text and f"→ {word}" not in text
