"""What an HTTP request does, by its method, and by the last word of its path where the method says too little."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from barrier_policy_plugins.effect_classes import Basis, Judgement, judge, word_set
from barrier_policy_plugins.tool_names import class_of_verbs, name_tokens

from barrier_policy.facts.effect_class import EffectClass

_BY_METHOD: Final = {
    "GET": EffectClass.READ_ONLY,
    "HEAD": EffectClass.READ_ONLY,
    "OPTIONS": EffectClass.READ_ONLY,
    "TRACE": EffectClass.READ_ONLY,
    "PROPFIND": EffectClass.READ_ONLY,
    "QUERY": EffectClass.READ_ONLY,
    "PUT": EffectClass.IDEMPOTENT,
    "POST": EffectClass.NON_IDEMPOTENT,
    "PATCH": EffectClass.NON_IDEMPOTENT,
    "DELETE": EffectClass.IRREVERSIBLE,
}
_KEY_HEADER: Final = re.compile(
    r"^\s*(?:x-)?(?:idempotency-key|client-request-id|request-id)\s*:\s*(\S+)\s*$", re.IGNORECASE
)
_METHOD_NAMES: Final = ("method", "http_method", "httpMethod", "verb", "requestMethod")
_URL_NAMES: Final = ("url", "uri", "endpoint", "path", "href", "target", "request_url")


def is_method(word: str) -> bool:
    """Whether a word is an HTTP method."""
    return word.upper() in _BY_METHOD


def judge_request(method: str, url: str = "", *, headers: Iterable[str] = (), program: str = "") -> Judgement:
    """Judge one request; an unknown method counts as one that changes something."""
    name = method.upper()
    effect_class = _BY_METHOD.get(name, EffectClass.NON_IDEMPOTENT)
    asks = name == "POST" and _asks(url)
    return judge(
        EffectClass.READ_ONLY if asks else effect_class,
        f"{program} {name}".strip(),
        targets=(url,) if len(url) <= 400 else (),
        assumed=asks or name not in _BY_METHOD,
        keys=(match[1] for header in headers if (match := _KEY_HEADER.match(header))),
        basis=Basis.HTTP,
    )


def _asks(url: str) -> bool:
    """Whether a path ends in a verb that only reports (`/_search`, `/v1/query`): a body that is too long for a GET."""
    path = url.partition("?")[0].rstrip("/")
    words = name_tokens(path.rsplit("/", 1)[-1])
    return bool(words) and "/" in path and class_of_verbs(words[-1:]) is EffectClass.READ_ONLY


def judge_request_arguments(arguments: Any) -> Judgement | None:
    """Judge a call whose arguments are a request (`method`, `url`); None where they are not."""
    if not isinstance(arguments, dict):
        return None
    method = next((value for name in _METHOD_NAMES if isinstance(value := arguments.get(name), str)), "")
    url = next((value for name in _URL_NAMES if isinstance(value := arguments.get(name), str)), "")
    if not method or not is_method(method) or not url:
        return None
    headers = arguments.get("headers")
    lines = [f"{name}: {value}" for name, value in list(headers.items())[:50]] if isinstance(headers, dict) else []
    return judge_request(method, url, headers=lines)


def judge_client(program: str, words: Sequence[str]) -> Judgement:
    """Judge a command line of curl, wget, HTTPie or xh; `words` are its arguments."""
    if program in ("curl", "wget"):
        return _judge_curl(program, words)
    operands = [word for word in words if not word.startswith("-")]
    method = operands.pop(0) if operands and is_method(operands[0]) else ""
    items = [word for word in operands[1:] if "=" in word and "==" not in word]
    url = operands[0] if operands else ""
    return judge_request(method or ("POST" if items else "GET"), url, headers=operands[1:], program=program)


_METHOD_OPTIONS: Final = frozenset({"-X", "--request", "--method"})
_HEADER_OPTIONS: Final = frozenset({"-H", "--header"})
_BODY_OPTIONS: Final = word_set(
    "-d --data --data-raw --data-binary --data-urlencode --data-ascii --json -F --form --form-string --post-data --post-file --body-data"
)
_UPLOAD_OPTIONS: Final = frozenset({"-T", "--upload-file"})
_QUESTION_OPTIONS: Final = frozenset({"-G", "--get", "-I", "--head", "--spider"})
_SAVE_OPTIONS: Final = frozenset({"-o", "--output", "-O", "--output-document", "--remote-name"})
_NO_FILE: Final = frozenset({"-", "/dev/null", "/dev/stdout"})
_OTHER_VALUED: Final = word_set(
    "-u --user -A --user-agent -e --referer -b --cookie -c --cookie-jar -m --max-time --connect-timeout -w --write-out -x --proxy "
    "--retry --retry-delay -K --config --cacert --cert --key --resolve -r --range --url -P --directory-prefix --timeout --tries -U"
)
_VALUED: Final = (
    _METHOD_OPTIONS
    | _HEADER_OPTIONS
    | _BODY_OPTIONS
    | _UPLOAD_OPTIONS
    | _OTHER_VALUED
    | {"-o", "--output", "--output-document"}
)


def _judge_curl(program: str, words: Sequence[str]) -> Judgement:
    pairs = list(_option_pairs(program, words))
    names = {name for name, _ in pairs}
    given = next((value for name, value in pairs if name in _METHOD_OPTIONS), "")
    url = next((value for name, value in pairs if name in ("", "--url")), "")
    fallback = "PUT" if names & _UPLOAD_OPTIONS else "POST" if names & _BODY_OPTIONS else "GET"
    method = given or ("GET" if names & _QUESTION_OPTIONS else fallback)
    headers = (value for name, value in pairs if name in _HEADER_OPTIONS)
    request = judge_request(method, url, headers=headers, program=program)
    saved = [value for name, value in pairs if name in _SAVE_OPTIONS]
    saves = any(value not in _NO_FILE for value in saved) or (program == "wget" and not saved and "--spider" not in names)
    return (
        judge(EffectClass.IDEMPOTENT, f"{program} download", targets=(*saved, url)) if saves and request.reads else request
    )


def _option_pairs(program: str, words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Options with their values, operands under the name "". `-XPOST`, `-sXPOST` and `--request=POST` are all understood."""
    index = 0
    valued = _VALUED | {"-O"} if program == "wget" else _VALUED
    while index < len(words):
        word = words[index]
        index += 1
        if not word.startswith("-") or word == "-":
            yield "", word
            continue
        name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if not word.startswith("--"):
            letters = word[1:]
            stop = next((place for place, letter in enumerate(letters) if "-" + letter in valued), len(letters) - 1)
            yield from (("-" + letter, "") for letter in letters[:stop])
            name, value = "-" + letters[stop], letters[stop + 1 :]
            equals = value
        if name in valued and not equals and index < len(words):
            value = words[index]
            index += 1
        yield name, value
