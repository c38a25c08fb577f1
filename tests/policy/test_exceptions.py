from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from barrier_policy.errors import PolicyError
from barrier_policy.join.schema import RecordSchema
from barrier_policy.policy.cel.engine import Engine
from barrier_policy.policy.evaluate import Evaluator
from barrier_policy.policy.loader import load_policies
from barrier_policy.policy.model import PolicySet

DAY = "2026-11-20T09:00:00Z"
DIGEST = "sha256:" + "a" * 64
OTHER = "sha256:" + "b" * 64
POLICY = """\
apiVersion: barrier-policy/v1
kind: Policy
metadata: {name: base, version: 1.0.0, owner: platform}
rules:
- {id: any.permit, effect: permit, severity: low, summary: s, why: w, references: [r], condition: "span.tokens >= 0"}
- {id: big.keep, effect: barrier, severity: low, summary: s, why: w, references: [r], condition: "span.tokens > 100"}
- {id: tool.keep, effect: barrier, severity: low, summary: s, why: w, references: [r], condition: "span.effects[0].tool == 'x'"}
- {id: lock.keep, effect: barrier, severity: low, summary: s, why: w, references: [r], condition: "span.zone != ''", locked: true}
"""


def exception(rule: str = "big.keep", more: str = "when: span.tokens < 1000", **changes: str) -> str:
    fields = {"name": "small", "owner": "dana", "expires": "2027-01-01"} | changes
    return (
        "apiVersion: barrier-policy/v1\nkind: Exception\n"
        f"metadata: {{name: {fields['name']}, owner: {fields['owner']}}}\n"
        f"rule: {rule}\nreason: short ones are copies\nexpires: {fields['expires']}\n{more}\n"
    )


@pytest.fixture
def load(write: Callable[..., Path], schema: RecordSchema, engine: Engine) -> Callable[..., PolicySet]:
    def load_all(*exceptions: str) -> PolicySet:
        base = write(POLICY, "base/base.yaml").parent
        team = base.parent / "team"
        team.mkdir()
        for number, text in enumerate(exceptions):
            write(text, f"team/exception-{number}.yaml")
        return load_policies([base, team], schema, engine)

    return load_all


Load = Callable[..., PolicySet]


def effect(schema: RecordSchema, tool: str) -> dict[str, Any]:
    fields = schema.types["Effect"].fields
    empty: dict[str, Any] = {"string": "", "bool": False, "int": 0}
    return {field.name: empty[field.type] for field in fields} | {"tool": tool}


@pytest.fixture
def span(record: dict[str, Any], schema: RecordSchema) -> dict[str, Any]:
    """A span that only `big.keep` holds."""
    return record | {"tokens": 500, "effects": [effect(schema, "y")]}


def test_an_exception_keeps_a_true_barrier_from_binding_and_is_named(
    load: Load, engine: Engine, span: dict[str, Any]
) -> None:
    evaluator = Evaluator(load(exception()), engine).at(DAY)
    found = evaluator.evaluate(span)
    assert (found.verdict, [reason.rule for reason in found.reasons]) == ("opportunity", ["any.permit"])
    assert [(entry.name, entry.rule, entry.owner, entry.expires) for entry in found.exceptions] == [
        ("small", "big.keep", "dana", "2027-01-01")
    ]
    assert evaluator.judge(span) == "opportunity"


def test_without_a_time_no_exception_is_in_force(load: Load, engine: Engine, span: dict[str, Any]) -> None:
    assert Evaluator(load(exception()), engine).evaluate(span).verdict == "barrier"


@pytest.mark.parametrize(
    ("now", "verdict"),
    [("2026-12-31T23:59:59Z", "opportunity"), ("2027-01-01T00:00:00Z", "barrier"), ("2028-05-05", "barrier")],
)
def test_from_its_day_on_an_exception_does_nothing(
    load: Load, engine: Engine, span: dict[str, Any], now: str, verdict: str
) -> None:
    assert Evaluator(load(exception()), engine).at(now).judge(span) == verdict


def test_an_exception_that_changes_nothing_is_not_named(load: Load, engine: Engine, span: dict[str, Any]) -> None:
    evaluator = Evaluator(load(exception()), engine).at(DAY)
    for tokens in (50, 5_000):  # the rule does not hold; the exception does not cover the span
        assert evaluator.evaluate(span | {"tokens": tokens}).exceptions == ()


def test_another_barrier_still_binds(load: Load, engine: Engine, span: dict[str, Any], schema: RecordSchema) -> None:
    found = Evaluator(load(exception()), engine).at(DAY).evaluate(span | {"effects": [effect(schema, "x")]})
    assert (found.verdict, [reason.rule for reason in found.reasons]) == ("barrier", ["tool.keep"])


def test_a_barrier_in_error_binds_in_spite_of_an_exception(load: Load, engine: Engine, span: dict[str, Any]) -> None:
    evaluator = Evaluator(load(exception("tool.keep")), engine).at(DAY)
    found = evaluator.evaluate(span | {"effects": [], "tokens": 50})
    assert (found.verdict, found.exceptions) == ("barrier", ())


def test_an_exception_that_can_not_be_evaluated_covers_nothing_and_is_an_error(
    load: Load, engine: Engine, span: dict[str, Any]
) -> None:
    when = "when: span.obligations[0].live"
    found = Evaluator(load(exception(more=when)), engine).at(DAY).evaluate(span)
    assert found.verdict == "barrier"
    assert [(error.rule, error.part) for error in found.errors] == [("big.keep", "exception")]
    assert "exception `small`: `span.obligations[0].live` could not be evaluated" in found.errors[0].message


@pytest.mark.parametrize(
    ("more", "digest", "transcript", "verdict"),
    [
        (f"spans: ['{DIGEST}']", DIGEST, "", "opportunity"),
        (f"spans: ['{DIGEST}']", OTHER, "", "barrier"),
        (f"spans: ['{DIGEST}']", "", "", "barrier"),
        (f"spans: ['{DIGEST}']\ntranscripts: ['{OTHER}']", DIGEST, OTHER, "opportunity"),
        (f"spans: ['{DIGEST}']\ntranscripts: ['{OTHER}']", DIGEST, DIGEST, "barrier"),
        (f"when: span.tokens < 9\nspans: ['{DIGEST}']", DIGEST, "", "barrier"),
    ],
)
def test_everything_that_an_exception_gives_must_fit(
    load: Load, engine: Engine, span: dict[str, Any], more: str, digest: str, transcript: str, verdict: str
) -> None:
    evaluator = Evaluator(load(exception(more=more)), engine).at(DAY, transcript=transcript)
    assert evaluator.judge(span, digest) == verdict


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (exception("lock.keep"), "4:7: rule `lock.keep` is locked at {base}:8:3 (a locked rule has no exceptions)"),
        (
            exception("any.permit"),
            "4:7: rule `any.permit` is a permit (exceptions are for barriers; to permit less, patch it)",
        ),
        (exception("bigg.keep"), "4:7: unknown rule `bigg.keep` (did you mean `big.keep`?)"),
        (
            exception(more=f"transcripts: ['{DIGEST}']"),
            "1:1: the exception covers every span (give `when`, a condition over",
        ),
        (exception(more="when: 1 < 2"), "7:7: `when` says nothing of the span (an exception is about some spans)"),
        (exception(more="when: span.tokns < 2"), "7:12: `Span` has no field `tokns` (did you mean `tokens`?)"),
        (exception(more="spans: []"), "7:8: an empty list covers nothing (leave the key out, or name a digest)"),
        (exception(more="spans: [abc]"), "7:9: `abc` is not a digest `sha256:` and 64 hexadecimal digits"),
        (exception(expires="2027-02-30"), "6:10: `2027-02-30` is no day (write it as 2027-01-31)"),
        (exception(expires="soon"), "6:10: `soon` is no day (write it as 2027-01-31)"),
        (exception().replace("expires: 2027-01-01\n", ""), "1:1: the exception file has no `expires` (needed: apiVersion, "),
        (exception().replace("reason: short ones are copies\n", ""), "1:1: the exception file has no `reason` (needed: "),
        (exception().replace(", owner: dana", ""), "3:11: the metadata has no `owner` (needed: name, owner)"),
    ],
)
def test_a_wide_lasting_or_misplaced_exception_is_refused_with_its_place(
    load: Load, tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(PolicyError) as caught:
        load(text)
    place = tmp_path / "team" / "exception-0.yaml"
    assert f"{place}:{message.replace('{base}', str(tmp_path / 'base' / 'base.yaml'))}" in str(caught.value)


def test_two_exceptions_of_one_name_are_refused(load: Load) -> None:
    with pytest.raises(PolicyError, match=r"exception `small` is already defined at .*exception-0\.yaml:3:18"):
        load(exception(), exception())


def test_the_digest_covers_exceptions(load: Load, schema: RecordSchema, engine: Engine, write: Callable[..., Path]) -> None:
    with_one = load(exception())
    folders = [Path(with_one.policies[0].file).parent, Path(with_one.exceptions[0].file).parent]
    without = load_policies(folders[:1], schema, engine)
    write(exception(expires="2027-01-02"), "team/exception-0.yaml")
    changed = load_policies(folders, schema, engine)
    assert len({with_one.digest, without.digest, changed.digest}) == 3
