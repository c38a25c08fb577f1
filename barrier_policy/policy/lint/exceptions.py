"""Lint rules about files of kind Exception: what one rule does not say about some spans, for a time, by somebody's word.

An exception has `rule`, one of `spans` and `when`, `owner`, `reason` and `expires` (an ISO date), at the top of its file or in a list
`exceptions`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from barrier_policy.policy.hints import suggestion
from barrier_policy.policy.lint.model import Hit, Level, at, lint_rule
from barrier_policy.policy.lint.source import SourceFile, SourceRule, Sources, fields_of, items_of, text_of
from barrier_policy.policy.yaml import Node

MAX_DAYS = 180
_NEEDED = ("expires", "owner", "reason", "rule")
_BROAD = re.compile(r"[\s()]*true[\s()]*|[*.]+")


def _exceptions(sources: Sources) -> Iterator[tuple[SourceFile, Node]]:
    for file in sources.linted("Exception"):
        listed = file.fields.get("exceptions")
        for node in items_of(listed) if listed is not None else (file.document,):
            if node is not None:
                yield file, node


def _expiry(node: Node) -> tuple[Node, date] | None:
    written = fields_of(node).get("expires")
    try:
        return (written, date.fromisoformat(text_of(written)[:10])) if written is not None else None
    except ValueError:
        return None


@lint_rule("exception-incomplete", Level.ERROR)
def exception_incomplete(sources: Sources) -> Iterator[Hit]:
    """An exception lacks its rule, owner, reason or expiry, or its expiry is no date.

    Why: Somebody must answer for it, and it must end by itself.
    Bad:
        apiVersion: barrier-policy/v1
        #^
        kind: Exception
        rule: example.keep-something
        when: "span.tokens < 20"
        owner: platform
        reason: Short pings of the build server.
    Good:
        apiVersion: barrier-policy/v1
        kind: Exception
        rule: example.keep-something
        when: "span.tokens < 20"
        owner: platform
        reason: Short pings of the build server.
        expires: 2026-03-01
    """
    for _, node in _exceptions(sources):
        for key in _NEEDED:
            if not text_of(fields_of(node).get(key)).strip():
                yield at(node, f"the exception has no `{key}` (needed: {', '.join(_NEEDED)}, and `spans` or `when`)")
        written = fields_of(node).get("expires")
        if written is not None and text_of(written) and _expiry(node) is None:
            yield at(written, f"`{written.value}` is no date (write it as 2026-12-31)")


@lint_rule("exception-expired", Level.WARNING)
def exception_expired(sources: Sources) -> Iterator[Hit]:
    """An exception has expired.

    Why: It has no effect any more, and a reader takes it for one that has. Renew it with a new reason, or take it away.
    Bad:
        apiVersion: barrier-policy/v1
        kind: Exception
        rule: example.keep-something
        when: "span.tokens < 20"
        owner: platform
        reason: Short pings of the build server.
        expires: 2025-03-01
        #        ^
    Good:
        apiVersion: barrier-policy/v1
        kind: Exception
        rule: example.keep-something
        when: "span.tokens < 20"
        owner: platform
        reason: Short pings of the build server.
        expires: 2026-03-01
    """
    for _, node in _exceptions(sources):
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
        rule: example.keep-something
        when: "span.tokens < 20"
        owner: platform
        reason: Short pings of the build server.
        expires: 2036-03-01
        #        ^
    Good:
        apiVersion: barrier-policy/v1
        kind: Exception
        rule: example.keep-something
        when: "span.tokens < 20"
        owner: platform
        reason: Short pings of the build server.
        expires: 2026-03-01
    """
    for _, node in _exceptions(sources):
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
        rule: example.keep-something
        when: "true"
        #     ^
        owner: platform
        reason: Short pings of the build server.
        expires: 2026-03-01
    Good:
        apiVersion: barrier-policy/v1
        kind: Exception
        rule: example.keep-something
        when: "span.tokens < 20"
        owner: platform
        reason: Short pings of the build server.
        expires: 2026-03-01
    """
    for _, node in _exceptions(sources):
        fields = fields_of(node)
        when, spans = fields.get("when"), fields.get("spans")
        if when is None and not items_of(spans):
            yield at(node, "the exception is for every span (say for which with `spans` or `when`)")
        if when is not None and (when.value is True or _BROAD.fullmatch(text_of(when))):
            yield at(when, "`when` is true of every span (say what is special about those that you mean)")
        for span in items_of(spans):
            if _BROAD.fullmatch(text_of(span)):
                yield at(span, f"`{span.value}` is every span (name them as `decide` does)")


@lint_rule("exception-of-locked-rule", Level.ERROR)
def exception_of_locked_rule(sources: Sources) -> Iterator[Hit]:
    """An exception is about a locked rule, or about a rule that does not exist.

    Why: `locked` promises that nothing loosens the rule; such an exception has no effect.
    Bad:
        apiVersion: barrier-policy/v1
        kind: Exception
        rule: effects.unsettled
        #     ^
        when: "span.tokens < 20"
        owner: platform
        reason: Short pings of the build server.
        expires: 2026-03-01
    Good:
        apiVersion: barrier-policy/v1
        kind: Exception
        rule: example.keep-something
        when: "span.tokens < 20"
        owner: platform
        reason: Short pings of the build server.
        expires: 2026-03-01
    """
    rules: dict[str, SourceRule] = {rule.id: rule for _, rule in sources.all_rules()}
    for _, node in _exceptions(sources):
        name = fields_of(node).get("rule")
        rule = rules.get(text_of(name))
        if name is not None and rule is None:
            yield at(name, f"unknown rule `{name.value}` {suggestion(str(name.value), rules)}")
        if name is not None and rule is not None and rule.is_locked:
            yield at(name, f"rule `{name.value}` is locked, nothing excepts from it")


RULES = (exception_incomplete, exception_expired, exception_long_lived, exception_too_broad, exception_of_locked_rule)
