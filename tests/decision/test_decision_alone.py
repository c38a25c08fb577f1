"""`Decider.decide` gives the decision alone: the one of `analyse`, in less memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from barrier_policy import Decider
from barrier_policy.provenance.file_store import FileStore
from barrier_policy.provenance.store import original_bytes

NOW = "2026-06-01T12:00:00Z"
MESSAGES = [
    message
    for number in range(150)
    for message in (
        {
            "role": "user",
            "content": f"Never deploy service-{number} before build {4000 + number} is signed off. What is its state?",
        },
        {
            "role": "assistant",
            "content": f"service-{number} runs version 2.{number}.0 on host-{number}.example.org, all is green.",
        },
    )
]


@pytest.fixture(scope="module")
def decider() -> Decider:
    return Decider()


@pytest.mark.parametrize("target_tokens", [None, 1, 6_000])
@pytest.mark.parametrize("stored", [True, False])
def test_a_decision_alone_is_that_of_the_analysis(
    decider: Decider, tmp_path: Path, target_tokens: int | None, stored: bool
) -> None:
    store = FileStore(tmp_path) if stored else None
    alone = decider.decide(MESSAGES[:60], target_tokens=target_tokens, keep_last=4, now=NOW, store=store)
    analysis = decider.analyse(MESSAGES[:60], target_tokens=target_tokens, keep_last=4, now=NOW, store=store)
    assert alone.to_json() == analysis.decision.to_json()


def test_it_is_with_originals_that_are_archived_and_parts_that_nobody_knows(decider: Decider, tmp_path: Path) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "get_limit", "arguments": '{"of": "cart-771"}'}}
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": '{"id": "cart-771", "limit": 30}'},
        {"role": "user", "content": [{"type": "unheard_of"}, {"type": "text", "text": "Never touch cart-771 again."}]},
        *MESSAGES[:10],
    ]
    store = FileStore(tmp_path)
    store.put(original_bytes(decider.read(messages).messages[0:2]))
    alone = decider.decide(messages, keep_last=4, now=NOW, store=store)
    assert alone.spans[0].provenance.retrievable
    assert alone.to_json() == decider.analyse(messages, keep_last=4, now=NOW, store=store).decision.to_json()


def test_the_transcript_and_its_ledger_are_let_go_before_the_decision_is_written(decider: Decider, tmp_path: Path) -> None:
    held: list[int] = []

    class Watched(FileStore):
        """Asked for the address of each original as the decision on its span is written."""

        def uri(self, digest: str) -> str:
            held.append(tracemalloc.get_traced_memory()[0])
            return super().uri(digest)

    def held_at_first(decide: Callable[..., object]) -> int:
        held.clear()
        tracemalloc.start()
        try:
            decide(MESSAGES, now=NOW, store=Watched(tmp_path))
        finally:
            tracemalloc.stop()
        return held[0]

    decider.decide(
        MESSAGES, now=NOW, store=FileStore(tmp_path)
    )  # so that what is remembered of sentences is there both times
    assert held_at_first(decider.decide) < 0.92 * held_at_first(decider.analyse)
