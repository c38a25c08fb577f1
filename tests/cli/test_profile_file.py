"""`barrier-policy.yaml`: what it sets, and how mistakes in it are reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from barrier_policy.errors import ProfileError
from barrier_policy.policy.cel.engine import ENGINES
from barrier_policy.profile import EngineName, FidelityClause, Profile, Workload
from barrier_policy.profile_file import load_profile
from barrier_policy.spans.segment import Strategy

WHOLE = """\
tail: {keep_last: 8}
budget: {target_tokens: 60000}
spans: {strategy: turns}
fidelity:
  preserve: [decisions, bindings]
  audited: false
workload: {evidence_demand: false}
tools:
  deploy_service: irreversible
  check_status: read_only
store: ./originals
overlays: [policies]
engine: python
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "barrier-policy.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(ProfileError) as caught:
        load_profile(written(folder, text))
    return [f"{issue.line}:{issue.column}: {issue.message}" for issue in caught.value.issues]


def test_every_key_sets_its_field(tmp_path: Path) -> None:
    (tmp_path / "policies").mkdir()
    assert load_profile(written(tmp_path, WHOLE)) == Profile(
        keep_last=8,
        target_tokens=60000,
        strategy=Strategy.TURNS,
        fidelity=FidelityClause(preserve=("decisions", "bindings"), audited=False),
        workload=Workload(evidence_demand=False),
        tools={"check_status": "read_only", "deploy_service": "irreversible"},
        store=str(tmp_path / "originals"),
        overlays=(tmp_path / "policies",),
        engine="python",
    )


@pytest.mark.parametrize("text", ["", "# nothing\n", "tail: {}\n", "tail:\n", "fidelity: {}\n", "workload: {}\n", "{}"])
def test_what_is_left_out_has_its_default(tmp_path: Path, text: str) -> None:
    assert load_profile(written(tmp_path, text)) == Profile()


def test_paths_are_relative_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "team" / "rules").mkdir(parents=True)
    written(tmp_path / "team", "store: ./originals\noverlays: [rules]\n")
    monkeypatch.chdir(tmp_path)
    profile = load_profile(Path("team/barrier-policy.yaml"))
    assert profile.store == str(tmp_path / "team" / "originals")
    assert profile.overlays == (tmp_path / "team" / "rules",)


@pytest.mark.parametrize(("text", "store"), [("store: none", None), ("store: ./none", "none"), ("store: ~/x", "~/x")])
def test_a_store_is_a_folder_or_none(tmp_path: Path, text: str, store: str | None) -> None:
    expected = None if store is None else str(tmp_path / Path(store).expanduser())
    assert load_profile(written(tmp_path, text)).store == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("tial: {keep_last: 6}", "1:1: unknown key `tial` (did you mean `tail`?)"),
        ("tail: {keep_lst: 6}", "1:8: unknown key `keep_lst` (did you mean `keep_last`?)"),
        ("tail: 6", "1:7: the section `tail` is the number 6 (it must be a mapping with keep_last)"),
        ("tail: {keep_last: six}", "1:19: a text where a number, 0 or more, is needed"),
        ("tail: {keep_last: -1}", "1:19: the number -1 where a number, 0 or more, is needed"),
        ("tail: {keep_last: true}", "1:19: `true` where a number, 0 or more, is needed"),
        ("budget: {target_tokens: 6.5}", "1:25: a text where a number, 0 or more, is needed"),
        ("spans: {strategy: step}", "1:19: `step` where one of steps, turns is needed"),
        ("fidelity: {audited: yes}", "1:21: a text where `true` or `false` is needed"),
        ("fidelity: {preserve: bindings}", "1:22: a text where a list of texts is needed"),
        ("fidelity: {preserve: [1]}", "1:23: the number 1 where a text is needed"),
        ("workload: {evidence_demands: true}", "1:12: unknown key `evidence_demands` (did you mean `evidence_demand`?)"),
        ("tools: [a]", "1:8: the section `tools` is a list (it must be a mapping from tool name to effect class)"),
        ("store: {path: x}", "1:8: a mapping where a text is needed"),
        ("overlays: rules", "1:11: a text where a list of folders is needed"),
        ("overlays: [rules]", "1:12: `rules` is no folder (overlays are folders or bundles of policies, relative to this file)"),
        ("engine: rust", "1:9: `rust` where one of auto, fast, python is needed"),
        ("- tail", "1:1: the profile is a list (it must be a mapping with "
                   "budget, engine, fidelity, overlays, spans, store, tail, tools, workload)"),
        ("tail: {}\ntail: {}", "2:1: key `tail` is already used at line 1"),
        ("tail: &a {}", "1:7: anchors are not allowed (write the value out)"),
        ("tools: {a: read_onyl}", "1:12: `read_onyl` where one of idempotent, irreversible, keyed, non_idempotent, read_only is needed"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_place(tmp_path: Path, text: str, problem: str) -> None:
    assert problems(tmp_path, text) == [problem]


def test_all_mistakes_are_reported_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    found = problems(tmp_path, "engine: rust\ntail: {keep_last: six}\nworkload: {evidence: true}\n")
    assert [problem.split(":")[0] for problem in found] == ["1", "2", "3"]


def test_text_that_is_no_yaml_is_a_profile_error_with_a_place(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, "tail: {keep_last: 6\n")
    assert problem.startswith("2:1: not valid YAML")


def test_a_file_that_can_not_be_read_is_a_profile_error(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match=r"missing\.yaml: can't be read \(no such file or directory\)"):
        load_profile(tmp_path / "missing.yaml")
    (tmp_path / "latin.yaml").write_bytes(b"store: \xe9")
    with pytest.raises(ProfileError, match=r"latin\.yaml: the file is not UTF-8 text \(byte 7"):
        load_profile(tmp_path / "latin.yaml")


def test_the_engines_of_a_profile_are_those_that_exist() -> None:
    assert {str(name) for name in EngineName} == set(ENGINES)
