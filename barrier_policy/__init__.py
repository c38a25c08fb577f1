"""Policy as code for transcript compaction: decide, with a cited trace, what an AI agent's memory may lose.

Names are imported when they are first asked for, so that importing the package is cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from barrier_policy.audit.model import AuditReport
    from barrier_policy.decision.model import Decision
    from barrier_policy.errors import (
        AuditFailedError,
        BarrierPolicyError,
        CompactionBarrierError,
        CompactionRefusedError,
    )
    from barrier_policy.facts.context import Context
    from barrier_policy.facts.model import Attribute, Fact, FactKind
    from barrier_policy.gate.gate import Gate
    from barrier_policy.hookspecs import hookimpl
    from barrier_policy.profile import FidelityClause, Profile, Workload
    from barrier_policy.transcript.model import (
        Message,
        MessageKind,
        Origin,
        Part,
        PartType,
        Skipped,
        ToolDeclaration,
        Transcript,
    )
    from barrier_policy.transcript.reader import Compaction, Reader
    from barrier_policy.transcript.source import Source
    from barrier_policy.walk import Decider, decide, extract_facts

__all__ = [
    "Attribute",
    "AuditFailedError",
    "AuditReport",
    "BarrierPolicyError",
    "Compaction",
    "CompactionBarrierError",
    "CompactionRefusedError",
    "Context",
    "Decider",
    "Decision",
    "Fact",
    "FactKind",
    "FidelityClause",
    "Gate",
    "Message",
    "MessageKind",
    "Origin",
    "Part",
    "PartType",
    "Profile",
    "Reader",
    "Skipped",
    "Source",
    "ToolDeclaration",
    "Transcript",
    "Workload",
    "decide",
    "extract_facts",
    "hookimpl",
]

_HOME = {
    "Attribute": "barrier_policy.facts.model",
    "AuditFailedError": "barrier_policy.errors",
    "AuditReport": "barrier_policy.audit.model",
    "BarrierPolicyError": "barrier_policy.errors",
    "Compaction": "barrier_policy.transcript.reader",
    "CompactionBarrierError": "barrier_policy.errors",
    "CompactionRefusedError": "barrier_policy.errors",
    "Context": "barrier_policy.facts.context",
    "Decider": "barrier_policy.walk",
    "Decision": "barrier_policy.decision.model",
    "Fact": "barrier_policy.facts.model",
    "FactKind": "barrier_policy.facts.model",
    "FidelityClause": "barrier_policy.profile",
    "Gate": "barrier_policy.gate.gate",
    "Message": "barrier_policy.transcript.model",
    "MessageKind": "barrier_policy.transcript.model",
    "Origin": "barrier_policy.transcript.model",
    "Part": "barrier_policy.transcript.model",
    "PartType": "barrier_policy.transcript.model",
    "Profile": "barrier_policy.profile",
    "Reader": "barrier_policy.transcript.reader",
    "Skipped": "barrier_policy.transcript.model",
    "Source": "barrier_policy.transcript.source",
    "ToolDeclaration": "barrier_policy.transcript.model",
    "Transcript": "barrier_policy.transcript.model",
    "Workload": "barrier_policy.profile",
    "decide": "barrier_policy.walk",
    "extract_facts": "barrier_policy.walk",
    "hookimpl": "barrier_policy.hookspecs",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module `barrier_policy` has no attribute `{name}`")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
