from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from barrier_policy.join.schema import build_schema
from barrier_policy.policy.cases import run_cases
from barrier_policy.policy.cel.load import load_engine
from barrier_policy.policy.coverage import measure
from barrier_policy.policy.loader import load_policies, shipped_policies

Run = Callable[..., Any]
TEAM = Path(__file__).parents[2] / "examples" / "policies" / "team"
INCIDENT = TEAM.parents[1] / "incident.json"
DAY = "2026-09-14T08:30:00Z"
LATER = "2027-03-01T08:30:00Z"


def test_each_rule_is_shown_with_its_mode_owner_and_origin(run: Run) -> None:
    shown = run("policy", "show", TEAM, "--now", DAY)
    assert shown.code == 0 and shown.err == ""
    rows = {line.split()[0]: line for line in shown.out.splitlines() if line.strip()}
    assert rows["migrations.keep-starts"].split()[1:5] == ["barrier", "enforce", "high", "platform-data"]
    assert rows["evidence.no-demand"].split()[1:5] == ["permit", "shadow", "low", "locked"]
    assert "exception customers-is-signed-off: migrations.keep-starts does not bind until 2026-12-31" in shown.out


def test_every_key_of_the_resolved_set_has_the_place_that_it_comes_from(run: Run) -> None:
    shown = json.loads(run("policy", "show", "--resolved", TEAM, "--now", DAY, "--format", "json").out)
    rules = {rule["rule"]: rule for rule in shown["rules"]}
    patched = rules["evidence.no-demand"]
    assert patched["keys"]["mode"] == {"value": "shadow", "origin": f"{TEAM}/evidence.yaml:6"}
    assert patched["keys"]["condition"]["origin"] == "shipped/evidence.yaml:41"
    assert patched["patches"] == [f"{TEAM}/evidence.yaml:6"]
    for rule in rules.values():
        for key, entry in rule["keys"].items():
            file, _, line = entry["origin"].rpartition(":")
            path = shipped_policies() / Path(file).name if file.startswith("shipped/") else Path(file)
            assert f"{key}:" in path.read_text(encoding="utf-8").splitlines()[int(line) - 1]


def test_the_resolved_table_has_a_line_for_each_key(run: Run) -> None:
    shown = run("policy", "show", "--resolved", TEAM, "--now", DAY).out
    assert "shipped/evidence.yaml:41" in shown
    assert [line for line in shown.splitlines() if line.startswith("  mode") and "shadow" in line]


def test_the_variables_that_a_rule_names_are_shown_with_value_and_origin(run: Run) -> None:
    asked = ("policy", "show", "--resolved", TEAM, "--now", DAY)
    rules = {rule["rule"]: rule for rule in json.loads(run(*asked, "--format", "json").out)["rules"]}
    place, value = f"{TEAM}/migrations.yaml:5", "span.effects.filter(e, e.tool == 'start_migration')"
    assert rules["migrations.keep-starts"]["variables"] == {"started": {"value": value, "origin": place}}
    rows = [line for line in run(*asked).out.splitlines() if line.startswith("  variables.started ")]
    assert len(rows) == 1 and rows[0].rstrip().endswith(place)
    for rule in rules.values():
        texts = [entry["value"] for entry in (*rule["keys"].values(), *rule["variables"].values())]
        assert set(re.findall(r"\bvariables\.(\w+)", " ".join(texts))) == set(rule["variables"])


def test_the_shipped_policies_alone_are_the_default(run: Run) -> None:
    shown = json.loads(run("policy", "show", "--format", "json").out)
    assert (shown["name"], shown["exceptions"]) == ("shipped", [])


def test_json_lines_have_a_line_for_each_rule_and_exception(run: Run) -> None:
    lines = [json.loads(line) for line in run("policy", "show", TEAM, "--format", "jsonl", "--now", DAY).out.splitlines()]
    assert sum("effect" in line for line in lines) == len(lines) - 1
    assert lines[-1]["exception"] == "customers-is-signed-off" and lines[-1]["in_force"] is True


@pytest.mark.parametrize("command", [("policy", "show", TEAM), ("decide", INCIDENT, "--policies", TEAM, "--no-store")])
def test_an_expired_exception_is_named_on_standard_error(run: Run, command: tuple[object, ...]) -> None:
    place = f"{TEAM}/customers.yaml:3:18"
    warning = f"{place}: warning: exception `customers-is-signed-off` expired on 2026-12-31 (it does nothing; remove or renew it)\n"
    assert run(*command, "--now", LATER).err == warning
    assert run(*command, "--now", DAY).err == ""


def decided(run: Run, now: str) -> dict[str, dict[str, Any]]:
    found = run("decide", INCIDENT, "--keep-last", 10, "--policies", TEAM, "--format", "json", "--now", now)
    return {span["id"]: span for span in json.loads(found.out)["spans"]}


def test_the_example_exception_frees_the_finished_migration_and_is_named_there_only(run: Run) -> None:
    spans = decided(run, DAY)
    assert {name for name, span in spans.items() if span["exceptions"]} == {"223-224", "233-234"}
    (applied,) = spans["223-224"]["exceptions"]
    assert applied == {
        "name": "customers-is-signed-off",
        "rule": "migrations.keep-starts",
        "owner": "dana@platform-data",
        "reason": "The migration of customers was verified and signed off; its calls are archived with the ticket.",
        "expires": "2026-12-31",
    }
    assert "migrations.keep-starts" not in [reason["rule"] for reason in spans["223-224"]["reasons"]]
    assert "migrations.keep-starts" in [reason["rule"] for reason in spans["421-422"]["reasons"]]
    assert {repair["kind"] for repair in spans["223-224"]["repairs"]} == {"rebind", "archive"}
    assert "confirm" in {repair["kind"] for repair in spans["421-422"]["repairs"]}


def test_an_exception_by_digest_covers_that_span_of_that_transcript_alone(run: Run, tmp_path: Path, talk: str) -> None:
    def decide(*more: object) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(run("decide", talk, "--format", "json", "--now", DAY, "--no-store", *more).out)
        return found

    team = tmp_path / "team"
    team.mkdir()
    (team / "keep.yaml").write_text(
        "apiVersion: barrier-policy/v1\nkind: Policy\nmetadata: {name: talk, version: 1.0.0, owner: dana}\n"
        "rules:\n- {id: talk.keep, effect: barrier, severity: low, summary: s, why: w, references: [r], condition: span.tokens > 0}\n"
    )
    plain, held = decide(), decide("--policies", team)
    free = next(span for span in plain["spans"] if span["action"] == "summarize")
    assert {span["action"] for span in held["spans"]} == {"retain"}
    text = (
        "apiVersion: barrier-policy/v1\nkind: Exception\nmetadata: {name: one, owner: dana}\nrule: talk.keep\nreason: r\n"
        f"expires: 2027-01-01\nspans: ['{free['digest']}']\ntranscripts: ['TRANSCRIPT']\n"
    )
    (team / "one.yaml").write_text(text.replace("TRANSCRIPT", plain["transcript"]["digest"]))
    covered = decide("--policies", team)["spans"]
    assert {span["digest"] for span in covered if span["action"] == "summarize"} == {free["digest"]}
    assert [span["digest"] for span in covered if span["exceptions"]] == [
        span["digest"] for span in covered if span["action"] == "summarize"
    ]
    (team / "one.yaml").write_text(text.replace("TRANSCRIPT", "sha256:" + "0" * 64))
    assert {span["action"] for span in decide("--policies", team)["spans"]} == {"retain"}


def test_the_time_of_the_decision_says_whether_an_exception_has_expired(run: Run) -> None:
    spans = decided(run, LATER)
    assert not [name for name, span in spans.items() if span["exceptions"]]
    assert "migrations.keep-starts" in [reason["rule"] for reason in spans["223-224"]["reasons"]]


def test_explain_names_the_exception_its_owner_and_reason(run: Run) -> None:
    shown = run("explain", INCIDENT, 223, "--keep-last", 10, "--policies", TEAM, "--now", DAY).out
    assert "exception customers-is-signed-off: migrations.keep-starts does not bind until 2026-12-31" in shown
    assert "dana@platform-data: The migration of customers was verified" in shown
    assert "migrations.keep-starts (barrier, does not bind: exception customers-is-signed-off)" in shown


def test_a_rule_that_warns_is_in_the_decision_and_changes_nothing(run: Run, tmp_path: Path) -> None:
    trial = tmp_path / "trial"
    trial.mkdir()
    (trial / "patch.yaml").write_text(
        "apiVersion: barrier-policy/v1\nkind: Patch\nmetadata: {name: trial, owner: dana}\nreason: a trial\n"
        "rule: migrations.keep-starts\nset: {mode: warn}\n"
    )
    found = run(
        "decide", INCIDENT, "--keep-last", 10, "--policies", TEAM, "--policies", trial, "--format", "json", "--now", DAY
    )
    warned = {s["id"]: [w["rule"] for w in s["warnings"]] for s in json.loads(found.out)["spans"] if s["warnings"]}
    assert warned == {name: ["migrations.keep-starts"] for name in ("223-224", "233-234", "397-398", "421-422")}
    plain = json.loads(run("decide", INCIDENT, "--keep-last", 10, "--format", "json", "--now", DAY).out)
    actions = [(span["id"], span["action"]) for span in json.loads(found.out)["spans"]]
    assert actions == [(span["id"], span["action"]) for span in plain["spans"]]


def test_the_cases_of_the_example_show_its_rule_true_false_and_in_error() -> None:
    engine = load_engine("python")
    policies = load_policies([shipped_policies(), TEAM], build_schema(), engine)
    results = run_cases(policies, engine, [TEAM])
    assert [result.message for result in results if not result.passed] == []
    assert not [issue for issue in measure(policies.rules(), results).missing() if "migrations." in issue.message]
