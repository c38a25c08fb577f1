"""What a plugin may call the kinds of its facts, which become fields and records that conditions read (design section 6)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from barrier_policy.facts.model import FactKind

ATTRIBUTE_TYPES = ("string", "int", "bool", "list(string)")
KIND_NAME = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)?")
ATTRIBUTE_NAME = re.compile(r"[a-z][a-z0-9_]*")

SPAN_FIELDS = frozenset(
    (
        "bindings", "constraints", "effects", "end", "evidential_class", "fidelity", "id", "obligations", "origin", "provenance",
        "start", "tokens", "unknowns", "workload", "zone",
    )
)  # fmt: skip
"""What `span` has of its own. A namespace with such a name would take the field's place, and every rule about it would look elsewhere."""

ITEM_FIELDS = frozenset(("id", "message", "text", "carried", "held"))
"""What every record of a fact has beside the declared attributes."""

RESERVED = frozenset(
    (
        "as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop", "namespace",
        "null", "package", "return", "true", "var", "void", "while",
    )
)  # fmt: skip
"""Words that CEL keeps for itself (CEL language definition, Syntax)."""


def record_name(kind: str) -> str:
    """The record type of the facts of a kind: `orders.refund` has records `OrdersRefund`."""
    return "".join(word.title() for word in kind.replace(".", "_").split("_"))


def namespace_name(namespace: str) -> str:
    """The record type that holds the facts of a namespace."""
    return namespace.title() + "Facts"


def check_kind(kind: FactKind, known: Iterable[str], *, own: bool) -> None:
    """Raise ValueError for a kind that no record can have, or beside the `known` ones none. Shipped ones (`own`) need no namespace."""
    names = [*kind.name.split("."), *(attribute.name for attribute in kind.attributes)]
    reserved = RESERVED & set(names)
    if reserved:
        raise ValueError(f"fact kind `{kind.name}` uses `{min(reserved)}`, which CEL keeps for itself (rename it)")
    if not KIND_NAME.fullmatch(kind.name) or (not own and "." not in kind.name):
        raise ValueError(f"fact kind `{kind.name}` must be named `namespace.kind` in lower case")
    if "." in kind.name:
        _check_fields(kind, known)
    _check_types(kind)


def _check_fields(kind: FactKind, known: Iterable[str]) -> None:
    """Kinds with a namespace are fields of the record that conditions see."""
    namespace = kind.name.partition(".")[0]
    if namespace in SPAN_FIELDS:
        raise ValueError(
            f"fact kind `{kind.name}`: namespace `{namespace}` is a field of the span record (take the plugin's own name)"
        )
    others = {name for name in known if "." in name}
    taken = {record_name(name) for name in others} | {
        namespace_name(name.partition(".")[0]) for name in (*others, kind.name)
    }
    if record_name(kind.name) in taken:
        raise ValueError(
            f"fact kind `{kind.name}`: its records would be called `{record_name(kind.name)}` as others (rename it)"
        )
    attributes = [attribute.name for attribute in kind.attributes]
    for name in attributes:
        where = f"attribute `{name}` of fact kind `{kind.name}`"
        if not ATTRIBUTE_NAME.fullmatch(name):
            raise ValueError(f"{where} must be a name in lower case, as `order_id`")
        if name in ITEM_FIELDS:
            raise ValueError(f"{where} is a field of every record (rename it)")
        if attributes.count(name) > 1:
            raise ValueError(f"{where} is declared twice")


def _check_types(kind: FactKind) -> None:
    for attribute in kind.attributes:
        if attribute.type not in ATTRIBUTE_TYPES:
            raise ValueError(
                f"attribute `{attribute.name}` of fact kind `{kind.name}` has type `{attribute.type}` (known: {', '.join(ATTRIBUTE_TYPES)})"
            )
