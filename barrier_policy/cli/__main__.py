"""`python -m barrier_policy.cli` is the command `barrier-policy`."""

from barrier_policy.cli import main

main()
