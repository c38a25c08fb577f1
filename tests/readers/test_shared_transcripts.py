"""Nothing is lost from real files: calls, results and texts counted by a small walk of the raw JSON against the readers.

The walks use nothing of the package, and know of each format only where its calls, results and texts stand.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from barrier_policy import PartType, Reader, Source, Transcript
from barrier_policy.errors import TranscriptError
from barrier_policy.transcript.reader import read_transcript

Json = Any


class Counts(NamedTuple):
    """How many calls, results and texts, and how many characters the texts have."""

    calls: int = 0
    results: int = 0
    texts: int = 0
    characters: int = 0

    def __add__(self, other: object) -> Counts:
        assert isinstance(other, Counts)
        return Counts(*(a + b for a, b in zip(self, other, strict=True)))


CALL, RESULT = Counts(calls=1), Counts(results=1)


def _text(said: Json) -> Counts:
    return Counts(texts=1, characters=len(said)) if isinstance(said, str) and said else Counts()


def _total(counts: Iterable[Counts]) -> Counts:
    return sum(counts, Counts())


def _values(path: Path) -> list[Json]:
    """The document as a single value, or the values of the lines, glued ones too."""
    text = path.read_text(encoding="utf-8")
    try:
        return [json.loads(text)]
    except ValueError:
        pass
    values = []
    for line in filter(None, map(str.strip, text.splitlines())):
        position = 0
        while position < len(line):
            value, position = json.JSONDecoder().raw_decode(line, position)
            values.append(value)
    return values


def _blocks(content: Json) -> Counts:
    """Content blocks of all vendors."""
    if not isinstance(content, list):
        return _text(content)
    return _total(map(_block, content))


def _block(block: Json) -> Counts:
    if isinstance(block, str):
        return _text(block)
    kind = block.get("type") if isinstance(block, dict) else None
    if kind in ("tool_use", "toolCall", "tool_call"):
        return CALL
    if kind in ("tool_result", "tool-result"):
        return RESULT
    return _text(block.get("text")) if kind in ("text", "input_text", "output_text") else Counts()


def _chat(messages: Iterable[Json]) -> Counts:
    counts, acting = Counts(), False
    for message, following in pairwise([*messages, {}]):
        content = message.get("content")
        counts += _total([CALL] * len(message.get("tool_calls") or []))
        counts += RESULT if message["role"] == "tool" or acting else _blocks(content)
        acting = bool(_answers_text(following)) and message["role"] == "assistant" and "<function=" in str(content)
        if acting:  # the call is written at the end of the text
            counts += CALL + Counts(texts=bool(content.rpartition("<function=")[0].strip()) - 1)
            counts += Counts(characters=len(content.rpartition("<function=")[0]) - len(content))
    return counts


def _answers_text(message: Json) -> bool:
    said = message.get("content")
    return (
        message.get("role") == "user"
        and isinstance(said, str)
        and said.startswith(("OBSERVATION:", "EXECUTION RESULT of ["))
    )


def _walk_chat(values: list[Json]) -> Counts:
    document = values[0]
    messages = document["traj"] if "traj" in document else document["messages"]
    messages = json.loads(messages) if isinstance(messages, str) else messages
    answers = [choice["message"] for choice in (document.get("response") or {}).get("choices", [])[:1]]
    fronts = [_text(document.get(key)) for key in ("policy", "system_prompt")]
    return _chat([*messages, *answers]) + _total(fronts)


def _walk_few_shot(values: list[Json]) -> Counts:
    counts = Counts()
    for line in values[0]["messages_display"].split("\n"):
        speaker = line.partition(": ")[0]
        counts += {"tool": RESULT}.get(speaker) or (
            CALL if line == "assistant: None" else Counts(texts=speaker in ("user", "assistant", "system"))
        )
    return counts


def _walk_claude(values: list[Json]) -> Counts:
    rows = [row for row in values if isinstance(row, dict)]
    said = [row for row in rows if row.get("type") in ("user", "assistant")]
    if not all(row.get("isSidechain") for row in said):
        rows = [row for row in rows if not row.get("isSidechain")]
    boundaries = [index for index, row in enumerate(rows) if row.get("subtype") == "compact_boundary"]
    queued: list[str] = []
    for row in rows[: boundaries[-1]] if boundaries else []:
        if row.get("type") == "queue-operation":
            queued = [*queued, row["content"]] if row["operation"] == "enqueue" else queued[1:]
    rows = rows[boundaries[-1] + 1 :] if boundaries else rows
    counts, told = Counts(), set()
    for row in rows:
        message = row.get("message")
        if row.get("type") in ("user", "assistant"):
            content = message.get("content") if isinstance(message, dict) else None
            counts += _blocks(content)
            told |= {
                block if isinstance(block, str) else block.get("text")
                for block in ([content] if isinstance(content, str) else content or [])
            }
        elif row.get("type") == "attachment":
            queue_prompt = row["attachment"].get("prompt") if row["attachment"]["type"] == "queued_command" else None
            counts += _blocks(queue_prompt) if queue_prompt else Counts(texts=1)
            told.add(queue_prompt if isinstance(queue_prompt, str) else None)
        elif row.get("type") == "queue-operation" and row["operation"] == "enqueue":
            queued.append(row.get("content"))
        elif row.get("subtype") == "local_command":
            counts += _text(row["content"])
    return counts + _total(_text(content) for content in queued if content not in told)


def _item(item: Json) -> Counts:
    kind = item.get("type") or "message"
    if kind in ("message", "agent_message"):
        return _blocks(item.get("content"))
    if kind.endswith("_output") or kind == "tool_result":
        return RESULT
    if not kind.endswith("_call"):
        return Counts()
    done_by_server = "call_id" not in item and (item.get("status") == "completed" or item.get("result"))
    return CALL + (RESULT if done_by_server else Counts())


def _walk_codex(values: list[Json]) -> Counts:
    rows = [row for row in values if isinstance(row, dict)]
    if any("item" in row for row in rows):
        items = {row["item"]["id"]: row["item"] for row in rows if "item" in row}
        calls = [item for item in items.values() if item["type"] not in ("agent_message", "reasoning")]
        return _total([CALL + RESULT] * len(calls)) + _total(
            _text(item["text"]) for item in items.values() if item["type"] == "agent_message"
        )
    last = max((index for index, row in enumerate(rows) if row.get("type") == "compacted"), default=-1)
    history = rows[last]["payload"]["replacement_history"] if last >= 0 else []
    later = [
        row["payload"] if row.get("type") == "response_item" else row
        for row in rows[last + 1 :]
        if "payload" not in row or row["type"] == "response_item"
    ]
    return _total(map(_item, [*history, *later]))


def _walk_gemini(values: list[Json]) -> Counts:
    document = values[0]
    counts = Counts()
    for message in document.get("messages", []):
        calls = message.get("toolCalls", [])
        counts += _blocks(message.get("content")) + _total([CALL + RESULT] * len(calls))
    for part in [part for content in document.get("history", []) for part in content["parts"]]:
        counts += CALL if "functionCall" in part else RESULT if "functionResponse" in part else _text(part.get("text"))
    return counts


def _walk_qwen(values: list[Json]) -> Counts:
    parts = [part for row in values for part in row["message"]["parts"]]
    return _total(
        CALL
        if "functionCall" in part
        else RESULT
        if "functionResponse" in part
        else Counts()
        if part.get("thought")
        else _text(part.get("text"))
        for part in parts
    )


def _walk_pi(values: list[Json]) -> Counts:
    counts = Counts()
    for message in [row["message"] for row in values if row["type"] == "message"]:
        counts += RESULT if message["role"] == "toolResult" else _blocks(message.get("content"))
    return counts


def _walk_swe(values: list[Json]) -> Counts:
    document = values[0]
    if "history" not in document:
        return _walk_nebius(document["trajectory"])
    counts, acting, acted = Counts(), False, False
    for message in document["history"]:
        if message["role"] == "assistant":
            said = message["content"] if message.get("tool_calls") else message["thought"]
            counts += CALL + (_text(said) if said.strip() else Counts())
            acting = acted = True
        else:
            counts += RESULT if acting else _text(message["content"])
            acting = False
    steps = document["trajectory"]
    return counts + (RESULT if acting and acted and steps[-1]["action"] == message["action"] else Counts())


def _walk_nebius(items: list[Json]) -> Counts:
    """Fenced actions: counted, not measured."""
    roles = [item["role"] for item in items]
    actions = [item["text"].count("```") >= 2 for item in items if item["role"] == "ai"]
    answered = sum(1 for before, after in pairwise(roles) if (before, after) == ("ai", "user"))
    assert all(actions)
    return Counts(calls=len(actions), results=answered)


def _walk_mini(values: list[Json]) -> Counts:
    roles = [message["role"] for message in values[0]]
    return Counts(
        calls=roles.count("assistant"),
        results=len([1 for a, b in pairwise(roles) if (a, b) == ("assistant", "user")]),
    )


def _walk_openhands(values: list[Json]) -> Counts:
    if "trajectory" not in values[0]:
        kinds = [event.get("kind") for event in values]
        thoughts = _total(_blocks(event.get("thought")) for event in values if event.get("kind") == "ActionEvent")
        return Counts(kinds.count("ActionEvent"), kinds.count("ObservationEvent")) + thoughts
    counts = Counts()
    for event in values[0]["trajectory"]:
        extras = event.get("extras") or {}
        if event.get("action") in ("run", "run_ipython", "browse", "write", "read"):
            counts += CALL + _text(extras.get("thought"))
        elif event.get("action") in ("message", "finish"):
            counts += _text(extras.get("thought") or event.get("content"))
        elif event.get("observation") not in (None, "agent_state_changed"):
            counts += RESULT
    return counts


def _walk_adp(values: list[Json]) -> Counts:
    counts = Counts()
    for item in values[0]["content"]:
        kind, ends = item["class_"], item.get("function") == "finish"
        counts += _text(item.get("description"))
        if kind == "text_observation":
            counts += RESULT if item["source"] == "environment" else _text(item["content"])
        elif kind == "message_action":
            counts += _text(item["content"])
        else:
            counts += Counts() if ends else CALL
    return counts


def _walk_atif(values: list[Json]) -> Counts:
    counts = Counts()
    for step in values[0]["steps"]:
        results = (step.get("observation") or {}).get("results", [])
        counts += (
            _text(step["message"]) + _total([CALL] * len(step.get("tool_calls") or [])) + _total([RESULT] * len(results))
        )
    return counts


def _walk_copilot(values: list[Json]) -> Counts:
    counts = Counts()
    for row in values:
        data = row["data"]
        if row["type"] in ("user.message", "system.message", "assistant.message"):
            counts += _text(data["content"]) + _total([CALL] * len(data.get("toolRequests") or []))
        counts += RESULT if row["type"] == "tool.execution_complete" else Counts()
    return counts


def _walk_cursor(values: list[Json]) -> Counts:
    return _total(_blocks(row["message"]["content"]) for row in values if "message" in row)


def _walk_droid(values: list[Json]) -> Counts:
    counts = Counts()
    for row in values:
        kind = row["type"]
        counts += {"tool_call": CALL, "tool_result": RESULT}.get(kind) or _text(row.get("finalText") or row.get("text"))
        counts += _blocks(row["message"]["content"]) if "message" in row else Counts()
    return counts


def _walk_grok(values: list[Json]) -> Counts:
    counts = Counts()
    for row in values:
        counts += {"tool_result": RESULT, "backend_tool_call": CALL + RESULT, "reasoning": Counts()}.get(
            row["type"]
        ) or _blocks(row.get("content"))
        counts += _total([CALL] * len(row.get("tool_calls", [])))
    return counts


def _walk_kimi(values: list[Json]) -> Counts:
    last = max((index for index, row in enumerate(values) if row["type"] == "context.apply_compaction"), default=-1)
    counts = Counts()
    if last >= 0:
        users = [
            row["message"]
            for row in values[:last]
            if row["type"] == "context.append_message" and row["message"]["origin"]["kind"] == "user"
        ]
        counts += _text(values[last]["contextSummary"]) + _total(
            _blocks(user["content"]) for user in users[-values[last]["keptUserMessageCount"] :]
        )
    for row in values[last + 1 :]:
        counts += _blocks(row["message"]["content"]) if row["type"] == "context.append_message" else Counts()
        event = row.get("event") or {}
        counts += {"tool.call": CALL, "tool.result": RESULT}.get(event.get("type")) or _blocks(
            [event.get("part")] if event.get("part") else None
        )
    return counts


WALKS: dict[str, Callable[[list[Json]], Counts]] = {
    "openai_chat": _walk_chat,
    "tau_bench": _walk_chat,
    "tau2_bench": _walk_chat,
    "tau_bench_few_shot": _walk_few_shot,
    "claude_code": _walk_claude,
    "codex": _walk_codex,
    "codex_exec": _walk_codex,
    "gemini_session": _walk_gemini,
    "gemini_history": _walk_gemini,
    "qwen_code": _walk_qwen,
    "pi": _walk_pi,
    "droid": _walk_droid,
    "droid_stream": _walk_droid,
    "swe_agent": _walk_swe,
    "swe_agent_nebius": _walk_swe,
    "mini_swe_agent": _walk_mini,
    "openhands": _walk_openhands,
    "openhands_sdk": _walk_openhands,
    "adp": _walk_adp,
    "atif": _walk_atif,
    "copilot": _walk_copilot,
    "cursor": _walk_cursor,
    "grok": _walk_grok,
    "kimi": _walk_kimi,
}
NOT_MEASURED = frozenset({"swe_agent_nebius", "mini_swe_agent", "tau_bench_few_shot"})
"""Their texts are cut at fences and speakers, so that only calls and results can be counted without doing the same."""
NOT_WALKED = frozenset({"aider"})


def _counts(transcript: Transcript) -> Counts:
    parts = [part for message in transcript.messages for part in message.parts]
    return _total(
        {PartType.TOOL_CALL: CALL, PartType.TOOL_RESULT: RESULT, PartType.TEXT: _text(part.text)}.get(part.type, Counts())
        for part in parts
    )


def _files(shared: Path) -> Iterator[Path]:
    yield from sorted(path for path in shared.rglob("*") if path.is_file() and path.name != "SOURCES.tsv")


@pytest.fixture(scope="module")
def transcripts(shared: Path, readers: tuple[Reader, ...]) -> dict[Path, Transcript]:
    """All files that are read; each of the others is refused by an error that names it."""
    found = {}
    for path in _files(shared):
        try:
            found[path] = read_transcript(Source(path.read_bytes(), path=path.name), readers)
        except TranscriptError as error:
            assert str(error).startswith(f"{path.name}:")
            assert "failed on this file" not in str(error)
    return found


def test_files_of_every_folder_but_those_without_runs_are_read(shared: Path, transcripts: dict[Path, Transcript]) -> None:
    folders = {path.relative_to(shared).parts[0] for path in _files(shared)}
    read = {path.relative_to(shared).parts[0] for path in transcripts}
    assert folders - read == {"atof", "otel", "bfcl_multi_turn"}


def test_calls_results_and_texts_of_every_file_are_all_there(transcripts: dict[Path, Transcript]) -> None:
    wrong = []
    for path, transcript in transcripts.items():
        if transcript.format in NOT_WALKED:
            continue
        walked, found = WALKS[transcript.format](_values(path)), _counts(transcript)
        if transcript.format in NOT_MEASURED:
            walked, found = Counts(*walked[:2]), Counts(*found[:2])
        elif transcript.format == "claude_code" and any(message.role == "attachment" for message in transcript.messages):
            walked, found = walked._replace(characters=0), found._replace(characters=0)  # what an attachment shows is chosen
        if walked != found:
            wrong.append((path.name, transcript.format, walked, found))
    assert wrong == []


def test_every_format_that_is_walked_occurs(transcripts: dict[Path, Transcript]) -> None:
    assert {transcript.format for transcript in transcripts.values()} == set(WALKS) | NOT_WALKED


ROW_FORMATS = frozenset(
    {"claude_code", "pi", "copilot", "cursor", "droid", "droid_stream", "grok", "qwen_code", "openhands_sdk"}
)


def test_every_row_is_in_a_message_or_counted_as_left_out(transcripts: dict[Path, Transcript]) -> None:
    wrong = []
    for path, transcript in transcripts.items():
        if transcript.format not in ROW_FORMATS:
            continue
        lines = {part.line or message.line for message in transcript.messages for part in message.parts}
        lines |= {message.line for message in transcript.messages}
        skipped = sum(skipped.count for skipped in transcript.skipped)
        if len(lines) + skipped != len(_values(path)) - _glued(path):
            wrong.append((path.name, len(lines), skipped, len(_values(path))))
    assert wrong == []


def _glued(path: Path) -> int:
    """How many values stand on a line behind another."""
    return len(_values(path)) - len([line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()])


def test_plain_chat_lists_map_one_to_one(shared: Path, readers: tuple[Reader, ...]) -> None:
    read = 0
    for path in _files(shared):
        document = _values(path)[0] if path.suffix == ".json" else None
        messages = document.get("traj") or document.get("messages") if isinstance(document, dict) else None
        if not isinstance(messages, list) or not all(
            isinstance(m, dict) and "role" in m and "parts" not in m for m in messages
        ):
            continue
        transcript = read_transcript(Source.from_value(messages), readers, format="openai_chat")
        assert [message.pointer for message in transcript.messages] == [f"/{index}" for index in range(len(messages))]
        assert [message.role for message in transcript.messages] == [message["role"] for message in messages]
        read += 1
    assert read
