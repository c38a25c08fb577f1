"""Nothing in a transcript can act on the terminal, and no secret reaches it."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from barrier_policy.cli.console import clean, clip, make_console, show

Runner = Callable[..., Any]

HOSTILE = "\x1b[2J\x1b]0;owned\x07\u202eevil\u2066\r\x9b31m\x00\u200b\ud800\U000e0041"
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, schön, 日本語, می‌خواهم 👩‍🌾", "plain, schön, 日本語, می‌خواهم 👩‍🌾"),
        ("a\nb\r\nc\td", "a⏎b⏎c d"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("over\rwritten", "over\\x0dwritten"),
        ("\x9b2J", "\\x9b2J"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("lone \ud83c", "lone \\ud83c"),
        ("tag \U000e0041", "tag \\U000e0041"),
    ],
)
def test_characters_that_a_terminal_obeys_are_shown_as_escapes(text: str, shown: str) -> None:
    assert clean(text) == shown


@pytest.mark.parametrize(("text", "shown"), [("abc", "abc"), ("abcd", "abcd"), ("abcde", "abc…"), ("ab de", "ab…")])
def test_long_text_is_clipped_with_a_mark(text: str, shown: str) -> None:
    assert clip(text, 4) == shown


def test_a_text_of_megabytes_is_clipped_without_reading_it_all() -> None:
    assert clip("\x1b" * 10_000_000, 5) == "\\x1b…"


@pytest.fixture
def hostile(chat: Runner) -> str:
    call = {
        "id": HOSTILE,
        "function": {"name": f"deploy{HOSTILE}", "arguments": '{"path": "/srv/[red]x[/red]/' + "\\u001b[2J" + '.yaml"}'},
    }
    return str(
        chat(
            ("system", f"You help. {HOSTILE}"),
            ("user", f"Please deploy /srv/{HOSTILE}/app.yaml now, never touch prod-7781. {HOSTILE}"),
            {"role": "assistant", "content": HOSTILE, "tool_calls": [call]},
            {"role": HOSTILE, "content": HOSTILE},
            {"role": "tool", "tool_call_id": HOSTILE, "content": f"queued {HOSTILE} [bold]job[/bold]"},
            {HOSTILE: HOSTILE},
            name="hostile.json",
        )
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("decide", "--keep-last", "0"),
        ("decide", "--keep-last", "0", "--target-tokens", "1"),
        ("facts",),
        ("ledger",),
        *[("explain", str(index), "--keep-last", "0") for index in range(6)],
    ],
)
def test_no_command_lets_control_characters_of_a_transcript_through(
    run: Runner, hostile: str, arguments: tuple[str, ...]
) -> None:
    done = run(arguments[0], hostile, *arguments[1:])
    assert done.code in (0, 1), done.err
    assert not OBEYED.search(done.out)


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_json_holds_lone_surrogates_as_text_that_every_reader_takes(run: Runner, chat: Runner, form: str) -> None:
    call = {"id": "c", "function": {"name": "deploy\ud800", "arguments": '{"service": "shop", "key": "k-2f9c41"}'}}
    name = chat(
        ("assistant", "The meadow is green and quiet. " * 100),
        {"role": "assistant", "content": "The meadow is green and quiet. " * 100, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": '{"status": "succeeded"}'},
    )
    done = run("decide", "--format", form, "--keep-last", "0", name)
    assert done.code == 0, done.err
    assert [record["fields"]["items"][0]["tool"] for record in json.loads(done.out)["carrier"]] == ["deploy\\ud800"]


def test_a_file_name_can_not_act_on_the_terminal(run: Runner) -> None:
    done = run("decide", "a\x1b[2J.json")
    assert done.code == 2
    assert not OBEYED.search(done.err)


def test_text_that_looks_like_markup_is_shown_as_it_is(run: Runner, hostile: str) -> None:
    assert "[red]x[/red]" in run("explain", hostile, "2", "--keep-last", "0").out


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environment", "coloured"),
    [
        (Terminal(), {}, True),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {"FORCE_COLOR": "1"}, False),
        (io.StringIO(), {}, False),
    ],
)
def test_colours_are_used_only_on_a_terminal_that_wants_them(
    stream: io.StringIO, environment: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    from rich.text import Text

    show(make_console(stream), Text("retain", style="red"))
    assert ("\x1b[" in stream.getvalue()) is coloured


def test_a_secret_is_never_printed(run: Runner, chat: Runner) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    call = {"id": "c", "function": {"name": "deploy", "arguments": f'{{"token": "{secret}", "service": "shop"}}'}}
    name = chat(
        ("user", f"Please deploy with the token {secret} and never print it."),
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": f"queued with {secret}"},
    )
    for arguments in (("decide",), ("facts",), ("ledger",), ("explain", "0"), ("explain", "1")):
        keep = () if arguments[0] == "facts" else ("--keep-last", "0")
        done = run(arguments[0], name, *arguments[1:], *keep)
        assert done.code == 0, done.err
        assert secret not in done.out.replace("\n", "").replace(" ", "")
