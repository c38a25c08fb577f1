"""`barrier-policy.yaml`: what it sets, and how mistakes in it are reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from barrier_policy.errors import ProfileError
from barrier_policy.log_spec import Fsync, LogKind, LogSpec
from barrier_policy.policy.cel.load import ENGINES
from barrier_policy.profile import EngineName, FidelityClause, Inconclusive, Profile, Workload
from barrier_policy.profile_file import load_profile
from barrier_policy.spans.segment import Strategy
from barrier_policy.summarizer_spec import SummarizerKind, SummarizerSpec

WHOLE = """\
tail: {keep_last: 8}
budget: {target_tokens: 60000}
spans: {strategy: turns}
fidelity:
  preserve: [decisions, bindings]
  audited: false
audit: {inconclusive: accept}
workload: {evidence_demand: false}
tools:
  deploy_service: irreversible
  check_status: read_only
store: ./originals
overlays: [policies]
engine: python
summarizer: {kind: endpoint, url: https://models.test/v1, model: small, api_key_env: SHOP_KEY, timeout_seconds: 20}
log: {path: logs/decisions.db, kind: sqlite, fsync: batch, include_text: true, labels: {team: payments, env: prod}}
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
        inconclusive=Inconclusive.ACCEPT,
        workload=Workload(evidence_demand=False),
        tools={"check_status": "read_only", "deploy_service": "irreversible"},
        store=str(tmp_path / "originals"),
        overlays=(tmp_path / "policies",),
        engine="python",
        summarizer=SummarizerSpec(
            kind=SummarizerKind.ENDPOINT,
            url="https://models.test/v1",
            model="small",
            api_key_env="SHOP_KEY",
            timeout_seconds=20,
        ),
        log=LogSpec(
            path=tmp_path / "logs" / "decisions.db",
            kind=LogKind.SQLITE,
            fsync=Fsync.BATCH,
            include_text=True,
            labels={"env": "prod", "team": "payments"},
        ),
    )


@pytest.mark.parametrize(
    "text", ["", "# nothing\n", "tail: {}\n", "tail:\n", "fidelity: {}\n", "workload: {}\n", "{}", "summarizer: {}\n"]
)
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
        ("audit: {inconclusive: ok}", "1:23: `ok` where one of accept, refuse is needed"),
        ("workload: {evidence_demands: true}", "1:12: unknown key `evidence_demands` (did you mean `evidence_demand`?)"),
        ("tools: [a]", "1:8: the section `tools` is a list (it must be a mapping from tool name to effect class)"),
        ("store: {path: x}", "1:8: a mapping where a text is needed"),
        ("overlays: rules", "1:11: a text where a list of folders is needed"),
        ("overlays: [rules]", "1:12: `rules` is no folder (overlays are folders or bundles of policies, relative to this file)"),
        ("engine: rust", "1:9: `rust` where one of auto, fast, python is needed"),
        ("- tail", "1:1: the profile is a list (it must be a mapping with "
                   "audit, budget, bundle, engine, fidelity, log, overlays, spans, store, summarizer, tail, tools, workload)"),
        ("tail: {}\ntail: {}", "2:1: key `tail` is already used at line 1"),
        ("tail: &a {}", "1:7: anchors are not allowed (write the value out)"),
        ("tools: {a: read_onyl}", "1:12: `read_onyl` where one of idempotent, irreversible, keyed, non_idempotent, read_only is needed"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_place(tmp_path: Path, text: str, problem: str) -> None:
    assert problems(tmp_path, text) == [problem]


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("[summarize, --short, a b]", ("summarize", "--short", "a b")),
        ("summarize --short 'a b' $HOME", ("summarize", "--short", "a b", "$HOME")),
        ("[./tools/summarize, ./x]", ("{folder}/tools/summarize", "./x")),
        ("/opt/bin/summarize", ("/opt/bin/summarize",)),
    ],
)
def test_a_command_is_a_list_or_a_line_and_its_program_relative_to_the_file(
    tmp_path: Path, text: str, command: tuple[str, ...]
) -> None:
    profile = load_profile(written(tmp_path, f"summarizer: {{kind: command, command: {text}}}"))
    assert profile.summarizer == SummarizerSpec(
        kind=SummarizerKind.COMMAND, command=tuple(argument.format(folder=tmp_path) for argument in command)
    )


def test_a_function_is_named_by_module_and_name(tmp_path: Path) -> None:
    profile = load_profile(written(tmp_path, 'summarizer: {kind: python, function: "shop.text:short"}'))
    assert profile.summarizer == SummarizerSpec(kind=SummarizerKind.PYTHON, function="shop.text:short")


ENDPOINT = "kind: endpoint, url: https://m.test, model: m"
KEY = "kq83hf7Gd0sPz6Rt4WmN1bXv"


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ("extractive", "1:13: the section `summarizer` is a text (it must be a mapping with "
                       "api_key_env, command, function, kind, model, timeout_seconds, url)"),
        ("{kind: magic}", "1:20: `magic` where one of command, endpoint, extractive, python is needed"),
        ("{kid: python}", "1:14: unknown key `kid` (did you mean `kind`?)"),
        ("{kind: command}", "1:13: a summarizer of kind `command` needs `command`"),
        ("{kind: endpoint, url: https://m.test}", "1:13: a summarizer of kind `endpoint` needs `model`"),
        ("{model: m}", "1:14: `model` is not for kind `extractive` (it has no settings of its own)"),
        ("{kind: command, command: [a], url: https://m.test}", "1:43: `url` is not for kind `command` (its settings: command)"),
        ("{kind: command, command: []}", "1:38: an empty list where a program with its arguments is needed"),
        ("{kind: command, command: [a, 1]}", "1:42: the number 1 where a text is needed"),
        ("{kind: command, command: {a: b}}", "1:38: a mapping where a list of texts is needed"),
        ("{kind: command, command: a 'b}", "1:38: the command can't be split (no closing quotation; "
                                           "a list of arguments needs no quotes)"),
        ("{kind: python, function: short}", "1:38: `short` names no function (write it as module:name)"),
        ("{timeout_seconds: 0}", "1:31: the number 0 where whole seconds, 1 to 3600, are needed"),
        ("{timeout_seconds: 1.5}", "1:31: a text where whole seconds, 1 to 3600, are needed"),
        ("{kind: endpoint, url: models, model: m}", "1:35: `models` is no base url (write it as https://host/v1)"),
        (f"{{kind: endpoint, url: 'https://m.test/?key={KEY}', model: m}}", "1:35: the url holds a user, a query or a fragment "
                                           "(name the key's environment variable in `api_key_env`)"),
        (f"{{{ENDPOINT}, api_key_env: {KEY}}}", "1:74: `api_key_env` is no name of an environment variable "
                                           "(capital letters, digits and `_`; never the key itself)"),
        ("{kind: endpoint, url: http://m.test, model: m, api_key_env: SHOP_KEY}",
         "1:35: `http://m.test` would carry the key in clear text (use https; http with a key is for this machine only)"),
    ],
)  # fmt: skip
def test_a_mistake_about_the_summarizer_is_named_with_its_place(tmp_path: Path, settings: str, problem: str) -> None:
    found = problems(tmp_path, f"summarizer: {settings}")
    assert found == [problem] and KEY not in found[0]


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1:8000", "[::1]"])
def test_a_key_may_go_to_this_machine_in_clear_text(tmp_path: Path, host: str) -> None:
    text = f"summarizer: {{kind: endpoint, url: 'http://{host}/v1', model: m, api_key_env: SHOP_KEY}}"
    assert load_profile(written(tmp_path, text)).summarizer.url == f"http://{host}/v1"


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


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "log: x.jsonl",
            "1:6: the section `log` is a text (it must be a mapping with anchors, fsync, include_text, keep_days, keep_files, kind, "
            "labels, path, rotate_mb)",
        ),
        ("log: {path: x, fsync: often}", "1:23: `often` where one of always, batch, never is needed"),
        ("log: {path: x, rotate_mb: 0}", "1:27: the number 0 where whole megabytes, 1 to 100000, are needed"),
        ("log: {path: x, keep_files: 0}", "1:28: the number 0 where whole files, 1 to 100000, are needed"),
        ("log: {path: x, kind: sqlite, keep_days: 5}", "1:30: `keep_days` is for kind `jsonl`, a database is one file"),
        ("log: {path: x, kind: sqlite, rotate_mb: 5}", "1:30: `rotate_mb` is for kind `jsonl`, a database is one file"),
        ("log: {path: x, labels: [a]}", "1:24: the labels are a list (they must be a mapping from name to text)"),
        ("log: {path: x, labels: {A: b}}", "1:25: `A` is no label (lower-case letters, digits, `_`, `.` and `-`)"),
        ("log: {path: x, labels: {a: 1}}", "1:28: the number 1 where a text is needed"),
        ("log: {path: x, sync: always}", "1:16: unknown key `sync` (did you mean `fsync`?)"),
    ],
)
def test_mistakes_in_the_section_of_the_log_are_told_with_their_place(tmp_path: Path, text: str, problem: str) -> None:
    assert problems(tmp_path, text) == [problem]
