"""The typed record of a carrier (design section 5, carrier record)."""

from __future__ import annotations

from typing import Any

import msgspec

from barrier_policy.digest import digest_value


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """Where the record's content stands: message index and RFC 6901 pointer in that message's source record."""

    message: int
    pointer: str


class CarrierRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One record. `fields` is stored, `text` is the dense line that the model sees, `digest` covers all but id and source."""

    id: str
    kind: str
    subject: str
    version: int
    fields: dict[str, Any]
    text: str
    digest: str
    source: Source


def digest_of(record: CarrierRecord) -> str:
    """What is digested of a record: all but its id and its source."""
    names = ("kind", "subject", "version", "fields", "text")
    return digest_value({name: getattr(record, name) for name in names})
