"""Spans are whole groups and partition what is before the tail."""

import pytest

from barrier_policy.errors import TranscriptError
from barrier_policy.spans.segment import FAR, Strategy, segment
from barrier_policy.transcript.model import Message, Origin, Part, PartType
from barrier_policy.transcript.pairing import pair_calls

USER, AGENT, TOOL, SYSTEM = Origin.USER, Origin.AGENT, Origin.TOOL, Origin.SYSTEM


def build(*spec: tuple[Origin, str]) -> list[Message]:
    """Messages from (origin, text): `call:x` is a call with id x, `result:x` its result, anything else is text."""
    messages = []
    for index, (origin, text) in enumerate(spec):
        kind, _, identifier = text.partition(":")
        type = {"call": PartType.TOOL_CALL, "result": PartType.TOOL_RESULT}.get(kind, PartType.TEXT)
        part = Part(type=type, text=text, call_id=identifier if type is not PartType.TEXT else "")
        messages.append(Message(index=index, role=origin, origin=origin, parts=(part,)))
    return messages


def spans_of(messages: list[Message], **options: object) -> list[tuple[int, int]]:
    found = segment(messages, pair_calls(messages), **{"keep_last": 0, **options})  # type: ignore[arg-type]
    return [(span.start, span.end) for span in found.spans]


CHAT = build((USER, "hi"), (AGENT, "call:a"), (TOOL, "result:a"), (AGENT, "done"), (USER, "next"), (AGENT, "ok"))


def test_steps_are_a_user_message_a_call_with_its_results_or_a_text() -> None:
    assert spans_of(CHAT) == [(0, 1), (1, 3), (3, 4), (4, 5), (5, 6)]


def test_turns_go_from_one_user_message_to_the_next() -> None:
    assert spans_of(CHAT, strategy=Strategy.TURNS) == [(0, 4), (4, 6)]


def test_the_tail_never_begins_with_the_result_of_an_earlier_call() -> None:
    found = segment(CHAT, pair_calls(CHAT), keep_last=4)
    assert found.tail_start == 1


def test_messages_between_a_call_and_its_late_result_belong_to_its_span() -> None:
    messages = build((AGENT, "call:a"), (USER, "and?"), (AGENT, "wait"), (TOOL, "result:a"), (AGENT, "done"))
    assert spans_of(messages) == [(0, 4), (4, 5)]


def test_a_pair_that_is_far_apart_marks_both_spans_as_not_closed() -> None:
    middle = [(USER, "q"), (AGENT, "a")] * FAR
    messages = build((AGENT, "call:a"), *middle, (TOOL, "result:a"), (AGENT, "done"))
    found = segment(messages, pair_calls(messages), keep_last=0)
    assert [span.start for span in found.spans if not span.closed] == [0, len(messages) - 3]


def test_a_range_is_one_span_and_is_widened_to_whole_groups() -> None:
    assert spans_of(CHAT, ranges=[(0, 2)]) == [(0, 3), (3, 4), (4, 5), (5, 6)]


@pytest.mark.parametrize("bad", [(-1, 2), (2, 2), (3, 1), (0, 99)])
def test_a_range_outside_the_transcript_is_refused(bad: tuple[int, int]) -> None:
    with pytest.raises(TranscriptError, match="no range of messages within"):
        spans_of(CHAT, ranges=[bad])


@pytest.mark.parametrize("keep_last", range(8))
def test_spans_partition_what_is_before_the_tail(keep_last: int) -> None:
    found = segment(CHAT, pair_calls(CHAT), keep_last=keep_last)
    covered = [index for span in found.spans for index in range(span.start, span.end)]
    assert covered == list(range(found.tail_start))
