"""Requests for a summary, from short conversations."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from barrier_policy.gate.summary_request import SummaryRequest
from barrier_policy.transcript.builder import origin_of
from barrier_policy.transcript.model import Message, Part, PartType
from barrier_policy.transcript.tokens import message_tokens

ROSES = "The roses along the fence were cut back in spring, and by June they had grown over the gate again. " * 4

Asked = Callable[..., SummaryRequest]


@pytest.fixture
def asked() -> Asked:
    """A request about messages given as (role, text) or as ready messages; without any, about roses."""

    def make(*messages: tuple[str, str] | Message, max_tokens: int = 400) -> SummaryRequest:
        found = tuple(
            entry
            if isinstance(entry, Message)
            else Message(
                index=index, role=entry[0], origin=origin_of(entry[0]), parts=(Part(type=PartType.TEXT, text=entry[1]),)
            )
            for index, entry in enumerate(messages or [("user", "How did the roses do?"), ("assistant", ROSES)])
        )
        return SummaryRequest(
            messages=found, tokens=sum(map(message_tokens, found)), max_tokens=max_tokens, preserve=("decisions", "bindings")
        )

    return make
