"""A refusal as a result: what blocks, what would help, cheapest first, and whether it was refused for the same reasons before."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from barrier_policy.decision.model import Blocking, Decision
from barrier_policy.decision.remedies import NOTHING
from barrier_policy.digest import digest_value, stable_json
from barrier_policy.errors import CompactionRefusedError
from barrier_policy.provenance.store import Store

FOLDER = "refusals"
SHOWN = 5


class Relief(msgspec.Struct, frozen=True, kw_only=True):
    """What discharging all items of one span would free, in tokens."""

    span: str
    tokens: int
    items: tuple[Blocking, ...]


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """How often a compaction was refused for the same reasons, and when first and last."""

    count: int
    first: str
    last: str


def find_relief(decision: Decision) -> tuple[Relief, ...]:
    """The blocking set by span, most tokens for each item to be discharged first; what nothing discharges, and the tail, last."""
    sizes = {span.id: span.tokens for span in decision.spans}
    by_span: dict[str, list[Blocking]] = {}
    for entry in decision.blocking:
        by_span.setdefault(entry.span, []).append(entry)
    found = [Relief(span=span, tokens=sizes.get(span, 0), items=tuple(items)) for span, items in by_span.items()]
    return tuple(sorted(found, key=_cost))


def _cost(relief: Relief) -> tuple[bool, bool, float, str]:
    """What to begin with: a span that something discharges, and the more tokens for each item of it the better."""
    tail = relief.span == "tail"
    stays = tail or any(item.discharged_by == NOTHING for item in relief.items)
    return stays, tail, -relief.tokens / len(relief.items), relief.span


def reasons_digest(decision: Decision) -> str:
    """The same for two refusals of one transcript for the same reasons, however much it has grown in between.

    Items are named by the place where they stand, so the same reasons have the same names.
    """
    reasons = sorted({(entry.item, entry.discharged_by) for entry in decision.blocking if entry.item != "tail"})
    first = decision.spans[0].digest if decision.spans else decision.transcript.digest
    return digest_value([first, reasons])


def remember(store: Store | None, reasons: str, now: str) -> Seen:
    """Count a refusal; `reasons` is a digest that is the same where it is for the same reasons. Without a store nothing is remembered."""
    before = None
    name = f"{FOLDER}/{reasons.removeprefix('sha256:')}.json"
    if store is not None:
        data = store.read_document(name)
        before = msgspec.json.decode(data, type=Seen) if data else None
    seen = Seen(count=before.count + 1, first=before.first, last=now) if before else Seen(count=1, first=now, last=now)
    if store is not None:
        store.write_document(name, stable_json(seen))
    return seen


def refusal(
    decision: Decision, seen: Seen, *, target: int | None = None, least: int | None = None, planned: int | None = None
) -> CompactionRefusedError:
    """The error that a refused compaction raises: what blocks, and what would help, cheapest first.

    `target` is what was asked for, where the decision is about a lower one, and `least` what a result has at the least, of which `planned` is
    what stays and the records; all in tokens.
    """
    relief = find_relief(decision)
    wanted = decision.budget.target_tokens or 0 if target is None else target
    framed = planned is not None and planned <= wanted
    why = "because of the carrier's frame and the summaries" if framed else "without losing what is still needed"
    lines = [f"the compaction is refused: {decision.totals.tokens_before:,} tokens can't become {wanted:,} {why}"]
    if least is not None:
        besides = f": {planned:,} without them" if framed else ""
        lines.append(f"  with every repair it would be {least:,} tokens or more, the carrier and summaries counted{besides}")
    lines += [_relief_line(entry) for entry in relief[:SHOWN]]
    if len(relief) > SHOWN:
        lines.append(f"  and {len(relief) - SHOWN} more spans (all of them are in the decision)")
    lines += again(seen)
    return CompactionRefusedError("\n".join(lines), decision=decision, relief=relief, seen=seen.count - 1)


def again(seen: Seen) -> list[str]:
    """The line that says how often it was refused before, none where it was not."""
    if seen.count == 1:
        return []
    return [
        f"  refused for the same reasons {seen.count} times since {seen.first} (asking again changes nothing; discharge an item above)"
    ]


def _relief_line(relief: Relief) -> str:
    ways = _unique(entry.discharged_by for entry in relief.items)
    if relief.span == "tail":
        return f"  tail: {'; '.join(ways)}"
    items = _unique(entry.item for entry in relief.items)
    shown = ", ".join(items[:3]) + (f" +{len(items) - 3}" if len(items) > 3 else "")
    return f"  span {relief.span} ({relief.tokens:,} tokens): {shown} (lifted when {'; '.join(ways)})"


def _unique(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))
