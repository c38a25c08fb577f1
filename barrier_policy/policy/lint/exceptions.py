"""Lint rules about files of kind Exception: what one rule does not say about some spans, for a time, by somebody's word.

One exception a file: `metadata` with name and owner, `rule`, `reason`, `expires` (an ISO date), and `when` (a condition) or `spans`
(digests of spans) for the spans that it is about; `transcripts` may narrow it further.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from barrier_policy.policy.document import is_day, no_day
from barrier_policy.policy.lint.behaviour import always_true, observe_when
from barrier_policy.policy.lint.model import Hit, Level, at, lint_rule
from barrier_policy.policy.lint.names import lock_place, locked_rules
from barrier_policy.policy.lint.source import Sources, fields_of, items_of, text_of
from barrier_policy.policy.yaml import Node

MAX_DAYS = 180
_NEEDED = ("expires", "reason", "rule")


def _exceptions(sources: Sources) -> Iterator[Node]:
    return (file.document for file in sources.linted("Exception") if file.document is not None)


def _expiry(node: Node) -> tuple[Node, date] | None:
    written = fields_of(node).get("expires")
    if written is None or not is_day(text_of(written)):
        return None
    return written, date.fromisoformat(text_of(written))


@lint_rule("exception-incomplete", Level.ERROR)
def exception_incomplete(sources: Sources) -> Iterator[Hit]:
    """An exception lacks its rule, owner, reason or expiry, or its expiry is no day.

    Why: Somebody must answer for it, and it must end by itself.
    Bad:
        apiVersion: barrier-policy/v1
        #^
        kind: Exception
        metadata: {name: pings, owner: platform}
        rule: example.keep-something
        when: "span.tokens < 20"
        reason: Short pings of the build server.
    Good:
        apiVersion: barrier-policy/v1
        kind: Exception
        metadata: {name: pings, owner: platform}
        rule: example.keep-something
        when: "span.tokens < 20"
        reason: Short pings of the build server.
        expires: 2026-03-01
    """
    for node in _exceptions(sources):
        fields = fields_of(node)
        owner = fields_of(fields.get("metadata")).get("owner")
        written = {**{key: fields.get(key) for key in _NEEDED}, "owner": owner}
        for key in (key for key, value in written.items() if value is None or not str(value.value or "").strip()):
            yield at(node, f"the exception has no `{key}` (needed: {', '.join(sorted(written))}, and `spans` or `when`)")
        expires = fields.get("expires")
        if expires is not None and text_of(expires) and _expiry(node) is None:
            yield at(expires, no_day(text_of(expires)))


@lint_rule("exception-expired", Level.WARNING)
def exception_expired(sources: Sources) -> Iterator[Hit]:
    """An exception has expired.

    Why: It has no effect any more, and a reader takes it for one that has. Renew it with a new reason, or take it away.
    Bad:
        apiVersion: barrier-policy/v1
        kind: Exception
        metadata: {name: pings, owner: platform}
        rule: example.keep-something
        when: "span.tokens < 20"
        reason: Short pings of the build server.
        expires: 2025-03-01
        #        ^
    Good:
        apiVersion: barrier-policy/v1
        kind: Exception
        metadata: {name: pings, owner: platform}
        rule: example.keep-something
        when: "span.tokens < 20"
        reason: Short pings of the build server.
        expires: 2026-03-01
    """
    for node in _exceptions(sources):
        found = _expiry(node)
        if found and sources.today and found[1] < date.fromisoformat(sources.today):
            yield at(found[0], f"the exception has expired on {found[1].isoformat()} (renew it, or take it away)")


@lint_rule("exception-long-lived", Level.INFO)
def exception_long_lived(sources: Sources) -> Iterator[Hit]:
    """An exception lasts longer than half a year.

    Why: What is excepted for so long is a rule that should be changed.
    Bad:
        apiVersion: barrier-policy/v1
        kind: Exception
        metadata: {name: pings, owner: platform}
        rule: example.keep-something
        when: "span.tokens < 20"
        reason: Short pings of the build server.
        expires: 2036-03-01
        #        ^
    Good:
        apiVersion: barrier-policy/v1
        kind: Exception
        metadata: {name: pings, owner: platform}
        rule: example.keep-something
        when: "span.tokens < 20"
        reason: Short pings of the build server.
        expires: 2026-03-01
    """
    for node in _exceptions(sources):
        found = _expiry(node)
        days = (found[1] - date.fromisoformat(sources.today)).days if found and sources.today else 0
        if found and days > MAX_DAYS:
            yield at(found[0], f"the exception lasts {days} more days (at most {MAX_DAYS}; change the rule instead)")


@lint_rule("exception-too-broad", Level.ERROR)
def exception_too_broad(sources: Sources) -> Iterator[Hit]:
    """An exception does not say for which spans it is.

    Why: It would switch the rule off, without the review that a change of the rule gets.
    Bad:
        apiVersion: barrier-policy/v1
        kind: Exception
        metadata: {name: pings, owner: platform}
        rule: example.keep-something
        when: "true"
        #     ^
        reason: Short pings of the build server.
        expires: 2026-03-01
    Good:
        apiVersion: barrier-policy/v1
        kind: Exception
        metadata: {name: pings, owner: platform}
        rule: example.keep-something
        when: "span.tokens < 20"
        reason: Short pings of the build server.
        expires: 2026-03-01
    """
    for file in sources.linted("Exception"):
        when, spans = file.fields.get("when"), file.fields.get("spans")
        if file.document is not None and when is None and not items_of(spans):
            yield at(file.document, "the exception is for every span (say for which with `spans` or `when`)")
        seen = observe_when(file, sources)
        if when is not None and (when.value is True or (seen and always_true(seen))):
            yield at(when, "`when` is true of every span (say what is special about those that you mean)")


@lint_rule("exception-of-locked-rule", Level.ERROR)
def exception_of_locked_rule(sources: Sources) -> Iterator[Hit]:
    """An exception is about a locked rule.

    Why: `locked` promises that nothing loosens the rule; such an exception has no effect.
    Bad:
        apiVersion: barrier-policy/v1
        kind: Exception
        metadata: {name: pings, owner: platform}
        rule: effects.unsettled
        #     ^
        when: "span.tokens < 20"
        reason: Short pings of the build server.
        expires: 2026-03-01
    Good:
        apiVersion: barrier-policy/v1
        kind: Exception
        metadata: {name: pings, owner: platform}
        rule: example.keep-something
        when: "span.tokens < 20"
        reason: Short pings of the build server.
        expires: 2026-03-01
    """
    locked = locked_rules(sources)
    for node in _exceptions(sources):
        name = fields_of(node).get("rule")
        found = locked.get(text_of(name))
        if name is not None and found is not None:
            yield at(name, f"rule `{name.value}` is locked at {lock_place(*found)} (a locked rule has no exceptions)")


RULES = (exception_incomplete, exception_expired, exception_long_lived, exception_too_broad, exception_of_locked_rule)
