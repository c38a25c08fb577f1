"""Readers and writers for tau-bench runs, tau2-bench simulations, and the flat texts of tau-bench's few-shot examples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.builder import TranscriptBuilder
from barrier_policy.transcript.chat import add_chat_message, looks_like_chat
from barrier_policy.transcript.copying import Layout, copying_writer, lists_under, user_message
from barrier_policy.transcript.elements import Place, find_elements, sample
from barrier_policy.transcript.model import Part, PartType, Transcript
from barrier_policy.transcript.parts import result_parts, text_part
from barrier_policy.transcript.reader import Reader
from barrier_policy.transcript.source import Source
from barrier_policy.transcript.values import as_dict, as_text
from barrier_policy.transcript.writer import Writer

SPEAKER = re.compile(r"^(system|user|assistant|tool): ?", re.MULTILINE)
FLAT_KEY = "messages_display"


def probe_run(source: Source) -> int:
    """70 for an object with a `traj` list of chat messages."""
    return (
        70
        if isinstance(as_dict(source.document).get("traj"), list) and any(map(looks_like_chat, sample(source, "traj")))
        else 0
    )


def read_run(source: Source) -> Transcript:
    """One message for each message of the run, with the same index."""
    return _read_chat(source, "tau_bench", "traj")


def probe_simulation(source: Source) -> int:
    """70 for an object with messages beside what only a simulation has."""
    document = as_dict(source.document)
    simulated = "termination_reason" in document or "reward_info" in document
    return 70 if simulated and any(map(looks_like_chat, sample(source, "messages"))) else 0


def read_simulation(source: Source) -> Transcript:
    """One message for each message of the simulation; the user's own tool calls stay calls in a message of the user.

    A run that records the agent's policy gets it as its system message, in front.
    """
    return _read_chat(source, "tau2_bench", "messages")


def probe_flat(source: Source) -> int:
    """70 for an object with the flat text."""
    return 70 if isinstance(as_dict(source.document).get(FLAT_KEY), str) else 0


def read_flat(source: Source) -> Transcript:
    """Texts and results by the speaker in front of them.

    The text says `assistant: None` where the agent called a tool and does not say which: a call without a name.
    """
    text = as_text(as_dict(source.document).get(FLAT_KEY))
    if not text:
        source.refuse(f"not a tau-bench few-shot example (expected an object with `{FLAT_KEY}`)")
    builder = TranscriptBuilder(source, "tau_bench_few_shot")
    for speaker, said in _turns(text):
        builder.add(speaker, _flat_parts(speaker, said), Place(pointer=f"/{FLAT_KEY}"))
    return builder.build()


def _read_chat(source: Source, name: str, key: str) -> Transcript:
    document = as_dict(source.document)
    if not isinstance(document.get(key), list):
        source.refuse(f"not a {name} run (expected an object with `{key}`)")
    builder = TranscriptBuilder(source, name)
    if policy := as_text(document.get("policy")):
        builder.add("system", [text_part(policy)], Place(pointer="/policy"))
    for element in find_elements(source, key):
        add_chat_message(builder, element)
    return builder.build()


def _turns(text: str) -> Iterator[tuple[str, str]]:
    """Speakers and what they say. A line inside a text that begins like a speaker can't be told from one."""
    starts = list(SPEAKER.finditer(text))
    if before := text[: starts[0].start() if starts else len(text)].strip():
        yield "", before
    ends = [*(match.start() for match in starts[1:]), len(text)]
    for match, end in zip(starts, ends, strict=False):
        yield match.group(1), text[match.end() : end].strip("\n")


def _flat_parts(speaker: str, said: str) -> list[Part]:
    if speaker == "tool":
        return result_parts(said)
    if speaker == "assistant" and said.strip() == "None":
        return [Part(type=PartType.TOOL_CALL, text=said)]
    return [text_part(said)] if said else []


@hookimpl
def barrier_readers() -> Iterable[Reader]:
    """The readers `tau_bench`, `tau2_bench` and `tau_bench_few_shot`."""
    return [
        Reader(name="tau_bench", title="tau-bench run", probe=probe_run, read=read_run),
        Reader(name="tau2_bench", title="tau2-bench simulation", probe=probe_simulation, read=read_simulation),
        Reader(name="tau_bench_few_shot", title="tau-bench few-shot text", probe=probe_flat, read=read_flat),
    ]


@hookimpl
def barrier_writers() -> Iterable[Writer]:
    """The writers `tau_bench` and `tau2_bench`: what is kept is copied element by element, all other fields as they stand."""
    return [
        copying_writer(name, read, Layout(lists=lists_under(key), insert=user_message, front=("/policy",), contents=()))
        for name, read, key in (("tau_bench", read_run, "traj"), ("tau2_bench", read_simulation, "messages"))
    ]
