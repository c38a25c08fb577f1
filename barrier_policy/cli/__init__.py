"""The command line (design section 8)."""

from __future__ import annotations

import gc

YOUNG_OBJECTS = 200_000
"""How many new objects are looked through for garbage. A command loads about as many that stay: less would cost a tenth of its start."""
INTERRUPTED = 130
"""The exit code of what was interrupted: here so that it is known before anything else is imported."""


def main() -> None:
    """Run the command line: the entry point `barrier-policy`."""
    gc.set_threshold(YOUNG_OBJECTS)
    try:
        from barrier_policy.cli.app import app  # late, so that importing the package stays cheap

        app(prog_name="barrier-policy")
    except KeyboardInterrupt:  # while the commands were imported; a command catches its own
        raise SystemExit(INTERRUPTED) from None
