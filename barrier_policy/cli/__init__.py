"""The command line (design section 8)."""

from __future__ import annotations


def main() -> None:
    """Run the command line: the entry point `barrier-policy`."""
    from barrier_policy.cli.app import app  # late, so that importing the package stays cheap

    app(prog_name="barrier-policy")
