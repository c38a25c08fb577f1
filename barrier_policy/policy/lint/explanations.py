"""Lint rules about what a reviewer reads: explanation, evidence, references, summary."""

from __future__ import annotations

from collections.abc import Iterator

from barrier_policy.join.schema import RecordSchema, element
from barrier_policy.policy.cel.scope import Path
from barrier_policy.policy.lint.behaviour import observe
from barrier_policy.policy.lint.conditions import observed
from barrier_policy.policy.lint.model import Hit, Level, at, lint_rule
from barrier_policy.policy.lint.names import in_expression, missing
from barrier_policy.policy.lint.source import Sources, items_of

MAX_SUMMARY = 120


@lint_rule("missing-explanation", Level.WARNING)
def missing_explanation(sources: Sources) -> Iterator[Hit]:
    """A rule has no explanation.

    Why: A decision then shows the summary, which says the same of every span; the explanation names the item.
    Bad:
        explanation:
        #^
    Good:
        explanation: "span.effects[0].tool + ' is unsettled'"
    """
    for _, rule in sources.rules():
        if "explanation" not in rule.fields:
            yield missing(rule, "explanation", f"rule `{rule.id}` has no explanation (write one that names the item)")


@lint_rule("explanation-can-err", Level.WARNING)
def explanation_can_err(sources: Sources) -> Iterator[Hit]:
    """The explanation errs on a record on which the condition holds.

    Why: The decision stands, but its reader gets the summary and an error in the place of a reason.
    Bad:
        condition: "span.tokens > 10"
        evidence:
        explanation: "span.effects[0].tool + ' is unsettled'"
        #             ^
    Good:
        condition: "size(span.effects) > 0"
        explanation: "span.effects[0].tool + ' is unsettled'"
    """
    for file, rule in sources.rules():
        seen, explanation = observe(file, rule, sources), rule.expression("explanation")
        if seen and explanation and explanation.tree and seen.explanation_errs:
            risky = next((node for node in explanation.walk() if node.op in ("index", "/", "%")), explanation.tree)
            message = f"the explanation of `{rule.id}` errs on a generated record on which the rule holds"
            yield in_expression(explanation, risky.start, message)


@lint_rule("barrier-without-evidence", Level.WARNING)
def barrier_without_evidence(sources: Sources) -> Iterator[Hit]:
    """The condition of a barrier looks at items of the span, and the rule cites none.

    Why: A reviewer can't follow the decision to a place in the transcript, and repairs don't know what they are for.
    Bad:
        condition: "span.effects.exists(e, e.unsettled)"
        #           ^
        evidence:
    Good:
        condition: "span.effects.exists(e, e.unsettled)"
        evidence: "span.effects.filter(e, e.unsettled)"
    """
    for _, rule, condition, _ in observed(sources):
        reads = condition.checked.reads if condition.checked else ()
        cited = [".".join(path) for path in reads if _is_list_of_records(path, sources.schema)]
        if rule.is_barrier and cited and "evidence" not in rule.fields:
            start = condition.tree.start if condition.tree else 0
            yield in_expression(condition, start, f"rule `{rule.id}` looks at `span.{cited[0]}` and has no `evidence`")


def _is_list_of_records(path: Path, schema: RecordSchema) -> bool:
    found = "Span"
    for name in path:
        found = next((field.type for field in schema.types[found].fields if field.name == name), "")
        if found not in schema.types:
            break
    return element(found) in schema.types


@lint_rule("evidence-misses-condition", Level.WARNING)
def evidence_misses_condition(sources: Sources) -> Iterator[Hit]:
    """The condition can hold while the evidence lists nothing.

    Why: The decision then cites nothing, though the rule promises that it would.
    Bad:
        condition: "span.effects.exists(e, e.unsettled)"
        evidence: "span.effects.filter(e, e.unsettled && e.assumed)"
        #          ^
    Good:
        condition: "span.effects.exists(e, e.unsettled)"
        evidence: "span.effects.filter(e, e.unsettled)"
    """
    for file, rule in sources.rules():
        seen = observe(file, rule, sources)
        if seen and seen.cites_nothing:
            evidence = next(found for found in rule.expressions if found.key == "evidence")
            message = f"rule `{rule.id}` holds on a generated record and cites nothing"
            yield in_expression(evidence, evidence.tree.start if evidence.tree else 0, message)


@lint_rule("missing-reference", Level.ERROR)
def missing_reference(sources: Sources) -> Iterator[Hit]:
    """A rule cites no source.

    Why: In a year somebody asks why the rule exists. The answer is a sentence of a document, an incident, a contract.
    Bad:
        references: []
        #^
    Good:
        references: ["audit handbook, section 7"]
    """
    for _, rule in sources.rules():
        if not items_of(rule.fields.get("references")):
            yield missing(rule, "references", f"rule `{rule.id}` has no references (cite the sentence that it implements)")


@lint_rule("long-summary", Level.INFO)
def long_summary(sources: Sources) -> Iterator[Hit]:
    """The summary is longer than a line.

    Why: Tables and reports show it whole. What is more belongs to `why`.
    Bad:
        summary: A payment, a refund, a transfer and whatever else moves money out of the account or back into it stays verbatim, because the auditor reads it.
        #        ^
    Good:
        summary: Whatever moves money stays verbatim.
    """
    for _, rule in sources.rules():
        summary = rule.text("summary").strip()
        if len(summary) > MAX_SUMMARY or "\n" in summary:
            yield at(
                rule.fields["summary"], f"the summary has {len(summary)} characters (at most {MAX_SUMMARY}, on one line)"
            )


RULES = (
    missing_explanation,
    explanation_can_err,
    barrier_without_evidence,
    evidence_misses_condition,
    missing_reference,
    long_summary,
)
