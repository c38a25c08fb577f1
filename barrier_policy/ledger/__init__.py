"""The ledger: what the transcript says is owed, done, forbidden and exact (design section 5)."""
