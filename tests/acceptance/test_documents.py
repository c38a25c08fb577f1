"""The decision tables of the two source documents, row by row, on small transcripts.

"Compaction barrier" is the document of 2026-11-10, "Refusal to reclaim" that of 2026-11-06.
"""

from __future__ import annotations

import json
import re
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from barrier_policy import Decider, Decision, Profile, decide
from barrier_policy.decision.model import SpanDecision
from barrier_policy.profile import FidelityClause, Workload
from barrier_policy.provenance.store import original_bytes

NOW = "2026-11-10T12:00:00Z"
CONF_WRITE = Path(__file__).parents[2] / "examples" / "conf-write.json"

Messages = list[dict[str, Any]]
CALL_IDS = count(1)


def user(text: str) -> Messages:
    return [{"role": "user", "content": text}]


def agent(text: str) -> Messages:
    return [{"role": "assistant", "content": text}]


def tool(name: str, result: str | dict[str, Any] | None, **arguments: Any) -> Messages:
    """A call with its result; None for a call that was not answered."""
    call_id = f"call_{next(CALL_IDS)}"
    function = {"name": name, "arguments": json.dumps(arguments)}
    asked: Messages = [
        {"role": "assistant", "content": None, "tool_calls": [{"id": call_id, "type": "function", "function": function}]}
    ]
    if result is None:
        return asked
    return [
        *asked,
        {"role": "tool", "tool_call_id": call_id, "content": result if isinstance(result, str) else json.dumps(result)},
    ]


PROSE = (
    "Oak would be the sturdier choice and teak the prettier one, which is why the family could not agree for a whole winter. "
    "In the end the grandmother settled it, as she always does, by asking who was going to oil the thing every spring. "
    "Nobody answered, everybody laughed, and so it became oak. The old table goes to the neighbours, who have wanted it for years "
    "and who promise to keep the carved initials. "
)
"""Talk that holds no exact value: what a summary may shorten, and enough of it that a repair pays."""

TAIL = [*user("Lovely weather today."), *agent("Yes, it is.")]
CHATTER = [*user("Good morning!"), *agent("Good morning to you too, nice to see you.")]
LOOK_UP = [
    *user("What is the weather like?"),
    *tool("get_weather", "Mostly sunny, with a gentle breeze."),
    *agent("Sunny, with a little wind."),
]
LOOKED_UP = 1
"""Index of the call in LOOK_UP."""
LATER = [
    message
    for day in ("tomorrow", "on Sunday", "on Monday", "on Tuesday", "on Friday")
    for message in (*user(f"And {day}?"), *tool("get_forecast", "Rain in the evening."), *agent("Rain, but only late."))
]
"""Look-ups that what comes next may point back to (`those`), so that nothing points back to the one before them."""
DELIVERY = [
    *user("Please create the delivery for the oak table."),
    *tool(
        "create_delivery", {"delivery_id": "DLV-48213-KX", "status": "created", "story": PROSE}, item="oak table", quantity=1
    ),
    *agent("The delivery has been created."),
]
MIGRATION = [
    *user("Please migrate table orders to the new schema."),
    *tool(
        "start_migration",
        {"migration_id": "mig-77c1", "state": "accepted"},
        table="orders",
        idempotency_key="orders-v2-8e41",
    ),
]
RUNNING = tool("get_migration", {"migration_id": "mig-77c1", "state": "running"}, migration_id="mig-77c1")
HALF_DONE = tool(
    "get_migration",
    {"migration_id": "mig-77c1", "state": "partial", "columns_rewritten": ["total", "currency"]},
    migration_id="mig-77c1",
)
COMPLETED = tool("get_migration", {"migration_id": "mig-77c1", "state": "completed"}, migration_id="mig-77c1")
UNDER_WAY = agent("The migration is under way.")


def judge(
    messages: Messages, *, store: Path | bool = False, profile: Profile | None = None, target: int | None = None
) -> Decision:
    return decide([*messages, *TAIL], keep_last=len(TAIL), now=NOW, store=store, profile=profile, target_tokens=target)


def citing(decision: Decision, rule: str) -> list[SpanDecision]:
    return [span for span in decision.spans if any(reason.rule == rule for reason in span.reasons)]


def at(decision: Decision, message: int) -> SpanDecision:
    return next(span for span in decision.spans if span.messages[0] <= message < span.messages[1])


def archive(root: Path, messages: Messages, *, damaged: bool = False) -> Path:
    """A store that holds the originals of all spans, each under its digest; damaged ones differ in one byte."""
    full = [*messages, *TAIL]
    transcript = Decider().read(full)
    for span in decide(full, keep_last=len(TAIL), now=NOW, store=root).spans:
        name = span.digest.removeprefix("sha256:")
        path = root / "objects" / name[:2] / name[2:]
        path.parent.mkdir(parents=True, exist_ok=True)
        original = original_bytes(transcript.messages[slice(*span.messages)])
        path.write_bytes(b"#" + original[1:] if damaged else original)
    return root


# Compaction barrier, Decision Boundary: the table ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "messages",
    [
        pytest.param(CHATTER, id="nothing-was-promised-or-done"),
        pytest.param([*LOOK_UP, *LATER], id="the-question-is-answered-and-nothing-was-changed"),
    ],
)
def test_opportunity_when_all_obligations_are_discharged_and_nothing_is_bound(messages: Messages, tmp_path: Path) -> None:
    decision = judge(messages, store=archive(tmp_path, messages))
    settled = [span for span in decision.spans if span.messages[0] < len(LOOK_UP)]
    assert {(span.verdict, span.action) for span in settled} == {("opportunity", "summarize")}
    assert decision.outcome == "compact"


PENDING = ("obligations.", "constraints.")
"""Areas of the rules for obligations; a standing constraint is one in the words of the document."""
RETAINED = [
    pytest.param(
        [*user("Please book a table for tonight."), *tool("book_table", None, people=4)],
        1,
        PENDING,
        id="pending-obligation-open-call",
    ),
    pytest.param(
        [*user("Please book a table for tonight."), *agent("For how many people shall I book?")],
        1,
        PENDING,
        id="pending-obligation-unanswered-question",
    ),
    pytest.param([*MIGRATION, *UNDER_WAY], 1, ("effects.unsettled",), id="partial-side-effect-only-accepted"),
    pytest.param([*MIGRATION, *RUNNING, *UNDER_WAY], 1, ("effects.unsettled",), id="partial-side-effect-still-running"),
    pytest.param([*MIGRATION, *HALF_DONE, *UNDER_WAY], 1, ("effects.unsettled",), id="partial-side-effect-half-done"),
]
REBOUND = [
    pytest.param(
        [
            *user("How is the report coming along?"),
            *agent(PROSE + "I will send you the report as soon as the figures are in."),
        ],
        1,
        PENDING,
        id="pending-obligation-commitment",
    ),
    pytest.param(
        [
            *user("The migration must not run while billing is still pinned to the old schema. " + PROSE),
            *agent("Understood."),
        ],
        0,
        PENDING,
        id="pending-obligation-constraint",
    ),
    pytest.param(DELIVERY, 1, ("bindings.",), id="cross-span-binding-endpoint"),
]


@pytest.mark.parametrize(("messages", "place", "areas"), [*RETAINED, *REBOUND])
def test_barrier_when_an_obligation_a_side_effect_or_a_binding_is_open(
    messages: Messages, place: int, areas: tuple[str, ...], tmp_path: Path
) -> None:
    span = at(judge(messages, store=tmp_path), place)
    assert (span.verdict, span.action) in {("barrier", "retain"), ("barrier", "repair")}
    assert [reason.rule for reason in span.reasons if reason.effect == "barrier" and reason.rule.startswith(areas)]


@pytest.mark.parametrize(("messages", "place", "areas"), RETAINED)
def test_barrier_that_no_repair_lifts_is_retained_verbatim(
    messages: Messages, place: int, areas: tuple[str, ...], tmp_path: Path
) -> None:
    span = at(judge(messages, store=tmp_path), place)
    assert span.action == "retain"
    assert {repair.kind for repair in span.repairs} & {"confirm", "discharge"}, "somebody else has to act"


@pytest.mark.parametrize(
    ("messages", "rule"),
    [
        pytest.param(
            [
                *user("Please book a table for tonight."),
                *tool("book_table", {"status": "confirmed"}, people=4),
                *agent("It is booked."),
            ],
            "obligations.pending",
            id="the-call-was-answered",
        ),
        pytest.param(
            [
                *user("Please book a table for tonight."),
                *agent("For how many people shall I book?"),
                *user("For four people, please."),
                *tool("book_table", {"status": "confirmed"}, people=4),
                *agent("Booked for four."),
            ],
            "obligations.pending",
            id="the-question-was-answered",
        ),
        pytest.param(
            [*MIGRATION, *COMPLETED, *agent("It is done.")], "effects.unsettled", id="a-look-up-confirmed-the-effect"
        ),
    ],
)
def test_discharged_with_evidence_is_no_barrier_any_more(messages: Messages, rule: str, tmp_path: Path) -> None:
    assert not citing(judge(messages, store=tmp_path), rule)


def test_the_agents_word_alone_discharges_nothing(tmp_path: Path) -> None:
    decision = judge([*MIGRATION, *agent("The migration has completed successfully.")], store=tmp_path)
    assert citing(decision, "effects.unsettled")


def test_the_same_span_is_a_barrier_or_not_depending_on_what_else_is_retained(tmp_path: Path) -> None:
    note = [
        *user("Which delivery note was it?"),
        *tool("find_delivery_note", {"delivery_id": "DLV-48213-KX", "story": PROSE}),
        *agent("Found it."),
    ]
    mentions = [*user("Is it DLV-48213-KX that waits in the yard?"), *agent("Yes, DLV-48213-KX.")]
    bound, held = (at(decide([*note, *tail], keep_last=2, now=NOW, store=tmp_path), 1) for tail in (TAIL, mentions))
    assert "bindings.open-endpoint" in {reason.rule for reason in bound.reasons}
    assert "bindings.open-endpoint" not in {reason.rule for reason in held.reasons}
    assert bound.digest == held.digest


# Compaction barrier: repair-then-compact, budget, order of repairs -------------------------------------------------------------


def repairs(span: SpanDecision, kind: str) -> list[str]:
    return [item for repair in span.repairs if repair.kind == kind for item in repair.items]


def test_repair_then_compact_when_a_barrier_exceeds_the_retention_budget(tmp_path: Path) -> None:
    generous = judge(DELIVERY, store=tmp_path, target=100_000)
    tight = judge(DELIVERY, store=tmp_path, target=generous.totals.tokens_before * 3 // 4)
    assert at(generous, 1).action == "retain"
    assert (tight.outcome, at(tight, 1).action) == ("compact", "repair")
    assert repairs(at(tight, 1), "rebind")
    assert [span.verdict for span in tight.spans] == [span.verdict for span in generous.spans]


def test_budget_pressure_does_not_override_a_barrier(tmp_path: Path) -> None:
    messages = [*CHATTER, *MIGRATION, *UNDER_WAY]
    decision = judge(messages, store=tmp_path, target=1)
    assert decision.outcome == "refuse"
    assert {span.action for span in decision.spans} == {"retain"}
    assert at(decision, 3).verdict == "barrier"
    assert [entry.discharged_by for entry in decision.blocking if entry.item == "effect:3.0"]


@pytest.mark.parametrize(("messages", "place", "areas"), REBOUND)
def test_rebinding_precedes_summarization_the_records_cover_exactly_the_items_of_the_repairs(
    messages: Messages, place: int, areas: tuple[str, ...], tmp_path: Path
) -> None:
    decision = judge(messages, store=tmp_path)
    rebound = [item for span in decision.spans if span.action == "repair" for item in repairs(span, "rebind")]
    recorded = [fields["id"] for record in decision.carrier for fields in record.fields["items"]]
    assert repairs(at(decision, place), "rebind")
    assert sorted(recorded) == sorted(rebound)
    for record in decision.carrier:
        assert record.text
        assert re.fullmatch(r"sha256:[0-9a-f]{64}", record.digest)


@pytest.mark.parametrize(
    ("clause", "covered"),
    [
        pytest.param(FidelityClause(preserve=("decisions",)), False, id="preserve-decisions-only"),
        pytest.param(FidelityClause(preserve=("intent", "decisions", "bindings")), False, id="without-preconditions"),
        pytest.param(FidelityClause(preserve=("decisions", "preconditions")), False, id="without-bindings"),
        pytest.param(FidelityClause(audited=False), False, id="not-audited"),
        pytest.param(FidelityClause(), True, id="bindings-and-preconditions-audited"),
    ],
)
def test_no_span_with_bindings_may_go_unless_the_fidelity_clause_covers_them_and_is_audited(
    clause: FidelityClause, covered: bool, tmp_path: Path
) -> None:
    decision = judge([*CHATTER, *DELIVERY], store=tmp_path, profile=Profile(fidelity=clause))
    bound = citing(decision, "bindings.open-endpoint")
    assert bound
    assert {span.action for span in bound} == ({"repair"} if covered else {"retain"})
    assert bool(citing(decision, "fidelity.clause-missing")) is not covered
    assert at(decision, 0).action == "summarize"


# Refusal to reclaim, Decision boundary: evidential class × provenance -----------------------------------------------------------


@pytest.mark.parametrize("store", ["none", "without-the-original", "with-the-original"])
def test_narrative_may_be_reclaimed_whatever_its_provenance(store: str, tmp_path: Path) -> None:
    folder = archive(tmp_path, CHATTER) if store == "with-the-original" else tmp_path
    decision = judge(CHATTER, store=False if store == "none" else folder)
    assert {span.evidential_class for span in decision.spans} == {"narrative"}
    assert {(span.verdict, span.action) for span in decision.spans} == {("opportunity", "summarize")}


SEEN = [*LOOK_UP, *LATER]
"""Holds a structured span, at LOOKED_UP, that nothing else holds back."""


def test_structured_with_its_original_retrievable_may_be_reclaimed(tmp_path: Path) -> None:
    span = at(judge(SEEN, store=archive(tmp_path, SEEN)), LOOKED_UP)
    assert span.evidential_class == "structured"
    assert (span.provenance.present, span.provenance.retrievable) == (True, True)
    assert (span.verdict, span.action) == ("opportunity", "summarize")


@pytest.mark.parametrize("store", ["without-the-original", "with-a-damaged-original"])
def test_structured_without_a_retrievable_original_is_archived_first(store: str, tmp_path: Path) -> None:
    damaged = store == "with-a-damaged-original"
    span = at(judge(SEEN, store=archive(tmp_path, SEEN, damaged=True) if damaged else tmp_path), LOOKED_UP)
    assert span.evidential_class == "structured"
    assert (span.provenance.present, span.provenance.retrievable) == (damaged, False)
    assert (span.verdict, span.action) == ("barrier", "repair")
    assert repairs(span, "archive") == [span.id]


def test_structured_without_any_store_is_retained_with_the_documents_words() -> None:
    span = at(judge(SEEN), LOOKED_UP)
    assert (span.verdict, span.action) == ("barrier", "retain")
    explanations = [reason.explanation for reason in span.reasons if reason.effect == "barrier"]
    assert any(re.search("insufficient evidence [-–—] original retained", text) for text in explanations)


def test_without_evidence_demand_structured_content_may_be_reclaimed_without_its_original() -> None:
    span = at(judge(SEEN, profile=Profile(workload=Workload(evidence_demand=False))), LOOKED_UP)
    assert span.evidential_class == "structured"
    assert (span.verdict, span.action) == ("opportunity", "summarize")


@pytest.mark.parametrize(
    ("messages", "evidential_class"),
    [
        pytest.param(tool("get_weather", "Sunny.", city="Kiel"), "structured", id="tool-call-arguments"),
        pytest.param(agent("The file lies at /etc/app/conf.yaml on the server."), "structured", id="file-path"),
        pytest.param(agent("The retry limit is max_retries=17 now."), "structured", id="numeric-parameter"),
        pytest.param(agent("The customer's order is ORD-99120-B."), "structured", id="identifier"),
        pytest.param(agent("It began at 2026-09-10T13:09:52Z."), "structured", id="timestamp"),
        pytest.param(agent("I did not restart the database."), "structured", id="negation"),
        pytest.param(agent("That sounds like a pleasant plan to me."), "narrative", id="plain-talk"),
    ],
)
def test_the_evidential_class_follows_from_what_the_span_holds(messages: Messages, evidential_class: str) -> None:
    decision = judge([*user("Hello there."), *messages])
    assert at(decision, 1).evidential_class == evidential_class


# Refusal to reclaim, What was observed: the write to /etc/app/conf.yaml ---------------------------------------------------------

WRITE = 4
"""Index of the message with the call in the example."""


def test_the_write_to_etc_keeps_its_path_in_a_receipt_and_its_original_is_archived(tmp_path: Path) -> None:
    decision = decide(CONF_WRITE, keep_last=2, now=NOW, store=tmp_path)
    span = at(decision, WRITE)
    assert (span.evidential_class, span.verdict, span.action) == ("structured", "barrier", "repair")
    assert repairs(span, "archive") == [span.id]
    receipts = [record for record in decision.carrier if record.kind == "receipt" and record.source.message == WRITE]
    assert [record for record in receipts if "write_file" in record.text and "/etc/app/conf.yaml" in record.text]


def test_the_write_to_etc_stays_verbatim_where_nothing_can_be_archived() -> None:
    span = at(decide(CONF_WRITE, keep_last=2, now=NOW, store=False), WRITE)
    assert (span.verdict, span.action) == ("barrier", "retain")
    assert any("original retained" in reason.explanation for reason in span.reasons)
