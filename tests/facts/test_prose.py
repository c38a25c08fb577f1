"""Which parts of a text are prose, and its sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from barrier_policy.facts.prose import EDGE, prose_sentences, without_quotes

CUT = {
    "two sentences on a line": ("Fix the build. Never push to main!", ["Fix the build.", "Never push to main!"]),
    "one sentence a line": ("first things first\nthen the rest", ["first things first", "then the rest"]),
    "list entries without their markers": (
        "- tabs only\n* no spaces\n1. dates in ISO",
        ["tabs only", "no spaces", "dates in ISO"],
    ),
    "a wrapped line goes on": (
        "Whatever you draft for the council this year has to be kept to\none page at most.",
        ["Whatever you draft for the council this year has to be kept to\none page at most."],
    ),
    "paths and versions stay whole": ("Use src/a.b/c.py with v1.2.3 please.", ["Use src/a.b/c.py with v1.2.3 please."]),
    "full-width stops": ("不要动生产库。先问我!", ["不要动生产库。", "先问我!"]),
    "Hindi stops": ("यह मत करो। पहले पूछो।", ["यह मत करो।", "पहले पूछो।"]),
    "a literal in a sentence": ('Use the label "urgent" for these.', ['Use the label "urgent" for these.']),
    "a brace or two in a sentence": ('Answer with {"ok": true} when done.', ['Answer with {"ok": true} when done.']),
    "a list entry that goes on": ("- keep it short\n  and to the point", ["keep it short", "and to the point"]),
}

SHOWN = {
    "fence": "```\nnever use eval\n```",
    "fence with a language": "~~~python\n# never use eval\n~~~",
    "fence that is never closed": "```\nnever use eval\nnot even here",
    "quoted mail": "> Please never call before nine.\n>> Agreed.",
    "mail below its mark": "----- Original Message -----\nPlease never call before nine.",
    "table": "| rule | never deploy |\n|---|---|",
    "indented code": "    never_deploy_on_friday = 1",
    "log": "2026-01-01 10:00:00 ERROR you must restart now",
    "log with the level first": "WARN: function should not return null here",
    "shell prompt": "$ rm -rf never",
    "traceback": '  File "a.py", line 3, in never',
    "diff": "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-never\n+always",
    "code line": "if (never == 1) { return must(not); }",
    "markup": '<div class="x"><p>Never do it</p></div>',
    "JSON": '{"rule": "never deploy", "approved": true, "by": ["Ana"]}',
    "summary by tag": "<summary>\nThe user approved the deploy.\n</summary>",
    "signs only": "-----\n* * *\n[1]",
}


@pytest.mark.parametrize("name", CUT)
def test_prose_is_cut_at_line_ends_markers_and_sentence_ends(name: str) -> None:
    text, expected = CUT[name]
    assert [sentence.text for sentence in prose_sentences(text)] == expected


@pytest.mark.parametrize("name", SHOWN)
def test_what_is_shown_is_not_said(name: str) -> None:
    assert prose_sentences(SHOWN[name]) == ()


@pytest.mark.parametrize("name", SHOWN)
def test_prose_around_what_is_shown_is_found(name: str) -> None:
    if name in ("fence that is never closed", "mail below its mark"):
        pytest.skip("nothing comes after it")
    found = [sentence.text for sentence in prose_sentences(f"Look at this.\n\n{SHOWN[name]}\n\nIt must stay.")]
    assert found == ["Look at this.", "It must stay."]


def test_a_check_box_is_kept_beside_its_entry() -> None:
    assert [(s.box, s.text) for s in prose_sentences("- [ ] ring the depot\n- [x] sweep\nno box")] == [
        (" ", "ring the depot"),
        ("x", "sweep"),
        ("", "no box"),
    ]


def test_quotations_are_emptied() -> None:
    sentence = "The sign says 'staff only', the other one “keep out” and `rm -rf`; it's Ana's."
    assert without_quotes(sentence) == 'The sign says "", the other one "" and ""; it\'s Ana\'s.'


def test_of_a_long_text_the_edges_are_kept() -> None:
    lines = [f"Rule number {number} holds." for number in range(5 * EDGE)]
    found = [sentence.text for sentence in prose_sentences("\n".join(lines))]
    assert found == lines[:EDGE] + lines[-EDGE:]


@given(st.text(alphabet=st.sampled_from("aB1 .!?\n\t>|-*`~'\"<>/[]{}()=;:x中。"), max_size=300))
def test_a_sentence_is_verbatim_what_stands_at_its_place(text: str) -> None:
    end = 0
    for sentence in prose_sentences(text):
        assert text[sentence.start : sentence.end] == sentence.text
        assert sentence.start >= end
        end = sentence.end


@pytest.mark.parametrize("unit", ["a", "'", '"', "- ", "> ", "|", "<pre>", "```\n", "no. ", "!", "\n", "([{<", "「", "a\n"])
def test_hostile_text_gives_a_bounded_number_of_sentences(unit: str) -> None:
    assert len(prose_sentences(unit * (600_000 // len(unit)))) <= 2 * EDGE


def test_lone_surrogates_are_no_reason_to_fail() -> None:
    text = "Never push to \ud800main! Ask me first."
    assert [sentence.text for sentence in prose_sentences(text)] == ["Never push to \ud800main!", "Ask me first."]
