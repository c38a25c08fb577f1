"""Orders, refunds and the customer's consent: extractors and a policy for customer service agents."""

from pathlib import Path

POLICIES = Path(__file__).parent / "policies"
"""The folder to give to `--policies`, or to name in `overlays` of a profile."""
