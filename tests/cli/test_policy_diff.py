from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
EXAMPLES = Path(__file__).parents[2] / "examples"
TEAM = EXAMPLES / "policies" / "team"
INCIDENT = EXAMPLES / "incident.json"
DAY = "2026-09-14T08:30:00Z"
HEAD = "apiVersion: barrier-policy/v1\nkind: {}\nmetadata: {{name: {}, owner: dana{}}}\n"
RULE = 'rules:\n- {{id: {}, effect: {}, severity: low, summary: s, why: w, references: [r], mode: {}, repair: {}, condition: "{}"}}\n'


def patch(rule: str, changes: str) -> str:
    return HEAD.format("Patch", "trial", "") + f"reason: a trial\nrule: {rule}\nset: {changes}\n"


def policy(name: str, condition: str, effect: str = "barrier", mode: str = "enforce") -> str:
    head = HEAD.format("Policy", name, ", version: 1.0.0")
    return head + RULE.format(f"{name}.rule", effect, mode, "[confirm]" if effect == "barrier" else "[]", condition)


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., str]:
    def write(name: str, *texts: str) -> str:
        (tmp_path / name).mkdir()
        for number, text in enumerate(texts):
            (tmp_path / name / f"{number}.yaml").write_text(text)
        return name

    return write


@pytest.fixture
def diff(run: Run) -> Callable[..., tuple[int, dict[str, Any]]]:
    def compare(base: str, head: str, *more: object, on: object = INCIDENT) -> tuple[int, dict[str, Any]]:
        arguments = ("--transcripts", on, "--keep-last", 10, "--now", DAY, "--format", "json", *more)
        found = run("policy", "diff", base, head, *arguments)
        assert found.err == ""
        return found.code, json.loads(found.out)

    return compare


Diff = Callable[..., tuple[int, dict[str, Any]]]


def totals(found: dict[str, Any]) -> dict[str, int]:
    return {name: count["spans"] for name, count in found["totals"].items() if count["spans"]}


def test_the_same_policies_change_nothing(diff: Diff) -> None:
    code, found = diff("shipped", "shipped")
    assert (code, totals(found), found["rules"], found["changes"]) == (0, {}, [], [])
    assert found["spans"] > 300 and found["transcripts"] == 1


def test_a_new_barrier_tightens_and_taking_it_away_loosens_the_same_spans(diff: Diff, folder: Callable[..., str]) -> None:
    team = folder("team", policy("more", "span.evidential_class == 'narrative'"))
    code, tighter = diff("shipped", team)
    assert code == 0 and totals(tighter)["tightened"] > 20 and "loosened" not in totals(tighter)
    (rule,) = tighter["rules"]
    assert (rule["rule"], rule["edit"], rule["place"]) == ("more.rule", "added", "team/0.yaml:5")
    code, looser = diff(team, "shipped")
    assert code == 4 and looser["unacknowledged"] == ["more.rule"]
    assert looser["rules"][0]["edit"] == "removed"
    assert looser["totals"]["loosened"] == tighter["totals"]["tightened"]
    pairs = [(change["span"], change["base"], change["head"]) for change in tighter["changes"]]
    assert pairs == [(change["span"], change["head"], change["base"]) for change in looser["changes"]]
    assert {head for _, base, head in pairs if base != "retain"} == {"retain"}


def test_a_barrier_in_mode_warn_or_shadow_is_loosened(diff: Diff, folder: Callable[..., str]) -> None:
    team = folder("team", policy("more", "span.evidential_class == 'narrative'"))
    for mode in ("warn", "shadow"):
        trial = folder(mode, patch("more.rule", f"{{mode: {mode}}}"))
        code, found = diff(team, f"{team}+{trial}")
        assert code == 4 and found["unacknowledged"] == ["more.rule"]
        assert (found["rules"][0]["edit"], found["rules"][0]["place"]) == ("changed", f"{mode}/0.yaml:6")


def test_an_acknowledged_loosening_is_told_and_passes(diff: Diff, folder: Callable[..., str], tmp_path: Path) -> None:
    team = folder("team", policy("more", "span.evidential_class == 'narrative'"))
    code, found = diff(team, "shipped", "--acknowledge", "more.rule")
    assert code == 0 and found["unacknowledged"] == [] and found["rules"][0]["acknowledged_by"] == "--acknowledge"
    assert found["changes"]
    assert all(change["acknowledged"] is (change["change"] == "loosened") for change in found["changes"])
    (tmp_path / "ack.yaml").write_text(
        "apiVersion: barrier-policy/v1\nkind: Acknowledgements\nacknowledgements:\n"
        "- {rule: more.rule, owner: dana, reason: nobody reads these turns}\n"
    )
    code, found = diff(team, "shipped", "--acknowledgements", "ack.yaml")
    assert code == 0 and found["rules"][0]["acknowledged_by"] == "dana: nobody reads these turns"


def test_one_acknowledged_rule_of_two_is_not_enough(diff: Diff, folder: Callable[..., str]) -> None:
    narrative = "span.evidential_class == 'narrative'"
    team = folder("team", policy("one", narrative), policy("two", narrative))
    code, found = diff(team, "shipped", "--acknowledge", "one.rule")
    assert code == 4 and found["unacknowledged"] == ["two.rule"]
    assert not [change for change in found["changes"] if change["acknowledged"]]


def test_acknowledging_an_unknown_rule_is_refused_with_its_place(run: Run, tmp_path: Path) -> None:
    found = run("policy", "diff", "shipped", "shipped", "--transcripts", INCIDENT, "--acknowledge", "evidence.narative")
    assert found.code == 2 and "unknown rule `evidence.narative` (did you mean `evidence.narrative`?)" in found.err
    (tmp_path / "ack.yaml").write_text(
        "apiVersion: barrier-policy/v1\nkind: Acknowledgements\nacknowledgements:\n- {rule: no.rule, owner: dana}\n"
    )
    found = run("policy", "diff", "shipped", "shipped", "--transcripts", INCIDENT, "--acknowledgements", "ack.yaml")
    assert found.code == 3
    assert "ack.yaml:4:10: unknown rule `no.rule`" in found.err and "4:3: the acknowledgement has no `reason`" in found.err


def test_a_barrier_beside_another_is_the_same_answer_for_another_reason(diff: Diff, folder: Callable[..., str]) -> None:
    team = folder("team", policy("more", "span.zone == 'instructions'"))
    code, found = diff("shipped", team)
    assert code == 0 and list(totals(found)) == ["reason"]
    assert found["changes"][0]["rules"] == ["more.rule"]


def test_a_rule_that_errs_with_head_only_is_newly_erring_and_tightens(diff: Diff, folder: Callable[..., str]) -> None:
    team = folder("team", policy("more", "span.effects[0].tool == 'x'"))
    code, found = diff("shipped", team)
    assert code == 0 and set(totals(found)) == {
        "tightened",
        "erring",
        *([] if "reason" not in totals(found) else ["reason"]),
    }
    assert found["rules"][0]["erring"]["spans"] == totals(found)["erring"] > 100
    assert {tuple(change["erring"]) for change in found["changes"] if change["erring"]} == {("more.rule",)}


def test_a_rule_whose_change_shows_nowhere_is_listed_without_effect(
    diff: Diff, run: Run, folder: Callable[..., str]
) -> None:
    team = folder("team", policy("more", "span.id == 'no such span'"))
    code, found = diff("shipped", team)
    assert (code, totals(found), [rule["edit"] for rule in found["rules"]]) == (0, {}, ["added"])
    shown = run("policy", "diff", "shipped", team, "--transcripts", INCIDENT).out
    assert "the rules differ, and nothing changes for these transcripts" in shown


def test_a_span_is_not_loosened_because_its_neighbour_is_tightened(diff: Diff, folder: Callable[..., str]) -> None:
    """What stays in a span that is now kept needs no record of another one."""
    team = folder("team", policy("more", "span.tokens > 60"))
    code, found = diff("shipped", team)
    assert code == 0 and "loosened" not in totals(found)
    assert totals(found)["tightened"] > 0


def test_an_exception_loosens_and_is_charged_to_its_rule(diff: Diff, folder: Callable[..., str]) -> None:
    bare = folder("bare", (TEAM / "migrations.yaml").read_text(), (TEAM / "evidence.yaml").read_text())
    code, found = diff(bare, str(TEAM))
    assert code == 4
    (rule,) = found["rules"]
    assert (rule["rule"], rule["edit"], rule["exceptions"]) == (
        "migrations.keep-starts",
        "excepted",
        ["customers-is-signed-off"],
    )
    assert re.fullmatch(r".*/team/[a-z-]+\.yaml:\d+", rule["place"]) and "migrations.yaml" not in rule["place"]
    code, found = diff(str(TEAM), bare)
    (rule,) = found["rules"]
    assert (code, rule["edit"], rule["exceptions"]) == (0, "excepted no more", ["customers-is-signed-off"])
    assert "migrations.yaml" not in rule["place"]


def test_an_exception_stands_beside_the_rule_in_all_forms(run: Run, folder: Callable[..., str]) -> None:
    bare = folder("bare", (TEAM / "migrations.yaml").read_text(), (TEAM / "evidence.yaml").read_text())
    asked = ("policy", "diff", bare, str(TEAM), "--transcripts", INCIDENT, "--keep-last", 10, "--now", DAY)
    assert re.search(r"migrations\.keep-starts +excepted \(customers-is-signed-off\) ", run(*asked).out)
    markdown = run(*asked, "--format", "markdown").out
    assert "| `migrations.keep-starts` | excepted (customers-is-signed-off) | " in markdown


def test_as_many_processes_as_wished_give_the_same_bytes(
    run: Run, folder: Callable[..., str], chat: Callable[..., str]
) -> None:
    team = folder("team", policy("more", "span.tokens > 8"))
    for number in range(4):
        chat(("user", f"The light is soft {number}."), ("assistant", "It is."), ("user", "Good."), name=f"c{number}.json")
    arguments = ("policy", "diff", "shipped", team, "--transcripts", *(f"c{n}.json" for n in range(4)), INCIDENT)
    outputs = {run(*arguments, "--now", DAY, "--keep-last", 1, "--jobs", jobs, "--format", "json").out for jobs in (1, 2)}
    assert len(outputs) == 1 and '"transcripts": 5' in outputs.pop()


def test_a_file_of_a_folder_that_is_no_transcript_is_told_and_does_not_stop_the_rest(
    run: Run, talk: str, tmp_path: Path
) -> None:
    (tmp_path / "all").mkdir()
    (tmp_path / talk).rename(tmp_path / "all" / "talk.json")
    (tmp_path / "all" / "notes.txt").write_text("nothing")
    found = run("policy", "diff", "shipped", "shipped", "--transcripts", "all")
    assert found.code == 0 and found.err.startswith("all/notes.txt: not compared: not a transcript")
    found = run("policy", "diff", "shipped", "shipped", "--transcripts", "all/talk.json", "all/notes.txt")
    assert found.code == 2 and "1 transcript(s)" in found.out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("shipped", "shipped"), 2, "nothing to compare on (give transcripts, or a decision log with --log)"),
        (
            ("shipped", "shipped", "--log", "d.jsonl", "--transcripts", INCIDENT),
            2,
            "`--log` and `--transcripts` are both given",
        ),
        (("shipped", "shipped", "--log", "d.jsonl", INCIDENT), 2, "`--log` and `--transcripts` are both given"),
        *(
            (
                ("shipped", "shipped", "--log", "d.jsonl", *option),
                2,
                f"{option[0]}: a logged decision is taken as it was made",
            )
            for option in (("--keep-last", "3"), ("--now", DAY), ("--from", "openai_chat"), ("--no-store",))
        ),
        (("shipped", "nowhere", "--transcripts", INCIDENT), 2, "`nowhere` is no folder (give `shipped`, a folder, a bundle"),
        (("shipped", "shipped", "--transcripts", "nowhere"), 2, "`nowhere` is not there"),
        (("shipped", "shipped", "--log", "nowhere"), 2, "nowhere: there is no such log"),
    ],
)
def test_wrong_usage_is_told(run: Run, arguments: tuple[object, ...], code: int, message: str) -> None:
    found = run("policy", "diff", *arguments)
    assert found.code == code and message in found.err


def test_whole_policies_are_compared_without_the_shipped_ones(diff: Diff, folder: Callable[..., str]) -> None:
    permit = folder("permit", policy("all", "span.tokens >= 0", effect="permit"))
    both = folder("both", policy("all", "span.tokens >= 0", effect="permit"), policy("more", "span.tokens > 100"))
    code, found = diff(permit, both, "--bare")
    assert (found["base"]["name"], code, list(totals(found))) == ("permit", 0, ["tightened"])


@pytest.fixture(params=["lines", "rotated", "database"])
def log(request: pytest.FixtureRequest, run: Run, tmp_path: Path) -> str:
    """A log of one span of the incident, decided twice, and of the whole."""
    name = "log.db" if request.param == "database" else "log.jsonl"
    for ranges in (("--range", "407:466"), ("--range", "407:466"), ()):
        decided = ("decide", INCIDENT, "--keep-last", "10", "--now", DAY, *ranges)
        assert run(*decided, "--store", "originals", "--log", name).code == 0
        if request.param == "rotated" and not (tmp_path / "log.jsonl.1").exists():
            (tmp_path / "log.jsonl").rename(tmp_path / "log.jsonl.1")
    return name


def test_the_transcripts_of_a_log_are_compared_as_they_were_decided(
    run: Run, folder: Callable[..., str], log: str, tmp_path: Path
) -> None:
    team = folder("team", policy("more", "span.evidential_class == 'narrative'"))
    arguments = ("policy", "diff", "shipped", team, "--log", log, "--format", "json")
    done = run(*arguments, "--store", "originals")
    found = json.loads(done.out)
    assert (done.code, done.err, found["transcripts"], found["decisions"]) == (0, "", 1, 2)
    assert totals(found)["tightened"] > 20
    assert len({change["transcript"] for change in found["changes"]}) == 2
    missing = run(*arguments, "--store", "elsewhere")
    assert missing.code == 2 and "is not in the store (give the --store of the log)" in missing.err


def test_a_decision_that_was_made_again_and_again_counts_once(run: Run, folder: Callable[..., str], talk: str) -> None:
    team = folder("team", policy("more", "span.evidential_class == 'narrative'"))
    for minute, budget in enumerate((60, 60, 1, 1, 60)):
        asked = ("--now", f"2026-09-14T08:{minute:02}:00Z", "--target-tokens", budget, "--store", "originals")
        run("decide", talk, *asked, "--log", "d.jsonl")
    of_log = json.loads(
        run("policy", "diff", "shipped", team, "--log", "d.jsonl", "--store", "originals", "--format", "json").out
    )
    of_file = json.loads(run("policy", "diff", "shipped", team, "--transcripts", talk, "--format", "json").out)
    same = ("transcripts", "spans", "tokens", "totals", "rules")
    assert [of_log[name] for name in same] == [of_file[name] for name in same] and of_file["rules"]
    places = [(change["transcript"], change["span"]) for change in of_log["changes"]]
    assert len(places) == len(set(places)) == 2 * len(of_file["changes"]) and of_log["decisions"] == 2


def test_an_exception_is_expired_as_of_the_decisions_of_a_log_and_not_of_today(
    run: Run, folder: Callable[..., str], talk: str
) -> None:
    team = folder("team", policy("more", "span.evidential_class == 'narrative'"))
    trial = "expires: {}\nrule: more.rule\nreason: r\nwhen: span.tokens > 0\n"
    exception = folder("exc", HEAD.format("Exception", "talk-may-go", "") + trial.format("2026-09-15"))
    for log, now in (("old.jsonl", DAY), ("new.jsonl", "2026-09-16T08:30:00Z")):
        run("decide", talk, "--now", now, "--store", "originals", "--log", log)
    asked = ("policy", "diff", team, f"{team}+{exception}", "--store", "originals", "--format", "json", "--log")
    old, new = run(*asked, "old.jsonl"), run(*asked, "new.jsonl")
    assert (old.code, old.err, json.loads(old.out)["now"]) == (4, "", DAY)
    assert new.code == 0 and "exception `talk-may-go` expired on 2026-09-15 (it does nothing" in new.err


def test_a_log_that_is_not_whole_is_compared_and_told(run: Run, log: str, tmp_path: Path) -> None:
    data = (tmp_path / log).read_bytes()
    (tmp_path / log).write_bytes(data.replace(b'"outcome":"compact"', b'"outcome":"comPact"', 1))
    done = run("policy", "diff", "shipped", "shipped", "--log", log, "--store", "originals")
    assert done.code == 4 and "1 transcript(s), 2 decision(s), " in done.out
    assert "the record was changed (it does not have the digest that it names)" in done.err


def test_markdown_is_for_a_pull_request_and_escapes_what_comes_from_elsewhere(
    run: Run, folder: Callable[..., str], talk: str, tmp_path: Path
) -> None:
    (tmp_path / talk).rename(tmp_path / "a|b`c<x>.json")
    team = folder("team", policy("more", "span.evidential_class == 'narrative'"))
    found = run("policy", "diff", team, "shipped", "--transcripts", "a|b`c<x>.json", "--format", "markdown")
    assert found.code == 4
    lines = found.out.splitlines()
    assert lines[0] == "### Policy change: **loosens without acknowledgement**"
    assert any(re.match(r"\| `more\.rule` \| removed \| [1-9] \| 0 \| 0 \| \d \|", line) for line in lines)
    rows = [line for line in lines if line.startswith("| loosened | `")]
    assert rows and all("`a\\|b'c<x>.json`" in row for row in rows)
    assert lines[-1] == "Loosened without acknowledgement: `more.rule`"
