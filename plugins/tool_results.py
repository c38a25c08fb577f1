"""What state each tool result reports: fact kind `tool_result` (design section 5, obligations and effects)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from barrier_policy_plugins.calls import judge_call
from barrier_policy_plugins.doubts import HEAD, of_results
from barrier_policy_plugins.receipts import find_handles, receipt_pieces
from barrier_policy_plugins.result_states import read_result
from barrier_policy_plugins.result_words import ResultState

from barrier_policy.facts.context import Context
from barrier_policy.facts.model import Attribute, Fact, FactKind
from barrier_policy.facts.secrets import find_secrets
from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.model import Message, MessageKind, Part, PartType

STATES = tuple(state.value for state in ResultState)


@hookimpl
def barrier_fact_kinds() -> Iterable[FactKind]:
    """`tool_result`."""
    return (
        FactKind(
            name="tool_result",
            doc="A tool result, with the state that it reports of the call that it answers.",
            attributes=(
                Attribute(name="state", type="string", doc="the state of the call; a read is done or failed", values=STATES),
                Attribute(
                    name="basis",
                    type="string",
                    doc="what the state follows from",
                    values=("flag", "key", "text", "exit_code", "shape"),
                ),
                Attribute(
                    name="reports",
                    type="string",
                    doc="the state that the payload speaks of, of whatever it is about; empty where it speaks of none",
                    values=(*STATES, ""),
                ),
                Attribute(name="handles", type="list(string)", doc="ids of jobs, tasks, messages and effects named in it"),
                Attribute(
                    name="doubt",
                    type="int",
                    doc="thousandths of a logit by which the wording of a change's result leaves it open; zero of others",
                ),
                Attribute(
                    name="receipt",
                    type="list(string)",
                    doc="the short verbatim pieces worth keeping; none of a certain read",
                ),
            ),
        ),
    )


@hookimpl
def barrier_extract_facts(message: Message, context: Context) -> Iterable[Fact]:
    """A fact for each result part; the gate's own records and earlier summaries hold none."""
    return _facts(message, context) if message.kind is MessageKind.MESSAGE or message.kind is MessageKind.NOTICE else ()


def _facts(message: Message, context: Context) -> Iterator[Fact]:
    for index, part in enumerate(message.parts):
        if part.type is PartType.TOOL_RESULT:
            yield _fact(message.index, index, part, context.calls.get(index), context)


def _fact(message: int, index: int, part: Part, call: Part | None, context: Context) -> Fact:
    judged = judge_call(call, context.tools) if call is not None else None
    reading = read_result(part, call, judged)
    settled_read = (
        judged is not None and judged.reads and not judged.judgement.assumed and reading.state is not ResultState.PENDING
    )
    doubtful = judged is not None and not judged.reads and reading.state is ResultState.DONE and len(part.text) <= HEAD
    return Fact(
        kind="tool_result",
        message=message,
        part=index,
        start=reading.start,
        end=reading.end,
        text=part.text[reading.start : reading.end],
        attributes={
            "state": reading.state.value,
            "basis": reading.basis,
            "reports": reading.reports.value if reading.reports is not None else "",
            "handles": _whole(find_handles(part.text, reads=judged is not None and judged.reads), part.text),
            "doubt": of_results()[part.text] if doubtful else 0,
            "receipt": () if settled_read else receipt_pieces(part.text),
        },
    )


def _whole(handles: tuple[str, ...], text: str) -> tuple[str, ...]:
    """Handles without those that are a piece of a secret: only a whole secret is masked later."""
    hidden = [text[secret.start : secret.end] for secret in find_secrets(text)] if handles else []
    return tuple(handle for handle in handles if not any(handle != secret and handle in secret for secret in hidden))
