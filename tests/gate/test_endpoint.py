"""An OpenAI-compatible endpoint as summarizer, against a server on loopback that does what servers do."""

from __future__ import annotations

import asyncio
import gzip
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import pytest

from barrier_policy.errors import MissingExtraError, SummaryError
from barrier_policy.gate.summarize import asummarize, summarize
from barrier_policy.gate.summarizers.endpoint import MAX_ANSWER, Endpoint, address, load_client, read_key
from barrier_policy.gate.summarizers.make import make_summarizer
from barrier_policy.gate.summary_request import TASK, SummaryRequest
from barrier_policy.summarizer_spec import SummarizerKind, SummarizerSpec

pytest.importorskip("httpx", reason="the extra `endpoint` is not installed")

Asked = Callable[..., SummaryRequest]

KEY = "kq83hf7Gd0sPz6Rt4WmN1bXv"
SAID = "the roses along the private fence"
TEXT = "They talked about plants."


class Reply(NamedTuple):
    """One answer of the server."""

    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    hang: bool = False


def completion(text: Any = TEXT, **choice: Any) -> Reply:
    found = {"id": "x", "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, **choice}], "usage": {}}
    return Reply(body=json.dumps(found).encode())


class Server:
    """Answers one request after the other with the next reply, the last one for ever, and remembers what it was asked."""

    def __init__(self) -> None:
        self.replies: list[Reply] = [completion()]
        self.seen: list[tuple[str, dict[str, str], bytes]] = []
        self.release = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                server.seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
                reply = server.replies.pop(0) if len(server.replies) > 1 else server.replies[0]
                self.close_connection = True
                try:
                    self.send_response(reply.status)
                    for name, value in reply.headers:
                        self.send_header(name, value)
                    self.send_header("Connection", "close")
                    self.end_headers()
                    self.wfile.write(reply.body)
                    self.wfile.flush()
                    if reply.hang:
                        server.release.wait(30)
                except OSError:
                    pass

            do_GET = do_POST

            def log_message(self, *arguments: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_port}/v1"

    def stop(self) -> None:
        self.release.set()
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()
    yield found
    found.stop()


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SUMMARIZER_KEY", KEY)


def endpoint(server: Server, *, timeout: float = 10, key: str = "SUMMARIZER_KEY") -> Endpoint:
    return Endpoint(url=server.url, model="small", api_key_env=key, timeout=timeout, pauses=(0.0, 0.0))


def problem(found: Endpoint, request: SummaryRequest) -> str:
    with pytest.raises(SummaryError) as caught:
        summarize(request, found)
    assert caught.value.__context__ is None
    return str(caught.value)


@pytest.fixture
def about(asked: Asked) -> SummaryRequest:
    """A request whose words must not turn up in any error."""
    return asked(("user", f"Please water {SAID}."), ("assistant", f"I watered {SAID} twice. " * 8))


def test_a_model_is_asked_once_for_a_chat_completion(server: Server, about: SummaryRequest) -> None:
    summary = summarize(about, endpoint(server))
    assert summary.text == TEXT and summary.summarizer == "endpoint small"
    ((path, headers, body),) = server.seen
    assert path == "/v1/chat/completions"
    assert headers["authorization"] == f"Bearer {KEY}" and headers["content-type"] == "application/json"
    sent = json.loads(body)
    assert sorted(sent) == ["messages", "model"] and sent["model"] == "small"
    system, user = sent["messages"]
    assert system["role"] == "system" and system["content"].startswith(TASK)
    assert "Use fewer than 400 tokens. Keep: decisions, bindings." in system["content"]
    assert user["role"] == "user"
    assert json.loads(user["content"]) == {name: value for name, value in about.to_dict().items() if name != "task"}


def test_async_code_asks_in_its_own_loop(server: Server, about: SummaryRequest) -> None:
    assert asyncio.run(asummarize(about, endpoint(server))).text == TEXT


def test_without_a_key_none_is_sent(server: Server, about: SummaryRequest) -> None:
    summarize(about, endpoint(server, key=""))
    assert "authorization" not in server.seen[0][1]


@pytest.mark.parametrize(
    ("url", "asked_at"),
    [
        ("https://models.test", "https://models.test/v1/chat/completions"),
        ("https://models.test/", "https://models.test/v1/chat/completions"),
        ("https://models.test/v1", "https://models.test/v1/chat/completions"),
        ("https://models.test/api/v3/", "https://models.test/api/v3/chat/completions"),
        ("https://models.test/v1/chat/completions", "https://models.test/v1/chat/completions"),
    ],
)
def test_the_base_url_is_that_of_other_clients(url: str, asked_at: str) -> None:
    assert address(url) == asked_at


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again_a_bounded_number_of_times(server: Server, about: SummaryRequest, status: int) -> None:
    server.replies = [Reply(status=status), Reply(status=status), completion()]
    assert summarize(about, endpoint(server)).text == TEXT
    assert len(server.seen) == 3
    server.replies = [Reply(status=status)]
    assert problem(endpoint(server), about).startswith(f"summarizer `endpoint small` answered {status} (")
    assert len(server.seen) == 6


def test_the_pause_that_a_server_asks_for_is_kept(server: Server, about: SummaryRequest) -> None:
    server.replies = [Reply(status=429, headers=(("Retry-After", "1"),)), completion()]
    start = time.monotonic()
    summarize(about, endpoint(server))
    assert time.monotonic() - start >= 1


@pytest.mark.parametrize("header", ["3600", "Wed, 21 Oct 2026 07:28:00 GMT", "-1", "9" * 400, "²", ""])
def test_a_pause_that_nobody_would_wait_for_is_not_kept(server: Server, about: SummaryRequest, header: str) -> None:
    server.replies = [Reply(status=503, headers=(("Retry-After", header.encode().decode("latin-1")),)), completion()]
    start = time.monotonic()
    summarize(about, endpoint(server))
    assert time.monotonic() - start < 20


def test_tries_and_pauses_together_stay_within_the_time_limit(server: Server, about: SummaryRequest) -> None:
    server.replies = [Reply(status=503, headers=(("Retry-After", "19"),))]
    start = time.monotonic()
    assert "gave no answer within 0.3 s" in problem(endpoint(server, timeout=0.3), about)
    assert time.monotonic() - start < 15


@pytest.mark.parametrize(
    ("status", "hint"),
    [
        (400, "see the log of the server"),
        (401, "is the key in `SUMMARIZER_KEY` right?"),
        (403, "may this key use the model?"),
        (404, "is the model's name right, and does the url end with the /v1 of the API?"),
        (413, "the run is too long for this server"),
    ],
)
def test_a_refusal_is_not_asked_again_and_says_what_to_look_at(
    server: Server, about: SummaryRequest, status: int, hint: str
) -> None:
    server.replies = [Reply(status=status, body=f"{KEY} may not say {SAID}".encode())]
    assert problem(endpoint(server), about) == f"summarizer `endpoint small` answered {status} ({hint})"
    assert len(server.seen) == 1


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(server: Server, about: SummaryRequest, status: int) -> None:
    other = Server()
    try:
        server.replies = [Reply(status=status, headers=(("Location", f"{other.url}/chat/completions"),))]
        assert problem(endpoint(server), about) == (
            f"summarizer `endpoint small` answered {status}: redirects are not followed (name the final url)"
        )
        assert other.seen == []
    finally:
        other.stop()


NO_COMPLETION = "summarizer `endpoint small` answered with something that is no chat completion (does the url end with the /v1 of the API?)"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe\x00garbage",
        b"<html><body>Welcome</body></html>",
        b"[]",
        b"null",
        b'{"error": {"message": "the roses along the private fence"}}',
        b'{"choices": []}',
        b'{"choices": "none"}',
        b'{"choices": [{"text": "old"}]}',
        b'{"choices": [{"message": {"content": ["parts"]}}]}',
        b'{"choices": [{"message": {"content": 7}}]}',
        b'{"choices": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"x": ' + b"[" * 100_000,
    ],
)
def test_an_answer_that_is_no_completion_is_refused(server: Server, about: SummaryRequest, body: bytes) -> None:
    server.replies = [Reply(body=body)]
    assert problem(endpoint(server), about) == NO_COMPLETION


@pytest.mark.parametrize("text", [None, "", "  "])
def test_a_completion_without_text_is_an_empty_summary(server: Server, about: SummaryRequest, text: str | None) -> None:
    server.replies = [completion(text)]
    assert problem(endpoint(server), about) == "the summary is empty (the summarizer has to answer with text)"


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_half_an_answer_is_refused(server: Server, about: SummaryRequest, reason: str) -> None:
    server.replies = [completion(finish_reason=reason)]
    assert (
        problem(endpoint(server), about) == f"summarizer `endpoint small` ended its answer early (finish reason `{reason}`)"
    )


@pytest.mark.parametrize("reason", ["stop", "eos", None])
def test_a_whole_answer_is_taken_whatever_it_is_called(server: Server, about: SummaryRequest, reason: str | None) -> None:
    server.replies = [completion(finish_reason=reason)]
    assert summarize(about, endpoint(server)).text == TEXT


def test_a_huge_body_is_cut_off(server: Server, about: SummaryRequest) -> None:
    server.replies = [Reply(body=b"x" * (3 * MAX_ANSWER))]
    assert problem(endpoint(server), about) == f"summarizer `endpoint small` answered with more than {MAX_ANSWER:,} bytes"


def test_a_compressed_body_is_refused(server: Server, about: SummaryRequest) -> None:
    bomb = gzip.compress(b" " * 50_000_000)
    server.replies = [Reply(body=bomb, headers=(("Content-Encoding", "gzip"),))]
    assert (
        problem(endpoint(server), about)
        == "summarizer `endpoint small` answered with a compressed body (none was asked for)"
    )
    assert server.seen[0][1]["accept-encoding"] == "identity"


@pytest.mark.parametrize("body", [b"", b'{"choices": [', b" "])
def test_a_server_that_hangs_is_given_up(server: Server, about: SummaryRequest, body: bytes) -> None:
    server.replies = [Reply(body=body, hang=True)]
    start = time.monotonic()
    assert problem(endpoint(server, timeout=0.3), about) == (
        "summarizer `endpoint small` gave no answer within 0.3 s (give it more time, or look why it hangs)"
    )
    assert time.monotonic() - start < 15


def test_a_server_that_is_not_there_is_named_without_its_path(about: SummaryRequest) -> None:
    gone = Server()
    gone.stop()
    assert problem(endpoint(gone), about) == (
        f"summarizer `endpoint small` could not be reached at `{gone.url.removesuffix('/v1')}` "
        "(ConnectError; is the url right, and the server up?)"
    )


def test_a_server_that_hangs_up_is_named(server: Server, about: SummaryRequest) -> None:
    server.replies = [Reply(body=b"{}", headers=(("Content-Length", "500"),))]
    assert "could not be reached" in problem(endpoint(server), about)


def test_a_server_that_speaks_no_http_is_named(server: Server, about: SummaryRequest) -> None:
    server.replies = [Reply(headers=(("Content-Length", "none"),))]
    assert "could not be reached" in problem(endpoint(server), about)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=401, body=KEY.encode()),
        Reply(status=500, body=SAID.encode()),
        Reply(status=302, headers=(("Location", f"http://x.test/?{KEY}"),)),
        Reply(body=f'{{"choices": "{KEY} {SAID}"}}'.encode()),
        Reply(headers=(("Content-Length", KEY),)),
        Reply(headers=(("Content-Encoding", KEY),)),
        completion(f"{SAID}", finish_reason="length"),
        Reply(hang=True),
    ],
)
def test_no_error_shows_the_key_or_what_was_said(server: Server, about: SummaryRequest, reply: Reply) -> None:
    server.replies = [reply]
    found = endpoint(server, timeout=0.5)
    for text in (problem(found, about), repr(found), str(found)):
        assert KEY not in text and "roses" not in text


def test_a_made_endpoint_holds_no_key(server: Server) -> None:
    spec = SummarizerSpec(
        kind=SummarizerKind.ENDPOINT, url=server.url, model="small", api_key_env="SUMMARIZER_KEY", timeout_seconds=9
    )
    made = make_summarizer(spec)
    assert made == Endpoint(url=server.url, model="small", api_key_env="SUMMARIZER_KEY", timeout=9)
    assert KEY not in repr(made) and KEY not in repr(spec)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (None, "is not set (it has to hold the key of the endpoint)"),
        (" ", "is not set (it has to hold the key of the endpoint)"),
        ("two words", "holds no key (letters, digits and signs without spaces)"),
        ("line\nbreak", "holds no key (letters, digits and signs without spaces)"),
        ("schlüssel", "holds no key (letters, digits and signs without spaces)"),
    ],
)
def test_a_key_that_no_header_can_carry_is_refused_and_not_shown(value: str | None, why: str) -> None:
    with pytest.raises(SummaryError) as caught:
        read_key("SHOP_KEY", {} if value is None else {"SHOP_KEY": value})
    assert str(caught.value) == f"summarizer: the environment variable `SHOP_KEY` {why}"


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"url": "ftp://models.test"}, "`ftp://models.test` is no base url (write it as https://host/v1)"),
        ({"model": ""}, "no `model` is named"),
        ({"api_key_env": KEY}, "`api_key_env` is no name of an environment variable"),
        ({"api_key_env": "NOT_SET"}, "the environment variable `NOT_SET` is not set"),
        (
            {"url": "http://models.test/v1", "api_key_env": "SUMMARIZER_KEY"},
            "`http://models.test/v1` would carry the key in clear text",
        ),
        ({"url": f"https://me:{KEY}@models.test"}, "the url holds a user, a query or a fragment"),
        ({"url": f"https://models.test/?key={KEY}"}, "the url holds a user, a query or a fragment"),
        ({"url": "https://models.test:port"}, "the url can't be read"),
    ],
)
def test_settings_of_no_use_are_refused_before_anything_is_sent(settings: dict[str, str], why: str) -> None:
    found = {"url": "https://models.test/v1", "model": "small"} | settings
    with pytest.raises(SummaryError) as caught:
        make_summarizer(SummarizerSpec(kind=SummarizerKind.ENDPOINT, **found))
    assert str(caught.value).startswith(f"summarizer: {why}") and KEY not in str(caught.value)


def test_without_its_extra_an_endpoint_names_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(MissingExtraError, match=r"needs httpx \(pip install 'barrier-policy\[endpoint\]'\)$"):
        load_client()


def test_other_kinds_do_not_import_the_client() -> None:
    check = (
        "import sys; from barrier_policy.gate.summarizers.make import make_summarizer; "
        "from barrier_policy.summarizer_spec import SummarizerSpec; make_summarizer(SummarizerSpec()); print('httpx' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True).stdout == "False\n"
