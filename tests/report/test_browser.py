"""The page in a browser: it opens quietly, works by keyboard, prints whole, and can be read by everybody.

Needs the extra `browser` and a Chromium or Chrome of the system, or the one that BARRIER_POLICY_BROWSER names.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from barrier_policy.provenance.file_store import FileStore
from barrier_policy.report.html import render_html
from barrier_policy.report.model import Report

Make = Callable[..., Report]
Open = Callable[..., Any]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FOUND = os.environ.get("BARRIER_POLICY_BROWSER") or next((found for name in NAMES if (found := shutil.which(name))), "")

pytestmark = [pytest.mark.browser, pytest.mark.skipif(not FOUND, reason="no Chromium on this machine")]

HOSTILE = "</style></script><script>window.bad = 1</script><img src=http://example.invalid/x onerror='window.bad = 2'>"

AUDIT = Path(__file__).with_name("audit.js").read_text(encoding="utf-8")
"""Finds what keeps people out: returns one line for each problem."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="the extra `browser` is not installed")
    with sync_api.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=FOUND, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def visit(browser: Any, tmp_path: Path) -> Iterator[Open]:
    """Open a page; it may ask for nothing but itself and have nothing to complain about."""
    noise: list[str] = []
    contexts = []

    def open_page(page: bytes | Report, *, quiet: bool = True, **settings: Any) -> Any:
        file = tmp_path / "report.html"
        file.write_bytes(page if isinstance(page, bytes) else render_html(page))
        context = browser.new_context(**settings)
        contexts.append(context)
        tab = context.new_page()
        if quiet:
            tab.on("console", lambda message: noise.append(message.text))
            tab.on("pageerror", lambda error: noise.append(str(error)))
        tab.on("request", lambda request: noise.append(request.url) if request.url != file.as_uri() else None)
        tab.goto(file.as_uri())
        return tab

    yield open_page
    for context in contexts:
        context.close()
    assert noise == []


@pytest.fixture(scope="module")
def large(make: Make) -> Report:
    """A report of 5,000 spans."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You help."}]
    for number in range(2_500):
        messages.append(
            {"role": "user", "content": f"Never touch prod-{number}." if number % 9 == 0 else f"Thanks for {number}."}
        )
        messages.append({"role": "assistant", "content": "The light is soft. " * (1 + number % 40)})
    report = make(messages)
    assert len(report.spans) >= 4_998
    return report


def focused(page: Any) -> str:
    return str(
        page.evaluate(
            "document.activeElement.getAttribute('href') || document.activeElement.id || document.activeElement.tagName"
        )
    )


def shown(page: Any) -> list[str]:
    return list(page.eval_on_selector_all("#spans li.span:not([hidden]) .name", "found => found.map(x => x.textContent)"))


def test_the_first_stop_is_a_link_that_skips_to_the_spans(visit: Open, deploy: Report) -> None:
    page = visit(deploy)
    page.keyboard.press("Tab")
    assert focused(page) == "#spans"
    assert page.locator(".skip").bounding_box()["x"] >= 0
    page.keyboard.press("Enter")
    assert focused(page) == "spans"


def test_the_timeline_is_one_stop_with_arrow_keys(visit: Open, deploy: Report) -> None:
    page = visit(deploy)
    assert page.locator("#timeline a[tabindex='0']").count() == 1
    page.locator("#timeline a[tabindex='0']").focus()
    for key, number in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", len(deploy.spans) - 1), ("Home", 0)):
        page.keyboard.press(key)
        assert focused(page) == f"#span-{number}", key
    assert page.locator("#pointed").inner_text().startswith("span 0: retain")
    page.keyboard.press("Enter")
    page.locator("summary:focus").wait_for()
    assert page.locator("#span-0").is_visible()
    page.keyboard.press("Space")
    assert not page.locator("#span-0").is_visible()


def test_the_tab_key_stops_once_on_the_timeline(visit: Open, deploy: Report) -> None:
    page = visit(deploy)
    page.locator("[aria-label=Totals]").focus()
    stops = []
    while not stops or stops[-1] != "select":
        page.keyboard.press("Tab")
        stops.append(page.evaluate("document.activeElement.tagName.toLowerCase()"))
    assert stops == ["a", "select"]


def test_arrows_go_up_and_down_between_rows(visit: Open, large: Report) -> None:
    page = visit(large)
    page.locator("#timeline a[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.row") == "1"
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.dataset.row") == "0"


def test_spans_are_filtered_by_action_rule_and_text(visit: Open, deploy: Report) -> None:
    page = visit(deploy)
    page.select_option("[name=action]", "summarize")
    page.locator("#shown", has_text=" of ").wait_for()
    assert shown(page) == [span.id for span in deploy.spans if span.action == "summarize"]
    page.click("#filter-spans [type=reset]")
    page.locator("#shown", has_not_text=" of ").wait_for()
    page.select_option("[name=rule]", label="effects.unsettled")
    page.locator("#shown", has_text=" of ").wait_for()
    assert shown(page) == [
        span.id for span in deploy.spans if any(reason.rule == "effects.unsettled" for reason in span.reasons)
    ]
    page.click("#filter-spans [type=reset]")
    page.fill("#filter-spans [name=text]", "PROD-7781")
    page.locator("#shown", has_text=" of ").wait_for()
    assert "0" in shown(page) and len(shown(page)) < len(deploy.spans)
    assert page.locator("#timeline a.off").count() == len(deploy.spans) - len(shown(page))


def test_a_link_to_a_span_that_is_filtered_out_shows_it(visit: Open, deploy: Report) -> None:
    page = visit(deploy)
    page.select_option("[name=action]", "summarize")
    page.locator("#shown", has_text=" of ").wait_for()
    page.evaluate("location.hash = '#span-0'")
    page.locator("summary:focus").wait_for()
    assert page.locator("#span-0").is_visible()


def test_the_ledger_is_filtered_too(visit: Open, make: Make, chat: list[dict[str, Any]]) -> None:
    done = {"role": "tool", "tool_call_id": "c1", "content": '{"status": "succeeded"}'}
    report = make([*chat[:4], done, *chat[5:]])
    live = sum(item.live for item in report.ledger)
    assert 0 < live < len(report.ledger)
    page = visit(report)
    page.check("[name=live]")
    page.locator("#shown-items", has_text=f"{live} of ").wait_for()
    page.click("#filter-ledger [type=reset]")
    page.fill("#filter-ledger [name=text]", "Never touch")
    page.locator("#shown-items", has_text="1 of ").wait_for()


def test_it_can_be_read_without_scripts(visit: Open, refused: Report) -> None:
    page = visit(refused, java_script_enabled=False)
    assert page.locator("form.filters >> visible=true").count() == 0
    assert page.locator("#span-0").is_hidden()
    page.locator("#blocking a").first.click()
    anchor = refused.blocking[0].anchor
    assert page.locator(f"#{anchor}").is_visible()


def test_everything_is_unfolded_in_print(visit: Open, deploy: Report) -> None:
    page = visit(deploy)
    folded = "Array.from(document.querySelectorAll('.body')).filter(part => !part.checkVisibility() || part.offsetHeight < 20).length"
    assert page.evaluate(folded) > len(deploy.spans)
    on_screen = page.evaluate("document.documentElement.scrollHeight")
    page.emulate_media(media="print")
    assert page.evaluate(folded) == 0
    assert page.evaluate("document.documentElement.scrollHeight") > 2 * on_screen
    assert page.pdf().startswith(b"%PDF")


PRINTED = """name => Array.from(document.querySelectorAll(name))
    .filter(part => part.checkVisibility()).map(part => (part.querySelector('.body') || part).id)"""
"""The anchors of those parts that a selector finds and the medium shows."""


@pytest.fixture
def repairable() -> list[dict[str, Any]]:
    """A rule in each of 40 turns."""
    return [
        {"role": role, "content": content}
        for number in range(40)
        for role, content in (
            ("user", f"Never restart db-{number} before 0{number % 10}:30. " + "The light is soft this morning. " * 40),
            ("assistant", f"Order ORD-{4000 + number} stands."),
        )
    ]


def test_a_filtered_print_has_only_what_belongs_to_the_spans_that_are_shown(
    visit: Open, make: Make, repairable: list[dict[str, Any]], tmp_path: Path
) -> None:
    report = make(repairable, store=FileStore(tmp_path / "store"))
    page = visit(report)
    whole = len(page.pdf())
    page.fill("#filter-spans [name=text]", "db-17 ")
    page.locator("#shown", has_text="1 of ").wait_for()
    number = next(number for number, found in enumerate(report.spans) if found.id == shown(page)[0])
    own = f"span-{number}"
    page.emulate_media(media="print")
    assert page.evaluate(PRINTED, "#tables details") == [f"table-{report.spans[number].table}"]
    assert (
        page.evaluate(PRINTED, "#records tbody tr") == [found.anchor for found in report.records if own in found.spans] != []
    )
    introduced = {found.anchor for found in report.ledger if found.span == own}
    assert set(page.evaluate(PRINTED, "#ledger tbody tr")) == introduced != set()
    numbers = report.rule_number()
    decided = sorted(numbers[reason.rule] for reason in report.spans[number].reasons)
    assert page.evaluate(PRINTED, "#rules details") == [f"rule-{found}" for found in decided]
    assert len(page.pdf()) < whole / 5
    page.emulate_media(media="screen")
    assert len(page.evaluate(PRINTED, "#rules details")) == len(report.rules)


def test_a_filtered_print_has_the_blocking_items_of_the_spans_that_are_shown(
    visit: Open, make: Make, repairable: list[dict[str, Any]]
) -> None:
    report = make(repairable, target=1)
    page = visit(report)
    page.fill("#filter-spans [name=text]", "db-17 ")
    page.locator("#shown", has_text="1 of ").wait_for()
    page.emulate_media(media="print")
    rows = page.eval_on_selector_all(
        "#blocking tbody tr",
        "rows => rows.filter(row => row.checkVisibility()).map(row => row.querySelector('th').innerText)",
    )
    assert len(report.blocking) > 1
    assert set(rows) == set(shown(page))


def test_print_has_one_size_of_text_and_no_source_line_without_its_words(visit: Open, deploy: Report) -> None:
    page = visit(deploy)
    page.emulate_media(media="print")
    style = "([name, property]) => getComputedStyle(document.querySelector(name))[property]"
    sizes = {name: float(page.evaluate(style, [name, "fontSize"])[:-2]) for name in ("body", "code", "blockquote", ".badge")}
    assert max(sizes.values()) == sizes["body"]
    assert page.evaluate(style, ["li:has(> blockquote)", "breakInside"]) == "avoid"
    assert page.evaluate(style, [".reason > .soft", "breakAfter"]) == "avoid"


def test_five_thousand_spans_open_and_are_filtered(visit: Open, large: Report) -> None:
    start = time.monotonic()
    page = visit(large)
    page.fill("#filter-spans [name=text]", "prod-9.")
    page.locator("#shown", has_text=" of ").wait_for(timeout=60_000)
    assert time.monotonic() - start < 60  # seconds, on a slow and busy machine; mostly about 3
    assert 0 < len(shown(page)) < 5


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("which", ["deploy", "refused"])
def test_nobody_is_kept_out(visit: Open, scheme: str, which: str, request: pytest.FixtureRequest) -> None:
    page = visit(request.getfixturevalue(which), color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    assert page.evaluate(AUDIT) == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("document.documentElement.removeAttribute('lang')", "no language"),
        ("document.querySelector('th').removeAttribute('scope')", "scope"),
        ("document.querySelector('h2').outerHTML = '<h4>x</h4>'", "heading"),
        ("document.querySelector('label').replaceWith(document.querySelector('select'))", "no label"),
        ("document.querySelector('#timeline').setAttribute('aria-hidden', 'true')", "hidden"),
        ("document.querySelector('.lead').id = 'spans'", "twice"),
    ],
)
def test_the_audit_finds_what_it_looks_for(visit: Open, deploy: Report, change: str, problem: str) -> None:
    page = visit(deploy)
    page.evaluate(f"() => {{ {change} }}")
    assert any(problem in line for line in page.evaluate(AUDIT))


def test_the_audit_finds_faint_text(visit: Open, deploy: Report) -> None:
    page = visit(render_html(deploy), bypass_csp=True)
    page.add_style_tag(content=".soft { color: #999 !important; }")
    assert any("contrast" in line for line in page.evaluate(AUDIT))


@pytest.mark.parametrize("width", [320, 400, 1280])
def test_the_page_never_scrolls_sideways(visit: Open, refused: Report, width: int) -> None:
    page = visit(refused, viewport={"width": width, "height": 800})
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_hostile_text_does_nothing(visit: Open, make: Make) -> None:
    page = visit(make([{"role": "user", "content": f"Never touch prod-7781. {HOSTILE}"}], keep_last=0, file=HOSTILE))
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    assert page.evaluate("window.bad") is None
    assert HOSTILE[:60] in page.inner_text("#span-0")


def test_a_script_that_got_into_the_page_would_not_run(visit: Open, deploy: Report) -> None:
    data = render_html(deploy).replace(b"<main>", b"<main><script>window.bad = 1</script><b onclick='window.bad = 2'>x</b>")
    page = visit(data, quiet=False)
    page.click("main b")
    assert page.evaluate("window.bad") is None
