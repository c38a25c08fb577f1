"""`barrier-policy facts`, `ledger` and `plugins`: what was found, as a table or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from rich.table import Table

from barrier_policy.cli.console import cell, clip, emit, make_table
from barrier_policy.cli.guard import OK, UNREADABLE, report
from barrier_policy.cli.options import OutputFormat, Request
from barrier_policy.cli.session import Session
from barrier_policy.errors import BarrierPolicyError
from barrier_policy.facts.masking import Masker
from barrier_policy.facts.model import Fact
from barrier_policy.ledger.model import Family, Item, Ledger, is_live
from barrier_policy.plugins import load_plugins
from barrier_policy.policy.hints import suggestion
from barrier_policy.report.states import STATE
from barrier_policy.transcript.pairing import pair_calls

TEXT_LENGTH = 160
PLACE_FIELDS = ("kind", "message", "part", "start", "end", "text", "extractor")


def list_facts(request: Request, file: str, *, kind: str, message: int | None, format: OutputFormat) -> int:
    """Print the facts of a transcript, all or those of a kind or message. Raises BarrierPolicyError."""
    session = Session(request)
    kinds = session.decider.plugins.kinds
    if kind and kind not in kinds:
        raise BarrierPolicyError(f"--kind: no fact kind `{kind}` {suggestion(kind, kinds)}")
    transcript = session.read(file)
    count = len(transcript.messages)
    if message is not None and not 0 <= message < count:
        raise BarrierPolicyError(f"--message: no message `{message}` in {file} (messages are 0 to {count - 1})")
    found = session.decider.facts(transcript, pair_calls(transcript.messages), now=session.now)
    for failure in found.failures:
        report(BarrierPolicyError(f"{file}: extractor {failure.extractor}: {failure.problem} (its facts there are unknown)"))
    chosen = [
        fact
        for facts in found.by_message
        for fact in facts
        if (not kind or fact.kind == kind) and (message is None or fact.message == message)
    ]
    emit([fact.to_dict() for fact in chosen], format, lambda: _facts_table(chosen))
    return OK


def _facts_table(facts: Sequence[Fact]) -> Table:
    table = make_table("message", "kind", "text", "attributes", right=("message",), wide="attributes")
    for fact in facts:
        attributes = {
            name: value
            for name, value in fact.to_dict().items()
            if name not in PLACE_FIELDS and value not in ("", [], False)
        }
        shown = ", ".join(f"{name}={_plain(value)}" for name, value in attributes.items())
        table.add_row(str(fact.message), cell(fact.kind), cell(clip(fact.text, 60)), cell(clip(shown, TEXT_LENGTH)))
    return table


def _plain(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def list_ledger(request: Request, file: str, *, family: str, live: bool, format: OutputFormat) -> int:
    """Print the items of the ledger with their present state and what led to it. Raises BarrierPolicyError."""
    families = [str(known) for known in Family if known is not Family.EXTENSION]
    if family and family not in families:
        raise BarrierPolicyError(f"--family: no family `{family}` {suggestion(family, families)}")
    analysis = Session(request).analyse(file)
    ledger = analysis.join.ledger
    chosen = [
        item
        for item in ledger.items
        if (not family or item.family == family) and (not live or is_live(item, ledger.state(item)))
    ]
    records = _item_records(chosen, ledger, analysis.masker)
    emit(records, format, lambda: _ledger_table(records))
    return OK


def _item_records(items: Sequence[Item], ledger: Ledger, masker: Masker) -> list[dict[str, Any]]:
    history: dict[str, list[dict[str, Any]]] = {}
    for event in ledger.events:
        history.setdefault(event.item, []).append({"message": event.message, "state": event.state, "reason": event.reason})
    return [
        {
            "id": item.id,
            "family": str(item.family),
            "kind": item.kind,
            "state": ledger.state(item),
            "message": item.message,
            "text": masker.text(item.text, item.message),
            "attributes": {
                name: masker.text(value, item.message) for name, value in sorted(item.attributes.items()) if value
            },
            "events": history[item.id],
        }
        for item in items
    ]


def _ledger_table(records: Sequence[dict[str, Any]]) -> Table:
    table = make_table("item", "kind", "state", "because", "text", wide="text")
    for record in records:
        last = record["events"][-1]
        reason = str(last["reason"])
        because = reason if "message" in reason else f"{reason} (message {last['message']})"
        table.add_row(
            cell(record["id"]),
            cell(record["kind"]),
            cell(STATE.get(record["state"], record["state"])),
            cell(clip(because, 40)),
            cell(clip(record["text"], TEXT_LENGTH)),
        )
    return table


def list_plugins(*, format: OutputFormat) -> int:
    """Print all plugins that were found; exit code 2 where one was refused, because nothing would be decided then."""
    records = [
        {"state": "refused" if info.problem else "loaded", **msgspec.to_builtins(info)}
        for info in load_plugins(strict=False).infos
    ]
    emit(records, format, lambda: _plugins_table(records))
    return UNREADABLE if any(record["problem"] for record in records) else OK


def _plugins_table(records: Sequence[dict[str, Any]]) -> Table:
    table = make_table("plugin", "version", "state", "hooks", "provides", wide="provides")
    for record in records:
        hooks = ", ".join(hook.removeprefix("barrier_") for hook in record["hooks"])
        provides = record["problem"] or ", ".join([*_formats(record), *record["kinds"], *record["stores"]])
        table.add_row(cell(record["name"]), cell(record["version"]), cell(record["state"]), cell(hooks), cell(provides))
    return table


def _formats(record: dict[str, Any]) -> list[str]:
    """Formats by name, with what can be done with them where it is not reading alone."""
    names = sorted({*record["readers"], *record["writers"]})
    done = {(True, False): "", (True, True): " (read and written)", (False, True): " (written)"}
    return [name + done[name in record["readers"], name in record["writers"]] for name in names]
