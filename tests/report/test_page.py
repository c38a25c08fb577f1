"""The page says what was decided, holds nothing that acts, and is the same for the same inputs."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from barrier_policy.provenance.file_store import FileStore
from barrier_policy.report.html import render_html
from barrier_policy.report.junit import render_junit
from barrier_policy.report.model import Report
from barrier_policy.report.sarif import render_sarif

Make = Callable[..., Report]
Chat = list[dict[str, Any]]
VOID = {"meta", "br", "input", "path"}
OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff\U000e0000-\U000e007f]"
)
HOSTILE = (
    "</style></script><script>alert(1)</script><img src=x onerror=alert(2)> \" ' onload=x {{ 7*7 }} {% raw %} <!-- ]]> &amp; "
    "\x1b[2J\x00\u202eevil\u2066\u200b\ud800\uffff\U000e0041"
)


class Page(HTMLParser):
    """Elements with their attributes, ids, and the text that people see; complains where tags do not pair."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(data.decode())
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] not in ("style", "script"):
            self.text += data

    def all(self, name: str) -> list[str]:
        return [attributes[name] for _, attributes in self.elements if name in attributes]

    def named(self, tag: str) -> list[dict[str, str]]:
        return [attributes for found, attributes in self.elements if found == tag]


@pytest.fixture(scope="module")
def page(deploy: Report) -> Page:
    return Page(render_html(deploy))


def hostile_messages() -> list[dict[str, object]]:
    call = {
        "id": HOSTILE,
        "function": {"name": f"deploy{HOSTILE}", "arguments": json.dumps({HOSTILE: HOSTILE, "path": "/srv/x.yaml"})},
    }
    return [
        {"role": "system", "content": HOSTILE},
        {"role": "user", "content": f"Please deploy /srv/{HOSTILE}/app.yaml now, never touch prod-7781. {HOSTILE}"},
        {"role": "assistant", "content": HOSTILE, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": HOSTILE, "content": f"queued {HOSTILE}"},
        {"role": "user", "content": "x" * 3_000_000},
    ]


def test_the_page_says_what_was_decided_about_what(page: Page, deploy: Report) -> None:
    for shown in (
        "compact: chat.json",
        "openai_chat",
        deploy.head.digest,
        deploy.head.policy_digest,
        deploy.head.decision_id,
    ):
        assert shown in page.text


def test_every_span_shows_its_rules_with_their_clauses_and_what_would_lift_them(page: Page, deploy: Report) -> None:
    assert {span.action for span in deploy.spans} == {"retain", "summarize"}
    for span in deploy.spans:
        for reason in span.reasons:
            assert reason.explanation in page.text
            assert all(clause.text in page.text for clause in reason.clauses)
            assert all(remedy in page.text for remedy in reason.remedies)
    assert "span.effects.exists(e, e.unsettled)" in page.text


def test_evidence_stands_in_the_words_around_it(deploy: Report) -> None:
    found = {
        entry.item.id: entry
        for span in deploy.spans
        for reason in span.reasons
        for entry in reason.evidence
        if entry.excerpt.words
    }
    entry = next(entry for name, entry in found.items() if name.startswith("constraint:0"))
    assert (entry.excerpt.before, entry.excerpt.words) == ("You run the shop. ", "Never touch prod-7781.")
    assert (entry.place.message, entry.place.pointer) == (0, "/0/content")


def test_every_rule_of_a_span_is_a_reason_or_stands_in_its_table(deploy: Report) -> None:
    every = {rule.id for rule in deploy.rules}
    for number, span in enumerate(deploy.spans):
        table = deploy.tables[span.table]
        assert number in table.spans
        assert {reason.rule for reason in span.reasons} | {other.rule for other in table.rules} == every


def test_the_ledger_shows_the_life_of_each_item_in_order(deploy: Report, page: Page) -> None:
    effect = next(item for item in deploy.ledger if item.family == "effect")
    assert [event.state for event in effect.events][-1] == effect.state
    assert len(effect.events) > 1
    assert [event.message for event in effect.events] == sorted(event.message for event in effect.events)
    assert effect.id in page.text


def test_a_refusal_shows_each_blocking_item_with_what_discharges_it(refused: Report) -> None:
    shown = Page(render_html(refused))
    assert refused.head.outcome == "refuse" and refused.blocking
    assert "Blocking set" in shown.text
    for entry in refused.blocking:
        assert entry.discharged_by in shown.text
        assert all(item.id in shown.text for item in entry.items)


def test_a_record_stands_where_its_source_does(make: Make, tmp_path: Path) -> None:
    found = make(Path(__file__).parents[2] / "examples" / "conf-write.json", keep_last=4, store=FileStore(tmp_path))
    assert {record.kind for record in found.records} >= {"constraint", "receipt", "binding"}
    for record in found.records:
        assert record.place.pointer.startswith(f"/messages/{record.place.message}")
        assert record.place.pointer.count("/messages/") == 1


def test_totals_are_those_of_the_transcript(deploy: Report) -> None:
    assert sum(total.tokens for total in deploy.totals) == deploy.head.tokens
    assert sum(total.messages for total in deploy.totals) == deploy.head.messages


def test_links_lead_somewhere_and_ids_are_unique(deploy: Report, refused: Report) -> None:
    for report in (deploy, refused):
        found = Page(render_html(report))
        ids = found.all("id")
        assert len(ids) == len(set(ids))
        assert {link[1:] for link in found.all("href")} <= set(ids)


def test_the_page_needs_nothing_else(page: Page) -> None:
    assert {link[0] for link in page.all("href")} == {"#"}
    assert page.all("src") == []
    assert not {"link", "img", "iframe", "object", "embed", "base"} & {tag for tag, _ in page.elements}


def test_the_security_policy_allows_the_inline_style_and_script_and_nothing_else(deploy: Report) -> None:
    data = render_html(deploy).decode()
    policy = next(meta["content"] for meta in Page(data.encode()).named("meta") if "http-equiv" in meta)
    for tag, directive in (("style", "style-src"), ("script", "script-src")):
        content = re.search(rf"<{tag}>(.*?)</{tag}>", data, re.DOTALL)
        assert content
        digest = base64.b64encode(hashlib.sha256(content[1].encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';") and "unsafe" not in policy


def test_nothing_in_the_page_carries_style_or_handlers_of_its_own(page: Page) -> None:
    names = {name for _, attributes in page.elements for name in attributes}
    assert not {name for name in names if name == "style" or name.startswith("on")}


def test_hostile_text_stays_text(make: Make) -> None:
    report = make(hostile_messages(), keep_last=0, file=f"a{HOSTILE}.json")
    data = render_html(report)
    found = Page(data)
    assert len(found.named("script")) == len(found.named("style")) == 1
    assert found.named("img") == []
    assert "<script>alert(1)</script>" in found.text and "{{ 7*7 }}" in found.text
    assert not OBEYED.search(data.decode())


def test_huge_texts_are_clipped(make: Make) -> None:
    report = make(hostile_messages(), keep_last=0)
    assert len(render_html(report)) < 1_000_000


@pytest.mark.parametrize("place", ["content", "name", "key", "number"])
def test_no_secret_is_in_a_report(make: Make, place: str) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    arguments = {"key": {secret: "x", "service": "shop"}, "number": {"token": secret, "service": "shop"}}.get(
        place, {"service": "shop"}
    )
    name = f"deploy_{secret}" if place == "name" else "deploy"
    report = make(
        [
            {"role": "user", "content": f"Please deploy with the token {secret} and never print it. " + "y" * 90 + secret},
            {
                "role": "assistant",
                "content": secret,
                "tool_calls": [{"id": secret, "function": {"name": name, "arguments": json.dumps(arguments)}}],
            },
            {"role": "tool", "tool_call_id": secret, "content": f"queued with {secret}"},
        ],
        keep_last=0,
        target=1,
    )
    for data in (render_html(report), render_sarif(report), render_junit(report)):
        assert secret.encode() not in data
        assert secret[4:24].encode() not in data


def test_same_inputs_same_bytes_and_no_time_unless_given(make: Make, chat: Chat) -> None:
    first, second = make(chat, now=""), make(chat, now="")
    assert render_html(first) == render_html(second)
    assert b"Decided as of" not in render_html(first)
    assert b"2026-06-01" not in render_html(first)
    assert b"2026-06-01T00:00:00Z" in render_html(make(chat))


def test_an_empty_transcript_has_a_page(make: Make) -> None:
    report = make([{"role": "user", "content": "Hi."}])
    found = Page(render_html(report))
    assert report.spans == ()
    assert "nothing to reclaim" in found.text
