"""What tools do to the world: said by extractors, by a team's profile, and in span records."""

from __future__ import annotations

from enum import StrEnum


class EffectClass(StrEnum):
    """What a tool does to the world (design section 5), in the order of how bad it is to do it again: harmless first."""

    READ_ONLY = "read_only"
    IDEMPOTENT = "idempotent"
    KEYED = "keyed"
    NON_IDEMPOTENT = "non_idempotent"
    IRREVERSIBLE = "irreversible"
