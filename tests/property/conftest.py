"""What the properties share: small random transcripts of OpenAI chat messages, and a gate whose reading of words is exact.

What words mean is the business of the shipped text plugins and of their own tests. Here a sentence says what it is
(`RULE: …`, `DO: …`), so that a property that fails is one of the ledger, the join or the plan.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from barrier_policy import Context, Decider, Fact, Message, PartType
from barrier_policy.facts.model import Attribute, FactKind
from barrier_policy.plugins import Extractor, PluginSet, load_plugins
from barrier_policy.walk import Analysis

Messages = list[dict[str, Any]]
Analyse = Callable[..., Analysis]

NOW = "2026-06-01T12:00:00Z"
READS_NO_WORDS = frozenset({"environment", "jobs", "plans", "secrets", "side_effects", "tool_results", "values"})
"""Shipped extractors that read records, payloads and exact values; those that read sentences are replaced by `marked`."""

settings.register_profile(
    "properties",
    max_examples=40,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

MARKS = {
    "RULE": "constraint",
    "GATE": "approval_gate",
    "LIFT": "release",
    "DO": "instruction",
    "FIX": "correction",
    "OK": "approval",
    "NO": "denial",
    "ASK": "question",
    "WILL": "commitment",
    "HALF": "status_pending",
    "SAW": "report",
}
MARK = re.compile(rf"^({'|'.join(MARKS)}): .*", re.MULTILINE)
RULE_KINDS = ("constraint", "approval_gate")


def marked(message: Message, context: Context) -> Iterator[Fact]:
    """A fact for each marked line, whoever says it: what authority a speaker has is not for an extractor to say."""
    for number, part in enumerate(message.parts):
        if part.type in (PartType.TEXT, PartType.TOOL_RESULT):
            for match in MARK.finditer(part.text):
                kind = MARKS[match[1]]
                attributes = {"polarity": "must_not", "strength": "hard"} if kind in RULE_KINDS else {}
                yield Fact(
                    kind=kind,
                    message=message.index,
                    part=number,
                    start=match.start(),
                    end=match.end(),
                    text=match[0],
                    attributes=attributes,
                )


def _kind(name: str) -> FactKind:
    names = ("polarity", "strength") if name in RULE_KINDS else ()
    return FactKind(name=name, doc=name, attributes=tuple(Attribute(name=key, type="string", doc=key) for key in names))


@pytest.fixture(scope="session")
def plugins() -> PluginSet:
    """The shipped plugins, with `marked` in the place of those that read sentences."""
    shipped = load_plugins()
    kept = [extractor for extractor in shipped.extractors if extractor.name in READS_NO_WORDS]
    kinds = shipped.kinds | {name: _kind(name) for name in MARKS.values()}
    return msgspec.structs.replace(
        shipped,
        kinds={name: kinds[name] for name in sorted(kinds)},
        extractors=(*kept, Extractor(name="marked", version="1", extract=marked)),
    )


@pytest.fixture(scope="session")
def decider(plugins: PluginSet) -> Decider:
    return Decider(plugins=plugins)


class EmptyStore:
    """A store that holds nothing yet: the gate could archive."""

    def uri(self, digest: str) -> str:
        return f"store:{digest}"

    def read(self, digest: str) -> bytes | None:
        return None


@pytest.fixture(scope="session")
def empty_store() -> EmptyStore:
    return EmptyStore()


@pytest.fixture(scope="session")
def analyse(decider: Decider, empty_store: EmptyStore) -> Analyse:
    """Decides with all that led to the decision, by a gate that can archive."""

    def run(messages: Messages, *, by: Decider = decider, keep_last: int = 2, target: int | None = None) -> Analysis:
        return by.analyse(messages, keep_last=keep_last, target_tokens=target, now=NOW, store=empty_store)

    return run


# Transcripts ---------------------------------------------------------------------------------------------------------

VALUES = (
    "ord-81723-qx",
    "/srv/app/conf/main.yaml",
    "idem-7f3c9k2-prd",
    "https://api.example.test/v2/orders/81",
    "9f8a3c1d2b4e5f60718293a4b5c6d7e8f9a0b1c2",
    "2026-05-17T08:30:00Z",
    "v4.18.3",
)
READS = ("read_file", "get_order", "search_orders", "list_jobs")
WRITES = ("write_file", "send_email", "charge_card", "delete_database", "start_job", "frobnicate")
TOPICS = ("the nightly backup of zeta", "customer mails from omega", "the ledger export of sigma", "schema changes in tau")

value = st.sampled_from(VALUES)
topic = st.sampled_from(TOPICS)
user_line = st.one_of(
    topic.map(lambda text: f"RULE: never touch {text}"),
    topic.map(lambda text: f"GATE: wait for my word on {text}"),
    topic.map(lambda text: f"LIFT: no rule any more about {text}"),
    st.builds("DO: take care of {} with {}".format, topic, value),
    st.builds("FIX: it is {} and not the other".format, value),
    st.sampled_from(["OK: go on", "NO: stop that", "ASK: how does it look?", "thanks a lot", "hm, I see"]),
)
agent_line = st.one_of(
    topic.map(lambda text: f"WILL: look at {text} later"),
    st.builds("SAW: found {}".format, value),
    st.sampled_from(["ASK: shall I go on?", "HALF: two of five are through", "Sounds good.", "One moment please."]),
)


def results(tool: str, exact: str) -> st.SearchStrategy[str | None]:
    """What a tool may answer; None where no answer comes."""
    told = [
        {"status": "done", "id": exact},
        {"status": "pending", "job_id": "job-" + exact[-6:]},
        {"status": "partial", "completed": 3, "failed": 2, "path": exact},
        {"status": "failed", "error": "not found"},
        {"rows": [{"id": exact, "total": 4130}]},
    ]
    texts = ["", "ok", "timeout after 30 s", "error: permission denied", f"found {exact}\n2 more lines", "\u2603 \x00"]
    if tool in READS:
        texts += [f"LIFT: no rule any more about {TOPICS[0]}"]
    return st.sampled_from([None, *map(json.dumps, told), *texts])


@st.composite
def steps(draw: st.DrawFn) -> Messages:
    """An agent's step: one to three calls at once with whatever answers them, ids seldom unique."""
    calls, answers = [], []
    for number in range(draw(st.integers(1, 3))):
        tool, exact = draw(st.sampled_from(READS + WRITES)), draw(value)
        call_id = draw(st.sampled_from([f"c{number}", "c0", "again", f"u{draw(st.integers(0, 999))}"]))
        arguments = {"target": exact} if tool != "charge_card" else {"amount": 41, "idempotency_key": exact}
        calls.append({"id": call_id, "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}})
        answer = draw(results(tool, exact))
        if answer is not None:
            answers.append({"role": "tool", "tool_call_id": call_id, "content": answer})
    answers = draw(st.permutations(answers))
    return [{"role": "assistant", "content": None, "tool_calls": calls}, *answers]


def _lines(line: st.SearchStrategy[str], role: str) -> st.SearchStrategy[Messages]:
    return st.lists(line, min_size=1, max_size=2).map(lambda lines: [{"role": role, "content": "\n".join(lines)}])


element = st.one_of(
    _lines(user_line, "user"),
    _lines(user_line, "user"),
    _lines(agent_line, "assistant"),
    steps(),
    steps(),
    steps(),
    st.just([{"role": "system", "content": "RULE: be kind"}]),
    st.just([{"role": "tool", "tool_call_id": "nobody", "content": '{"status": "done"}'}]),
)


@pytest.fixture(scope="session")
def transcripts() -> st.SearchStrategy[Messages]:
    """Between one and some twenty messages; the first one is a user's."""
    rest = st.lists(element, max_size=9).map(lambda found: [message for messages in found for message in messages])
    return rest.map(lambda messages: [{"role": "user", "content": "DO: begin with the work"}, *messages])


# What a decision leaves ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def freed() -> Callable[[Analysis], set[tuple[int, int, str]]]:
    """Spans as message ranges, with what may happen to them: `summarize` as they are, `repair` where repairs would do as well."""

    def ranges(found: Analysis) -> set[tuple[int, int, str]]:
        free: set[tuple[int, int, str]] = set()
        for assessment in found.assessments:
            place = (assessment.span.start, assessment.span.end)
            if assessment.verdict == "opportunity":
                free |= {(*place, "summarize"), (*place, "repair")}
            elif assessment.repairable:
                free.add((*place, "repair"))
        return free

    return ranges


@pytest.fixture(scope="session")
def kept_messages() -> Callable[[Analysis], set[int]]:
    """Indices of the messages that stay verbatim."""

    def kept(found: Analysis) -> set[int]:
        gone = {i for span in found.decision.spans if span.action != "retain" for i in range(*span.messages)}
        return set(range(found.decision.transcript.messages)) - gone

    return kept
