"""What the tests of the audit share: a result put together from a decision, without the gate, and cases of their own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from barrier_policy import Decider, Message, MessageKind, Origin, Part, PartType, Source, Transcript
from barrier_policy.audit.audit import audit, audit_analysis
from barrier_policy.audit.model import AuditReport
from barrier_policy.carrier.block import Entry, parse_block, render_block
from barrier_policy.provenance.file_store import FileStore
from barrier_policy.transcript.reader import read_compactions
from barrier_policy.walk import Analysis

SHARED = Path(__file__).parents[3] / "shared" / "transcripts"
NOW = "2026-06-01T00:00:00Z"
SUMMARY = "Earlier turns were left out here."
Rows = list[dict[str, Any]]
Run = Callable[..., AuditReport]


def told(text: str, kind: MessageKind = MessageKind.MESSAGE) -> Message:
    return Message(index=0, role="user", origin=Origin.USER, kind=kind, parts=(Part(type=PartType.TEXT, text=text),))


def numbered(messages: Iterable[Message]) -> tuple[Message, ...]:
    return tuple(msgspec.structs.replace(message, index=index) for index, message in enumerate(messages))


class Compacted(msgspec.Struct, frozen=True, kw_only=True):
    """A transcript as it was decided upon, and the messages that a gate without faults would leave of it."""

    name: str
    analysis: Analysis
    messages: tuple[Message, ...]

    @property
    def entries(self) -> list[Entry]:
        """The records of its carrier."""
        carrier = next((message for message in self.messages if message.kind is MessageKind.CARRIER), None)
        return list(parse_block(carrier.parts[0].text).entries) if carrier else []

    @property
    def text(self) -> str:
        """All words of the result."""
        return "\n".join(part.text for message in self.messages for part in message.parts)

    def with_carrier(self, text: str) -> tuple[Message, ...]:
        """The messages with another carrier."""
        return tuple(
            told(text, MessageKind.CARRIER) if message.kind is MessageKind.CARRIER else message for message in self.messages
        )

    def with_summary(self, *sentences: str) -> tuple[Message, ...]:
        """The messages with sentences more in their first summary, which is added where there is none."""
        summary = told("\n".join([SUMMARY, *sentences]), MessageKind.SUMMARY)
        places = [n for n, message in enumerate(self.messages) if message.kind is MessageKind.SUMMARY]
        if places:
            return (*self.messages[: places[0]], summary, *self.messages[places[0] + 1 :])
        head = next((n for n, message in enumerate(self.messages) if message.origin.rank >= Origin.USER.rank), 0)
        return (*self.messages[:head], summary, *self.messages[head:])


def leave(name: str, analysis: Analysis) -> Compacted:
    """What is left: instructions, carrier, spans that stay, a fixed sentence for each run that left, the tail."""
    actions = {n: span.action for span in analysis.decision.spans for n in range(*span.messages)}
    messages: list[Message] = []
    left = False
    for message in analysis.transcript.messages:
        if actions.get(message.index, "retain") == "retain":
            messages.append(message)
            left = False
        elif not left:
            messages.append(told(SUMMARY, MessageKind.SUMMARY))
            left = True
    if analysis.decision.carrier:
        head = next((n for n, message in enumerate(messages) if message.origin.rank >= Origin.USER.rank), len(messages))
        messages.insert(head, told(render_block(analysis.decision.carrier), MessageKind.CARRIER))
    return Compacted(name=name, analysis=analysis, messages=numbered(messages))


@pytest.fixture(scope="session")
def decider() -> Decider:
    return Decider()


@pytest.fixture(scope="session")
def compact(decider: Decider, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Compacted]:
    """Compact a path, messages or a transcript as a gate without faults would."""
    store = FileStore(tmp_path_factory.mktemp("store"))

    def run(source: Any, keep_last: int = 4, name: str = "") -> Compacted:
        analysis = decider.analyse(source, keep_last=keep_last, now=NOW, store=store)
        return leave(name or str(source)[-40:], analysis)

    return run


@pytest.fixture(scope="session")
def check(decider: Decider) -> Callable[..., AuditReport]:
    """Audit a result, or other messages in its place."""

    def run(compacted: Compacted, messages: Iterable[Message] | None = None) -> AuditReport:
        kept = numbered(compacted.messages if messages is None else messages)
        after = Transcript(format="openai_chat", digest="", messages=kept)
        return audit_analysis(decider, compacted.analysis, after, now=NOW)

    return run


def call(name: str, arguments: dict[str, Any], result: str, number: int) -> list[dict[str, Any]]:
    """A call and its result."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    asked = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": f"c{number}", "type": "function", "function": function}],
    }
    return [asked, {"role": "tool", "tool_call_id": f"c{number}", "content": result}]


def shop() -> list[dict[str, Any]]:
    """A conversation with rules, effects, ids and amounts, whose beginning may leave with a carrier."""
    return [
        {"role": "system", "content": "You run the back office of a shop."},
        {
            "role": "user",
            "content": "You must never refund more than 200 EUR without asking Dana first. Keep that up for the whole shift.",
        },
        {"role": "assistant", "content": "Understood."},
        {"role": "user", "content": "Refund order ORD-77120 and then order ORD-88341."},
        *call(
            "create_refund",
            {"order": "ORD-77120", "amount": "120 EUR"},
            '{"refund_id": "rf_9a8b7c6d5e", "status": "succeeded"}',
            1,
        ),
        *call(
            "create_refund",
            {"order": "ORD-88341", "amount": "45 EUR"},
            '{"refund_id": "rf_1f2e3d4c5b", "status": "succeeded"}',
            2,
        ),
        {"role": "assistant", "content": "Both refunds went through."},
        {"role": "user", "content": "Send the label for parcel PX-5501 to the customer."},
        *call(
            "send_email",
            {"to": "kim@example.org", "subject": "Label for PX-5501"},
            '{"message_id": "msg_aa01bb02", "status": "sent"}',
            3,
        ),
        {"role": "assistant", "content": "The label has been sent."},
        {"role": "user", "content": "Tomorrow at 9 please call the carrier about parcel PX-5502, the limit is 30 minutes."},
        {"role": "assistant", "content": "I will call the carrier tomorrow at 9 about PX-5502."},
        {"role": "user", "content": "From now on invoices may not leave before the stock count is confirmed."},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": "What is the weather like?"},
        {"role": "assistant", "content": "I can't see the weather from here."},
        {"role": "user", "content": "Fine. Tell me a joke then."},
        {"role": "assistant", "content": "A parcel walks into a bar."},
    ]


@pytest.fixture(scope="session")
def shop_result(compact: Callable[..., Compacted]) -> Compacted:
    return compact(shop(), name="shop")


def said(who: str, content: Any, **more: Any) -> dict[str, Any]:
    """A row of a Claude Code session."""
    message = {"role": who, "content": content}
    return {"type": who, "sessionId": "s", "message": message, **more}


def calls(number: int, name: str, arguments: dict[str, Any], answer: str) -> Rows:
    """A call and its answer."""
    call = {"type": "tool_use", "id": f"t{number}", "name": name, "input": arguments}
    result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": answer}
    return [said("assistant", [call]), said("user", [result])]


@pytest.fixture
def run(decider: Decider) -> Run:
    """Audit the one compaction of a session: what was before, the summary, and how it went on."""

    def audited(before: Rows, summary: str, later: Rows, tokens: int = 0, exact: bool | None = None) -> AuditReport:
        boundary = {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"preTokens": tokens}}
        rows = [*before, boundary, said("user", summary, isCompactSummary=True), *later]
        for number, row in enumerate(rows):
            row["uuid"] = f"u{number}"
            if row["type"] == "assistant":
                row["message"]["id"] = f"m{number}"
        data = "\n".join(json.dumps(row) for row in rows).encode()
        (found,) = read_compactions(Source(data, path="run"), decider.plugins.readers)
        return audit(found.before, found.after, now=NOW, decider=decider, recorded=found, exact=exact)

    return audited
