"""Stores of originals: kept under their digests, verified, held, and collected as garbage (design section 5)."""
