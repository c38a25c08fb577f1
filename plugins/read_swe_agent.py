"""Readers for SWE-agent trajectories, nebius' published runs of it, and mini-swe-agent.

An action and its observation are these formats' own notion, so they become a call and its result although the model sees
them as text. They have no ids: an observation answers the action before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.builder import TranscriptBuilder
from barrier_policy.transcript.chat import chat_parts, looks_like_chat
from barrier_policy.transcript.elements import Element, Place, find_elements, sample
from barrier_policy.transcript.model import Origin, Part, PartType, Transcript
from barrier_policy.transcript.parts import call_part, content_parts, result_parts, text_part
from barrier_policy.transcript.reader import Reader
from barrier_policy.transcript.source import Source
from barrier_policy.transcript.values import as_dict, as_list, as_text, decode_arguments

FENCE = re.compile(r"^```[^\n`]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
MINI_FENCE = re.compile(r"^```(?:mswea_bash_command|bash)[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
MINI_OUTPUT = re.compile(r"\s*<returncode>")
OWN_TOOLS = frozenset({
    "create", "edit", "end_of_edit", "exit_cost", "exit_forfeit", "filemap", "find_file", "goto", "insert", "open", "scroll_down",
    "scroll_up", "search_dir", "search_file", "str_replace_editor", "submit", "undo_edit", "view_image",
})  # fmt: skip
"""Commands of SWE-agent's own tool bundles, which look like shell commands and are none."""


def action_part(action: str, pointer: str = "") -> Part:
    """The call that a command line is: one of SWE-agent's own tools, or a shell command."""
    word = action.split(maxsplit=1)[0] if action.split() else ""
    return call_part(word if word in OWN_TOOLS else "bash", {"command": action}, pointer=pointer)


class _Turns:
    """Adds messages in order and knows whether the last action is still without an observation."""

    def __init__(self, source: Source, format: str) -> None:
        self.builder = TranscriptBuilder(source, format)
        self.acting = False
        self.begun = False

    def agent(self, role: str, parts: Sequence[Part], place: Place) -> None:
        self.builder.add(role, parts, place, origin=Origin.AGENT)
        self.acting = any(part.type is PartType.TOOL_CALL for part in parts)
        self.begun = True

    def other(self, role: str, content: Any, pointer: str, place: Place) -> None:
        """A message of the environment: an observation, the task before the first action, or a complaint."""
        if self.acting:
            self.builder.add(role, result_parts(content, pointer=pointer), place, origin=Origin.TOOL)
        elif self.begun:
            self.builder.add_notice(role, content_parts(content, pointer), place)
        else:
            self.builder.add(role, content_parts(content, pointer), place)
        self.acting = False


def probe_trajectory(source: Source) -> int:
    """80 for an object with `trajectory` steps or a `history` that know actions."""
    document = as_dict(source.document)
    steps = [as_dict(step) for step in as_list(document.get("trajectory"))[:4]]
    history = [as_dict(message) for message in as_list(document.get("history"))[:8]]
    if any("action" in step and "observation" in step and "response" in step for step in steps):
        return 80
    return 80 if any("action" in message and "agent" in message for message in history) else 0


def read_trajectory(source: Source) -> Transcript:
    """The history, or the steps where there is none; demonstrations are notices, because they are no part of the run."""
    document = as_dict(source.document)
    steps = [as_dict(step) for step in as_list(document.get("trajectory"))]
    history = as_list(document.get("history"))
    if not steps and not history:
        source.refuse("not a SWE-agent trajectory (expected `trajectory` or `history`)")
    turns = _Turns(source, "swe_agent")
    actions = [as_dict(message).get("action") for message in history if as_dict(message).get("role") == "assistant"]
    states = iter([_environment(step) for step in steps] if len(actions) == len(steps) else [])
    for index, message in enumerate(history):
        _add_history(turns, message, f"/history/{index}", states)
    if not history:
        for index, step in enumerate(steps):
            place = _step_place(step, index)
            turns.agent("assistant", _agent_parts({**step, "content": step.get("response")}), place)
            turns.other("user", step.get("observation"), "/observation", place)
    elif turns.acting and steps and actions and actions[-1] == steps[-1].get("action"):
        # the run ended before the last observation came into the history
        turns.other("user", steps[-1].get("observation"), "/observation", _step_place(steps[-1], len(steps) - 1))
    return turns.builder.build()


def _step_place(step: dict[str, Any], index: int) -> Place:
    return Place(pointer=f"/trajectory/{index}", environment=_environment(step))


def _add_history(turns: _Turns, value: Any, pointer: str, states: Iterator[dict[str, str]]) -> None:
    message = as_dict(value)
    role, content = as_text(message.get("role")), message.get("content")
    place = Place(pointer=pointer)
    if not role:
        turns.builder.add_malformed(value, place)
    elif message.get("is_demo"):
        turns.builder.add_notice(role, content_parts(content, "/content"), place)
    elif role == "assistant":
        turns.agent(role, _agent_parts(message), place)
    elif role == "tool":
        ids = [as_text(call_id) for call_id in as_list(message.get("tool_call_ids"))] or [""]
        turns.builder.add(role, result_parts(content, call_id=ids[0], pointer="/content"), _in_state(place, states))
        turns.acting = False
    elif role == "system":
        turns.builder.add(role, content_parts(content, "/content"), place)
    else:
        turns.other(role, content, "/content", _in_state(place, states) if turns.acting else place)


def _in_state(place: Place, states: Iterator[dict[str, str]]) -> Place:
    """The place of an observation, with the state that the environment was in then."""
    return msgspec.structs.replace(place, environment=next(states, {}))


def _agent_parts(message: dict[str, Any]) -> list[Part]:
    """Thought and action; the content repeats both."""
    if message.get("tool_calls"):
        return chat_parts(message)
    action = as_text(message.get("action"))
    if not action.strip():
        return chat_parts(message)
    thought = as_text(message.get("thought"))
    return [*([text_part(thought, "/thought")] if thought.strip() else []), action_part(action, "/action")]


def _environment(step: dict[str, Any]) -> dict[str, str]:
    state = step.get("state")
    fields = as_dict(decode_arguments(state) if isinstance(state, str) else state)
    directory = as_text(fields.get("working_dir"))
    return {"cwd": directory} if directory else {}


def probe_nebius(source: Source) -> int:
    """80 for an object whose `trajectory` has roles and texts."""
    steps = [as_dict(step) for step in as_list(as_dict(source.document).get("trajectory"))[:8]]
    return 80 if any("role" in step and "text" in step for step in steps) else 0


def read_nebius(source: Source) -> Transcript:
    """One message for each item; the last fenced block of the agent's text is its action."""
    document = as_dict(source.document)
    if not isinstance(document.get("trajectory"), list):
        source.refuse("not a nebius SWE-agent run (expected an object with `trajectory`)")
    turns = _Turns(source, "swe_agent_nebius")
    for element in find_elements(source, "trajectory"):
        item = as_dict(element.value)
        role, text = as_text(item.get("role")), as_text(item.get("text"))
        place = element.place()
        if not role:
            turns.builder.add_malformed(element.value, place)
        elif role == "ai":
            turns.agent(role, _fenced_parts(text, FENCE, "/text"), place)
        elif role == "system":
            turns.builder.add(role, content_parts(as_text(item.get("system_prompt")) or text, "/system_prompt"), place)
        else:
            turns.other(role, text, "/text", place)
    return turns.builder.build()


def _fenced_parts(text: str, fence: re.Pattern[str], pointer: str) -> list[Part]:
    """The text around the last fenced block, and the block as the action."""
    blocks = list(fence.finditer(text))
    if not blocks:
        return [text_part(text, pointer)] if text else []
    block = blocks[-1]
    before, after = text[: block.start()].rstrip("\n"), text[block.end() :].strip("\n")
    parts = [text_part(before, pointer)] if before.strip() else []
    parts.append(action_part(block.group(1), pointer))
    return parts + ([text_part(after, pointer)] if after.strip() else [])


def probe_mini(source: Source) -> int:
    """75 where the format names itself, or texts are laid out its way."""
    document = as_dict(source.document)
    if as_text(document.get("trajectory_format")).startswith("mini-swe-agent"):
        return 75
    messages = [message for message in sample(source, "messages") if looks_like_chat(message)]
    observed = any(m["role"] == "user" and MINI_OUTPUT.match(as_text(m.get("content"))) for m in messages)
    acted = any(m["role"] == "assistant" and MINI_FENCE.search(as_text(m.get("content"))) for m in messages)
    return 75 if observed and acted else 0


def read_mini(source: Source) -> Transcript:
    """One message for each message, with the same index."""
    turns = _Turns(source, "mini_swe_agent")
    found = False
    for element in find_elements(source, "messages"):
        found = True
        _add_mini(turns, element)
    if not found:
        source.refuse("not a mini-swe-agent run (expected a list, or an object with `messages`)")
    return turns.builder.build()


def _add_mini(turns: _Turns, element: Element) -> None:
    message = as_dict(element.value)
    role, content = as_text(message.get("role")), message.get("content")
    place = element.place(timestamp=as_dict(message.get("extra")).get("timestamp"))
    if not role:
        turns.builder.add_malformed(element.value, place)
    elif role == "assistant" and isinstance(content, str) and not message.get("tool_calls"):
        turns.agent(role, _fenced_parts(content, MINI_FENCE, "/content"), place)
    elif role == "assistant":
        turns.agent(role, chat_parts(message), place)
    elif role == "user":
        turns.other(role, content, "/content", place)
    else:
        turns.builder.add(role, chat_parts(message), place)
        turns.acting = False


@hookimpl
def barrier_readers() -> Iterable[Reader]:
    """The readers `swe_agent`, `swe_agent_nebius` and `mini_swe_agent`."""
    return [
        Reader(name="swe_agent", title="SWE-agent trajectory", probe=probe_trajectory, read=read_trajectory),
        Reader(name="swe_agent_nebius", title="nebius SWE-agent run", probe=probe_nebius, read=read_nebius),
        Reader(name="mini_swe_agent", title="mini-swe-agent run", probe=probe_mini, read=read_mini),
    ]
