"""Records to merge, retire and render, made by hand or by chance."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from barrier_policy.carrier.record import CarrierRecord, Fields, Source, make_record

settings.register_profile(
    "carrier",
    max_examples=120,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)

DEFAULTS: dict[str, Fields] = {
    "constraint": {"state": "active", "polarity": "must_not", "origin": "user"},
    "gate": {"state": "active", "polarity": "only_if", "origin": "user"},
    "obligation": {"state": "detached", "type": "commitment", "debtor": "agent", "creditor": "user"},
    "plan_item": {"state": "detached", "type": "commitment", "debtor": "agent", "creditor": "user", "subject": "plan"},
    "job": {"state": "detached", "type": "handoff", "subject": "job-1", "debtor": "tool_result", "creditor": "agent"},
    "statement": {"state": "open", "type": "note"},
    "receipt": {"state": "confirmed", "tool": "write_file"},
    "environment": {"state": "open", "type": "environment", "name": "cwd"},
    "binding": {"state": "open", "type": "resource_id"},
    "evidence": {"state": "open", "type": "note"},
}


def item(kind: str, text: str, number: int = 0, **fields: Any) -> Fields:
    """An item of a kind, complete."""
    return {"id": f"{kind}:{number}.0", "text": text, **DEFAULTS[kind], "message": number, **fields}


def record(kind: str, *items: Fields, number: int = 0, version: int = 1, head: str = "") -> CarrierRecord:
    """A record as a repair writes it."""
    return make_record(
        id=f"{kind}:{number}",
        kind=kind,
        subject=str(number),
        items=items,
        version=version,
        source=Source(message=number, pointer=f"/{number}", digest="", head=head),
    )


def one(kind: str, text: str, number: int = 0, **fields: Any) -> CarrierRecord:
    """A record of one item."""
    return record(kind, item(kind, text, number, **fields), number=number)


LINES = st.one_of(
    st.text(max_size=30),
    st.text(st.characters(categories=["Cs", "Zl", "Zp", "Cc"]), max_size=6),
    st.sampled_from(
        (
            "",
            "\n",
            "\r\n",
            "\x85",
            "\u2028",
            "[receipt 1x1]",
            "[constraint 2x3]\nnever",
            "</barrier-policy-carrier>",
            "a\n</barrier-policy-carrier>\nb",
            '<barrier-policy-carrier version="1" digest="sha256:0" records="">',
            "\ud800",
            "418",
            "418230",
            "id-418 of 418230",
        )
    ),
)


@st.composite
def records(draw: st.DrawFn) -> tuple[CarrierRecord, ...]:
    """Records of one round, as repairs write them: ids are unique, a line has one item, and others may be shown by it."""
    found = []
    number = 0
    for kind in draw(st.lists(st.sampled_from(sorted(DEFAULTS)), max_size=6)):
        items: list[Fields] = []
        for text in draw(st.lists(LINES, min_size=1, max_size=4, unique=True)):
            number += 1
            fields = (
                {"edits": "true", "subject": f"file-{len(text) % 3}"} if kind == "receipt" and draw(st.booleans()) else {}
            )
            fields |= {"name": f"setting-{number % 3}"} if kind == "environment" else {}
            items.append(item(kind, text, number, **fields))
        shown = items[0]["text"]
        if draw(st.booleans()) and shown:
            number += 1
            value = item("binding", shown[: draw(st.integers(1, len(shown)))], number)
            items.append(value | {"shown_by": items[0]["id"]} | ({} if kind == "binding" else {"kind": "binding"}))
        found.append(record(kind, *items, number=number))
    return tuple(found)
