"""What every message gets: an index, an origin, call ids where there are none, its kind, and a count of what is left out."""

from __future__ import annotations

import pytest

from barrier_policy import MessageKind, Origin, Part, PartType, Source
from barrier_policy.errors import TranscriptError
from barrier_policy.transcript.builder import CallIds, TranscriptBuilder, origin_of
from barrier_policy.transcript.parts import call_part, reasoning_part, result_parts, text_part

CARRIER = "<barrier-policy-carrier v=1>\nrecord\n</barrier-policy-carrier>"


def _builder() -> TranscriptBuilder:
    return TranscriptBuilder(Source(b"{}"), "test")


@pytest.mark.parametrize(
    "role, origin",
    [
        ("system", Origin.SYSTEM),
        ("developer", Origin.DEVELOPER),
        ("user", Origin.USER),
        ("human", Origin.USER),
        ("assistant", Origin.AGENT),
        ("model", Origin.AGENT),
        ("tool", Origin.TOOL),
        ("environment", Origin.TOOL),
        ("", Origin.TOOL),
        ("SYSTEM", Origin.TOOL),
        ("owner", Origin.TOOL),
    ],
)
def test_an_unknown_role_has_no_authority(role: str, origin: Origin) -> None:
    assert origin_of(role) is origin


def test_results_go_to_the_oldest_open_call_of_their_name() -> None:
    ids = CallIds()
    assert [ids.call("a"), ids.call("b"), ids.call("a")] == ["#1", "#2", "#3"]
    assert [ids.result("b"), ids.result("a"), ids.result("a"), ids.result("a")] == ["#2", "#1", "#3", ""]


def test_a_result_without_a_name_goes_to_the_oldest_open_call() -> None:
    ids = CallIds()
    ids.call("a"), ids.call("b")
    assert [ids.result(""), ids.result(""), ids.result("")] == ["#1", "#2", ""]


def test_a_call_that_was_left_open_is_not_answered_after_the_next_step_began() -> None:
    ids = CallIds()
    ids.call("a"), ids.call("b")
    assert ids.result("a") == "#1"
    assert ids.call("a") == "#3"
    assert [ids.result("b"), ids.result("a")] == ["", "#3"]


def test_calls_in_several_messages_stay_open_until_a_result_comes() -> None:
    ids = CallIds()
    ids.call("a"), ids.call("a")
    assert [ids.result("a"), ids.result("a")] == ["#1", "#2"]


def test_only_calls_and_results_without_an_id_get_a_synthetic_one() -> None:
    builder = _builder()
    builder.add("assistant", [call_part("f", {}, call_id="own"), call_part("g", {})])
    builder.add("tool", [*result_parts("x", name="g"), *result_parts("y", call_id="own"), *result_parts("z", name="g")])
    first, second = builder.build().messages
    assert [part.call_id for part in first.parts] == ["own", "#1"]
    assert [part.call_id for part in second.parts] == ["#1", "own", ""]


def test_a_user_message_that_holds_only_results_is_the_tools() -> None:
    builder = _builder()
    builder.add("user", result_parts("x", call_id="t"))
    builder.add("user", [*result_parts("x", call_id="t"), text_part("y")])
    builder.add("user", [])
    assert [message.origin for message in builder.build().messages] == [Origin.TOOL, Origin.USER, Origin.USER]


def test_a_split_puts_the_users_results_first_and_the_agents_in_their_place() -> None:
    results = result_parts([{"type": "text", "text": "r"}, {"type": "image", "data": "AA"}], call_id="t")
    builder = _builder()
    builder.add_split("user", [text_part("a"), *results, text_part("b")])
    builder.add_split("assistant", [text_part("a"), call_part("f", {}, call_id="t"), *results, text_part("b")])
    found = [(m.role, m.origin, [part.type for part in m.parts]) for m in builder.build().messages]
    text, call, result, blob = PartType.TEXT, PartType.TOOL_CALL, PartType.TOOL_RESULT, PartType.BLOB
    assert found == [
        ("user", Origin.TOOL, [result, blob]),
        ("user", Origin.USER, [text, text]),
        ("assistant", Origin.AGENT, [text, call]),
        ("assistant", Origin.TOOL, [result, blob]),
        ("assistant", Origin.AGENT, [text]),
    ]


@pytest.mark.parametrize(
    "role, parts, kind",
    [
        ("user", [text_part(CARRIER)], MessageKind.CARRIER),
        ("system", [text_part(CARRIER), text_part(CARRIER)], MessageKind.CARRIER),
        ("user", [text_part(CARRIER), text_part("and delete the backup")], MessageKind.MESSAGE),
        ("user", [text_part("see " + CARRIER)], MessageKind.MESSAGE),
        ("assistant", [text_part(CARRIER)], MessageKind.MESSAGE),
        ("tool", [text_part(CARRIER)], MessageKind.MESSAGE),
        ("tool", result_parts(CARRIER, call_id="t"), MessageKind.MESSAGE),
        ("user", [reasoning_part(CARRIER)], MessageKind.MESSAGE),
        ("user", [], MessageKind.MESSAGE),
    ],
)
def test_only_a_message_that_is_nothing_but_carriers_and_not_the_agents_is_one(
    role: str, parts: list[Part], kind: MessageKind
) -> None:
    builder = _builder()
    builder.add(role, parts)
    assert builder.build().messages[0].kind is kind


def test_a_notice_speaks_with_the_authority_of_a_tool() -> None:
    builder = _builder()
    builder.add_notice("user", [text_part("Job 3 ended.")])
    message = builder.build().messages[0]
    assert (message.role, message.origin, message.kind) == ("user", Origin.TOOL, MessageKind.NOTICE)


def test_what_is_left_out_is_counted_by_kind_in_order_of_name() -> None:
    builder = _builder()
    for what, count in (("z", 1), ("a", 2), ("z", 3), ("none", 0)):
        builder.skip(what, count)
    assert [(skipped.what, skipped.count) for skipped in builder.build().skipped] == [("a", 2), ("z", 4)]


def test_a_source_without_any_message_of_the_format_is_refused_and_one_with_a_malformed_record_is_not() -> None:
    builder = _builder()
    builder.add_malformed(7)
    with pytest.raises(TranscriptError, match="no record in it is a message of format `test`"):
        builder.build()
    builder.add("user", [text_part("x")])
    assert [message.parts[0].type for message in builder.build().messages] == [PartType.UNKNOWN, PartType.TEXT]


@pytest.mark.parametrize(
    "declared",
    [
        [{"type": "function", "function": {"name": "f", "description": "d"}, "annotations": {"readOnlyHint": True}}],
        [{"name": "f", "description": "d", "input_schema": {}, "annotations": {"readOnlyHint": True}}],
        [{"functionDeclarations": [{"name": "f", "description": "d", "annotations": {"readOnlyHint": True}}]}],
    ],
)
def test_tools_are_declared_in_the_shapes_of_three_vendors(declared: list[object]) -> None:
    builder = _builder()
    builder.declare_tools(declared)
    (tool,) = builder.build().tools
    assert (tool.name, tool.description, tool.annotations) == ("f", "d", {"readOnlyHint": True})


@pytest.mark.parametrize("declared", [None, 7, {}, [None, 7, {"function": 3}, {"name": None}]])
def test_what_is_no_declaration_declares_nothing(declared: object) -> None:
    builder = _builder()
    builder.declare_tools(declared)
    assert builder.build().tools == ()
