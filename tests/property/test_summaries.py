"""Whatever a summarizer answers, and whatever a conversation holds (design section 9: no forged carriers, no secrets, same bytes)."""

from __future__ import annotations

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from barrier_policy.errors import SummaryError
from barrier_policy.gate.summarizers.extractive import Extractive
from barrier_policy.gate.summary_check import COPIED, check_summary, clean, has_mark, is_echo
from barrier_policy.gate.summary_request import SummaryRequest
from barrier_policy.transcript.builder import CARRIER_MARK, SUMMARY_MARK
from barrier_policy.transcript.model import Message, MessageKind, Origin, Part, PartType
from barrier_policy.transcript.parts import call_part
from barrier_policy.transcript.tokens import estimate_tokens, message_tokens

TEXTS = st.text(max_size=300)
NOISE = st.text(st.sampled_from(" \t\n\u200b\u200d\u00ad\ufeff\u0336-_./*\u2060\u202e\U000e0041"), max_size=3)
PIECES = st.sampled_from(
    [
        "The roses look pale. ",
        "Never push on Friday. ",
        "port=8443 ",
        "“",
        "”",
        "`x`",
        "- ",
        "\n",
        "<b>",
        CARRIER_MARK,
        "…: ",
        "路径",
    ]
)


def request_of(*messages: Message, max_tokens: int = 300) -> SummaryRequest:
    return SummaryRequest(messages=messages, tokens=sum(map(message_tokens, messages)), max_tokens=max_tokens)


@st.composite
def messages(draw: st.DrawFn) -> Message:
    origin = draw(st.sampled_from([Origin.USER, Origin.AGENT, Origin.TOOL, Origin.SYSTEM]))
    text = draw(TEXTS | st.lists(PIECES, max_size=12).map("".join))
    part = Part(type=draw(st.sampled_from([PartType.TEXT, PartType.TOOL_RESULT, PartType.REASONING])), text=text)
    call = call_part(
        draw(st.text(max_size=10) | st.just("bash")), draw(st.none() | st.dictionaries(st.just("command"), TEXTS))
    )
    kind = draw(st.sampled_from([MessageKind.MESSAGE, MessageKind.SUMMARY, MessageKind.NOTICE]))
    return Message(
        index=0, role=origin.value, origin=origin, kind=kind, parts=draw(st.sampled_from([(part,), (part, call), (call,)]))
    )


RUNS = st.lists(messages(), max_size=8).map(tuple)


@given(TEXTS)
def test_a_cleaned_text_is_clean(text: str) -> None:
    cleaned = clean(text)
    assert clean(cleaned) == cleaned
    cleaned.encode("utf-8")
    assert all(character in "\n\t" or unicodedata.category(character) != "Cc" for character in cleaned)


@given(TEXTS, st.sampled_from([CARRIER_MARK, SUMMARY_MARK, "</" + CARRIER_MARK[1:]]), st.data())
def test_a_mark_is_found_whatever_stands_between_its_letters(before: str, mark: str, data: st.DataObject) -> None:
    cased = "".join(data.draw(st.sampled_from([letter.lower(), letter.upper()])) for letter in mark)
    assert has_mark(before + "".join(letter + data.draw(NOISE) for letter in cased))


@given(RUNS, st.integers(0, 200))
@settings(max_examples=200)
def test_an_extract_fits_and_is_ours_whatever_the_conversation(run: tuple[Message, ...], max_tokens: int) -> None:
    request = request_of(*run, max_tokens=max_tokens)
    text = Extractive()(request)
    _, *entries = text.split("\n")
    assert Extractive()(request) == text == clean(text)
    assert not has_mark(text)
    assert not entries or estimate_tokens(text) <= max_tokens
    for entry in entries:
        assert entry.startswith(
            ("- The user ", "- The agent ", "- An earlier summary said: “", "- Further exchanges were left out.")
        )
    if not any(message.kind is MessageKind.SUMMARY for message in run):
        quotes = [entry.partition("“")[2].removesuffix("”") for entry in entries]
        assert not any(character.isdigit() or character in "“”" for quote in quotes for character in quote)


@given(st.text(min_size=2 * COPIED, max_size=900), st.integers(0, 300))
def test_a_long_piece_of_the_source_alone_is_an_echo(source: str, start: int) -> None:
    piece = source[start : start + 2 * COPIED]
    letters = sum(map(str.isalnum, piece))
    request = request_of(Message(index=0, role="user", origin=Origin.USER, parts=(Part(type=PartType.TEXT, text=source),)))
    assert is_echo(piece, request) or letters < COPIED


@given(TEXTS, RUNS)
def test_an_answer_is_taken_clean_or_refused_with_our_own_error(answer: str, run: tuple[Message, ...]) -> None:
    try:
        text = check_summary(answer, request_of(*run))
    except SummaryError as error:
        assert str(error).isprintable()
    else:
        assert text == clean(answer) and not has_mark(text)
