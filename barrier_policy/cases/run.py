"""Runs everything that test files say about the policies of some folders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from barrier_policy.cases.row import Row, RuleTable
from barrier_policy.cases.transcripts import TranscriptResult, judge_transcripts
from barrier_policy.errors import BarrierPolicyError, Issue, MissingExtraError
from barrier_policy.join.schema import build_schema
from barrier_policy.plugins import load_plugins
from barrier_policy.policy.bundle import is_bundle
from barrier_policy.policy.case_file import Case, TestFiles, read_test_files
from barrier_policy.policy.cases import CaseResult, judge_cases
from barrier_policy.policy.cel.engine import Engine
from barrier_policy.policy.cel.load import load_engine
from barrier_policy.policy.coverage import Coverage, measure, rules_of
from barrier_policy.policy.evaluate import Evaluator
from barrier_policy.policy.loader import load_policies, policy_files, shipped_policies, with_shipped
from barrier_policy.policy.model import Policy, PolicySet, Rule
from barrier_policy.policy.mutants import Mutation, run_mutants
from barrier_policy.profile import EngineName, Profile
from barrier_policy.walk import Decider

BOTH = "both"
SCHEMA = "barrier_policy/policy_test/v1"


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What to test. No folders: the shipped policies. Folders lie on top of the shipped policies unless `alone`.

    `engine` is python, fast, both, or empty for all that are installed. `rule` and `name` are patterns, empty for all.
    """

    folders: tuple[Path, ...] = ()
    alone: bool = False
    engine: str = ""
    rule: str = ""
    name: str = ""
    mutate: bool = False


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What came out. `mutation` is None where none was asked for."""

    schema: str = SCHEMA
    engines: tuple[str, ...]
    rows: tuple[Row, ...]
    coverage: Coverage
    mutation: Mutation | None = None

    @property
    def failed(self) -> tuple[Row, ...]:
        """The cases that failed."""
        return tuple(row for row in self.rows if not row.passed)


def run_tests(asked: Asked) -> Report:
    """Run the cases beside the policies of folders, measure what they show, and run mutants against them.

    Raises PolicyError for policies or test files that are not right, BarrierPolicyError where no case is chosen.
    """
    engines = _engines(asked.engine)
    folders = _folders(asked)
    layers = list(folders) if asked.alone else with_shipped(folders)
    plugins = load_plugins()
    schema = build_schema(plugins.kinds.values())
    loaded = [load_policies(layers, schema, engine) for _, engine in engines]
    policies = loaded[0]
    written = read_test_files(policies, folders)
    files = _chosen(written, asked)
    judged = [judge_cases(Evaluator(found, engine), files.cases) for found, (_, engine) in zip(loaded, engines, strict=True)]
    deciders = [
        Decider(Profile(engine=name), plugins=plugins, policies=layers) for name, _ in engines if written.transcripts
    ]
    told = [judge_transcripts(decider, files.transcripts) for decider in deciders]
    evaluator = Evaluator(policies, engines[0][1])
    names = tuple(engine.name for _, engine in engines)
    pairs = _pairs(policies, folders, asked)
    return Report(
        engines=names,
        rows=(*map(case_row, zip(*judged, strict=True)), *map(_transcript_row, zip(*told, strict=True))),
        coverage=measure(pairs, (*judged[0], *judge_cases(evaluator, _shown(told[:1])))),
        mutation=_mutate(policies, pairs, engines[0][1], written, deciders[:1]) if asked.mutate else None,
    )


def _mutate(
    policies: PolicySet,
    pairs: Sequence[tuple[Policy, Rule]],
    engine: Engine,
    files: TestFiles,
    deciders: Sequence[Decider],
) -> Mutation:
    """All cases look at the mutants of the chosen rules, but those that fail anyway: they would notice every one.

    A transcript is decided once: mutants see the records of its spans. To decide it again for each would cost minutes.
    """
    told = [judge_transcripts(decider, files.transcripts) for decider in deciders]
    results = judge_cases(Evaluator(policies, engine), (*files.cases, *_shown(told)))
    return run_mutants(policies, pairs, engine, [result.case for result in results if result.passed], files.explained)


def _shown(told: Iterable[Iterable[TranscriptResult]]) -> list[Case]:
    """The cases on records that passing cases on transcripts amount to."""
    return [case for results in told for result in results for case in result.shown]


def _folders(asked: Asked) -> tuple[Path, ...]:
    for folder in asked.folders:
        if is_bundle(folder):
            raise BarrierPolicyError(f"{folder}: a bundle has no cases (test the folders that it was built from)")
        if not folder.is_dir():
            raise BarrierPolicyError(f"`{folder}` is no folder (give a folder of policy files)")
        if not any(folder.glob("*.yaml")):
            raise BarrierPolicyError(f"{folder}: the folder has no `*.yaml` (is it the right one?)")
    return asked.folders or (shipped_policies(),)


def _engines(choice: str) -> list[tuple[EngineName, Engine]]:
    """The engines to run with; the fast one first, mutants are run with it."""
    if choice in (EngineName.FAST, EngineName.PYTHON):
        return [(EngineName(choice), load_engine(choice))]
    python = (EngineName.PYTHON, load_engine("python"))
    try:
        return [(EngineName.FAST, load_engine("fast")), python]
    except MissingExtraError:
        if choice == BOTH:
            raise
        return [python]


def _pairs(policies: PolicySet, folders: Iterable[Path], asked: Asked) -> tuple[tuple[Policy, Rule], ...]:
    """The chosen rules of the folders."""
    unread: list[Issue] = []
    files = [str(file) for folder in folders for file in policy_files(folder, unread)]
    chosen = [rule.id for _, rule in policies.rules() if _matches(rule.id, asked.rule)]
    return rules_of(policies, files, chosen)


def _chosen(files: TestFiles, asked: Asked) -> TestFiles:
    """What the patterns leave; a transcript is about no rule in particular, so a pattern of rules leaves those that expect one."""
    cases = tuple(case for case in files.cases if _matches(case.rule, asked.rule) and _matches(case.name, asked.name))
    transcripts = tuple(
        case
        for case in files.transcripts
        if _matches(case.name, asked.name)
        and (not asked.rule or any(_matches(rule, asked.rule) for span in case.expect for rule in span.rules or ()))
    )
    if (asked.rule or asked.name) and not cases and not transcripts:
        raise BarrierPolicyError("no case matches `--rule` and `--name` (patterns such as `zones.*` are about whole names)")
    return TestFiles(cases=cases, transcripts=transcripts, explained=files.explained)


def _matches(name: str, pattern: str) -> bool:
    return not pattern or fnmatchcase(name, pattern)


def case_row(results: tuple[CaseResult, ...]) -> Row:
    """One case as all engines judged it; where they disagree it has failed, whatever they say."""
    first, case = results[0], results[0].case
    message = first.message
    if any((other.verdict, other.clauses) != (first.verdict, first.clauses) for other in results):
        message = "the engines disagree: " + " / ".join(result.message or "as expected" for result in results)
    return Row(
        file=case.file,
        line=case.line,
        policy=case.policy,
        rule=case.rule,
        name=case.name,
        message=message,
        tables=(RuleTable(rule=case.rule, clauses=first.clauses),) if message else (),
    )


def _transcript_row(results: tuple[TranscriptResult, ...]) -> Row:
    first, case = results[0], results[0].case
    message = first.message
    if any(other.spans != first.spans for other in results):
        message = "the engines disagree: " + " / ".join(result.message or "as expected" for result in results)
    return Row(
        file=case.file, line=case.line, policy=case.policy, rule="", name=case.name, message=message, tables=first.tables
    )
