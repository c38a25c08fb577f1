"""What differs between two policy sets themselves, and whole comparisons made of what differs in transcripts. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from barrier_policy.diff.model import Change, Count, Diff, RuleChange, SetInfo, Skipped, SpanChange, TranscriptChange
from barrier_policy.policy.loader import content_of, shown_place
from barrier_policy.policy.model import Policy, PolicySet, Rule, Waiver

EXCEPTED = "excepted"
_Change = tuple[str, SpanChange]
"""What differs, with the transcript that it is about, which may be that of several decisions."""


def edits(base: PolicySet, head: PolicySet) -> dict[str, str]:
    """The rules whose content differs, by id: added, removed, changed, or excepted and no more so where only exceptions differ."""
    before, after = _contents(base), _contents(head)
    found = dict.fromkeys(after.keys() - before.keys(), "added")
    found |= dict.fromkeys(before.keys() - after.keys(), "removed")
    found |= {rule: "changed" for rule in before.keys() & after.keys() if before[rule] != after[rule]}
    gone, new = _waivers(base, head), _waivers(head, base)
    for edit, waivers in ((EXCEPTED, new), (f"{EXCEPTED} no more", gone)):
        for waiver in waivers:
            found.setdefault(waiver.rule, edit)
    return dict(sorted(found.items()))


def summarize(
    base: PolicySet,
    head: PolicySet,
    transcripts: Iterable[TranscriptChange],
    *,
    engine: str,
    now: str,
    acknowledged: Mapping[str, str],
) -> Diff:
    """The comparison. `acknowledged` says by rule who took responsibility for what it loosens."""
    found = sorted(transcripts, key=lambda transcript: transcript.name)
    compared = [transcript for transcript in found if not transcript.problem]
    places = {(one.source, span): tokens for one in compared for span, tokens in one.sizes.items()}
    changes = [(one.source, _marked(change, acknowledged)) for one in compared for change in one.changes]
    loose = {rule for _, change in changes if change.change is Change.LOOSENED for rule in change.rules}
    return Diff(
        base=SetInfo(name=base.name, digest=base.digest),
        head=SetInfo(name=head.name, digest=head.digest),
        engine=engine,
        now=now,
        transcripts=len({one.source for one in compared}),
        decisions=sum(one.name != one.source for one in compared),
        spans=len(places),
        tokens=sum(places.values()),
        totals={kind: _total(changes, kind) for kind in Change},
        rules=_rule_changes(base, head, changes, acknowledged),
        changes=tuple(change for _, change in changes),
        unacknowledged=tuple(sorted(loose - acknowledged.keys())),
        skipped=tuple(Skipped(name=one.name, problem=one.problem) for one in found if one.problem),
    )


def _marked(change: SpanChange, acknowledged: Mapping[str, str]) -> SpanChange:
    known = change.change is Change.LOOSENED and acknowledged.keys() >= set(change.rules)
    return msgspec.structs.replace(change, acknowledged=known)


def _rule_changes(
    base: PolicySet, head: PolicySet, changes: Iterable[_Change], acknowledged: Mapping[str, str]
) -> tuple[RuleChange, ...]:
    edited = edits(base, head)
    of_rules: dict[str, dict[Change, list[_Change]]] = {rule: {} for rule in edited}
    for source, change in changes:
        kinds = [(change.change, rule) for rule in change.rules if change.change is not Change.ERRING]
        for kind, rule in [*kinds, *((Change.ERRING, rule) for rule in change.erring)]:
            of_rules.setdefault(rule, {}).setdefault(kind, []).append((source, change))
    places = {rule.id: place_of(policy, rule) for policies in (base, head) for policy, rule in policies.rules()}
    waivers: dict[str, list[Waiver]] = {}
    for waiver in (*_waivers(head, base), *_waivers(base, head)):  # head's first: it has what is in force
        waivers.setdefault(waiver.rule, []).append(waiver)
        if edited[waiver.rule].startswith(EXCEPTED) and waiver is waivers[waiver.rule][0]:
            places[waiver.rule] = f"{shown_place(waiver.file)}:{waiver.line}"
    return tuple(
        RuleChange(
            rule=rule,
            edit=edited.get(rule, "same"),
            place=places.get(rule, ""),
            exceptions=tuple(dict.fromkeys(waiver.name for waiver in waivers.get(rule, ()))),
            acknowledged_by=acknowledged.get(rule, ""),
            **{str(kind): _count(charged) for kind, charged in of_rules[rule].items()},
        )
        for rule in sorted(of_rules)
    )


def _total(changes: Iterable[_Change], kind: Change) -> Count:
    """Erring spans are counted apart: one may have been tightened as well."""
    return _count(
        (source, change) for source, change in changes if (change.erring if kind is Change.ERRING else change.change is kind)
    )


def _count(changes: Iterable[_Change]) -> Count:
    """Spans, each once however many decisions are about it."""
    sizes = {(source, change.span): change.tokens for source, change in changes}
    return Count(spans=len(sizes), tokens=sum(sizes.values()))


def place_of(policy: Policy, rule: Rule) -> str:
    """`file:line` of the key of a rule that was written last: in a patch, where one changed it."""
    patched = [origin for origin in rule.origins if origin.file != policy.file]
    return patched[0].place if patched else f"{shown_place(policy.file)}:{rule.line}"


def _contents(policies: PolicySet) -> dict[str, str]:
    return {rule.id: msgspec.json.encode(content_of(rule), order="sorted").decode() for _, rule in policies.rules()}


def _waivers(these: PolicySet, those: PolicySet) -> tuple[Waiver, ...]:
    """The exceptions that only the first set has as they are, by name."""
    known = [content_of(waiver) for waiver in those.exceptions]
    return tuple(waiver for waiver in these.exceptions if content_of(waiver) not in known)
