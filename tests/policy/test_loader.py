from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from barrier_policy.errors import PolicyError
from barrier_policy.join.schema import RecordSchema
from barrier_policy.policy import loader
from barrier_policy.policy.cel.engine import Engine
from barrier_policy.policy.loader import load_policies, shipped_policies
from barrier_policy.policy.model import PolicySet

DATA = Path(__file__).parent / "data"
Write = Callable[..., Path]


def head(name: str) -> str:
    return f"apiVersion: barrier-policy/v1\nkind: Policy\nmetadata: {{name: {name}, version: 1.0.0, owner: platform}}\n"


@pytest.fixture
def layer(write: Write, rule: Callable[..., str]) -> Callable[..., Path]:
    """A directory with one policy file; `rules` maps ids to conditions, a `!` before one locks the rule."""

    def make(directory: str, name: str, rules: dict[str, str]) -> Path:
        text = "".join(
            rule(rule_id, condition.lstrip("!"), more="locked: true" if condition.startswith("!") else "")
            for rule_id, condition in rules.items()
        )
        return write(head(name) + "rules:\n" + text, f"{directory}/{name}.yaml").parent

    return make


def loaded(policies: PolicySet) -> dict[str, tuple[str, str]]:
    return {rule.id: (policy.name, rule.condition.text) for policy, rule in policies.rules()}


def test_a_directory_loads_its_policies_and_leaves_its_tests(schema: RecordSchema, engine: Engine) -> None:
    policies = load_policies([DATA / "shop"], schema, engine)
    assert [policy.name for policy in policies.policies] == ["evidence", "side-effects"]
    assert [rule.id for _, rule in policies.rules()] == [
        "effects.keep-receipts",
        "effects.keep-the-last-tool",
        "effects.keep-unsettled",
        "evidence.keep-unknown",
        "evidence.permit-narrative",
        "evidence.permit-retrievable",
    ]
    assert policies.name == "shop"


def test_nothing_to_load_is_a_set_that_permits_nothing(tmp_path: Path, schema: RecordSchema, python_engine: Engine) -> None:
    for paths in ([], [tmp_path]):
        policies = load_policies(paths, schema, python_engine)
        assert policies.policies == ()
        assert policies.digest.startswith("sha256:")


def test_an_overlay_adds_and_replaces_what_is_not_locked(
    layer: Callable[..., Path], schema: RecordSchema, python_engine: Engine
) -> None:
    base = layer("base", "base", {"a.one": "span.tokens > 1", "a.two": "span.tokens > 2"})
    team = layer("team", "team", {"a.two": "span.tokens > 22", "a.three": "span.tokens > 3"})
    policies = load_policies([base, team], schema, python_engine)
    assert loaded(policies) == {
        "a.one": ("base", "span.tokens > 1"),
        "a.two": ("team", "span.tokens > 22"),
        "a.three": ("team", "span.tokens > 3"),
    }
    assert policies.name == "base+team"


def test_a_locked_rule_can_not_be_replaced_and_both_places_are_named(
    layer: Callable[..., Path], schema: RecordSchema, python_engine: Engine
) -> None:
    base = layer("base", "base", {"a.one": "!span.tokens > 1"})
    team = layer("team", "team", {"a.one": "span.tokens > 1000000"})
    with pytest.raises(PolicyError) as caught:
        load_policies([base, team], schema, python_engine)
    message = f"rule `a.one` is locked at {base}/base.yaml:5:3 (add a rule with another id)"
    assert str(caught.value) == f"{team}/team.yaml:5:3: {message}"


def test_a_lock_holds_through_all_later_layers(
    layer: Callable[..., Path], schema: RecordSchema, python_engine: Engine
) -> None:
    first = layer("first", "first", {"a.one": "span.tokens > 1"})
    second = layer("second", "second", {"a.one": "!span.tokens > 2"})
    third = layer("third", "third", {"a.one": "span.tokens > 3"})
    assert loaded(load_policies([first, second], schema, python_engine)) == {"a.one": ("second", "span.tokens > 2")}
    with pytest.raises(PolicyError, match=r"is locked at .*second\.yaml:5:3"):
        load_policies([first, second, third], schema, python_engine)


def test_one_rule_id_twice_in_a_layer_and_one_policy_name_twice_are_refused(
    layer: Callable[..., Path], schema: RecordSchema, python_engine: Engine
) -> None:
    base = layer("base", "base", {"a.one": "span.tokens > 1"})
    layer("base", "other", {"a.one": "span.tokens > 1"})
    again = layer("again", "base", {"a.two": "span.tokens > 1"})
    with pytest.raises(PolicyError) as caught:
        load_policies([base, again], schema, python_engine)
    assert str(caught.value).splitlines() == [
        f"{again}/base.yaml:3:18: policy `base` is already defined at {base}/base.yaml:3:18",
        f"{base}/other.yaml:5:3: rule id `a.one` is already used at {base}/base.yaml:5:3",
    ]


def test_files_and_directories_can_be_mixed(layer: Callable[..., Path], schema: RecordSchema, python_engine: Engine) -> None:
    base = layer("base", "base", {"a.one": "span.tokens > 1"})
    team = layer("team", "team", {"a.two": "span.tokens > 2"}) / "team.yaml"
    policies = load_policies([base, team], schema, python_engine)
    assert (list(loaded(policies)), policies.name) == (["a.one", "a.two"], "base+team")


SOURCE = head("p") + (
    "variables:\n  - {name: big, expression: span.tokens > 10}\n  - {name: small, expression: span.tokens < 10}\n"
    "rules:\n"
    "- {id: a.one, effect: permit, severity: low, summary: s, why: w, references: [r], condition: variables.big}\n"
    "- {id: a.two, effect: barrier, severity: low, summary: s, why: w, references: [r], condition: variables.small}\n"
)


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("{id: a.one,", "{ # a comment\n    id:   a.one,", True),
        ("summary: s, why: w,", "why: 'w', summary: \"s\",", True),
        (
            SOURCE[SOURCE.index("- {id: a.one") :],
            "".join(reversed(SOURCE[SOURCE.index("- {id: a.one") :].splitlines(True))),
            True,
        ),
        ("span.tokens > 10", "span.tokens > 11", False),
        ("effect: permit", "effect: barrier", False),
        ("severity: low", "severity: high", False),
        ("why: w", "why: v", False),
        ("references: [r]", "references: [r, q]", False),
        ("condition: variables.big", "condition: variables.big, mode: shadow", False),
        ("condition: variables.big", "condition: variables.big, locked: true", False),
        ("condition: variables.big", "condition: variables.big, explanation: span.id", False),
        ("condition: variables.big", "condition: variables.big, evidence: span.effects", False),
        ("1.0.0", "1.0.1", False),
        ("a.one", "a.other", False),
    ],
)
def test_the_digest_covers_content_and_not_layout(
    write: Write, schema: RecordSchema, python_engine: Engine, old: str, new: str, same: bool
) -> None:
    before = load_policies([write(SOURCE, "one/p.yaml")], schema, python_engine)
    after = load_policies([write(SOURCE.replace(old, new, 1), "two/q.yaml")], schema, python_engine)
    assert (before.digest == after.digest) is same


def test_the_digest_does_not_depend_on_the_engine(schema: RecordSchema, fast_engine: Engine, python_engine: Engine) -> None:
    assert load_policies([DATA / "shop"], schema, fast_engine) == load_policies([DATA / "shop"], schema, python_engine)


def test_the_shipped_directory_is_there() -> None:
    assert shipped_policies().is_dir()


def test_the_shipped_policies_have_one_name_whatever_their_directory_is_called(
    layer: Callable[..., Path], schema: RecordSchema, python_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = layer("some_installed_name", "base", {"a.one": "span.tokens > 1"})
    team = layer("team", "team", {"a.two": "span.tokens > 1"})
    monkeypatch.syspath_prepend(directory.parent)
    monkeypatch.setattr(loader, "SHIPPED_PACKAGE", "some_installed_name")
    assert shipped_policies() == directory
    assert load_policies([shipped_policies(), team], schema, python_engine).name == "shipped+team"


def test_missing_shipped_policies_are_an_error_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loader, "SHIPPED_PACKAGE", "barrier_policy_no_such_package")
    with pytest.raises(PolicyError, match="the shipped policies are not installed"):
        shipped_policies()


def test_places_of_rules_and_expressions_are_kept(schema: RecordSchema, python_engine: Engine) -> None:
    policies = load_policies([DATA / "shop"], schema, python_engine)
    rules = {rule.id: rule for _, rule in policies.rules()}
    rule = rules["effects.keep-receipts"]
    lines = (DATA / "shop" / "side-effects.yaml").read_text(encoding="utf-8").splitlines()
    assert lines[rule.line - 1][rule.column - 1 :].startswith("id: effects.keep-receipts")
    assert lines[rule.condition.line - 1][rule.condition.column - 1 :].startswith("span.effects.exists(e,")
