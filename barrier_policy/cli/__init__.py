"""The command line (design section 8)."""

from __future__ import annotations

import gc

YOUNG_OBJECTS = 200_000
"""How many new objects are looked through for garbage. A command loads about as many that stay: less would cost a tenth of its start."""


def main() -> None:
    """Run the command line: the entry point `barrier-policy`."""
    gc.set_threshold(YOUNG_OBJECTS)
    from barrier_policy.cli.app import app  # late, so that importing the package stays cheap

    app(prog_name="barrier-policy")
