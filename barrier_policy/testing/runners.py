"""Runners: the cases beside policies, and what a decision does with a transcript under these policies."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from barrier_policy.decision.model import Decision
from barrier_policy.errors import BarrierPolicyError
from barrier_policy.join.schema import build_schema
from barrier_policy.policy.cases import CaseResult, run_cases
from barrier_policy.policy.cel.load import load_engine
from barrier_policy.policy.loader import load_policies, with_shipped
from barrier_policy.testing.builders import NOW
from barrier_policy.testing.loading import Plugin, load_beside_installed
from barrier_policy.walk import Decider, TranscriptLike


def run_policy_cases(folder: str | Path, *, plugins: Iterable[Plugin] = (), engine: str = "auto") -> tuple[CaseResult, ...]:
    """Run every `*_test.yaml` of a folder, whose policies lie on top of the shipped ones.

    `plugins` are taken in beside the installed ones, for the kinds that conditions read. A result has `passed`, `case.name` and
    `message`, which says what differed. Raises PolicyError for files that are not valid, and BarrierPolicyError for a folder without cases.
    """
    kinds = load_beside_installed(*plugins).kinds.values()
    loaded = load_engine(engine)
    policies = load_policies(with_shipped([Path(folder)]), build_schema(kinds), loaded)
    results = run_cases(policies, loaded, [Path(folder)])
    if not results:
        raise BarrierPolicyError(f"{folder}: no cases (write `NAME_test.yaml` beside each policy `NAME.yaml`)")
    return results


def span_actions(
    transcript: TranscriptLike, *, policies: str | Path | None = None, plugins: Iterable[Plugin] = (), keep_last: int = 1
) -> dict[str, str]:
    """What is done with each span of a transcript: `{"0-2": "retain", "3": "summarize"}`.

    `transcript` is a path, bytes or chat messages; `policies` is a folder on top of the shipped ones; nothing is archived.
    """
    decision = _decide(transcript, policies, plugins, keep_last)
    return {span.id: span.action for span in decision.spans}


def span_rules(
    transcript: TranscriptLike, *, policies: str | Path | None = None, plugins: Iterable[Plugin] = (), keep_last: int = 1
) -> dict[str, tuple[str, ...]]:
    """The rules that made the verdict of each span, by the span's name; otherwise as `span_actions`."""
    decision = _decide(transcript, policies, plugins, keep_last)
    return {span.id: tuple(reason.rule for reason in span.reasons) for span in decision.spans}


def _decide(transcript: TranscriptLike, policies: str | Path | None, plugins: Iterable[Plugin], keep_last: int) -> Decision:
    decider = Decider(
        plugins=load_beside_installed(*plugins), policies=with_shipped([] if policies is None else [Path(policies)])
    )
    return decider.analyse(transcript, keep_last=keep_last, now=NOW).decision
