"""A report as one page that needs nothing else: no network, no font, no file beside it (design section 4, decision).

The page is HTML made by templates that escape every text. Its Content-Security-Policy names the digests of the one style sheet and the
one script that it holds, so that a browser runs nothing else even if a text got through.
"""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from barrier_policy.report.model import Report
from barrier_policy.report.timeline import WIDTH, draw


def render_html(report: Report) -> bytes:
    """The page in UTF-8; the same bytes for the same report."""
    environment = _environment()
    style, script = _asset("report.css"), _asset("report.js")
    bars = [(span.action, span.tokens) for span in report.spans]
    page = environment.get_template("report.html").render(
        report=report,
        head=report.head,
        numbers=report.rule_number(),
        line=draw([*bars, ("tail", report.tail_tokens)]),
        width=WIDTH,
        style=Markup(style),
        script=Markup(script),
        csp=f"default-src 'none'; style-src {_source(style)}; script-src {_source(script)}; base-uri 'none'; form-action 'none'",
    )
    return page.encode("utf-8", "backslashreplace")


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("barrier_policy.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["grouped"] = lambda number: f"{number:,}"
    return environment


def _asset(name: str) -> str:
    """A file beside the template, as it stands in the page: a browser digests exactly what is between the tags."""
    environment = _environment()
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def _source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
