"""Spans: contiguous whole groups, the unit that a decision is about (design section 3)."""
