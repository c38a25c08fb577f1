"""The audit of a compaction: what it severed, weakened, contradicted or made up, whoever compacted (design sections 2, 5 and 9)."""
