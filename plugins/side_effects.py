"""What each tool call does: fact kind `tool_call` (design section 5, effects)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from barrier_policy_plugins.calls import CallEffect, judge_call
from barrier_policy_plugins.effect_classes import Basis
from barrier_policy_plugins.tool_names import bare_name

from barrier_policy.facts.context import Context
from barrier_policy.facts.effect_class import EffectClass
from barrier_policy.facts.model import Attribute, Fact, FactKind
from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.model import Message, MessageKind, Part, PartType

MAX_TEXT = 200


@hookimpl
def barrier_fact_kinds() -> Iterable[FactKind]:
    """`tool_call`."""
    return (
        FactKind(
            name="tool_call",
            doc="A tool call, with the class of its side effect and what it acts on.",
            attributes=(
                Attribute(name="tool", type="string", doc="the tool's name, as recorded"),
                Attribute(
                    name="effect_class",
                    type="string",
                    doc="how bad it is to do it again",
                    values=tuple(effect_class.value for effect_class in EffectClass),
                ),
                Attribute(name="assumed", type="bool", doc="only a name, or a default, speaks for the class"),
                Attribute(
                    name="basis",
                    type="string",
                    doc="what the class follows from",
                    values=tuple(basis.value for basis in Basis),
                ),
                Attribute(name="operation", type="string", doc="what it does in short words, e.g. `git push`"),
                Attribute(name="targets", type="list(string)", doc="files, tables, ids, hosts, URLs it acts on, as written"),
                Attribute(name="keys", type="list(string)", doc="idempotency keys"),
                Attribute(name="background", type="bool", doc="it is answered before its work is done"),
                Attribute(name="subagent", type="bool", doc="it hands work to another agent"),
                Attribute(name="interactive", type="bool", doc="it asks the user"),
                Attribute(name="plan", type="bool", doc="it reads or writes the agent's own plan"),
            ),
        ),
    )


@hookimpl
def barrier_extract_facts(message: Message, context: Context) -> Iterable[Fact]:
    """A fact for each call part; the gate's own records and earlier summaries hold none."""
    return _facts(message, context) if message.kind is MessageKind.MESSAGE or message.kind is MessageKind.NOTICE else ()


def _facts(message: Message, context: Context) -> Iterator[Fact]:
    for index, part in enumerate(message.parts):
        if part.type is PartType.TOOL_CALL:
            yield _fact(message.index, index, part, judge_call(part, context.tools))


def _fact(message: int, index: int, part: Part, call: CallEffect) -> Fact:
    judgement = call.judgement
    shown = next((target for target in judgement.targets if target in part.text[:20_000]), "")
    start = part.text.find(shown) if shown else 0
    end = start + len(shown) if shown else min(len(part.text), MAX_TEXT)
    return Fact(
        kind="tool_call",
        message=message,
        part=index,
        start=start,
        end=end,
        text=part.text[start:end],
        attributes={
            "tool": part.name,
            "effect_class": judgement.effect_class.value,
            "assumed": judgement.assumed,
            "basis": judgement.basis.value,
            "operation": ", ".join(judgement.operations) or bare_name(part.name),
            "targets": judgement.targets,
            "keys": judgement.keys,
            "background": judgement.background,
            "subagent": call.subagent,
            "interactive": call.interactive,
            "plan": call.plan,
        },
    )
