"""Running a summarizer of any kind, from sync and from async code, in bounded time."""

from __future__ import annotations

import asyncio
import contextvars
import json
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from barrier_policy.digest import stable_json
from barrier_policy.errors import CarrierError, SummaryError
from barrier_policy.facts.masking import Masker
from barrier_policy.facts.model import Fact
from barrier_policy.gate.summarize import asummarize, summarize
from barrier_policy.gate.summarizers.extractive import Extractive
from barrier_policy.gate.summarizers.function import Function, load_function
from barrier_policy.gate.summary_request import Summarizer, Summary, SummaryRequest, make_request, summarizer_name
from barrier_policy.transcript.model import Message, Origin, Part, PartType
from barrier_policy.transcript.parts import call_part

Asked = Callable[..., SummaryRequest]
Run = Callable[..., Summary]

TEXT = "They talked about roses."


def told(request: SummaryRequest) -> str:
    return f"They exchanged {len(request.messages)} messages about roses."


async def told_later(request: SummaryRequest) -> str:
    await asyncio.sleep(0)
    return told(request)


class Told:
    async def __call__(self, request: SummaryRequest) -> str:
        return await told_later(request)


def from_a_running_loop(*arguments: Any, **options: Any) -> Summary:
    async def main() -> Summary:
        return summarize(*arguments, **options)

    return asyncio.run(main())


def from_async_code(*arguments: Any, **options: Any) -> Summary:
    return asyncio.run(asummarize(*arguments, **options))


RUNS = pytest.mark.parametrize("run", [summarize, from_a_running_loop, from_async_code])


@RUNS
@pytest.mark.parametrize("summarizer", [told, told_later, Told(), lambda request: told_later(request)])
def test_sync_and_async_callables_are_run_from_sync_and_async_code(asked: Asked, run: Run, summarizer: Summarizer) -> None:
    summary = run(asked(), summarizer, timeout=10)
    assert summary.text == "They exchanged 2 messages about roses."
    assert summary.summarizer == summarizer_name(summarizer)


@pytest.mark.parametrize(
    ("summarizer", "name"),
    [
        (told, "told"),
        (Told(), "Told"),
        (Extractive(), "extractive"),
        (Function(name="shop.text:short", function=told), "shop.text:short"),
    ],
)
def test_a_summarizer_has_a_name(summarizer: Summarizer, name: str) -> None:
    assert summarizer_name(summarizer) == name


def raising(error: BaseException) -> Summarizer:
    def broken(request: SummaryRequest) -> str:
        raise error

    return broken


def raising_later(error: BaseException) -> Summarizer:
    async def broken(request: SummaryRequest) -> str:
        raise error

    return broken


@RUNS
@pytest.mark.parametrize("make", [raising, raising_later])
@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (ValueError("no model is loaded"), "raised ValueError: no model is loaded"),
        (KeyError(), "raised KeyError"),
        (TimeoutError("the far side is slow"), "raised TimeoutError: the far side is slow"),
        (RuntimeError("two\nlines \x1b[31mred"), r"raised RuntimeError: two lines \x1b[31mred"),
        (RuntimeError("x" * 1000), "raised RuntimeError: …" + "x" * 299),
    ],
)
def test_a_summarizer_that_raises_is_named_with_what_it_said(
    asked: Asked, run: Run, make: Callable[[BaseException], Summarizer], error: Exception, shown: str
) -> None:
    summarizer = make(error)
    with pytest.raises(SummaryError) as caught:
        run(asked(), summarizer)
    assert str(caught.value) == f"summarizer `{summarizer_name(summarizer)}` {shown}"
    assert caught.value.__context__ is None


def test_a_key_in_an_exception_is_masked(asked: Asked) -> None:
    with pytest.raises(SummaryError) as caught:
        summarize(asked(), raising(RuntimeError("rejected: Authorization: Bearer kq83hf7Gd0sPz6Rt4WmN1bXv")))
    assert "kq83hf7Gd0sPz6Rt4WmN1bXv" not in str(caught.value) and "rejected" in str(caught.value)


@pytest.mark.parametrize("error", [SystemExit(3), StopIteration(), asyncio.CancelledError()])
def test_a_summarizer_can_not_end_the_process_or_pass_for_another_error(asked: Asked, error: BaseException) -> None:
    for summarizer in (raising(error), raising_later(error)):
        with pytest.raises(SummaryError, match=f"raised {type(error).__name__}|coroutine raised StopIteration"):
            summarize(asked(), summarizer)


def test_our_own_errors_pass_as_they_are(asked: Asked) -> None:
    with pytest.raises(CarrierError, match=r"^as it is$"):
        summarize(asked(), raising(CarrierError("as it is")))


@RUNS
@pytest.mark.parametrize(("answer", "kind"), [(None, "NoneType"), (b"bytes", "bytes"), ({"text": "x"}, "dict"), (7, "int")])
def test_an_answer_has_to_be_a_text(asked: Asked, run: Run, answer: Any, kind: str) -> None:
    with pytest.raises(SummaryError, match=f"returned a `{kind}` \\(it must return a text\\)$"):
        run(asked(), lambda request: answer)


async def sleeping(request: SummaryRequest) -> str:
    await asyncio.sleep(60)
    return TEXT


def test_what_hangs_is_given_up(asked: Asked) -> None:
    release = threading.Event()

    def hanging(request: SummaryRequest) -> str:
        release.wait(60)
        return TEXT

    try:
        for run in (summarize, from_a_running_loop, from_async_code):
            for summarizer in (hanging, sleeping, Function(name="shop:hanging", function=hanging, timeout=0.1)):
                start = time.monotonic()
                with pytest.raises(SummaryError, match=r"gave no answer within 0\.1 s \(give it more time, or"):
                    run(asked(), summarizer, timeout=None if isinstance(summarizer, Function) else 0.1)
                assert time.monotonic() - start < 30
    finally:
        release.set()


def test_an_async_function_that_blocks_is_given_up_by_sync_code(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("barrier_policy.gate.summarize.GRACE", 0.1)
    release = threading.Event()

    async def blocking(request: SummaryRequest) -> str:
        release.wait(60)
        return TEXT

    try:
        with pytest.raises(SummaryError, match="gave no answer in time, nor could it be stopped"):
            summarize(asked(), blocking, timeout=0.1)
    finally:
        release.set()


def test_a_sync_summarizer_does_not_stop_the_event_loop(asked: Asked) -> None:
    async def main() -> int:
        done, ticks = threading.Event(), 0
        task = asyncio.create_task(asummarize(asked(), lambda request: (done.wait(10) and TEXT) or "", timeout=20))
        while ticks < 5:
            await asyncio.sleep(0.01)
            ticks += 1
        done.set()
        assert (await task).text == TEXT
        return ticks

    assert asyncio.run(main()) == 5


def test_an_awaiting_task_can_be_cancelled(asked: Asked) -> None:
    ended: list[str] = []

    async def patient(request: SummaryRequest) -> str:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("cleaned up")
        return TEXT

    async def main() -> None:
        task = asyncio.create_task(asummarize(asked(), patient))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert ended == ["cleaned up"]


def test_a_summarizer_sees_the_callers_context(asked: Asked) -> None:
    tenant: contextvars.ContextVar[str] = contextvars.ContextVar("tenant")
    tenant.set("the north shop")
    assert summarize(asked(), lambda request: f"This was about {tenant.get()}.").text == "This was about the north shop."


def test_the_answer_is_checked_and_cleaned(asked: Asked) -> None:
    assert summarize(asked(), lambda request: "  All\x00 well. ").text == "All well."
    with pytest.raises(SummaryError, match="is empty"):
        summarize(asked(), lambda request: " ")


# --- what a summarizer is told


def test_the_request_is_one_json_object(asked: Asked) -> None:
    call = call_part("search", '{"q": "roses"}', call_id="c1")
    result = Part(type=PartType.TOOL_RESULT, name="search", call_id="c1", text="2 found", is_error=False)
    picture = Part(type=PartType.BLOB, media_type="image/png", text="https://x.test/private.png")
    request = asked(
        ("user", "Look \ud800 here"),
        Message(index=1, role="assistant", origin=Origin.AGENT, parts=(call,)),
        Message(index=2, role="tool", origin=Origin.TOOL, parts=(result, picture)),
    )
    found = request.to_dict()
    assert list(found) == ["schema", "task", "preserve", "tokens", "max_tokens", "messages"]
    assert found["schema"] == "barrier_policy/summary-request/v1"
    assert found["preserve"] == ["decisions", "bindings"] and found["max_tokens"] == 400
    assert found["messages"] == [
        {
            "role": "user",
            "origin": "user",
            "kind": "message",
            "parts": [{"type": "text", "text": "Look \\ud800 here"}],
        },
        {
            "role": "assistant",
            "origin": "agent",
            "kind": "message",
            "parts": [{"type": "tool_call", "id": "c1", "name": "search", "arguments": '{"q": "roses"}'}],
        },
        {
            "role": "tool",
            "origin": "tool_result",
            "kind": "message",
            "parts": [
                {"type": "tool_call_response", "id": "c1", "name": "search", "is_error": False, "text": "2 found"},
                {"type": "blob", "media_type": "image/png"},
            ],
        },
    ]
    assert json.loads(stable_json(found)) == found


SECRET = 'k"9fA2-77'


def test_secrets_are_masked_in_every_text_argument_and_setting() -> None:
    said = f"The key is {SECRET}."
    call = call_part("login", {"key": SECRET, "note": ["again " + SECRET]})
    messages = (
        Message(
            index=0,
            role="user",
            origin=Origin.USER,
            parts=(Part(type=PartType.TEXT, text=said),),
            environment={"cwd": f"/home/{SECRET}"},
        ),
        Message(index=1, role="assistant", origin=Origin.AGENT, parts=(call,)),
    )
    escaped = call.text.index("k\\")
    facts = [
        Fact(kind="secret", message=0, start=11, end=11 + len(SECRET), attributes={"type": "api_key", "digest": "d1"}),
        Fact(
            kind="secret",
            message=1,
            start=escaped,
            end=escaped + len(SECRET) + 1,
            attributes={"type": "api_key", "digest": "d1"},
        ),
    ]
    request = make_request(messages, Masker(messages, [facts]), tokens=50, max_tokens=20)
    assert SECRET not in repr(request) and "9fA2-77" not in repr(request)
    assert request.messages[0].parts[0].text == "The key is [secret api_key d1]."
    assert request.messages[1].parts[0].arguments == {"key": "[secret api_key d1]", "note": ["again [secret api_key d1]"]}


def test_what_holds_no_secret_is_told_as_it_is() -> None:
    messages = (Message(index=0, role="assistant", origin=Origin.AGENT, parts=(call_part("search", '{"q": 1.0}'),)),)
    assert make_request(messages, Masker(messages, []), tokens=50, max_tokens=20).messages == messages


# --- functions by name


@pytest.fixture
def module(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shop_text.py").write_text(
        "def short(request):\n    return 'It was short.'\n\n"
        "class Kept:\n    @staticmethod\n    async def short(request):\n        return 'It was kept short.'\n\nNUMBER = 7\n"
    )
    (tmp_path / "shop_broken.py").write_text("raise RuntimeError('no config\\nhere')\n")
    (tmp_path / "shop_exit.py").write_text("raise SystemExit(3)\n")
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("module")
@pytest.mark.parametrize(
    ("name", "text"), [("shop_text:short", "It was short."), ("shop_text:Kept.short", "It was kept short.")]
)
def test_a_function_is_named_by_module_and_name(asked: Asked, name: str, text: str) -> None:
    assert summarize(asked(), load_function(name)) == Summary(text=text, summarizer=name)


@pytest.mark.usefixtures("module")
@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("shop_text", "summarizer: `shop_text` names no function (write it as module:name)"),
        ("shop_text:", "summarizer: `shop_text:` names no function (write it as module:name)"),
        ("../shop:x", "summarizer: `../shop:x` names no function (write it as module:name)"),
        (
            "shop_missing:short",
            "summarizer `shop_missing:short` can't be loaded: No module named 'shop_missing' "
            "(the module must be installed or on PYTHONPATH)",
        ),
        (
            "shop_text:long",
            "summarizer `shop_text:long` can't be loaded: module 'shop_text' has no attribute 'long' "
            "(the module must be installed or on PYTHONPATH)",
        ),
        (
            "shop_broken:short",
            "summarizer `shop_broken:short` can't be loaded: no config here (the module must be installed or on PYTHONPATH)",
        ),
        (
            "shop_exit:short",
            "summarizer `shop_exit:short` can't be loaded: 3 (the module must be installed or on PYTHONPATH)",
        ),
        (
            "shop_text:NUMBER",
            "summarizer `shop_text:NUMBER` is of type `int` (a function that takes a SummaryRequest is needed)",
        ),
    ],
)
def test_a_name_that_leads_to_no_function_is_refused(name: str, problem: str) -> None:
    with pytest.raises(SummaryError) as caught:
        load_function(name)
    assert str(caught.value) == problem
