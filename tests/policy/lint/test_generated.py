"""What is made from the code and kept in the repository: pages of the lint rules, the reference of the shipped rules, JSON Schemas.

`python tests/policy/lint/test_generated.py` writes them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from barrier_policy.cli.policy_files import make_reference
from barrier_policy.join.schema import build_schema
from barrier_policy.policy.json_schema import SCHEMAS, schema_text
from barrier_policy.policy.lint.pages import page, table
from barrier_policy.policy.lint.run import RULES
from barrier_policy.policy.loader import shipped_policies

ROOT = Path(__file__).parents[3]
PAGES = ROOT / "docs" / "lint"
TABLE = re.compile(r"(<!-- lint rules -->\n)(.*)(<!-- /lint rules -->)", re.DOTALL)


def generated() -> dict[Path, str]:
    """Every generated file with its text."""
    record = build_schema()
    overview = ROOT / "docs" / "lint.md"
    return {
        **{PAGES / f"{rule.id}.md": page(rule) for rule in RULES},
        **{ROOT / "barrier_policy" / "schemas" / f"{kind}.schema.json": schema_text(kind, record) for kind in SCHEMAS},
        ROOT / "docs" / "rules.md": make_reference(shipped_policies()),
        overview: TABLE.sub(lambda found: found[1] + table() + found[3], overview.read_text(encoding="utf-8")),
    }


@pytest.mark.parametrize("path", generated(), ids=lambda path: path.name)
def test_a_generated_file_is_what_the_code_makes(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == generated()[path], f"python {Path(__file__).relative_to(ROOT)}"


def test_no_page_is_left_of_a_rule_that_went() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == {rule.id for rule in RULES}


def test_every_shipped_rule_is_in_the_reference_with_an_example() -> None:
    text = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    assert text.count("\nExample:\n") == text.count("\n### ") > 10
    assert "No case shows it" not in text


if __name__ == "__main__":
    for place, content in generated().items():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")
