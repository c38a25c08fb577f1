"""What `policy new` writes passes at once, and overwrites nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
import yaml

from barrier_policy.errors import BarrierPolicyError
from barrier_policy.join.schema import RecordSchema
from barrier_policy.policy.cases import run_cases
from barrier_policy.policy.cel.engine import Engine
from barrier_policy.policy.coverage import measure
from barrier_policy.policy.lint.run import lint, read_sources
from barrier_policy.policy.loader import load_policies, shipped_policies
from barrier_policy.policy.scaffold import new_overlay, new_policy, new_rule

Make = Callable[[str, Path, RecordSchema], tuple[Path, ...]]
KINDS = [(new_policy, "refunds"), (new_rule, "refunds.keep-approvals"), (new_overlay, "team")]


@pytest.mark.parametrize(("make", "name"), KINDS)
def test_a_new_file_lints_clean_and_its_cases_show_every_outcome(
    make: Make, name: str, tmp_path: Path, schema: RecordSchema, engine: Engine
) -> None:
    written = make(name, tmp_path, schema)
    folder = written[0].parent
    layers = [shipped_policies(), folder]
    assert lint(read_sources([folder], schema, engine, below=layers[:1], today="2026-01-01")) == ()
    for paths in ([folder], layers):
        policies = load_policies(paths, schema, engine)
        results = run_cases(policies, engine, [folder])
        assert [result.message for result in results if not result.passed] == []
        own = {path.name for path in written}
        assert [issue for issue in measure(policies.rules(), results).missing() if Path(issue.file).name in own] == []


@pytest.mark.parametrize(("make", "name"), KINDS)
def test_its_first_line_leads_to_a_schema_that_it_fulfils(
    make: Make, name: str, tmp_path: Path, schema: RecordSchema
) -> None:
    for path in make(name, tmp_path, schema)[:2]:
        text = path.read_text(encoding="utf-8")
        target = path.parent / text.splitlines()[0].partition("$schema=")[2]
        jsonschema.validate(yaml.safe_load(text), json.loads(target.read_text(encoding="utf-8")))


@pytest.mark.parametrize(("make", "name"), KINDS)
@pytest.mark.parametrize("second", [False, True])
def test_nothing_is_overwritten_and_then_nothing_is_written(
    make: Make, name: str, second: bool, tmp_path: Path, schema: RecordSchema
) -> None:
    place = make(name, tmp_path / "there", schema)[int(second)]
    taken = tmp_path / "here" / place.relative_to(tmp_path / "there")
    taken.parent.mkdir(parents=True)
    taken.write_text("mine")
    with pytest.raises(BarrierPolicyError, match="already there"):
        make(name, tmp_path / "here", schema)
    assert [path for path in (tmp_path / "here").rglob("*") if path.is_file()] == [taken]
    assert taken.read_text() == "mine"


def test_schemas_of_an_earlier_start_stay(tmp_path: Path, schema: RecordSchema) -> None:
    new_policy("one", tmp_path, schema)
    assert [path.name for path in new_policy("two", tmp_path, schema)] == ["two.yaml", "two_test.yaml"]


@pytest.mark.parametrize("name", ["", "Refunds", "../refunds", "a/b", "a.b", "-a", "a\n", "é"])
def test_a_name_that_could_leave_the_folder_is_refused(name: str, tmp_path: Path, schema: RecordSchema) -> None:
    for make in (new_policy, new_overlay):
        with pytest.raises(BarrierPolicyError, match="is not a name in lower-case kebab"):
            make(name, tmp_path, schema)
    with pytest.raises(BarrierPolicyError, match="is not a rule id"):
        new_rule(name.replace("a.b", "a"), tmp_path, schema)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_can_not_be_written_is_named(tmp_path: Path, schema: RecordSchema) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BarrierPolicyError, match="is no folder"):
        new_policy("refunds", tmp_path / "file", schema)
