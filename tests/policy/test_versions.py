"""A shipped policy that changes gets a new version: `policies` of a decision and its reasons name it.

`python tests/policy/test_versions.py` writes the present digests down, once the versions are moved as docs/policies.md says.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from barrier_policy.cli.policy_lint import full_schema
from barrier_policy.digest import digest_value
from barrier_policy.policy.cel.load import load_engine
from barrier_policy.policy.loader import content_of, load_policies, shipped_policies

WRITTEN = Path(__file__).parent / "data" / "shipped_versions.json"


def present() -> dict[str, dict[str, str]]:
    """By policy, its version and the digest of its rules."""
    policies = load_policies([shipped_policies()], full_schema(), load_engine("python")).policies
    return {
        policy.name: {"version": policy.version, "rules": digest_value([content_of(rule) for rule in policy.rules])}
        for policy in policies
    }


def test_a_shipped_policy_whose_rules_change_gets_a_new_version() -> None:
    written, now = msgspec.json.decode(WRITTEN.read_bytes()), present()
    same = {name for name in now if now[name]["version"] == written.get(name, {}).get("version")}
    changed = sorted(name for name in same if now[name] != written[name])
    assert changed == [], "move their versions (docs/policies.md, Versions)"
    assert now == written, "write them down: python tests/policy/test_versions.py"


if __name__ == "__main__":
    WRITTEN.write_bytes(msgspec.json.format(msgspec.json.encode(present()), indent=2) + b"\n")
