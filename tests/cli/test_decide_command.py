"""`barrier-policy decide`: what it prints, in which form, and what it returns."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from barrier_policy.cli.console import make_console
from barrier_policy.cli.decide import LONG_WORK, _progress
from barrier_policy.report.rows import LONG
from barrier_policy.walk import decide

NOW = "2026-06-01T12:00:00Z"
NARRATIVE = "The light is soft this morning, and the roses look lovely. "
EXAMPLE = Path(__file__).parents[2] / "examples" / "conf-write.json"
Runner = Callable[..., Any]


def row_of(output: str, span: str) -> str:
    """The line of a table that begins with a span."""
    return next(line for line in output.splitlines() if line.split(" ")[0] == span)


def test_the_table_says_of_each_span_what_happens_and_by_which_rule(run: Runner, talk: str) -> None:
    done = run("decide", talk)
    assert done.code == 0
    assert row_of(done.out, "0").split()[3:5] == ["retain", "zones.instructions"]
    assert row_of(done.out, "1").split()[3:5] == ["summarize", "evidence.narrative"]
    assert done.out.splitlines()[0].startswith("talk.json: openai_chat, 9 messages")


def test_the_deciding_rule_is_the_one_that_the_gate_can_not_lift(run: Runner, deploy: str) -> None:
    done = run("decide", deploy)
    assert row_of(done.out, "1-2").split()[3:5] == ["retain", "effects.unsettled"]
    assert "deploy_service" in done.out


def test_the_totals_add_up_to_the_whole_transcript(run: Runner, talk: str) -> None:
    lines = run("decide", talk).out.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("action "))
    sizes = [int(line.split()[-1].replace(",", "")) for line in lines[start + 1 : start + 5]]
    assert sum(sizes) == json.loads(run("decide", "--format", "json", talk).out)["totals"]["tokens_before"]


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ((), "with the carrier's frame and 1 summary 399 or more"),
        (("--target-tokens", "450"), "or more, over the target of 450"),
    ],
)
def test_the_last_line_says_what_a_compaction_comes_to(
    run: Runner, tmp_path: Path, target: tuple[str, ...], told: str
) -> None:
    done = run("decide", str(EXAMPLE), "--keep-last", "4", "--store", str(tmp_path / "store"), *target)
    assert done.code == 0
    assert done.out.splitlines()[-1].endswith(told)


def test_the_last_line_says_that_nothing_is_gained(run: Runner, tmp_path: Path) -> None:
    said = [{"role": "user", "content": f"Order ORD-{n} goes to {n} Elm Street, never by express."} for n in (701, 802)]
    talk = [*said, *({"role": "assistant", "content": text} for text in ("Fine.", "Sure."))]
    (tmp_path / "short.json").write_text(json.dumps(talk), encoding="utf-8")
    done = run("decide", "short.json", "--keep-last", "1", "--store", str(tmp_path / "store"))
    assert done.out.splitlines()[-1].startswith("compact: ")
    assert done.out.splitlines()[-1].endswith("or more, which gains nothing")


def test_json_is_the_decision_of_the_python_function(run: Runner, talk: str, tmp_path: Path) -> None:
    done = run("decide", "--format", "json", "--now", NOW, "--no-store", talk)
    assert json.loads(done.out) == json.loads(json.dumps(decide(tmp_path / talk, now=NOW, store=False).to_dict()))


def test_excerpts_are_those_of_the_python_function(run: Runner, deploy: str, tmp_path: Path) -> None:
    done = run("decide", "--format", "json", "--excerpts", "--now", NOW, "--no-store", deploy)
    told = decide(tmp_path / deploy, now=NOW, store=False, excerpts=True)
    assert json.loads(done.out) == json.loads(told.to_json())
    assert '"excerpt": "deploy_service {' in done.out


def test_jsonl_has_a_line_for_each_file_with_its_name(run: Runner, talk: str, deploy: str) -> None:
    lines = [json.loads(line) for line in run("decide", "--format", "jsonl", talk, deploy).out.splitlines()]
    assert [line["path"] for line in lines] == [talk, deploy]
    assert all(line["schema"] == "barrier_policy/decision/v1" for line in lines)


def test_a_dash_reads_standard_input(run: Runner, talk: str, tmp_path: Path) -> None:
    done = run("decide", "--format", "json", "-", stdin=(tmp_path / talk).read_bytes())
    assert done.code == 0
    assert json.loads(done.out)["transcript"] == json.loads(run("decide", "--format", "json", talk).out)["transcript"]


def test_a_target_out_of_reach_is_refused_with_what_blocks_it(run: Runner, deploy: str) -> None:
    done = run("decide", "--target-tokens", "1", deploy)
    assert done.code == 1
    assert "refuse: " in done.out
    assert "its outcome is confirmed by a result or a look-up: `deploy_service" in done.out
    decision = json.loads(run("decide", "--target-tokens", "1", "--format", "json", deploy).out)
    assert "effect:1.0" in [entry["item"] for entry in decision["blocking"]]


def test_nothing_to_reclaim_is_no_failure(run: Runner, talk: str) -> None:
    done = run("decide", "--keep-last", "50", talk)
    assert done.code == 0
    assert "nothing_to_reclaim" in done.out


@pytest.mark.parametrize(
    ("files", "code"),
    [(("talk.json", "deploy.json"), 0), (("talk.json", "missing.json"), 2), (("missing.json", "talk.json"), 2)],
)
def test_of_several_files_the_highest_exit_code_counts(
    run: Runner, talk: str, deploy: str, files: tuple[str, ...], code: int
) -> None:
    done = run("decide", *files)
    assert done.code == code
    assert f"{talk}: openai_chat" in done.out, "a file that can't be read must not stop the others"


def test_an_unreadable_file_outranks_a_refusal(run: Runner, talk: str) -> None:
    assert run("decide", "--target-tokens", "1", talk).code == 1
    assert run("decide", "--target-tokens", "1", talk, "missing.json").code == 2
    assert run("decide", "--target-tokens", "1", "missing.json", talk).code == 2


def long_talk(chat: Runner) -> str:
    turns = [("user", "Good."), ("assistant", "The light is soft.")] * LONG
    return str(chat(("system", "You help."), *turns, name="long.json"))


def test_a_long_table_folds_runs_of_the_same_action_and_rule(run: Runner, chat: Runner) -> None:
    name = long_talk(chat)
    folded, whole = run("decide", name).out, run("decide", "--all", name).out
    assert len(folded.splitlines()) < len(whole.splitlines())
    assert " spans)" in folded and " spans)" not in whole
    assert folded.splitlines()[-6:] == whole.splitlines()[-6:], "the sums must not depend on folding"


def test_a_span_that_may_go_has_one_line_and_all_of_them_with_all(run: Runner, chat: Runner) -> None:
    call = {"id": "c", "function": {"name": "deploy_shop", "arguments": '{"region": "eu-7719", "build": "b-40417"}'}}
    name = chat(
        {"role": "assistant", "content": NARRATIVE * 40, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": '{"status": "succeeded", "id": "dep-88213"}'},
    )
    brief, whole = run("decide", "--keep-last", "0", name).out, run("decide", "--keep-last", "0", "--all", name).out
    assert row_of(brief, "0-1").split()[3] == "repair"
    assert ("effects.receipt-missing" in brief) != ("bindings.open-endpoint" in brief)
    assert "effects.receipt-missing" in whole and "bindings.open-endpoint" in whole


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "size", "files", "shown"),
    [
        (Terminal(), LONG_WORK, 1, True),
        (Terminal(), 10, 3, True),
        (Terminal(), 10, 1, False),
        (io.StringIO(), LONG_WORK, 3, False),
    ],
)
def test_progress_is_shown_on_a_terminal_for_long_work(
    stream: io.StringIO, size: int, files: int, shown: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "big.json").write_bytes(b" " * size)
    monkeypatch.setattr("barrier_policy.cli.decide.err", lambda: make_console(stream))
    assert (not isinstance(_progress("big.json", 0, files), nullcontext)) is shown


def test_a_range_makes_one_span_of_its_messages(run: Runner, talk: str) -> None:
    spans = json.loads(run("decide", "--format", "json", "--range", "0:3", talk).out)["spans"]
    assert [span["messages"] for span in spans] == [[0, 3]]


def test_the_strategy_turns_cuts_at_user_messages(run: Runner, talk: str) -> None:
    steps = json.loads(run("decide", "--format", "json", talk).out)["spans"]
    turns = json.loads(run("decide", "--format", "json", "--strategy", "turns", talk).out)["spans"]
    assert len(steps) == 3 and len(turns) == 2


def test_the_format_can_be_named(run: Runner, talk: str) -> None:
    assert run("decide", "--from", "openai_chat", talk).code == 0
    refused = run("decide", "--from", "openai_chats", talk)
    assert refused.code == 2
    assert "unknown format `openai_chats`" in refused.err


def test_an_original_in_the_store_is_found(run: Runner, deploy: str, tmp_path: Path) -> None:
    missing = json.loads(run("decide", "--format", "json", "--store", tmp_path / "store", deploy).out)
    assert not any(span["provenance"]["present"] for span in missing["spans"])
    assert not (tmp_path / "store").exists(), "decide writes nothing"


def test_a_profile_in_the_working_directory_is_used(run: Runner, talk: str, tmp_path: Path) -> None:
    (tmp_path / "barrier-policy.yaml").write_text("tail: {keep_last: 8}\n")
    assert json.loads(run("decide", "--format", "json", talk).out)["tail"]["start"] == 1
    assert json.loads(run("decide", "--format", "json", "--keep-last", "2", talk).out)["tail"]["start"] == 7


OVERLAY = """\
apiVersion: barrier-policy/v1
kind: Policy
metadata: {name: team, version: 1.0.0, owner: gardeners}
rules:
  - id: team.morning-talk
    effect: barrier
    severity: low
    summary: What is said in the morning stays.
    why: Because we like it.
    references: ["garden book, page 1"]
    condition: CONDITION
    explanation: "'said in the morning'"
    repair: [confirm]
"""


def test_an_overlay_adds_a_rule(run: Runner, talk: str, tmp_path: Path) -> None:
    (tmp_path / "team").mkdir()
    (tmp_path / "team" / "team.yaml").write_text(OVERLAY.replace("CONDITION", "span.start == 1"))
    done = run("decide", "--policies", "team", talk)
    assert row_of(done.out, "1").split()[3:5] == ["retain", "team.morning-talk"]
    assert row_of(done.out, "2").split()[3:5] == ["summarize", "evidence.narrative"]


def test_a_true_rule_in_mode_warn_stands_beside_the_verdict(run: Runner, talk: str, tmp_path: Path) -> None:
    (tmp_path / "team").mkdir()
    rule = "{id: own.talk, effect: barrier, severity: low, summary: s, why: w, references: [r], mode: warn, "
    (tmp_path / "team" / "own.yaml").write_text(
        "apiVersion: barrier-policy/v1\nkind: Policy\nmetadata: {name: own, version: 1.0.0, owner: o}\n"
        f"rules:\n- {rule}condition: span.start == 0, explanation: \"'it is the first'\"}}\n"
    )
    plain, warned = run("decide", talk), run("decide", talk, "--policies", "team")
    assert warned.out.splitlines()[-1] == plain.out.splitlines()[-1]
    assert "in mode warn, counts for nothing: own.talk is true of 1 span" in warned.out.splitlines()[-2]
    rows = [line for line in run("decide", talk, "--policies", "team", "--all").out.splitlines() if "own.talk  " in line]
    assert len(rows) == 1 and rows[0].rstrip().endswith("in mode warn: it is the first")
    assert "mode warn" not in plain.out


@pytest.mark.parametrize("condition", ["span.strat == 1", "span.start", "span.start == '1'"])
def test_an_invalid_policy_is_refused_before_anything_is_decided(
    run: Runner, talk: str, tmp_path: Path, condition: str
) -> None:
    (tmp_path / "team").mkdir()
    (tmp_path / "team" / "team.yaml").write_text(OVERLAY.replace("CONDITION", condition))
    done = run("decide", "--policies", "team", talk)
    assert done.code == 3
    assert done.out == ""
    assert done.err.startswith("team/team.yaml:11:")
