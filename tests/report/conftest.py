"""Reports of small conversations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from barrier_policy.provenance.file_store import FileStore
from barrier_policy.report.build import build_report
from barrier_policy.report.model import Report
from barrier_policy.walk import Decider

NOW = "2026-06-01T00:00:00Z"

DEPLOY = [
    {"role": "system", "content": "You run the shop. Never touch prod-7781."},
    {"role": "assistant", "content": "The light is soft this morning, and the roses look lovely. " * 20},
    {"role": "user", "content": "Please deploy the shop."},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "function": {"name": "deploy_service", "arguments": '{"service": "shop", "key": "k-2f9c41"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": '{"status": "queued", "job": "job-7781"}'},
    {"role": "user", "content": "Good."},
    {"role": "assistant", "content": "Yes."},
]
"""A rule, an idle remark, and a call that the tool only accepted; then a tail of two."""


@pytest.fixture(scope="session")
def chat() -> list[dict[str, Any]]:
    return list(DEPLOY)


@pytest.fixture(scope="session")
def decider() -> Decider:
    return Decider()


@pytest.fixture(scope="session")
def make(decider: Decider) -> Callable[..., Report]:
    """The report of messages, or of the bytes of a file."""

    def build(
        source: Any,
        *,
        target: int | None = None,
        keep_last: int = 2,
        file: str = "chat.json",
        now: str = NOW,
        store: FileStore | None = None,
    ) -> Report:
        analysis = decider.analyse(source, keep_last=keep_last, target_tokens=target, now=NOW, store=store)
        return build_report(analysis, decider, file=file, now=now, tool="barrier-policy 0")

    return build


@pytest.fixture(scope="session")
def deploy(make: Callable[..., Report]) -> Report:
    return make(DEPLOY)


@pytest.fixture(scope="session")
def refused(make: Callable[..., Report]) -> Report:
    return make(DEPLOY, target=20)
