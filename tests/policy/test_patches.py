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
from barrier_policy.policy.model import PolicySet, Rule

BASE = """\
apiVersion: barrier-policy/v1
kind: Policy
metadata: {name: base, version: 1.0.0, owner: platform}
variables:
- {name: big, expression: span.tokens > 100}
rules:
- {id: any.permit, effect: permit, severity: low, summary: s, why: w, references: [r], condition: "span.tokens >= 0"}
- {id: big.keep, effect: barrier, severity: low, summary: s, why: w, references: [r], condition: variables.big}
- {id: lock.keep, effect: barrier, severity: low, summary: s, why: w, references: [r], condition: "span.zone != ''", locked: true}
"""


def patch(changes: str, rule: str = "big.keep") -> str:
    return (
        "apiVersion: barrier-policy/v1\nkind: Patch\nmetadata: {name: trial, owner: dana}\n"
        f"reason: we try it out\nrule: {rule}\nset: {changes}\n"
    )


@pytest.fixture
def load(write: Callable[..., Path], schema: RecordSchema, engine: Engine) -> Callable[..., PolicySet]:
    def load_all(*layers: str) -> PolicySet:
        """The base and a folder for each further text; `---` parts the files of one folder."""
        folders = [write(BASE, "base/base.yaml").parent]
        for number, layer in enumerate(layers):
            for part, text in enumerate(layer.split("---\n")):
                folder = write(text, f"layer-{number}/part-{part}.yaml").parent
            folders.append(folder)
        return load_policies(folders, schema, engine)

    return load_all


Load = Callable[..., PolicySet]


def rule(policies: PolicySet, name: str = "big.keep") -> Rule:
    return next(rule for _, rule in policies.rules() if rule.id == name)


def test_a_patch_changes_what_it_sets_and_leaves_the_rest(load: Load) -> None:
    before, after = rule(load()), rule(load(patch("{mode: warn, severity: high}")))
    assert (after.mode, after.severity) == ("warn", "high")
    assert (after.condition, after.summary, after.references) == (before.condition, before.summary, before.references)


def test_each_key_knows_where_it_was_written_last(load: Load) -> None:
    origins = {origin.key: origin for origin in rule(load(patch("{mode: warn}"))).origins}
    assert origins["mode"].place.endswith("layer-0/part-0.yaml:6")
    assert origins["condition"].place.endswith("base/base.yaml:8")


def test_a_patched_condition_may_use_the_variables_of_its_policy(load: Load, engine: Engine, record: dict[str, Any]) -> None:
    evaluator = Evaluator(load(patch('{condition: "variables.big && span.tokens < 500"}')), engine)
    verdicts = [evaluator.judge(record | {"tokens": tokens}) for tokens in (50, 200, 600)]
    assert verdicts == ["opportunity", "barrier", "opportunity"]


def test_a_patch_gives_the_digest_of_the_rule_as_it_then_is(load: Load, write: Callable[..., Path]) -> None:
    patched = load(patch("{severity: high}"))
    whole = BASE.replace("big.keep, effect: barrier, severity: low", "big.keep, effect: barrier, severity: high")
    assert patched.digest != load().digest
    write(whole, "whole/base.yaml")
    assert (
        load_policies([Path(patched.policies[0].file).parents[1] / "whole"], patched.schema, _engine()).digest
        == patched.digest
    )


def _engine() -> Engine:
    from barrier_policy.policy.cel.load import load_engine

    return load_engine("python")


def test_later_folders_patch_on_top_of_earlier_ones(load: Load) -> None:
    found = rule(load(patch("{mode: warn, severity: high}"), patch("{mode: shadow}")))
    assert (found.mode, found.severity) == ("shadow", "high")


def test_what_a_patch_locks_stays_locked(load: Load) -> None:
    locked = patch("{locked: true}")
    assert rule(load(locked)).locked
    for later in (patch("{mode: warn}"), BASE.replace("base, v", "other, v")):
        with pytest.raises(
            PolicyError, match=r"rule `big.keep` is locked at .*layer-0/part-0.yaml:6:7 \(add a rule with another id\)"
        ):
            load(locked, later)


def test_an_exception_of_what_a_patch_locked_names_the_patch(load: Load) -> None:
    exception = (
        "apiVersion: barrier-policy/v1\nkind: Exception\nmetadata: {name: small, owner: dana}\nrule: big.keep\n"
        "reason: r\nexpires: 2027-01-31\nwhen: span.tokens < 200\n"
    )
    refused = r"part-1.yaml:4:7: rule `big.keep` is locked at .*layer-0/part-0.yaml:6:7 \(a locked rule has no exceptions\)"
    with pytest.raises(PolicyError, match=refused):
        load(patch("{locked: true}") + "---\n" + exception)


def test_the_place_of_a_lock_is_not_that_of_a_later_patch_of_something_else(load: Load) -> None:
    later = patch("{mode: warn}")
    with pytest.raises(PolicyError, match=r"locked at .*layer-1/part-0.yaml:6:7"):
        load(patch("{severity: high}"), patch("{locked: true}"), later)


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        (patch("{mode: warn}", "lock.keep"), r"part-0.yaml:5:7: rule `lock.keep` is locked at .*base.yaml:9:3"),
        (patch("{mode: warn}", "bigg.keep"), r"5:7: no folder below has a rule `bigg.keep` \(did you mean `big.keep`\?\)"),
        (patch("{mode: enforced}"), r"6:13: `enforced` where one of enforce, shadow, warn is needed"),
        (patch("{effect: permit}"), r"unknown key `effect` \(known: condition, explanation, locked, mode, severity\)"),
        (patch("{}"), r"6:6: nothing to set \(one of condition, explanation, locked, mode, severity\)"),
        (patch("{condition: span.tokens}"), r"6:18: the condition is an int \(it must be a bool\)"),
        (patch('{condition: "variables.bigg"}'), r"bigg"),
        (patch("{mode: warn}") + "---\n" + patch("{severity: high}"), r"is already patched at .*part-0.yaml:5:7"),
        (
            BASE.replace("base, v", "other, v").replace("lock.keep", "else.keep") + "---\n" + patch("{mode: warn}"),
            "stands in the same folder",
        ),
        (patch("{mode: warn}").replace("reason: we try it out\n", ""), r"the patch file has no `reason`"),
    ],
)
def test_a_patch_that_can_not_be_applied_is_refused_with_its_place(load: Load, layer: str, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        load(layer)


@pytest.mark.parametrize(
    ("mode", "verdict", "warned"),
    [("enforce", "barrier", []), ("warn", "opportunity", ["big.keep"]), ("shadow", "opportunity", [])],
)
def test_only_an_enforced_rule_binds_and_one_that_warns_is_reported(
    load: Load, engine: Engine, record: dict[str, Any], mode: str, verdict: str, warned: list[str]
) -> None:
    found = Evaluator(load(patch(f"{{mode: {mode}}}")), engine).evaluate(record | {"tokens": 200})
    assert (found.verdict, [reason.rule for reason in found.warnings]) == (verdict, warned)
    assert {outcome.rule: outcome.outcome for outcome in found.outcomes}["big.keep"] == "true"


def test_a_kind_that_nobody_knows_is_refused(load: Load) -> None:
    with pytest.raises(PolicyError, match="2:7: `Patsch` where one of Exception, Patch, Policy is needed"):
        load(patch("{mode: warn}").replace("kind: Patch", "kind: Patsch"))
