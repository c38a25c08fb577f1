"""The gate between a runtime and its summarizer: plan, compact, audit (design sections 2 and 4)."""
