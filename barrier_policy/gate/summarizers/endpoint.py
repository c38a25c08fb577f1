"""A model behind an OpenAI-compatible API as summarizer: one chat completion a summary.

The key is read from its environment variable for each request and is held nowhere else. No error shows the key, what was sent, or what
the server said. Redirects are not followed: they would carry the conversation to a place that nobody chose.
"""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from barrier_policy.digest import stable_json
from barrier_policy.errors import MissingExtraError, SummaryError
from barrier_policy.gate.summarize import within
from barrier_policy.gate.summary_request import SummaryRequest
from barrier_policy.summarizer_spec import DEFAULT_TIMEOUT

if TYPE_CHECKING:
    import httpx

MAX_ANSWER = 1 << 20
"""Bytes of one response."""
LONGEST_PAUSE = 20.0
"""Seconds that a server may ask us to wait before the next try."""
PATH = "/chat/completions"


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A model at a base URL. `timeout` bounds a summary, with all its tries; `pauses` are the seconds between them."""

    url: str
    model: str
    api_key_env: str = ""
    timeout: float = DEFAULT_TIMEOUT
    pauses: tuple[float, ...] = (0.5, 2.0)

    @property
    def name(self) -> str:
        """`endpoint` and the model."""
        return f"endpoint {self.model}"

    async def __call__(self, request: SummaryRequest) -> str:
        """The text of the model's answer. Raises SummaryError."""
        return await within(self.timeout, self.name, self._answer(request))

    async def _answer(self, request: SummaryRequest) -> str:
        httpx = load_client()
        content = stable_json(_body(self.model, request))
        async with httpx.AsyncClient(follow_redirects=False, timeout=None, headers=self._headers()) as client:
            for pause in (*self.pauses, None):
                status, answer, wait = await self._try(client, content)
                if status == 200:
                    return self._text(answer)
                if pause is None or not (status == 429 or status >= 500):
                    break
                await asyncio.sleep(max(pause, wait))
        raise self._error(_refusal(status, self.api_key_env))

    async def _try(self, client: httpx.AsyncClient, content: bytes) -> tuple[int, bytes, float]:
        """Status, body, and the seconds that the server asks us to wait."""
        httpx = load_client()
        try:
            async with client.stream("POST", address(self.url), content=content) as response:
                if response.status_code != 200:
                    return response.status_code, b"", _pause(response.headers.get("retry-after", ""))
                return 200, await self._read(response), 0.0
        except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL) as error:
            kind = type(error).__name__
        raise self._error(f"could not be reached at `{_host(self.url)}` ({kind}; is the url right, and the server up?)")

    async def _read(self, response: httpx.Response) -> bytes:
        """A body of bounded size. Compressed ones are refused: we asked for none, and a small one can become huge."""
        if response.headers.get("content-encoding", "identity") != "identity":
            raise self._error("answered with a compressed body (none was asked for)")
        found = bytearray()
        async for chunk in response.aiter_raw():
            found += chunk
            if len(found) > MAX_ANSWER:
                raise self._error(f"answered with more than {MAX_ANSWER:,} bytes")
        return bytes(found)

    def _text(self, body: bytes) -> str:
        try:
            answer = msgspec.json.decode(body, type=_Completion)
        except (ValueError, RecursionError):  # JSON errors, and text that is no UTF-8
            answer = None
        if answer is None or not answer.choices:
            raise self._error(
                "answered with something that is no chat completion (does the url end with the /v1 of the API?)"
            )
        choice = answer.choices[0]
        if choice.finish_reason in ("length", "content_filter"):
            raise self._error(f"ended its answer early (finish reason `{choice.finish_reason}`)")
        return choice.message.content or ""

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
        key = read_key(self.api_key_env, os.environ)
        return headers | {"Authorization": f"Bearer {key}"} if key else headers

    def _error(self, problem: str) -> SummaryError:
        return SummaryError(f"summarizer `{self.name}` {problem}")


class _Answer(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Answer
    finish_reason: str | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]


def load_client() -> ModuleType:
    """The HTTP client. Raises MissingExtraError where it is not installed."""
    try:
        return importlib.import_module("httpx")
    except ImportError:
        pass
    raise MissingExtraError("an endpoint as summarizer needs httpx (pip install 'barrier-policy[endpoint]')")


def read_key(variable: str, environment: Mapping[str, str]) -> str:
    """The key in an environment variable, "" for no variable. Raises SummaryError, never with the key."""
    if not variable:
        return ""
    key = environment.get(variable, "").strip()
    if not key:
        raise SummaryError(
            f"summarizer: the environment variable `{variable}` is not set (it has to hold the key of the endpoint)"
        )
    if not key.isascii() or not key.isprintable() or " " in key:
        raise SummaryError(
            f"summarizer: the environment variable `{variable}` holds no key (letters, digits and signs without spaces)"
        )
    return key


def address(url: str) -> str:
    """Where completions are asked for: `/v1` is added where the base URL has no path."""
    base = url.rstrip("/")
    if base.endswith(PATH):
        return base
    return base + ("" if urlsplit(base).path else "/v1") + PATH


def _body(model: str, request: SummaryRequest) -> dict[str, Any]:
    """The task as the system's word, the messages as data. Limits of length are in words: their parameter differs between servers."""
    told = request.to_dict()
    words = f"{told.pop('task')} Use fewer than {request.max_tokens} tokens. Keep: {', '.join(request.preserve) or 'what was done'}."
    return {
        "model": model,
        "messages": [
            {"role": "system", "content": words},
            {"role": "user", "content": stable_json(told).decode()},
        ],
    }


def _refusal(status: int, variable: str) -> str:
    if 300 <= status < 400:
        return f"answered {status}: redirects are not followed (name the final url)"
    hint = {
        401: f"is the key in `{variable}` right?" if variable else "it wants a key: name its variable in `api_key_env`",
        403: "may this key use the model?",
        404: "is the model's name right, and does the url end with the /v1 of the API?",
        413: "the run is too long for this server",
        429: "too many requests, also after waiting",
    }.get(status, "see the log of the server")
    return f"answered {status} ({hint})"


def _pause(header: str) -> float:
    """Seconds of a Retry-After header; a date, or too long a time, counts as none."""
    seconds = float(header) if header.isascii() and header.isdigit() else 0.0
    return seconds if seconds <= LONGEST_PAUSE else 0.0


def _host(url: str) -> str:
    found = urlsplit(url)
    return f"{found.scheme}://{found.netloc}"
