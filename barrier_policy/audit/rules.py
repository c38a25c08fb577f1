"""The kinds of findings, by their stable ids. `docs/audit.md` shows this table; a test compares them."""

from __future__ import annotations

from barrier_policy.audit.model import AuditRule, Outcome

_BARRIER = "Compaction barrier (2026-11-10), Condition of Validity"
_FIDELITY = f"{_BARRIER}: the summarizer is audited against the fidelity clause"
_EXACT = f"{_BARRIER}: bindings whose correctness depends on exact values"
_EVIDENCE = "Refusal to reclaim (2026-11-06), Decision boundary: never a confident answer from a summary"

RULES = {
    rule.id: rule
    for rule in (
        AuditRule(
            id="audit.severed",
            severity="high",
            summary="Something protected stands nowhere in the result.",
            why="A later turn acts without it: repeats an effect, breaks a rule, forgets what is owed, guesses a value.",
            remedy="keep its message, or write its record into the carrier",
            references=(_FIDELITY,),
        ),
        AuditRule(
            id="audit.value-severed",
            severity="medium",
            summary="An exact value that was in use, or a line that was needed, stands nowhere in the result.",
            why="The next turn looks it up again where it can, and guesses it where it can't.",
            remedy="keep a message that has it, or write it into the carrier",
            references=(_EXACT,),
        ),
        AuditRule(
            id="audit.weakened",
            severity="high",
            summary="A rule is mentioned, and no longer as the rule that it was.",
            why="A prohibition that is told as a preference or as history binds nobody.",
            remedy="state the rule in its own words, or write its record into the carrier",
            references=(f"{_BARRIER}: preconditions", _FIDELITY),
        ),
        AuditRule(
            id="audit.contradicted",
            severity="critical",
            summary="The result says the opposite of what holds: another polarity, another state, a release that nobody gave.",
            why="It is worse than a loss: the next turn is told to do what must not be done, or that something was done which was not.",
            remedy="take the statement out, and let the carrier speak",
            references=(_FIDELITY, _EVIDENCE),
        ),
        AuditRule(
            id="audit.altered",
            severity="critical",
            summary="Something stands in the result nearly as it was, and not exactly.",
            why="A wrong digit or unit looks like the right value and is used like it.",
            remedy="restore what stood there, byte for byte",
            references=(_EXACT,),
        ),
        AuditRule(
            id="audit.misbound",
            severity="critical",
            summary="An exact value stands under the name, or on the line, of something else.",
            why="The value is right and what it is used for is wrong: two swapped ids pass every check of presence.",
            remedy="tie the value to what it belonged to",
            references=(_EXACT,),
        ),
        AuditRule(
            id="audit.misfiled",
            severity="high",
            summary="A record stands in the carrier as a record of another kind.",
            why="What is owed reads as done, or a rule as a remark.",
            remedy="write the record into the section of its kind",
            references=("Design section 5, carrier record",),
        ),
        AuditRule(
            id="audit.stale",
            severity="high",
            summary="What was superseded, released or settled comes back as current.",
            why="A rule that was lifted blocks, an obligation that was met is met twice, an old value is used for the new one.",
            remedy="take it out, or say that it is past",
            references=("Design section 5, carrier record: stale when its subject changes version",),
        ),
        AuditRule(
            id="audit.unsupported",
            severity="high",
            summary="The result holds a record, an exact value or an obligation that was not there before.",
            why="A compaction may lose and must never add: nobody can tell what it made up from what happened.",
            remedy="take it out",
            references=(_EVIDENCE, "Design section 9, invariant 23"),
        ),
        AuditRule(
            id="audit.unordered",
            severity="medium",
            summary="Messages or records stand in another order than they happened in.",
            why="Which of two receipts or rules is the later one decides which of them counts.",
            remedy="put them in the order in which they happened",
            references=("Design section 5, carrier record",),
        ),
        AuditRule(
            id="audit.pair-broken",
            severity="high",
            summary="A call lost its result, or a result its call.",
            why="Runtimes refuse such a transcript, or the model takes the call for unanswered and makes it again.",
            remedy="keep both, or neither",
            references=("Design section 9, invariant 13",),
        ),
        AuditRule(
            id="audit.carrier-damaged",
            severity="critical",
            summary="A carrier can't be read, or is not what its digest says, or stands where no carrier may stand.",
            why="Nothing in it can be trusted, and what only it held counts as lost.",
            remedy="compact again from the original, or take the block out of the message",
            references=("Design section 5, carrier record: read back, digest equal",),
        ),
        AuditRule(
            id="audit.secret-shown",
            severity="critical",
            summary="New text shows a secret value.",
            why="A summary is copied, logged and sent on by others than the turn that held the secret.",
            remedy="write the text again without the value, and replace the secret",
            references=("Design section 9, invariant 20",),
        ),
        AuditRule(
            id="audit.opaque",
            severity="medium",
            summary="Something in the result, or something that is gone, can't be read.",
            why="What can't be looked into can't pass: it may hold everything or nothing.",
            remedy="keep what can't be read, or have the summary made as text",
            references=("Design section 9, invariant 18",),
            outcome=Outcome.INCONCLUSIVE,
        ),
    )
}
