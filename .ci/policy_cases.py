"""Run the cases beside the shipped policies with both engines; prints what failed and what no case shows. Exit code 4 on failure."""

from __future__ import annotations

import sys

from barrier_policy.join.schema import build_schema
from barrier_policy.policy.cases import missing_cases, run_cases
from barrier_policy.policy.cel.engine import load_engine
from barrier_policy.policy.loader import load_policies, shipped_policies


def main() -> int:
    """Run all cases with both engines."""
    failed = 0
    folder = shipped_policies()
    for name in ("python", "fast"):
        engine = load_engine(name)
        policies = load_policies([folder], build_schema(), engine)
        results = run_cases(policies, engine, [folder])
        problems = [f"{r.case.file}:{r.case.line}: case `{r.case.name}`: {r.message}" for r in results if not r.passed]
        problems += [str(issue) for issue in missing_cases(policies, results)]
        print(f"{engine.name}: {len(results)} cases, {len(problems)} problems")
        print("\n".join(problems), end="\n" if problems else "")
        failed += len(problems)
    return 4 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
