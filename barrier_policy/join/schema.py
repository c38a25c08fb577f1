"""The span record that policy conditions see: closed, typed, documented (design section 6).

A record is a plain dict with every declared field filled. Absent values are `""`, `0`, `false` or `[]`, never null.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from barrier_policy.facts.kinds import namespace_name, record_name
from barrier_policy.facts.model import FactKind

EMPTY: Mapping[str, Any] = {"string": "", "int": 0, "bool": False}
"""The scalar types, each with its empty value."""
SCALARS = tuple(EMPTY)
ROOT = "Span"


class Field(msgspec.Struct, frozen=True):
    """One field: `type` is string, int, bool, the name of a record type, or `list(...)` of one of these."""

    name: str
    type: str
    doc: str


class RecordType(msgspec.Struct, frozen=True):
    """A named record type. `place` is where records of a plugin stand, which names them better: their types have made-up names."""

    name: str
    doc: str
    fields: tuple[Field, ...]
    place: str = ""

    @property
    def shown(self) -> str:
        """What messages call it."""
        return self.place or self.name


HELD = Field("held", "bool", "kept elsewhere: by a verified carrier record, in the tail, or in a span that stays verbatim")
CARRIED = Field("carried", "bool", "kept by a verified carrier record")
ITEM_TEXT = Field("text", "string", "the words that it rests on; empty for a secret")
MESSAGE = Field("message", "int", "index of the message that introduced it")

OBLIGATION = RecordType(
    "Obligation",
    "Something that somebody still has to do, answer or confirm.",
    (
        Field("id", "string", "its name in the ledger"),
        Field("kind", "string", "request, commitment, open_call, approval_gate, question, handoff or precondition"),
        Field(
            "state",
            "string",
            "proposed, conditional, detached, satisfied, released, cancelled, expired, violated, abandoned or unknown",
        ),
        Field("live", "bool", "the state is not terminal"),
        Field("rebindable", "bool", "a carrier record can hold it, because nobody works on it at this moment"),
        Field("debtor", "string", "who owes it: an origin"),
        Field("creditor", "string", "to whom: an origin"),
        MESSAGE,
        ITEM_TEXT,
        CARRIED,
        HELD,
    ),
)
EFFECT = RecordType(
    "Effect",
    "A change in the world that a tool call of the span made or may have made.",
    (
        Field("id", "string", "its name in the ledger"),
        Field("tool", "string", "the tool's name"),
        Field("class", "string", "read_only, idempotent, keyed, non_idempotent or irreversible"),
        Field("assumed", "bool", "the class follows from a name only"),
        Field("state", "string", "intended, started, confirmed, failed_clean, partial, unknown or quarantined"),
        Field("unsettled", "bool", "the state is started, partial or unknown"),
        Field("receipt_needed", "bool", "losing the record of it could repeat it"),
        Field("key", "string", "its idempotency key"),
        Field("target", "string", "what it acts on"),
        MESSAGE,
        ITEM_TEXT,
        CARRIED,
        HELD,
    ),
)
CONSTRAINT = RecordType(
    "Constraint",
    "A rule that stays in force for later turns.",
    (
        Field("id", "string", "its name in the ledger"),
        Field("polarity", "string", "must, must_not or only_if"),
        Field("gate", "bool", "it asks for somebody's word before an action"),
        Field("strength", "string", "hard or soft; both are protected"),
        Field("origin", "string", "who set it"),
        Field("state", "string", "active, narrowed, overridden, revoked or scope_ended"),
        Field("live", "bool", "the state is active or narrowed"),
        MESSAGE,
        ITEM_TEXT,
        CARRIED,
        HELD,
    ),
)
BINDING = RecordType(
    "Binding",
    "An exact value that something outside the span depends on, or may.",
    (
        Field("id", "string", "its name in the ledger"),
        Field(
            "type",
            "string",
            "idempotency_key, resource_id, path, url, version_pin, hash, sequence, column_set, amount, quantity, timestamp, literal, symbol, environment, secret, row or note",
        ),
        Field("name", "string", "what the value is called where it stands"),
        Field("state", "string", "candidate, open, closed, superseded or revoked"),
        Field("open", "bool", "the state is open"),
        Field("consumers", "int", "places outside the span that depend on it"),
        MESSAGE,
        ITEM_TEXT,
        CARRIED,
        HELD,
    ),
)
UNKNOWN = RecordType(
    "Unknown",
    "Something about the span that could not be established.",
    (
        Field("what", "string", "extractor_failed, unreadable_part or orphan_result"),
        Field("detail", "string", "which extractor, or which part"),
        MESSAGE,
    ),
)
PROVENANCE = RecordType(
    "Provenance",
    "Where the original of the span can be read back.",
    (
        Field("present", "bool", "a pointer to an archived original exists"),
        Field("retrievable", "bool", "the pointer was read back with equal digest and length"),
        Field("uri", "string", "where the original is"),
    ),
)
FIDELITY = RecordType(
    "Fidelity",
    "The fidelity clause that the summarizer is held to.",
    (
        Field("preserve", "list(string)", "what a summary must preserve, e.g. decisions, bindings, preconditions"),
        Field("audited", "bool", "the result is audited against the clause"),
    ),
)
WORKLOAD = RecordType(
    "Workload",
    "What the work after the compaction may ask for.",
    (Field("evidence_demand", "bool", "later work may ask for exact evidence: audit, `did we ever`, replay"),),
)
SPAN = RecordType(
    "Span",
    "One span, joined with the ledger, the tail, the plan, the carrier and the provenance store.",
    (
        Field("id", "string", "the span's name in the decision"),
        Field("start", "int", "index of its first message"),
        Field("end", "int", "index after its last message"),
        Field("tokens", "int", "its size in tokens"),
        Field(
            "origin", "string", "the highest origin in it: system, developer, user, agent, tool_result, retrieved_content"
        ),
        Field(
            "zone",
            "string",
            "`instructions` for system and developer messages, `carrier` for the gate's own records, `split_pair` where half of a call and its result stands elsewhere, else empty",
        ),
        Field("evidential_class", "string", "structured or narrative"),
        Field("obligations", "list(Obligation)", "obligations that the span introduces or is needed to discharge"),
        Field("effects", "list(Effect)", "effects of the span's calls, reads left out"),
        Field("constraints", "list(Constraint)", "constraints that the span introduces"),
        Field("bindings", "list(Binding)", "bindings with an endpoint in the span"),
        Field("unknowns", "list(Unknown)", "what could not be established; unknown protects"),
        Field("provenance", "Provenance", "where the original can be read back"),
        Field("fidelity", "Fidelity", "the declared fidelity clause"),
        Field("workload", "Workload", "what later work may ask for"),
    ),
)
CORE_TYPES = (OBLIGATION, EFFECT, CONSTRAINT, BINDING, UNKNOWN, PROVENANCE, FIDELITY, WORKLOAD, SPAN)


def element(type_name: str) -> str | None:
    """The element type of a list type, else None."""
    return type_name[5:-1] if type_name.startswith("list(") else None


class RecordSchema(msgspec.Struct, frozen=True):
    """All record types by name; `span` is of type `Span`."""

    types: Mapping[str, RecordType]

    def filled(self, value: Any, type_name: str = ROOT) -> Any:
        """A value of a declared type with what it leaves out, which is empty; the empty value for None. What is not declared is left out."""
        if type_name in EMPTY:
            return EMPTY[type_name] if value is None else value
        item = element(type_name)
        if item is not None:
            return [self.filled(entry, item) for entry in value or ()]
        given = value or {}
        return {field.name: self.filled(given.get(field.name), field.type) for field in self.types[type_name].fields}


def build_schema(kinds: Iterable[FactKind] = ()) -> RecordSchema:
    """The core types plus, for each fact kind `namespace.kind`, `span.namespace.kind` as a list of records; kinds without a namespace add none."""
    types = {record_type.name: record_type for record_type in CORE_TYPES}
    namespaces: dict[str, list[Field]] = {}
    for kind in sorted((kind for kind in kinds if "." in kind.name), key=lambda kind: kind.name):
        namespace, _, short = kind.name.partition(".")
        fields = tuple(Field(a.name, a.type, a.doc) for a in kind.attributes)
        name = record_name(kind.name)
        common = (Field("id", "string", "its name in the decision"), MESSAGE, ITEM_TEXT, CARRIED, HELD)
        types[name] = RecordType(name, kind.doc, common + fields, place=f"span.{kind.name}")
        namespaces.setdefault(namespace, []).append(Field(short, f"list({name})", kind.doc))
    extra = []
    for namespace, fields_of in sorted(namespaces.items()):
        name = namespace_name(namespace)
        types[name] = RecordType(
            name, f"Facts of plugin namespace `{namespace}`.", tuple(fields_of), place=f"span.{namespace}"
        )
        extra.append(Field(namespace, name, f"facts of plugin namespace `{namespace}`"))
    span = types[ROOT]
    types[ROOT] = RecordType(span.name, span.doc, span.fields + tuple(extra))
    return RecordSchema(types)
