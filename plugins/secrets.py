"""Secrets of a message: fact kind `secret`, with a keyed digest and never the value (design section 5, bindings)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from barrier_policy.facts.context import Context
from barrier_policy.facts.model import Attribute, Fact, FactKind
from barrier_policy.facts.secrets import SecretType, find_secrets, secret_digest
from barrier_policy.hookspecs import hookimpl
from barrier_policy.transcript.model import Message, PartType


@hookimpl
def barrier_fact_kinds() -> Iterable[FactKind]:
    """`secret`."""
    return (
        FactKind(
            name="secret",
            doc="A secret stands at this place. `text` is always empty.",
            attributes=(
                Attribute(
                    name="type", type="string", doc="what kind of secret", values=tuple(kind.value for kind in SecretType)
                ),
                Attribute(name="name", type="string", doc="the label that gave it away"),
                Attribute(name="digest", type="string", doc="`hmac:` and 12 hex digits, equal for equal secrets"),
            ),
        ),
    )


@hookimpl
def barrier_extract_facts(message: Message, context: Context) -> Iterable[Fact]:
    """Secrets of all parts, also of summaries and of the gate's own records: what is masked there was a secret before."""
    return _secrets(message)


def _secrets(message: Message) -> Iterator[Fact]:
    for index, part in enumerate(message.parts):
        if part.type is PartType.BLOB or not part.text:
            continue
        for secret in find_secrets(part.text):
            value = part.text[secret.start : secret.end]
            yield Fact(
                kind="secret",
                message=message.index,
                part=index,
                start=secret.start,
                end=secret.end,
                attributes={
                    "type": str(secret.type),
                    "name": secret.name,
                    "digest": secret_digest(value, label=f"{secret.type} {secret.name}"),
                },
            )
