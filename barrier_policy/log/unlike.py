"""In what a record of the log says something else than what was derived again: field by field (design section 19)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from barrier_policy.digest import digest_value
from barrier_policy.facts.secrets import redact
from barrier_policy.log.inputs import ArchivedInputs
from barrier_policy.log.logged import EXPLANATION, record_of
from barrier_policy.log.record import Inputs, Record, TranscriptInput
from barrier_policy.walk import Analysis

MAX_SHOWN = 80
"""Characters of a value that are shown."""


def derived_record(record: Record, analysis: Analysis, archived: ArchivedInputs, length: int) -> Record:
    """What a record has to say of a decision that was derived again. `length` are the bytes of the transcript.

    What is not derived from the inputs is as the record has it: only the chain and an anchor say whether that is as it was written.
    """
    about = analysis.decision.transcript
    inputs = Inputs(
        archive=record.inputs.archive,
        asked=archived.asked,
        transcript=TranscriptInput(
            digest=about.digest, length=length, format=about.format, messages=about.messages, turns=about.turns
        ),
        policies=archived.policies,
        profile=digest_value(archived.profile),
        engine=archived.engine,
        plugins=archived.plugins,
        package=archived.package,
    )
    text = EXPLANATION not in record.erased
    made = record_of(analysis, inputs, timestamp=archived.asked.now, labels=record.labels, include_text=text)
    return _with_own(made, record)


def unlike(record: Record, derived: Record) -> Iterator[str]:
    """Each field of a record that says something else, in the order of the fields."""
    then, here = msgspec.to_builtins(record), msgspec.to_builtins(derived)
    for name, value in then.items():
        yield from _fields(name, value, here[name])


def says_the_same(record: Record, other: Record) -> bool:
    """Whether two records say the same of a decision; of the inputs where both have them archived."""
    if not (record.inputs.archive and other.inputs.archive):
        record = msgspec.structs.replace(record, inputs=other.inputs)
    return record == other or not any(unlike(record, _with_own(other, record)))


def _with_own(record: Record, own: Record) -> Record:
    """A record with the place in the chain, time, labels and timers of another one."""
    return msgspec.structs.replace(
        record,
        schema=own.schema,
        sequence=own.sequence,
        previous=own.previous,
        digest=own.digest,
        timestamp=own.timestamp,
        labels=own.labels,
        metrics=msgspec.structs.replace(record.metrics, timers_us=own.metrics.timers_us),
    )


def _fields(path: str, then: Any, here: Any) -> Iterator[str]:
    if isinstance(then, dict) and isinstance(here, dict):
        for name in [*then, *(name for name in here if name not in then)]:
            yield from _fields(f"{path}.{name}", then.get(name), here.get(name))
    elif isinstance(then, list | tuple) and isinstance(here, list | tuple) and len(then) == len(here):
        for number, (one, other) in enumerate(zip(then, here, strict=True)):
            yield from _fields(f"{path}[{number}]", one, other)
    elif then != here:
        yield f"`{path}` is {_shown(then)}, {_shown(here)} when it is derived"


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"{len(value)} item(s)"
    if value is None:
        return "nothing"
    text = redact(value if isinstance(value, str) else msgspec.json.encode(value).decode())
    return f"`{text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + '…'}`"
