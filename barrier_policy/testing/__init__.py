"""For authors of plugins and policies: a contract suite to run, builders for messages and records, runners for cases.

`contract_tests` needs pytest (extra `testing`); everything else works without it.
"""

from __future__ import annotations

from barrier_policy.testing.builders import (
    context_of,
    conversation,
    facts_of,
    message,
    span_record,
    tool_call,
    tool_result,
)
from barrier_policy.testing.contract import contract_tests
from barrier_policy.testing.format_checks import Sample
from barrier_policy.testing.runners import run_policy_cases, span_actions, span_rules

__all__ = [
    "Sample",
    "context_of",
    "contract_tests",
    "conversation",
    "facts_of",
    "message",
    "run_policy_cases",
    "span_actions",
    "span_record",
    "span_rules",
    "tool_call",
    "tool_result",
]
