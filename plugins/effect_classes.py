"""What a tool call can do to the world: classes in order of risk, and what one call was found to be.

The classes are those of the effect ledger (design section 5). Everything that judges a call returns a `Judgement`, so that
the judgements of a shell line's commands, of a script's SQL statements and of a tool's name can be compared and joined.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from importlib import resources
from itertools import islice

import msgspec

from barrier_policy.facts.effect_class import EffectClass

MAX_TARGETS = 16
MAX_OPERATIONS = 3


_RANK = {effect_class: rank for rank, effect_class in enumerate(EffectClass)}


def worst(classes: Iterable[EffectClass]) -> EffectClass | None:
    """The riskiest of some classes, None of none."""
    return max(classes, key=_RANK.__getitem__, default=None)


class Basis(StrEnum):
    """What a class follows from.

    `noun` is a name without a verb, whose class is that of a word which may be one (`order`, `note`); `report` one for a thing that is only
    ever looked at (`ci_status`); `unknown` one without a known word: it reads only where an argument looks like a selection.
    """

    ANNOTATION = "annotation"
    TABLE = "table"
    SHELL = "shell"
    SQL = "sql"
    HTTP = "http"
    NAME = "name"
    NOUN = "noun"
    REPORT = "report"
    UNKNOWN = "unknown"


class Judgement(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a call, a command or a statement does.

    `assumed` says that only a name speaks for the class. `operations` are short human words for what it does, the effects
    where it has any, else the first read. `targets` are what it acts on, as written. `effects` counts the effects in it: an
    error after the first of several leaves the outcome open.
    """

    effect_class: EffectClass
    assumed: bool = False
    operations: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    background: bool = False
    effects: int = 0
    basis: Basis = Basis.UNKNOWN

    @property
    def reads(self) -> bool:
        """Whether it changes nothing."""
        return self.effect_class is EffectClass.READ_ONLY


def judge(
    effect_class: EffectClass | str,
    operation: str = "",
    *,
    targets: Iterable[str] = (),
    assumed: bool = False,
    keys: Iterable[str] = (),
    background: bool = False,
    basis: Basis = Basis.UNKNOWN,
) -> Judgement:
    """A judgement of one operation."""
    known = EffectClass(effect_class)
    return Judgement(
        effect_class=known,
        assumed=assumed,
        operations=(operation,) if operation else (),
        targets=first_distinct(targets, MAX_TARGETS),
        keys=tuple(keys),
        background=background,
        effects=0 if known is EffectClass.READ_ONLY else 1,
        basis=basis,
    )


def join(judgements: Iterable[Judgement], basis: Basis) -> Judgement:
    """Several judgements as one: the worst class, the operations and targets of the effects, or of the reads if all read.

    The whole is assumed where one of the parts that decide its class is.
    """
    parts = tuple(judgements)
    effects = [part for part in parts if not part.reads]
    speaking = effects or [part for part in parts if part.operations][:1]
    effect_class = worst(part.effect_class for part in parts) or EffectClass.READ_ONLY
    return Judgement(
        effect_class=effect_class,
        assumed=any(part.assumed for part in parts if part.effect_class is effect_class),
        operations=first_distinct((name for part in speaking for name in part.operations), MAX_OPERATIONS),
        targets=first_distinct((target for part in effects or parts for target in part.targets), MAX_TARGETS),
        keys=first_distinct((key for part in parts for key in part.keys), MAX_TARGETS),
        background=any(part.background for part in parts),
        effects=sum(part.effects for part in parts),
        basis=basis,
    )


def first_distinct(values: Iterable[str], limit: int) -> tuple[str, ...]:
    """The first `limit` distinct values that are not empty, in their order."""
    return tuple(islice(dict.fromkeys(filter(None, values)), limit))


def word_set(text: str) -> frozenset[str]:
    """The words of a text as a set, for word lists that are easier to read as text."""
    return frozenset(text.split())


def read_table(name: str) -> bytes:
    """The bytes of a data file of this package."""
    return resources.files("barrier_policy_plugins").joinpath(name).read_bytes()
