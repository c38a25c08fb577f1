"""States of the ledger in the words of somebody who reads transcripts. Pure."""

from __future__ import annotations

STATE = {
    "proposed": "proposed",
    "conditional": "waits for a condition",
    "detached": "not done yet",
    "satisfied": "done",
    "released": "released",
    "cancelled": "called off",
    "expired": "replaced by a later one",
    "violated": "broken",
    "abandoned": "given up",
    "intended": "not started",
    "started": "started, not confirmed",
    "confirmed": "carried out",
    "failed_clean": "failed, nothing changed",
    "partial": "done in part",
    "unknown": "outcome unknown",
    "quarantined": "set aside",
    "active": "in force",
    "narrowed": "in force in part",
    "overridden": "overridden",
    "revoked": "no longer in force",
    "scope_ended": "no longer in force",
    "open": "still needed",
    "closed": "no longer needed",
    "superseded": "replaced by a later one",
}
"""By the names of design section 5. "unknown" is said of effects in practice; an obligation on conflicting evidence reads the same."""
