"""Policy as code for transcript compaction: decide, with a cited trace, what an AI agent's memory may lose."""

from barrier_policy.decide import Decider, decide, extract_facts
from barrier_policy.decision.model import Decision
from barrier_policy.facts.context import Context
from barrier_policy.facts.model import Attribute, Fact, FactKind
from barrier_policy.hookspecs import hookimpl
from barrier_policy.profile import Profile
from barrier_policy.transcript.model import Message, MessageKind, Origin, Part, PartType, Skipped, ToolDeclaration, Transcript
from barrier_policy.transcript.reader import Reader
from barrier_policy.transcript.source import Source

__all__ = [
    "Attribute",
    "Context",
    "Decider",
    "Decision",
    "Fact",
    "FactKind",
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
    "decide",
    "extract_facts",
    "hookimpl",
]
