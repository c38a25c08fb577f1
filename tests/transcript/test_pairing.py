"""Results find their calls by position first, then by id."""

from barrier_policy.transcript.model import Message, Origin, Part, PartType
from barrier_policy.transcript.pairing import PartRef, pair_calls


def call(index: int, *ids: str) -> Message:
    parts = tuple(Part(type=PartType.TOOL_CALL, call_id=identifier, name="tool") for identifier in ids)
    return Message(index=index, role="assistant", origin=Origin.AGENT, parts=parts)


def result(index: int, *ids: str) -> Message:
    parts = tuple(Part(type=PartType.TOOL_RESULT, call_id=identifier) for identifier in ids)
    return Message(index=index, role="tool", origin=Origin.TOOL, parts=parts)


def pairs_of(*messages: Message) -> dict[tuple[int, int], tuple[int, int]]:
    found = pair_calls(messages).call_of
    return {(ref.message, ref.part): (call.message, call.part) for ref, call in found.items()}


def test_parallel_results_in_another_order_find_their_calls_by_id() -> None:
    assert pairs_of(call(0, "a", "b"), result(1, "b"), result(2, "a")) == {(1, 0): (0, 1), (2, 0): (0, 0)}


def test_a_re_used_id_belongs_to_the_call_just_before_its_result() -> None:
    assert pairs_of(call(0, "x"), result(1, "x"), call(2, "x"), result(3, "x")) == {(1, 0): (0, 0), (3, 0): (2, 0)}


def test_a_re_used_id_does_not_answer_an_older_open_call() -> None:
    found = pair_calls([call(0, "x"), call(1, "x"), result(2, "x")])
    assert found.results_of[PartRef(0, 0)] == ()
    assert found.results_of[PartRef(1, 0)] == (PartRef(2, 0),)


def test_a_second_answer_to_one_call_is_a_second_result() -> None:
    found = pair_calls([call(0, "x"), result(1, "x"), result(2, "x")])
    assert found.results_of[PartRef(0, 0)] == (PartRef(1, 0), PartRef(2, 0))


def test_results_without_ids_answer_the_oldest_open_calls_in_order() -> None:
    assert pairs_of(call(0, "", ""), result(1, ""), result(2, "")) == {(1, 0): (0, 0), (2, 0): (0, 1)}


def test_a_result_with_an_unknown_id_is_an_orphan() -> None:
    assert pairs_of(call(0, "a"), result(1, "zzz")) == {}


def test_a_result_that_stands_before_its_call_is_paired_with_it() -> None:
    assert pairs_of(result(0, "a"), call(1, "a")) == {(0, 0): (1, 0)}


def test_ten_thousand_calls_in_one_turn_pair_in_linear_time() -> None:
    ids = [str(number) for number in range(10_000)]
    assert (
        len(pairs_of(call(0, *ids), *(result(number + 1, identifier) for number, identifier in enumerate(reversed(ids)))))
        == 10_000
    )


def test_ten_thousand_calls_with_one_id_pair_in_order_and_in_bounded_time() -> None:
    found = pairs_of(call(0, *["x"] * 10_000), *(result(number + 1, "x") for number in range(10_000)))
    assert all(found[(number + 1, 0)] == (0, number) for number in range(10_000))
