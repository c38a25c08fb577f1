"""`policy lint`, `docs`, `new` and `schema`: what they print, write and return."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..policy.lint.example import cases_file, policy_file

Runner = Callable[..., Any]
TEAM = Path(__file__).parents[2] / "examples" / "policies" / "team"


@pytest.fixture
def team(tmp_path: Path) -> Callable[..., Path]:
    """A folder with one policy and its cases."""

    def write(example: str) -> Path:
        folder = tmp_path / "team"
        folder.mkdir(exist_ok=True)
        text = policy_file(example)
        (folder / "example.yaml").write_text(text)
        (folder / "example_test.yaml").write_text(cases_file(text))
        return folder

    return write


def test_the_shipped_policies_are_linted_without_a_folder(run: Runner) -> None:
    done = run("policy", "lint")
    assert (done.code, done.out.splitlines()[-1].partition(": ")[2]) == (0, "no findings")


@pytest.mark.parametrize(
    ("example", "options", "code"),
    [
        ("condition: span.tokns > 3", (), 4),
        ("condition: span.tokns > 3", ("--ignore", "unknown-fact"), 0),
        ("condition: span.tokns > 3", ("--select", "missing-case,missing-since"), 0),
        ("explanation:", (), 0),
        ("explanation:", ("--strict",), 4),
        ("explanation:", ("--strict", "--level", "error"), 0),
        ("since:", ("--strict",), 0),
    ],
)
def test_errors_fail_and_warnings_where_it_is_strict(
    run: Runner, team: Callable[..., Path], example: str, options: tuple[str, ...], code: int
) -> None:
    team(example)
    assert run("policy", "lint", "team", *options).code == code


def test_a_finding_is_a_line_with_its_place(run: Runner, team: Callable[..., Path]) -> None:
    team("condition: span.tokns > 3")
    assert run("policy", "lint", "team").out.splitlines() == [
        "team/example.yaml:15:21: error[unknown-fact]: `Span` has no field `tokns` (did you mean `tokens`?)",
        "2 files: 1 error",
    ]


@pytest.mark.parametrize("format", ["json", "sarif"])
def test_json_and_sarif_are_json_also_where_a_text_is_half_a_surrogate(
    run: Runner, team: Callable[..., Path], format: str
) -> None:
    team('repair: ["\\ud83d"]')
    done = run("policy", "lint", "team", "--format", format)
    assert done.code == 4
    assert "unknown-repair" in json.dumps(json.loads(done.out))


def test_fix_writes_the_file_and_says_so(run: Runner, team: Callable[..., Path]) -> None:
    folder = team('condition: "span.effects.exists(e, e.unsettled == true)"')
    assert run("policy", "lint", "team").out.endswith("2 files: 1 info; 1 can be put right with --fix\n")
    done = run("policy", "lint", "team", "--fix")
    assert (done.code, done.out) == (0, "2 files: no findings; 1 file put right\n")
    assert "exists(e, e.unsettled)" in (folder / "example.yaml").read_text()
    assert run("policy", "lint", "team", "--fix").out == "2 files: no findings\n"


def test_without_fix_nothing_is_written(run: Runner, team: Callable[..., Path]) -> None:
    folder = team('condition: "span.effects.exists(e, e.unsettled == true)"')
    before = {path: path.read_bytes() for path in folder.iterdir()}
    run("policy", "lint", "team")
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_expiry_depends_on_now(run: Runner, team: Callable[..., Path]) -> None:
    folder = team("severity: high")
    (folder / "exception.yaml").write_text(
        "apiVersion: barrier-policy/v1\nkind: Exception\nrule: example.keep-something\nwhen: span.tokens < 20\n"
        "metadata: {name: pings, owner: a}\nreason: b\nexpires: 2026-03-01\n"
    )
    found = [run("policy", "lint", "team", "--now", f"2026-03-0{day}T12:00:00Z").out for day in (1, 2)]
    assert ["exception-expired" in text for text in found] == [False, True]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("lint", "--select", "unknwn-fact"), "no lint rule `unknwn-fact` (did you mean `unknown-fact`?)"),
        (("lint", "--explain", "nothing"), "no lint rule `nothing`"),
        (("lint", "missing"), "missing: no such file or directory"),
        (("lint", "."), ".: the folder has no `*.yaml` (is it the right one?)"),
        (("test", ".", "--fail-under", "100"), ".: the folder has no `*.yaml` (is it the right one?)"),
        (("lint", "team.bundle"), "team.bundle: a bundle is not linted (lint the folders that it was built from)"),
        (("test", "team.bundle"), "team.bundle: a bundle has no cases (test the folders that it was built from)"),
        (("lsp", "team.bundle"), "`team.bundle` is no folder (give the folders that it was built from)"),
        (("lsp", "nowhere"), "`nowhere` is no folder (give folders of policy files)"),
        (("new", "rule", "a.keep-b", "team.bundle"), "`team.bundle` is no folder (give the folder to write to)"),
        (("bundle", "build", "team.bundle", "-o", "b.bundle"), "team.bundle: is a bundle already (give the folders that it"),
        (("docs", "nowhere"), "`nowhere` is no folder (give a folder of policy files, or a bundle)"),
        (("docs", "policy.yaml"), "`policy.yaml` is no folder (give a folder of policy files, or a bundle)"),
        (("lint", "--now", "tomorrow"), "--now: `tomorrow` is no time"),
        (("new", "rule", "payments"), "`payments` is not a rule id"),
        (("docs", "-o", "no/such/folder.md"), "can't be written"),
    ],
)
def test_a_mistake_of_the_user_is_one_line_and_code_2(run: Runner, arguments: tuple[str, ...], words: str) -> None:
    Path("team.bundle").touch()
    done = run("policy", *arguments)
    assert done.code == 2
    assert words in done.err
    assert len(done.err.splitlines()) == 1


def test_explain_shows_the_page_of_a_rule(run: Runner) -> None:
    assert run("policy", "lint", "--explain", "bidi-character").out.startswith("# bidi-character\n\nLevel: error.")


def test_docs_of_invalid_policies_end_with_code_3(run: Runner, team: Callable[..., Path]) -> None:
    team("condition: span.tokns > 3")
    assert run("policy", "docs", "team").code == 3


def test_docs_of_an_overlay_have_what_it_adds_and_changes_and_its_exceptions(run: Runner) -> None:
    done = run("policy", "docs", TEAM)
    assert (done.code, done.err) == (0, "")
    rules = [line for line in done.out.splitlines() if line.startswith("### ")]
    assert rules == ["### evidence.no-demand", "### migrations.keep-starts", "### customers-is-signed-off"]
    assert "Permit, severity low, locked, mode shadow" in done.out, "the patched rule is shown as it then is"
    assert "migrations.keep-starts does not bind until 2026-12-31, by dana@platform-data:" in done.out
    assert run("policy", "docs", TEAM, "--alone").code == 3


def test_docs_of_a_bundle_are_those_of_its_folders_without_the_cases(run: Runner) -> None:
    assert run("policy", "bundle", "build", TEAM, "-o", "t.bundle").code == 0
    folder, bundle = run("policy", "docs", TEAM).out, run("policy", "docs", "t.bundle").out
    example = folder[folder.index("Example:") : folder.index("## Exceptions")]
    assert bundle == folder.replace(example, "No case at hand shows it.\n\n")


def test_a_new_overlay_is_used_by_decide(run: Runner, talk: str) -> None:
    assert run("policy", "new", "overlay", "team").code == 0
    assert run("policy", "lint", "team", "--strict").code == 0
    assert run("decide", talk, "--policies", "team").code == 0


def test_schema_prints_json(run: Runner) -> None:
    for kind in ("policy", "test", "exception", "patch", "profile"):
        assert json.loads(run("policy", "schema", kind).out)["title"] == f"barrier-policy {kind}"


def findings(done: Any) -> list[str]:
    return [line.split(": ")[0] + " " + line.split("[")[1].split("]")[0] for line in done.out.splitlines()[:-1]]


def test_a_file_that_is_named_is_linted_alone_with_its_folder_around_it(run: Runner, team: Callable[..., Path]) -> None:
    folder = team("condition: span.tokens > 3")
    (folder / "other.yaml").write_text(policy_file("condition: span.tokns > 3").replace("example", "other"))
    done = run("policy", "lint", "team/example.yaml")
    assert (done.code, done.out) == (0, "1 file: no findings\n")
    assert findings(run("policy", "lint", "team/other.yaml", "--level", "error")) == ["team/other.yaml:15:21 unknown-fact"]
    assert run("policy", "lint", "team").code == 4


def test_what_a_file_shares_with_its_folder_is_seen(run: Runner, team: Callable[..., Path]) -> None:
    folder = team("condition: span.tokens > 3")
    text = (folder / "example.yaml").read_text().replace("{name: example,", "{name: twice,")
    (folder / "twice.yaml").write_text(text)
    assert "duplicate-id" in run("policy", "lint", "team/twice.yaml").out
    assert findings(run("policy", "lint", "team/example.yaml")) == []


def test_cases_that_are_named_know_the_policy_beside_them(run: Runner, team: Callable[..., Path]) -> None:
    folder = team("condition: span.tokens > 3")
    cases = (folder / "example_test.yaml").read_text()
    assert run("policy", "lint", "team/example_test.yaml").out == "1 file: no findings\n"
    (folder / "example_test.yaml").write_text(cases.replace("rule: example.", "rule: exampel."))
    assert {line.split()[1] for line in findings(run("policy", "lint", "team/example_test.yaml"))} == {"unknown-rule"}
    assert run("policy", "lint", "team/example.yaml").code == 0


def test_several_files_of_a_folder_are_one_layer(run: Runner, team: Callable[..., Path]) -> None:
    team("condition: span.tokens > 3")
    done = run("policy", "lint", "team/example.yaml", "team/example_test.yaml")
    assert (done.code, done.out) == (0, "2 files: no findings\n")
    assert run("policy", "lint", "team", "team/example.yaml").out == "2 files: no findings\n"


def test_only_the_file_that_is_named_is_put_right(run: Runner, team: Callable[..., Path]) -> None:
    folder = team("condition: span.tokens > 3")
    for name in ("example.yaml", "example_test.yaml"):
        with (folder / name).open("a") as file:
            file.write("# end  ")
    run("policy", "lint", "team/example.yaml", "--fix")
    assert (folder / "example.yaml").read_text().endswith("# end\n")
    assert (folder / "example_test.yaml").read_text().endswith("# end  ")


def test_a_patch_is_linted_on_top_of_the_folders_below_it(run: Runner, team: Callable[..., Path], tmp_path: Path) -> None:
    team("condition: span.tokens > 3")
    (tmp_path / "trial").mkdir()
    (tmp_path / "trial" / "patch.yaml").write_text(
        "apiVersion: barrier-policy/v1\nkind: Patch\nmetadata: {name: all, owner: platform}\nreason: We look.\n"
        "rule: example.keep-something\nset: {condition: span.tokens >= 0}\n"
    )
    assert findings(run("policy", "lint", "team", "trial")) == ["trial/patch.yaml:6:18 always-true-barrier"]


@pytest.mark.parametrize(
    ("kind", "name", "problem"),
    [
        ("rule", "effects.unsettled", "rule id `effects.unsettled` is already used at shipped/side-effects.yaml:"),
        ("policy", "side-effects", "policy `side-effects` is already used at shipped/side-effects.yaml:"),
        ("rule", "refunds.keep-payments", "rule id `refunds.keep-payments` is already used at own/refunds.yaml:"),
        ("overlay", "side-effects", "policy `side-effects` is already used at shipped/"),
    ],
)
def test_a_name_that_exists_is_not_started_again(run: Runner, tmp_path: Path, kind: str, name: str, problem: str) -> None:
    assert run("policy", "new", "policy", "refunds", "own").code == 0
    before = sorted(tmp_path.rglob("*"))
    found = run("policy", "new", kind, name, "own")
    assert found.code == 2 and found.err.startswith(problem)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.skipif(sys.platform == "win32", reason="file sizes can't be limited on Windows")
def test_a_fix_that_cant_be_written_leaves_the_file_whole_and_names_it(tmp_path: Path) -> None:
    import resource

    policy = policy_file('condition: "span.effects.exists(e, e.unsettled == true)"')
    (tmp_path / "example.yaml").write_text(policy)
    done = subprocess.run(
        [sys.executable, "-m", "barrier_policy.cli", "policy", "lint", "--fix", "example.yaml"],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)),
    )
    assert (done.returncode, done.stderr) == (2, "example.yaml: can't be written (file too large)\n")
    assert (tmp_path / "example.yaml").read_text() == policy


@pytest.mark.parametrize("command", [("show",), ("lint",), ("test",), ("docs",), ("bundle", "build", "-o", "x.bundle")])
def test_a_folder_without_a_name_is_not_the_one_where_we_stand(
    run: Runner, tmp_path: Path, command: tuple[str, ...]
) -> None:
    (tmp_path / "example.yaml").write_text(policy_file("mode: enforce"))
    done = run("policy", *command, "")
    assert (done.code, done.out) == (2, "")
    assert "an empty name is no folder" in done.err


def test_policies_from_an_unset_variable_are_not_those_where_we_stand(run: Runner, tmp_path: Path, talk: str) -> None:
    (tmp_path / "example.yaml").write_text(policy_file("mode: enforce"))
    assert "--policies: an empty name is no folder" in run("decide", talk, "--policies", "").err
